#pragma once
// A summary as a short table for a terminal: 80 columns, colour only where the caller says that it
// is one.
//
// Threads: pure function. Errors: none; what the summary does not hold is "-".

#include <string>

#include "base/json.h"

namespace lakegauge::report {

std::string ToTerminal(const Json& summary, bool colour);

}  // namespace lakegauge::report
