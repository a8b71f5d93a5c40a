#pragma once
// Two runs compared: the same queries over the same rows in the same files, in cells of the same
// engine and store.
//
// Threads: independent calls. Errors: as Analyze; kInvalidArgument where a dataset of the same name
// holds other rows, or nothing is comparable. Files that are not the same bytes, queries whose text
// changed and cells only one run has are left out and listed with the reason.
// Units: seconds.

#include <string>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge::analyze {

// {v, before, after {run, started_utc, version}, sentence, notes[], environment[] (what differs),
//  left_out[] {run, cell, why}, counts {faster, slower, within noise, too few samples},
//  cells[]   cell, emulated, before_n, after_n, before_s, after_s, delta_s, delta_low_s,
//            delta_high_s, ratio, ci_low, ci_high, p, smallest, mark        of pass times
//  queries[] query, cell and the same, outliers, ratio_without (them); p is adjusted over the
//            queries of the cell,
//  detectable, method}      as in summary.json
Result<OrderedJson> Compare(const std::string& before_dir, const std::string& after_dir);

}  // namespace lakegauge::analyze
