#pragma once
// summary.json's block "bottleneck" as text: a section of summary.md, and the terminal's paragraph.
//
// Threads: pure functions. Errors: none; a summary without the block gives nothing.

#include <string>

#include "base/json.h"

namespace lakegauge::report {

std::string BottleneckMarkdown(const Json& summary);
// "Bottleneck: latency-bound: s3, 1MiB (5.1x as fast if storage were free); CPU-bound: local, 1MiB
// (1.02x)." Empty where nothing is known.
std::string BottleneckSentence(const Json& summary);

}  // namespace lakegauge::report
