// lakegauge import: results that others made, as a run that every report and comparison accepts.

#include "import/import.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/clock.h"
#include "cli/command.h"
#include "report/report.h"
#include "run/environment.h"
#include "run/run_folder.h"

namespace lakegauge::cli {
namespace {

struct ImportOptions {
  imports::Options what;
  std::string out;
  bool json = false;
};

void Tell(const imports::Import& import) {
  for (const auto& bad : import.bad) PrintNote("{}:{}: {}\n", bad.file, bad.line, bad.why);
  for (const auto& note : import.notes) PrintNote("{}\n", note);
}

std::string Counted(size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

int Import(const Context& context, const ImportOptions& options) {
  Clock& clock = RealClock();
  const int64_t utc_ns = clock.UtcNs();
  const auto import = imports::Read(options.what, "lakegauge " + run::LakegaugeVersion(), utc_ns);
  if (!import.ok()) return Fail(import.error());
  const auto folder =
      run::RunFolder::Create(context.results_dir, options.out, import->experiment, clock);
  if (!folder.ok()) return Fail(folder.error());
  Tell(*import);
  if (const auto written = imports::Write(*import, folder->path(), context.arguments, utc_ns);
      !written.ok()) {
    return Fail(written.error());
  }
  if (const auto reported = report::WriteReports(folder->path()); !reported.ok()) {
    return Fail(reported.error());
  }
  const std::string page =
      (std::filesystem::absolute(folder->path()) / "report" / "index.html").string();
  if (options.json) {
    Json bad = Json::array();
    for (const auto& b : import->bad) {
      bad.push_back({{"file", b.file}, {"line", b.line}, {"why", b.why}});
    }
    PrintJson({{"run", folder->path()},
               {"executions", import->executions.size()},
               {"cells", import->cells.size()},
               {"failures", import->failures},
               {"bad_lines", bad},
               {"notes", import->notes},
               {"report", page}});
  } else {
    Print("{} in {}: {}\n", Counted(import->executions.size(), "execution", "executions"),
          Counted(import->cells.size(), "cell", "cells"), folder->path());
    if (!import->bad.empty()) {
      Print("{} could not be read; the others are kept\n",
            Counted(import->bad.size(), "line", "lines"));
    }
    Print("report: {}\n", page);
  }
  return import->bad.empty() ? kExitOk : kExitFailed;
}

}  // namespace

void AddImport(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "import", "Make a run of results that others made: spark-sql-perf, JMeter, CSV");
  auto options = std::make_shared<ImportOptions>();
  command
      ->add_option("file", options->what.files,
                   "Files, or folders of spark-sql-perf's JSON; several become one run")
      ->required();
  command->add_option("--out", options->out, "Run directory to make (default: in the results)");
  command->add_option("--format", options->what.format,
                      "spark-sql-perf, jmeter or csv (default: by what stands in each file)");
  command
      ->add_option("--map", options->what.maps,
                   "FIELD=COLUMN or FIELD=COLUMN+COLUMN: where engine, store, layout, dataset, "
                   "query, iteration, stream, seconds, ms, status, error, rows come from")
      ->allow_extra_args(false);
  command
      ->add_option("--set", options->what.sets,
                   "FIELD=TEXT for what the file does not say; {file} is its name")
      ->allow_extra_args(false);
  command
      ->add_option("--compare", options->what.compare,
                   "store=ID or layout=ID: what others are compared with (default: the first)")
      ->allow_extra_args(false);
  command->add_option("--name", options->what.name, "Name (default: the first file's)");
  command->add_option("--title", options->what.title, "Title of the report (default: the name)");
  command->add_flag("--json", options->json, "Machine-readable result");
  AddResultsOption(*command, context);
  command->callback([&context, options] {
    context.action = [&context, options] { return Import(context, *options); };
  });
}

}  // namespace lakegauge::cli
