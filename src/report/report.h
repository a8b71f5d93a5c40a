#pragma once
// Every report of a run, made from its directory alone, and runs compared with each other.
//
// Threads: independent calls on different runs. Errors: as analyze (no run directory, a version
// above ours, a damaged record), ErrnoError where a report cannot be written (an older one then
// stands as it was), kAlreadyExists where something else would be replaced.

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge::report {

// Analyzes the run and replaces its report as a whole: index.html, summary.json, summary.md,
// queries.csv, runs.csv, summary.sql. `report_dir` is ReportDir(run_dir), or another that is not
// there yet, is empty or holds a report: then nothing is written to the run.
Status WriteReports(const std::string& run_dir, const std::string& report_dir);
inline std::string ReportDir(const std::string& run_dir) { return run_dir + "/report"; }
inline Status WriteReports(const std::string& run_dir) {
  return WriteReports(run_dir, ReportDir(run_dir));
}

// The short table of <report_dir>/summary.json.
Result<std::string> TerminalSummary(const std::string& report_dir, bool colour);

// What changed from one run to another (analyze/compare.h), as JSON and as text for a terminal.
Result<Json> CompareRuns(const std::string& before_dir, const std::string& after_dir);
std::string ComparisonText(const Json& comparison);
std::string ComparisonMarkdown(const Json& comparison);
std::string ComparisonHtml(const Json& comparison);  // one page, no scripts

// A query or the suite over many runs (analyze/history.h), as JSON and as text for a terminal.
Result<Json> HistoryOfRuns(const std::vector<std::string>& run_dirs, const std::string& query);
std::string HistoryText(const Json& history);

}  // namespace lakegauge::report
