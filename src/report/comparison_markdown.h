#pragma once
// A comparison of two runs (analyze/compare.h) as GitHub-flavoured Markdown, to paste under a
// change: the sentence, pass times, the queries that were marked, and the rest folded.
//
// Threads: pure function.

#include <string>

#include "base/json.h"

namespace lakegauge::report {

std::string ComparisonToMarkdown(const Json& comparison);

}  // namespace lakegauge::report
