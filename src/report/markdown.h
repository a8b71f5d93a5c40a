#pragma once
// A summary as GitHub-flavoured Markdown: the answer, the lights, suite times, comparisons, sizes,
// latency, queries, failures and how to repeat it.
//
// Threads: pure function. Errors: none; what the summary does not hold is "-".

#include <string>
#include <string_view>

#include "base/json.h"

namespace lakegauge::report {

std::string ToMarkdown(const Json& summary);
// Text that means itself in a table's cell or a paragraph: |, *, _, <, backticks and the like
// escaped.
std::string EscapeMarkdown(std::string_view text);

}  // namespace lakegauge::report
