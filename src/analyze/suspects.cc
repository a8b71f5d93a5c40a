#include "analyze/suspects.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/records.h"
#include "analyze/statistics.h"

namespace lakegauge::analyze {
namespace {

constexpr int kSuspectsVersion = 1;

// Longer each time, or shorter each time.
bool IsTrend(const std::vector<double>& seconds) {
  if (seconds.size() < kTrendRuns || seconds.front() <= 0 || seconds.back() <= 0) return false;
  const auto end = seconds.end();
  const bool up = std::adjacent_find(seconds.begin(), end, std::greater_equal<>()) == end;
  const bool down = std::adjacent_find(seconds.begin(), end, std::less_equal<>()) == end;
  const double ratio = seconds.back() / seconds.front();
  return (up && ratio > 1 + kTrendShare) || (down && ratio < 1 - kTrendShare);
}

std::vector<std::string> Reasons(const Json& row) {
  std::vector<std::string> reasons;
  for (const Json& reason : row.value("disturbed", Json::array())) {
    if (reason.is_string()) reasons.push_back("disturbed: " + reason.get<std::string>());
  }
  std::vector<double> seconds;
  for (const Json& s : row.value("seconds", Json::array())) {
    if (s.is_number()) seconds.push_back(s.get<double>());
  }
  const auto varies = StabilityPercent(Summarise(seconds));
  if (seconds.size() >= 2 && varies && *varies > kSuspectPct) {
    reasons.push_back(fmt::format("times vary by {:.0f}%", *varies));
  }
  if (IsTrend(seconds)) {
    reasons.push_back(fmt::format("times {} from {:.3g} s to {:.3g} s, each time",
                                  seconds.back() > seconds.front() ? "rise" : "fall",
                                  seconds.front(), seconds.back()));
  }
  return reasons;
}

}  // namespace

Result<std::vector<Suspect>> FindSuspects(const std::string& run_dir) {
  LG_ASSIGN_OR_RETURN(Records records, Records::Open(run_dir));
  LG_ASSIGN_OR_RETURN(const Json rows, records.Rows("suspects"));
  std::vector<Suspect> suspects;
  for (const Json& row : rows) {
    Suspect suspect{JsonOr<std::string>(row, "cell", ""), JsonOr<std::string>(row, "query", ""),
                    Reasons(row)};
    if (!suspect.reasons.empty()) suspects.push_back(std::move(suspect));
  }
  return suspects;
}

Json SuspectsFile(const std::vector<Suspect>& suspects, int64_t times) {
  Json list = Json::array();
  for (const Suspect& s : suspects) {
    list.push_back({{"cell", s.cell}, {"query", s.query}, {"reasons", s.reasons}});
  }
  return {{"v", kSuspectsVersion}, {"times", times}, {"suspects", std::move(list)}};
}

}  // namespace lakegauge::analyze
