// lakegauge compare and history: a run against another, and many runs one after the other.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/units.h"
#include "cli/command.h"
#include "report/report.h"
#include "run/runs.h"

namespace lakegauge::cli {
namespace {

struct CompareOptions {
  std::string before, after, html, regression_percent;
  bool json = false, markdown = false, fail_on_regression = false;
};

// What became slower by at least so much, in words for standard error.
std::vector<std::string> Regressions(const Json& comparison, double percent) {
  std::vector<std::string> found;
  for (const char* rows : {"cells", "queries"}) {
    for (const Json& row : comparison.at(rows)) {
      const auto ratio = JsonOr<double>(row, "ratio", 0);
      if (JsonOr<std::string>(row, "mark", "") != "slower" || ratio < 1 + percent / 100) continue;
      found.push_back(fmt::format("{} of {}: {:.2f}x", JsonOr<std::string>(row, "query", "a pass"),
                                  JsonOr<std::string>(row, "cell", ""), ratio));
    }
  }
  return found;
}

int Compare(const Context& context, const CompareOptions& options) {
  const auto before = FindRun(context, options.before);
  if (!before.ok()) return Fail(before.error());
  const auto after = FindRun(context, options.after);
  if (!after.ok()) return Fail(after.error());
  const auto comparison = report::CompareRuns(*before, *after);
  if (!comparison.ok()) return Fail(comparison.error());
  if (!options.html.empty()) {
    const auto written = WriteFileAtomically(options.html, report::ComparisonHtml(*comparison));
    if (!written.ok()) return Fail(written.error());
    PrintNote("wrote {}\n", options.html);
  }
  if (options.json) {
    PrintJson(*comparison);
  } else if (options.markdown) {
    Print("{}", report::ComparisonMarkdown(*comparison));
  } else {
    Print("{}", report::ComparisonText(*comparison));
  }
  if (!options.fail_on_regression) return kExitOk;
  const auto slower =
      Regressions(*comparison, NumberIn<double>(options.regression_percent).value_or(0));
  for (const auto& what : slower) PrintNote("regression: {}\n", what);
  return slower.empty() ? kExitOk : kExitFailed;
}

int History(const std::string& dir, const std::string& query, bool json) {
  const auto runs = run::ListRuns(dir);
  if (!runs.ok()) return Fail(runs.error());
  std::vector<std::string> paths;
  for (const auto& run : *runs) paths.push_back(run.path);
  if (paths.empty()) {
    return Fail(MakeError(ErrorCode::kNotFound, fmt::format("no runs in {}", dir)));
  }
  const auto history = report::HistoryOfRuns(paths, query);
  if (!history.ok()) return Fail(history.error());
  if (json) {
    PrintJson(*history);
  } else {
    Print("{}", report::HistoryText(*history));
  }
  return kExitOk;
}

}  // namespace

void AddCompare(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("compare", "Compare two runs, query by query");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("before", options->before, "A run, by path or by name")->required();
  command->add_option("after", options->after, "Another")->required();
  auto* json = command->add_flag("--json", options->json, "Machine-readable result");
  command->add_flag("--markdown", options->markdown, "GitHub-flavoured Markdown")->excludes(json);
  command->add_option("--html", options->html, "Write a page with a chart to this file");
  // A flag, so that it never takes the run after it for its value.
  auto* fail = command
                   ->add_flag("--fail-on-regression{0}", options->regression_percent,
                              "Exit with 1 if a pass or a query is marked slower; "
                              "--fail-on-regression=5: by at least 5 percent")
                   ->check(CLI::NonNegativeNumber);
  AddResultsOption(*command, context);
  command->callback([&context, options, fail] {
    options->fail_on_regression = fail->count() > 0;
    context.action = [&context, options] { return Compare(context, *options); };
  });
}

void AddHistory(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("history", "Show a query, or the whole pass, over the runs of a folder");
  auto dir = std::make_shared<std::string>();
  auto query = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("dir", *dir, "Folder with runs; the results folder if not given");
  command->add_option("--query", *query, "One query, by name, instead of whole passes");
  command->add_flag("--json", *json, "Machine-readable result");
  AddResultsOption(*command, context);
  command->callback([&context, dir, query, json] {
    context.action = [&context, dir, query, json] {
      return History(dir->empty() ? context.results_dir : *dir, *query, *json);
    };
  });
}

}  // namespace lakegauge::cli
