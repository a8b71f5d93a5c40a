#pragma once
// Effects as the result model has them: the members of a comparison, of a query's row, and the
// sentence that says how small a difference would have been found.
//
// Threads: values. Units: as in docs/formats.md.

#include <string>
#include <vector>

#include "analyze/significance.h"
#include "base/json.h"

namespace lakegauge::analyze {

// delta_s, delta_low_s, delta_high_s, ratio, ci_low, ci_high, p, smallest, mark.
void AddEffect(const Effect& effect, OrderedJson* json);

// Of the rows of the result table "queries", in their order: each against the same query elsewhere,
// `kind` "layout" or "store", the queries of a cell being one family.
std::vector<Effect> QueryEffects(const Json& rows, const std::string& kind);
// The same members, by the names a query's row has them: ratio_layout, mark_layout, ...
void AddQueryEffect(const Effect& effect, const std::string& kind, OrderedJson* json);

// {power, total_least, total_most, query_median, query_most, queries, text}: the range of the
// smallest differences; null where no comparison could have been judged. `many`: the most queries
// that were judged together.
OrderedJson DetectableJson(const std::vector<Effect>& totals, const std::vector<Effect>& queries,
                           size_t many);

std::string EffectPercent(double relative);  // "3.2%", "40%", "over 1,000%"

}  // namespace lakegauge::analyze
