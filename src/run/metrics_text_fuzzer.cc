// Any bytes a server may answer with: no crash, and nothing but finite numbers under sane names.

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "run/metrics_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = lakegauge::run::ParseMetricsText(text, [](std::string_view) { return true; });
  for (const auto& value : read.values) {
    if (value.name.empty() || !std::isfinite(value.value)) std::abort();
  }
  return 0;
}
