#pragma once
// Three or more stores set side by side: each query's average and deviation in every store, and the
// ratio of each store to each that stands before it, so that no single baseline has to be chosen.
// With two stores the comparison against compare.store says the same, and the block is empty.
//
// Threads: pure function. Units: seconds.

#include "analyze/model.h"
#include "base/json.h"

namespace lakegauge::analyze {

// From summary.json's queries, outliers counted; its side_by_side (docs/formats.md).
OrderedJson SideBySide(const Model& model, const OrderedJson& queries);

}  // namespace lakegauge::analyze
