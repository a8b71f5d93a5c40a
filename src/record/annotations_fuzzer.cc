// Any bytes are annotations or an error, never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "record/annotations.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto annotations = lakegauge::record::ParseAnnotations(
      std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (annotations.ok()) (void)annotations->Invalid();
  return 0;
}
