#pragma once
// A history of runs (analyze/history.h) as text for a terminal: a line of bars a cell, and a row a
// run.
//
// Threads: pure function.

#include <string>

#include "base/json.h"

namespace lakegauge::report {

std::string HistoryToText(const Json& history);
// One character a value, from the least to the greatest; a space where there is none.
std::string Sparkline(const Json& values);

}  // namespace lakegauge::report
