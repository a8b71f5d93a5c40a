#pragma once
// Executions that took unlike the others of their query and cell, each with the cause on record.
// They are flagged, never removed: figures are shown with and without them.
//
// The rule (kOutlierMethod) works from three iterations on, where a single deviation says nothing:
// it asks how far the other queries' times spread, too. Threads: pure functions. Units: seconds.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace lakegauge::analyze {

// The times of one query in one cell.
struct TimedGroup {
  std::string cell;
  std::vector<double> seconds;
};

// For each group the indices of the times that are flagged. Groups of fewer than three have none.
std::vector<std::vector<size_t>> FindOutliers(std::span<const TimedGroup> groups);

inline constexpr std::string_view kOutlierMethod =
    "a time farther from the median of the query's other times than 6 times the larger of two "
    "spreads: the others' own (1.4826 x median absolute deviation), and the coefficient of "
    "variation "
    "that three in four other queries of the cell (of the run, where the cell has under eight) "
    "stay "
    "below";

// From the rows of the result table "times" (in its order): one object an outlier, as "outliers" of
// summary.json has them.
OrderedJson OutliersJson(const Json& rows);

}  // namespace lakegauge::analyze
