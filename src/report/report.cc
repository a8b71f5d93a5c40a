#include "report/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "analyze/analyze.h"
#include "analyze/compare.h"
#include "analyze/history.h"
#include "base/files.h"
#include "report/comparison_html.h"
#include "report/comparison_markdown.h"
#include "report/comparison_text.h"
#include "report/csv.h"
#include "report/history_text.h"
#include "report/html.h"
#include "report/markdown.h"
#include "report/terminal.h"

namespace lakegauge::report {
namespace {

namespace fs = std::filesystem;
constexpr char kSummary[] = "summary.json";

Status Renamed(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::rename(from, to, failed);
  if (failed) return ErrnoError(from.string() + " -> " + to.string(), failed.value());
  return {};
}

Status WriteAll(const analyze::Summary& summary, const std::string& dir) {
  const Json json(summary.json);
  LG_RETURN_IF_ERROR(WriteFileAtomically(dir + "/" + kSummary, summary.json.dump(1) + "\n"));
  LG_RETURN_IF_ERROR(WriteFileAtomically(dir + "/summary.md", ToMarkdown(json)));
  LG_RETURN_IF_ERROR(WriteFileAtomically(dir + "/queries.csv", ToCsv(summary.queries)));
  LG_RETURN_IF_ERROR(WriteFileAtomically(dir + "/runs.csv", ToCsv(summary.runs)));
  LG_RETURN_IF_ERROR(WriteFileAtomically(dir + "/summary.sql", summary.sql));
  return WriteHtml(json, dir + "/index.html");
}

}  // namespace

Status WriteReports(const std::string& run_dir, const std::string& report_dir) {
  fs::path report = fs::path(report_dir).lexically_normal();
  if (!report.has_filename()) report = report.parent_path();  // "out/"
  std::error_code ignored;
  if (fs::exists(report, ignored) && !fs::is_empty(report, ignored) &&
      !fs::exists(report / kSummary, ignored)) {
    return MakeError(ErrorCode::kAlreadyExists,
                     report.string() + " holds something that is no report; it is left alone");
  }
  LG_ASSIGN_OR_RETURN(const analyze::Summary summary, analyze::Analyze(run_dir));
  // Written beside and swapped in: no half report ever stands under its name.
  const std::string fresh = fmt::format("{}.new-{}", report.string(), getpid());
  const std::string old = fmt::format("{}.old-{}", report.string(), getpid());
  fs::remove_all(fresh, ignored);
  fs::remove_all(old, ignored);
  if (auto written = WriteAll(summary, fresh); !written.ok()) {
    fs::remove_all(fresh, ignored);
    return written;
  }
  if (fs::exists(report)) LG_RETURN_IF_ERROR(Renamed(report, old));
  if (auto renamed = Renamed(fresh, report); !renamed.ok()) {
    if (fs::exists(old)) LG_RETURN_IF_ERROR(Renamed(old, report));
    return renamed;
  }
  fs::remove_all(old, ignored);
  return {};
}

Result<std::string> TerminalSummary(const std::string& report_dir, bool colour) {
  LG_ASSIGN_OR_RETURN(const Json summary, ReadJsonFile(fs::path(report_dir) / kSummary));
  return ToTerminal(summary, colour);
}

Result<Json> CompareRuns(const std::string& before_dir, const std::string& after_dir) {
  LG_ASSIGN_OR_RETURN(const OrderedJson comparison, analyze::Compare(before_dir, after_dir));
  return Json(comparison);
}

std::string ComparisonText(const Json& comparison) { return ComparisonToText(comparison); }

std::string ComparisonMarkdown(const Json& comparison) { return ComparisonToMarkdown(comparison); }

std::string ComparisonHtml(const Json& comparison) { return ComparisonToHtml(comparison); }

Result<Json> HistoryOfRuns(const std::vector<std::string>& run_dirs, const std::string& query) {
  LG_ASSIGN_OR_RETURN(const OrderedJson history, analyze::History(run_dirs, query));
  return Json(history);
}

std::string HistoryText(const Json& history) { return HistoryToText(history); }

}  // namespace lakegauge::report
