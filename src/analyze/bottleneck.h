#pragma once
// Where the time of each query and cell went, and what a free store would make of it: blocked-time
// analysis of what was recorded. Hides the schedules, their simulation and how a bound is named.
//
// Wall time divides into computing (a lane computes), waiting for storage (none computes, at least
// one waits: the journal's blocked time) and idle (neither). The best case is what the simulation
// gives when no request waits (schedule_simulation.h).
// Threads: independent calls. Owns: the requests of one cell at a time.
// Errors: kCorrupt of request files; what was not recorded is null.
// Units: seconds an execution, for cells a pass. Cost: some seconds for a million requests.

#include <string>

#include "analyze/records.h"
#include "base/json.h"
#include "base/result.h"

namespace lakegauge::analyze {

// summary.json's block "bottleneck" (docs/formats.md).
Result<OrderedJson> Bottlenecks(const std::string& run_dir, Records& records);

}  // namespace lakegauge::analyze
