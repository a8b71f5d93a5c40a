#pragma once
// Names as people order them: runs of digits by their number (q2 before q10), all else by bytes.
//
// Threads: pure.

#include <string_view>

namespace lakegauge::workload {

bool NaturallyBefore(std::string_view a, std::string_view b);

}  // namespace lakegauge::workload
