// Any bytes are samples, bad lines or an error, never a crash; what is read can be matched.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "import/matching.h"
#include "import/tabular.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = lakegauge::imports::ParseCsv(text, "fuzz", lakegauge::imports::Mapping());
  if (parsed.ok()) (void)lakegauge::imports::Match(parsed->samples, {"fuzz"});
  return 0;
}
