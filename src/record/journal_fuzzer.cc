// Any bytes are a journal or an error, never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "record/journal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto journal = lakegauge::record::ParseJournal(
      std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  (void)journal.ok();
  return 0;
}
