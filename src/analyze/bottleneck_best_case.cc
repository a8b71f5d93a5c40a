#include "analyze/bottleneck_best_case.h"

#include <algorithm>
#include <cmath>

namespace lakegauge::analyze {

namespace {

// Cores that wait between bursts compute slower: caches and clocks cool. Of two layouts and 20
// queries at 2 and 7 ms a request against the same on a free store, CPU time grew by this times the
// share of the time that was blocked (docs/measurement.md).
constexpr double kWaitingCostsCpu = 0.3;
// And the reverse: with more threads than cores DuckDB's threads get in each other's way where
// files are opened, unless they sleep in requests. CPU time more on the free store for each file
// that is opened and read within a scan: files of 1 MiB, 2 cores, 4 to 64 threads
// (docs/measurement.md).
constexpr double kOpeningCpuS = 0.30e-3;

}  // namespace

BestCase EstimateBestCase(const Schedule& schedule, const Machine& machine, double blocked_share) {
  Target free;
  free.cores = machine.cores;
  free.threads = machine.threads;
  Target recorded = free;
  recorded.seconds = [](const ScheduledRequest& r) { return r.recorded_s; };
  if (machine.cores > 0 && machine.threads > machine.cores) free.open_cpu_s = kOpeningCpuS;
  free.cpu_factor = 1 / (1 + kWaitingCostsCpu * std::clamp(blocked_share, 0.0, 1.0));
  BestCase best;
  best.elapsed_s = std::min(schedule.elapsed_s, Simulate(schedule, free).elapsed_s);
  // The path knows of no cores: with all of them busy the computing itself takes longer.
  const double cpu_s = schedule.cpu_s * free.cpu_factor;
  best.path_s = std::min(
      schedule.elapsed_s,
      std::max(AlongCriticalPath(schedule, free), machine.cores > 0 ? cpu_s / machine.cores : 0));
  best.replayed_s = Simulate(schedule, recorded).elapsed_s;
  return best;
}

std::string_view ConfidenceName(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh:
      return "high";
    case Confidence::kMedium:
      return "medium";
    case Confidence::kLow:
      break;
  }
  return "low";
}

Confidence ConfidenceOf(const BestCase& best, double elapsed_s) {
  constexpr double kHigh = 0.1;
  constexpr double kMedium = 0.25;
  if (!(elapsed_s > 0)) return Confidence::kLow;
  const double apart =
      std::max(std::abs(best.elapsed_s - best.path_s), std::abs(best.replayed_s - elapsed_s)) /
      elapsed_s;
  return apart <= kHigh     ? Confidence::kHigh
         : apart <= kMedium ? Confidence::kMedium
                            : Confidence::kLow;
}

}  // namespace lakegauge::analyze
