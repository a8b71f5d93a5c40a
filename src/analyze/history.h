#pragma once
// A query, or the suite, over many runs: one line of points a cell, each against the run before it.
//
// Threads: independent calls. Errors: kInvalidArgument where no run can be read or none has the
// query. Runs that cannot be read are left out and listed. Units: seconds.

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge::analyze {

// `query` empty: whole passes. Runs in the order in which they started.
// {v, query (null: passes), cells[] {cell, emulated, points[] {run, started_utc, lakegauge_version,
//  build_type, n, avg_s, stddev_s, ci95_low_s, ci95_high_s, remark (why it is not compared with the
//  point before: "first", "other data", "other queries"; else empty),
//  change {as a comparison: delta_s ... mark} or null}}, left_out[] {run, why}, method}
Result<OrderedJson> History(const std::vector<std::string>& run_dirs, const std::string& query);

}  // namespace lakegauge::analyze
