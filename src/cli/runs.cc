// lakegauge list, clean and report: what is done with runs that exist.

#include "run/runs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "base/units.h"
#include "cli/command.h"
#include "report/report.h"

namespace lakegauge::cli {
namespace {

int List(const Context& context, bool json) {
  const auto runs = run::ListRuns(context.results_dir);
  if (!runs.ok()) return Fail(runs.error());
  if (json) {
    Json all = Json::array();
    for (const auto& r : *runs) {
      all.push_back({{"run", r.id},
                     {"path", r.path},
                     {"experiment", r.experiment},
                     {"title", r.title},
                     {"started_utc", r.started_utc},
                     {"planned", r.planned},
                     {"done", r.done},
                     {"failures", r.failures},
                     {"has_report", r.has_report},
                     {"bytes", r.bytes},
                     {"problem", r.problem}});
    }
    PrintJson(all);
    return kExitOk;
  }
  if (runs->empty()) {
    Print("no runs in {}\n", context.results_dir);
    return kExitOk;
  }
  Print("{:<40} {:>13}  {:>6}  {:>9}  {}\n", "run", "executions", "failed", "size", "title");
  for (const auto& r : *runs) {
    Print("{:<40} {:>13}  {:>6}  {:>9}  {}\n", r.id, fmt::format("{}/{}", r.done, r.planned),
          r.failures, FormatBytes(r.bytes), r.problem.empty() ? r.title : r.problem);
  }
  return kExitOk;
}

struct CleanOptions {
  bool runs = false, layouts = false, bases = false, yes = false, json = false;
  std::vector<std::string> names;
};

bool Wanted(const run::Deletable& what, const CleanOptions& options) {
  if (!options.names.empty()) {
    return std::find(options.names.begin(), options.names.end(), what.name) != options.names.end();
  }
  switch (what.kind) {
    case run::Deletable::Kind::kRun:
      return options.runs;
    case run::Deletable::Kind::kLayout:
      return options.layouts;
    case run::Deletable::Kind::kBase:
      return options.bases;
  }
  return false;
}

// `problem`: why it was not deleted though it was to be.
Json Listed(const run::Deletable& what, bool deleted, const std::string& problem) {
  return {{"name", what.name},
          {"path", what.path},
          {"bytes", what.bytes},
          {"deleted", deleted},
          {"problem", problem}};
}

int Clean(const Context& context, const CleanOptions& options) {
  const auto found = run::FindDeletable(context.results_dir, context.data_dir);
  if (!found.ok()) return Fail(found.error());
  const bool nothing_named =
      !options.runs && !options.layouts && !options.bases && options.names.empty();
  int64_t freed = 0;
  int status = kExitOk;
  Json all = Json::array();
  for (const auto& name : options.names) {
    if (std::none_of(found->begin(), found->end(),
                     [&](const run::Deletable& d) { return d.name == name; })) {
      return Fail(MakeError(
          ErrorCode::kNotFound,
          fmt::format("nothing called '{}'; 'lakegauge clean' shows what there is", name)));
    }
  }
  for (const auto& what : *found) {
    const bool chosen = Wanted(what, options);
    const bool deleting = chosen && options.yes;
    if (!nothing_named && !chosen) continue;
    if (deleting) {
      if (const auto gone = run::Delete(what, context.results_dir, context.data_dir); !gone.ok()) {
        status = Fail(gone.error());
        if (options.json) all.push_back(Listed(what, false, gone.error().message));
        continue;
      }
    }
    freed += what.bytes;
    if (options.json) {
      all.push_back(Listed(what, deleting, ""));
    } else {
      Print("{} {:>10}  {}\n", deleting ? "deleted" : "       ", FormatBytes(what.bytes),
            what.name);
    }
  }
  if (options.json) {
    PrintJson(all);
  } else if (nothing_named) {
    Print("{} in all; delete with --runs, --layouts, --bases or by name, and --yes\n",
          FormatBytes(freed));
  } else {
    Print("{} {}\n", FormatBytes(freed), options.yes ? "freed" : "would be freed; --yes deletes");
  }
  return status;
}

int Report(const Context& context, const std::string& name, const std::string& out, bool json) {
  const auto dir = FindRun(context, name);
  if (!dir.ok()) return Fail(dir.error());
  const std::string report_dir = out.empty() ? report::ReportDir(*dir) : out;
  if (const auto written = report::WriteReports(*dir, report_dir); !written.ok()) {
    Error error = written.error();
    if (out.empty() && error.code == ErrorCode::kPermissionDenied) {
      error.message +=
          "; the report can be written elsewhere: lakegauge report " + *dir + " --out FOLDER";
    }
    return Fail(error);
  }
  if (json) {
    const auto summary = ReadJsonFile(report_dir + "/summary.json");
    if (!summary.ok()) return Fail(summary.error());
    PrintJson(*summary);
    return kExitOk;
  }
  const auto table = report::TerminalSummary(report_dir, isatty(STDOUT_FILENO) != 0);
  if (!table.ok()) return Fail(table.error());
  Print("{}\nreport: {}\n", *table,
        (std::filesystem::absolute(report_dir) / "index.html").string());
  return kExitOk;
}

}  // namespace

void AddList(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("list", "List runs");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Machine-readable result");
  AddResultsOption(*command, context);
  command->callback(
      [&context, json] { context.action = [&context, json] { return List(context, *json); }; });
}

void AddClean(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "clean", "Show what takes space, and delete runs, layouts or bases when told to");
  auto options = std::make_shared<CleanOptions>();
  command->add_option("name", options->names, "What to delete, by the names that clean shows");
  command->add_flag("--runs", options->runs, "All runs");
  command->add_flag("--layouts", options->layouts, "All layouts");
  command->add_flag("--bases", options->bases, "All generated bases");
  command->add_flag("--yes", options->yes, "Really delete");
  command->add_flag("--json", options->json, "Machine-readable result");
  AddDataOption(*command, context);
  AddResultsOption(*command, context);
  command->callback([&context, options] {
    context.action = [&context, options] { return Clean(context, *options); };
  });
}

void AddReport(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("report", "Make a run's report again from its records");
  auto name = std::make_shared<std::string>("latest");
  auto out = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("run", *name, "A run, by path, by name, or 'latest' (default)");
  command->add_option("--out", *out, "The report's folder (default: report/ of the run)");
  command->add_flag("--json", *json, "Print summary.json");
  AddResultsOption(*command, context);
  command->callback([&context, name, out, json] {
    context.action = [&context, name, out, json] { return Report(context, *name, *out, *json); };
  });
}

}  // namespace lakegauge::cli
