#pragma once
// A comparison of two runs (analyze/compare.h) as text for a terminal, 80 columns.
//
// Threads: pure function.

#include <string>

#include "base/json.h"

namespace lakegauge::report {

std::string ComparisonToText(const Json& comparison);

}  // namespace lakegauge::report
