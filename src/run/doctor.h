#pragma once
// What this machine can and cannot do for a measurement, and how to mend it.
//
// Threads: one call at a time. Cost: under a second; writes and deletes one small file in data_dir.

#include <string>
#include <string_view>
#include <vector>

namespace lakegauge::run {

enum class Health { kGood, kWarn, kBad };
std::string_view HealthName(Health health);  // good warn bad

struct Check {
  std::string id;  // "cache_drop", "free_space", ...
  Health health = Health::kGood;
  std::string text;  // what was found
  std::string mend;  // what to do; empty where good
};
std::vector<Check> Diagnose(const std::string& data_dir, const std::string& results_dir);

}  // namespace lakegauge::run
