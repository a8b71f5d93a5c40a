#pragma once
// A comparison of two runs (analyze/compare.h) as one page without scripts: every ratio with its
// 95% interval on one logarithmic axis, drawn as SVG, and the figures beside it.
//
// Threads: pure function.

#include <string>

#include "base/json.h"

namespace lakegauge::report {

std::string ComparisonToHtml(const Json& comparison);

}  // namespace lakegauge::report
