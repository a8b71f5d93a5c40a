#pragma once
// Which executions were disturbed from outside while they ran: what the runner noticed in stretches
// of about a second (events "disturbance" of the journal), laid over the executions.
//
// Base tables: disturbance_windows (session, from_ns, to_ns, reason, share, text), borne
// (execution, reason, share, text), usual (reason, share, hit_from) and disturbances, the rows of
// borne that hit their execution. Threads: pure functions.

#include <string>
#include <string_view>
#include <vector>

#include "analyze/table_sql.h"
#include "analyze/trust.h"
#include "base/json.h"

namespace lakegauge::analyze {

// An execution is hit by a reason when that took so much of what is usually left of the machine in
// the run, on average over the execution's whole time: the smallest effect on a suite that a
// comparison is asked to find. A stepped clock hits whatever it fell into.
inline constexpr double kHitShare = 0.03;

std::string_view DisturbanceBaseSql();
// "disturbed": one row an execution and reason; "watched": how many executions were watched at all,
// and what the usual one bore; "suspects": times by query (suspects.h); "repeated": what was run
// again.
std::vector<TableSql> DisturbanceTables();

// The block "disturbances" of summary.json, and its light, from the rows of these two tables.
OrderedJson DisturbancesJson(const Json& disturbed, const Json& watched);
// What a report says of executions that were run again; empty where there are none.
std::string RepeatedNote(const Json& repeated);
Light DisturbancesLight(const Json& disturbed, const Json& watched);

}  // namespace lakegauge::analyze
