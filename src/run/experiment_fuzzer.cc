#include <cstddef>
#include <cstdint>
#include <string_view>

#include "run/experiment.h"

// Whatever the bytes are, the answer is an experiment or problems; and what was accepted can be
// written and is accepted again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto experiment = lakegauge::run::ParseExperiment(text, "fuzz.yaml");
  if (!experiment.ok()) {
    if (experiment.error().message.empty()) __builtin_trap();
    return 0;
  }
  const auto again =
      lakegauge::run::ParseExperiment(lakegauge::run::ToYaml(*experiment, {}), "again.yaml");
  if (!again.ok()) __builtin_trap();
  return 0;
}
