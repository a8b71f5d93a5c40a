#pragma once
// What the machine, the engine's processes and watched servers did while each cell's queries ran:
// throughput (peak, sustained, average), latency, CPU use, memory, disk and network, and a line of
// time of the whole run with its queries.
//
// Base tables: samples (as on disk), stretches (between two looks at the machine), query_time (the
// time in which a cell's queries ran, laid end to end) and delivered (bytes by second of it).
// Threads: pure functions. Units: seconds, bytes; shares are of all cores, 0 to 1.

#include <string>
#include <vector>

#include "analyze/table_sql.h"
#include "base/json.h"

namespace lakegauge::analyze {

// A sustained throughput is the highest that was held, on average, over so many seconds in a row.
inline constexpr int kSustainedSeconds = 10;
// The line of time has at most so many steps.
inline constexpr int kTimelineSteps = 600;

std::string ResourceBaseSql(bool has_samples, bool has_requests);
// "resources" (one row a cell), "servers" (one a cell and watched server), "timeline", "bands".
std::vector<TableSql> ResourceTables();

struct ResourceRows {
  const Json& resources;
  const Json& servers;
  const Json& timeline;
  const Json& bands;
};
// The block "resources" of summary.json. `plan` gives what a store is rated at.
OrderedJson ResourcesJson(const ResourceRows& rows, const Json& plan);

}  // namespace lakegauge::analyze
