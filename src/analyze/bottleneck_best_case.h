#pragma once
// How long an execution would have taken had storage taken no time, estimated twice, and how far
// the estimate can be trusted. Hides what waiting itself costs in CPU time.
//
// Threads: pure. Units: seconds.

#include <string_view>

#include "analyze/schedule.h"
#include "analyze/schedule_simulation.h"

namespace lakegauge::analyze {

struct Machine {
  double cores = 0;  // that other work left; 0: unknown, taken as one for each thread
  int threads = 1;
};

struct BestCase {
  double elapsed_s = 0;   // by simulation
  double path_s = 0;      // along the critical path, at least CPU time over cores
  double replayed_s = 0;  // by simulation with the request times that were recorded
};
// blocked_share: of the execution's time, in which no thread computed and one waited.
BestCase EstimateBestCase(const Schedule& schedule, const Machine& machine, double blocked_share);

enum class Confidence { kHigh, kMedium, kLow };
std::string_view ConfidenceName(Confidence confidence);  // "high", "medium", "low"
// By how far the two estimates are apart, as a share of the time that was measured, and how well
// the simulation gives that time back.
Confidence ConfidenceOf(const BestCase& best, double elapsed_s);

inline constexpr std::string_view kBestCaseMethod =
    "wall time divides into computing (a lane computes), storage (none computes, at least one "
    "waits) and idle (neither). The best case is a simulation of the recorded scans in which no "
    "request waits: row groups on the engine's threads, which share the cores, with what waiting "
    "costs in CPU time taken off. Confidence falls where the critical path (or CPU time over "
    "cores, "
    "where that is longer) says otherwise or the "
    "simulation does not give back the time that was measured";

}  // namespace lakegauge::analyze
