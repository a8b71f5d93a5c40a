// lakegauge run, plan and resume: an experiment from file to report.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "analyze/price_sheet.h"
#include "analyze/suspects.h"
#include "base/files.h"
#include "base/units.h"
#include "cli/command.h"
#include "report/cost_text.h"
#include "report/report.h"
#include "run/plan.h"
#include "run/progress.h"
#include "run/runs.h"

namespace lakegauge::cli {

void AddExperimentOptions(CLI::App& command, ExperimentOptions& options) {
  command.add_option("experiment", options.path, "Experiment file (docs/experiments.md)")
      ->required();
  command.add_flag("--quick", options.overrides.quick,
                   "Apply the experiment's quick: block, for a first look");
  command.add_option("--scale", options.scale, "Scale factor of every TPC-DS dataset")
      ->check(ScaleFactor());
  command
      .add_option("--set", options.overrides.sets,
                  "Change one key, e.g. --set workload.iterations=5; may be given again")
      ->allow_extra_args(false);
}

Result<run::Experiment> Load(ExperimentOptions& options) {
  if (options.scale > 0) options.overrides.scale = options.scale;
  LG_ASSIGN_OR_RETURN(run::Experiment experiment,
                      run::LoadExperiment(options.path, options.overrides));
  if (options.overrides.quick && !experiment.quick) {
    PrintNote("lakegauge: {} has no quick: block, so --quick changes nothing\n", options.path);
  }
  if (!experiment.prices.empty()) {
    auto yaml = analyze::ReadPriceSheet(experiment.prices);
    const auto sheet = yaml.ok() ? analyze::ParsePriceSheet(yaml->text, yaml->origin)
                                 : Result<analyze::PriceSheet>(yaml.error());
    if (!sheet.ok()) return sheet.error().WithContext(options.path + ": prices");
    experiment.prices_text = std::move(yaml->text);
  }
  return experiment;
}

void AddLimitOptions(CLI::App& command, LimitOptions& options) {
  command
      .add_option("--max-requests", options.requests,
                  "Stop cleanly, resumable, after so many storage requests")
      ->check(IntegerFrom1());
  command.add_option("--max-time", options.time, "Stop cleanly after so long, e.g. 30min");
  command
      .add_option("--max-cost", options.cost,
                  "Stop cleanly after so many dollars of requests, by the stores' prices")
      ->check(NumberAbove0());
}

Result<run::Limits> ReadLimits(const LimitOptions& options) {
  run::Limits limits;
  limits.max_requests = options.requests;
  limits.max_cost = options.cost;
  if (!options.time.empty()) {
    auto time = ParseDuration(options.time);
    if (!time.ok()) return time.error().WithContext("--max-time");
    if (*time == 0) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("--max-time: found '{}'; allowed a time above 0, such as 30min",
                                   options.time));
    }
    limits.max_time_ns = *time;
  }
  return limits;
}

int Finish(const Result<run::RunOutcome>& outcome, bool json) {
  if (!outcome.ok()) return Fail(outcome.error());
  const bool reported = outcome->done > 0;
  if (reported) {
    if (const auto written = report::WriteReports(outcome->run_dir); !written.ok()) {
      Error error = written.error().WithContext("report");
      if (error.code == ErrorCode::kOutOfSpace) {
        error.message +=
            "; the records are whole: make room, then lakegauge report " + outcome->run_dir;
      }
      return Fail(error);
    }
  }
  const std::string page = std::filesystem::absolute(outcome->run_dir) / "report" / "index.html";
  if (json) {
    PrintJson({{"run", outcome->run_id},
               {"run_dir", outcome->run_dir},
               {"end", run::RunEndName(outcome->end)},
               {"why", outcome->why},
               {"planned", outcome->planned},
               {"done", outcome->done},
               {"ok", outcome->ok},
               {"failed", outcome->failed},
               {"timeout", outcome->timeout},
               {"wrong_result", outcome->wrong_result},
               {"report", reported ? Json(page) : Json(nullptr)}});
  } else {
    if (reported) {
      const auto table =
          report::TerminalSummary(report::ReportDir(outcome->run_dir), isatty(STDOUT_FILENO) != 0);
      if (!table.ok()) return Fail(table.error());
      Print("\n{}\n", *table);
    }
    for (const auto& failure : outcome->failures) Print("failed: {}\n", failure);
    if (!outcome->why.empty()) Print("{}\n", outcome->why);
    if (reported) Print("report: {}\n", page);
  }
  if (outcome->end == run::RunEnd::kStopped) return kExitInterrupted;
  return outcome->clean() ? kExitOk : kExitFailed;
}

