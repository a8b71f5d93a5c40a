// Any text is a profile or a list of problems, never a crash; so with the YAML reader below it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "profile/profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lakegauge::profile::Profile;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto profile = lakegauge::profile::ParseProfile(text, "fuzz");
  if (profile.ok() && !Profile::FromJson(profile->ToJson()).ok()) __builtin_trap();
  return 0;
}
