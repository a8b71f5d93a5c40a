#pragma once
// The answers that TPC-DS's generator comes with, for the scales it has them: what DuckDB's own
// dsdgen data must give. Data of another generator has other answers.
//
// Threads: independent calls. Errors: kCorrupt with the file and line.
// Source: DuckDB's extension/tpcds/dsdgen/answers, laid out by ./setup (the extension's function
//   tpcds_answers() cannot be used: in this version it always fails).

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/answer.h"

namespace lakegauge::workload {

// Scales that have answers, ascending; empty where ./setup did not lay them out.
std::vector<double> OfficialScales();

// The answer to "q03" at a scale; nullopt where there is none (another query, another scale): then
// no check can be made, which is not a check passed.
Result<std::optional<Answer>> OfficialAnswer(const std::string& query, double scale);

// Empty when `actual` is the official answer; else one line. By the rule of answer.h, with types
// taken from `actual` (the files carry none) and numbers also equal where they agree to half a unit
// of the last digit that the official answer writes. Text may differ where the file cannot say it:
// there NULL and an empty text are one.
std::string OfficialDifference(const Answer& official, const Answer& actual,
                               const ResultOrder& order = {});

}  // namespace lakegauge::workload
