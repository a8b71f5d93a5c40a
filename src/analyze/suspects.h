#pragma once
// Which queries of a run look noisy or changed, and are worth running again: chosen from its
// records alone, and handed to the runner as a file.
//
// Threads: independent calls. Errors: as Analyze. Writes nothing.

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge::analyze {

// A query in a cell is suspect where
// - an execution of it was disturbed from outside (disturbances.h), or
// - its times vary by more than 15% (coefficient of variation), or
// - each of at least four is longer, or each shorter, than the one before, by more than 10% in all.
inline constexpr double kSuspectPct = 15;
inline constexpr size_t kTrendRuns = 4;
inline constexpr double kTrendShare = 0.10;

struct Suspect {
  std::string cell, query;
  std::vector<std::string> reasons;  // "disturbed: load", "times vary by 23%"
};
// In plan order.
Result<std::vector<Suspect>> FindSuspects(const std::string& run_dir);

// The file that a runner takes: {v, times, suspects [{cell, query, reasons[]}]}.
Json SuspectsFile(const std::vector<Suspect>& suspects, int64_t times);

}  // namespace lakegauge::analyze