namespace {

struct RunArguments {
  ExperimentOptions experiment;
  LimitOptions limits;
  std::string out;
  std::string run;
  std::string data;    // for resume: empty means as at first
  std::string prices;  // for plan: a price sheet
  bool drop_all_caches = false;
  bool retry_failed = false;
  int64_t repeat_suspects = 0;  // times; 0: not
  bool json = false;
};

void AddCommonRunOptions(CLI::App& command, Context& context, RunArguments& arguments) {
  AddLimitOptions(command, arguments.limits);
  command.add_flag("--drop-all-caches", arguments.drop_all_caches,
                   "Drop the whole machine's page cache before each query (root)");
  command
      .add_option("--repeat-suspects", arguments.repeat_suspects,
                  "Once all is done, run what looks noisy, disturbed or changed so many times "
                  "again, in a fresh session")
      ->check(IntegerFrom1());
  command.add_flag("--json", arguments.json, "Machine-readable result");
  AddResultsOption(command, context);
}

Result<run::RunOptions> ToOptions(const Context& context, const RunArguments& arguments,
                                  run::ProgressSink* progress) {
  run::RunOptions options;
  options.results_dir = context.results_dir;
  options.data_dir = arguments.data;
  options.out = arguments.out;
  options.command = context.arguments;
  LG_ASSIGN_OR_RETURN(options.limits, ReadLimits(arguments.limits));
  options.drop_all_caches = arguments.drop_all_caches;
  options.retry_failed = arguments.retry_failed;
  options.progress = progress;
  options.stop = context.stop;
  return options;
}

// The first free suspects.json, suspects.2.json, ... of a run.
std::string SuspectsPath(const std::string& run_dir) {
  std::string path = run_dir + "/suspects.json";
  for (int n = 2; std::filesystem::exists(path); ++n) {
    path = fmt::format("{}/suspects.{}.json", run_dir, n);
  }
  return path;
}

// Of a run that is complete, chooses what looks suspect and runs it again, in a session of its own.
Result<run::RunOutcome> Repeat(Result<run::RunOutcome> outcome, const run::RunOptions& options,
                               int64_t times) {
  if (times == 0 || !outcome.ok() || outcome->end != run::RunEnd::kComplete) return outcome;
  LG_ASSIGN_OR_RETURN(const auto suspects, analyze::FindSuspects(outcome->run_dir));
  const auto say = [&](const std::string& text) {
    run::ProgressEvent event;
    event.kind = run::ProgressEvent::Kind::kNote;
    event.text = text;
    if (options.progress != nullptr) options.progress->On(event);
  };
  if (suspects.empty()) {
    say("nothing looks noisy, disturbed or changed: nothing is repeated");
    return outcome;
  }
  for (const analyze::Suspect& s : suspects) {
    say(fmt::format("repeat {} in {}: {}", s.query, s.cell, fmt::join(s.reasons, ", ")));
  }
  run::RunOptions again = options;
  again.data_dir.clear();
  again.retry_failed = false;
  again.suspects = SuspectsPath(outcome->run_dir);
  LG_RETURN_IF_ERROR(
      WriteFileAtomically(again.suspects, analyze::SuspectsFile(suspects, times).dump(1)));
  return run::Resume(outcome->run_dir, again);
}

int Run(Context& context, RunArguments& arguments) {
  const auto experiment = Load(arguments.experiment);
  if (!experiment.ok()) return Fail(experiment.error());
  arguments.data = context.data_dir;
  const auto progress = RunProgress();
  const auto options = ToOptions(context, arguments, progress.get());
  if (!options.ok()) return Fail(options.error());
  return Finish(Repeat(run::Run(*experiment, *options), *options, arguments.repeat_suspects),
                arguments.json);
}

int Resume(Context& context, RunArguments& arguments) {
  const auto dir = FindRun(context, arguments.run);
  if (!dir.ok()) return Fail(dir.error());
  const auto progress = RunProgress();
  const auto options = ToOptions(context, arguments, progress.get());
  if (!options.ok()) return Fail(options.error());
  return Finish(Repeat(run::Resume(*dir, *options), *options, arguments.repeat_suspects),
                arguments.json);
}

int Plan(Context& context, RunArguments& arguments) {
  const auto experiment = Load(arguments.experiment);
  if (!experiment.ok()) return Fail(experiment.error());
  const auto plan = run::MakePlan(*experiment, context.data_dir);
  if (!plan.ok()) return Fail(plan.error());
  OrderedJson cost;
  const std::string& prices = arguments.prices.empty() ? plan->prices : arguments.prices;
  if (!prices.empty()) {
    auto priced = CostOfPlan(*plan, prices);
    if (!priced.ok()) return Fail(priced.error());
    cost = std::move(*priced);
  }
  if (arguments.json) {
    Json json = plan->ToJson();
    if (!cost.is_null()) json["cost"] = cost;
    PrintJson(json);
  } else {
    Print("{}", run::PlanText(*plan));
    if (!cost.is_null()) Print("\n{}", report::CostText(cost));
  }
  return kExitOk;
}

}  // namespace

void AddRun(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("run", "Run an experiment and report on it");
  auto arguments = std::make_shared<RunArguments>();
  AddExperimentOptions(*command, arguments->experiment);
  command->add_option("--out", arguments->out,
                      "Run directory (default: results/<experiment>-<UTC time>)");
  AddCommonRunOptions(*command, context, *arguments);
  AddDataOption(*command, context);
  command->callback([&context, arguments] {
    context.stops_cleanly = true;
    context.action = [&context, arguments] { return Run(context, *arguments); };
  });
}

void AddPlan(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "plan", "Show every cell in order, with its time, space and requests; runs nothing");
  auto arguments = std::make_shared<RunArguments>();
  AddExperimentOptions(*command, arguments->experiment);
  command->add_option("--prices", arguments->prices,
                      "Price the estimate by a price sheet (docs/cost.md)");
  command->add_flag("--json", arguments->json, "Machine-readable result");
  AddDataOption(*command, context);
  command->callback([&context, arguments] {
    context.action = [&context, arguments] { return Plan(context, *arguments); };
  });
}

void AddResume(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "resume", "Go on with a run that was stopped or killed; repeats nothing that ended");
  auto arguments = std::make_shared<RunArguments>();
  command->add_option("run", arguments->run, "A run, by path, by name, or 'latest'")->required();
  AddCommonRunOptions(*command, context, *arguments);
  command->add_flag("--retry-failed", arguments->retry_failed,
                    "Run what failed or timed out once more; its last end counts");
  command->add_option("--data", arguments->data,
                      "Folder of datasets and layouts (default: where the run had them)");
  command->callback([&context, arguments] {
    context.stops_cleanly = true;
    context.action = [&context, arguments] { return Resume(context, *arguments); };
  });
}

}  // namespace lakegauge::cli
