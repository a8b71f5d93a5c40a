#include "run/runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "engine/engine.h"
#include "record/journal.h"
#include "run/answers.h"
#include "run/environment.h"
#include "run/executor.h"
#include "run/plan.h"
#include "run/preparation.h"
#include "run/recorder.h"
#include "run/repeats.h"
#include "run/run_folder.h"
#include "run/sampling.h"

namespace lakegauge::run {
namespace {

using record::ExecutionStatus;
constexpr size_t kMostFailuresTold = 20;

std::string Absolute(const std::string& path) {
  std::error_code failed;
  return std::filesystem::absolute(path, failed).lexically_normal().string();
}

void Say(const RunOptions& options, ProgressEvent::Kind kind, const std::string& text) {
  if (options.progress == nullptr) return;
  ProgressEvent event;
  event.kind = kind;
  event.text = text;
  options.progress->On(event);
}

// Those of the command line where they are set, else the experiment's.
Limits Merged(const Limits& experiment, const Limits& command_line) {
  Limits merged = experiment;
  if (command_line.max_requests > 0) merged.max_requests = command_line.max_requests;
  if (command_line.max_time_ns > 0) merged.max_time_ns = command_line.max_time_ns;
  if (command_line.max_cost > 0) merged.max_cost = command_line.max_cost;
  return merged;
}

Status CheckLimits(const Plan& plan, const Limits& limits) {
  const bool priced = std::any_of(plan.cells.begin(), plan.cells.end(),
                                  [](const PlanCell& cell) { return cell.price.any(); });
  if (limits.max_cost > 0 && !priced) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "--max-cost: no store of this experiment states a price "
                     "(stores.<name>.price: get_per_1000, list_per_1000, read_per_gb)");
  }
  return {};
}

Status WriteResolved(const Experiment& experiment, const Plan& plan, const RunFolder& folder) {
  Json profiles = Json::object();
  for (const PlanCell& cell : plan.cells) {
    if (!cell.profile.is_null()) profiles[cell.store] = cell.profile;
  }
  Json queries = Json::object();
  for (const PlanQuery& query : plan.queries) {
    queries[query.name] = {{"source", query.source}, {"sql", query.sql}};
    if (!query.sql_of.empty()) queries[query.name]["sql_of"] = query.sql_of;
  }
  Json threads = Json::object();
  for (const PlanCell& cell : plan.cells) threads[cell.id] = cell.threads;
  const Json extra{{"overrides", experiment.overrides},
                   {"profiles", profiles},
                   {"threads", threads},
                   {"queries", queries}};
  return WriteFileAtomically(folder.resolved(), ToYaml(experiment, extra));
}

// Each configuration of each engine, started once to say what it is.
Result<std::vector<engine::EngineDescription>> DescribeEngines(const Plan& plan) {
  std::vector<engine::EngineDescription> descriptions;
  std::map<std::pair<std::string, std::map<std::string, std::string>>, bool> seen;
  for (const PlanCell& cell : plan.cells) {
    if (seen[{cell.engine_kind, cell.engine_settings}]) continue;
    seen[{cell.engine_kind, cell.engine_settings}] = true;
    auto made = engine::MakeEngine(cell.engine_kind, cell.engine_settings);
    if (!made.ok()) return made.error().WithContext("engine " + cell.engine);
    if (const Status started = (*made)->Start(); !started.ok()) {
      return started.error().WithContext("engine " + cell.engine);
    }
    descriptions.push_back((*made)->Describe());
    (*made)->Stop();
  }
  return descriptions;
}

class RunInProgress {
 public:
  RunInProgress(Plan plan, RunFolder folder, const RunOptions& options)
      : plan_(std::move(plan)),
        folder_(std::move(folder)),
        options_(options),
        clock_(options.clock != nullptr ? *options.clock : RealClock()) {}

  // From a plan on disk to the end.
  Result<RunOutcome> GoOn() {
    auto outcome = RunWhatIsLeft();
    if (!outcome.ok() && outcome.error().code == ErrorCode::kOutOfSpace) {
      outcome.error().message += fmt::format(
          "; what ended before is kept: make room there, then go on with: lakegauge "
          "resume {}",
          folder_.path());
    }
    return outcome;
  }

 private:
  Result<RunOutcome> RunWhatIsLeft() {
    LG_ASSIGN_OR_RETURN(const auto journal, ReadJournal());
    LG_ASSIGN_OR_RETURN(const auto engines, DescribeEngines(plan_));
    auto prepared = Prepare();
    if (!prepared.ok()) {
      if (prepared.error().code == ErrorCode::kCancelled) return Stopped(journal);
      return prepared.error();
    }
    LG_ASSIGN_OR_RETURN(const Json environment, KeepEnvironment(engines));
    const std::string changed = journal.sessions > 0 ? NoteChanges(environment) : std::string();
    const Limits limits = Merged(plan_.limits, options_.limits);
    LG_ASSIGN_OR_RETURN(const auto recorder,
                        Recorder::Open(plan_, folder_, journal, clock_,
                                       {{"command", options_.command},
                                        {"lakegauge", LakegaugeVersion()},
                                        {"build_type", BuildType()},
                                        {"environment_changes", changed},
                                        {"limits",
                                         {{"max_requests", limits.max_requests},
                                          {"max_time_ns", limits.max_time_ns},
                                          {"max_cost", limits.max_cost}}}},
                                       options_.retry_failed));
    if (!changed.empty()) {
      LG_RETURN_IF_ERROR(recorder->Event("environment_changed", {{"differences", changed}}));
    }
    AnswerBook answers(folder_.answers());
    LG_RETURN_IF_ERROR(answers.Restore(plan_, journal));
    if (options_.retry_failed) SayWhatIsRetried(journal);
    StopReason reason = StopReason::kNone;
    std::set<std::string> stores_gone;
    {
      Sampling sampling(plan_.metrics, folder_, *recorder, clock_);
      LG_RETURN_IF_ERROR(sampling.Start());
      Executor executor(plan_, preparation_, *recorder, answers, options_, limits, clock_);
      LG_ASSIGN_OR_RETURN(reason, executor.Run());
      stores_gone = executor.stores_gone();
      LG_ASSIGN_OR_RETURN(const std::string problem, sampling.Finish());
      if (!problem.empty()) Say(options_, ProgressEvent::Kind::kNote, problem);
    }
    RunOutcome outcome = Summarise(recorder->finished(), reason, stores_gone);
    LG_RETURN_IF_ERROR(recorder->Event(
        "session_end",
        {{"end", RunEndName(outcome.end)}, {"why", outcome.why}, {"done", outcome.done}}));
    Say(options_, ProgressEvent::Kind::kFinished, FinalLine(outcome));
    return outcome;
  }

  Result<record::Journal> ReadJournal() const {
    std::error_code failed;
    if (!std::filesystem::exists(folder_.journal(), failed)) return record::Journal{};
    return record::ReadJournal(folder_.journal());
  }

  Status Prepare() {
    dataset::PrepareOptions prepare;
    prepare.data_dir = plan_.data_dir;
    prepare.threads = options_.prepare_threads;
    prepare.memory_limit_bytes = options_.prepare_memory_bytes;
    prepare.stop = options_.stop;
    prepare.progress = [&](const dataset::Progress& p) {
      if (options_.progress == nullptr) return;
      ProgressEvent event;
      event.kind = p.note ? ProgressEvent::Kind::kNote : ProgressEvent::Kind::kPhase;
      event.text = p.what;
      event.fraction = p.fraction;
      options_.progress->On(event);
    };
    Say(options_, ProgressEvent::Kind::kPhase, "prepare data in " + plan_.data_dir);
    return preparation_.Prepare(plan_, folder_, prepare);
  }

  // Written once, when the run begins; later sessions are compared with it.
  Result<Json> KeepEnvironment(const std::vector<engine::EngineDescription>& engines) const {
    EnvironmentInputs inputs;
    inputs.data_dir = plan_.data_dir;
    inputs.run_dir = folder_.path();
    inputs.engines = engines;
    inputs.generators = preparation_.generators();
    const Json environment = CaptureEnvironment(inputs);
    std::error_code failed;
    if (!std::filesystem::exists(folder_.environment(), failed)) {
      LG_RETURN_IF_ERROR(WriteFileAtomically(folder_.environment(), environment.dump(1)));
    }
    return environment;
  }

  std::string NoteChanges(const Json& now) const {
    const auto before = ReadJsonFile(folder_.environment());
    if (!before.ok()) return "";
    const auto differences = EnvironmentDifferences(*before, now);
    std::string text = fmt::format("{}", fmt::join(differences, "; "));
    if (!text.empty()) {
      Say(options_, ProgressEvent::Kind::kNote, "not quite the machine this run began on: " + text);
    }
    return text;
  }

  Result<RunOutcome> Stopped(const record::Journal& journal) const {
    std::map<int64_t, Recorder::Finished> finished;
    for (const record::Execution& e : journal.finished) {
      if (e.status != ExecutionStatus::kCancelled) finished[e.id] = {e.status, e.error};
    }
    const RunOutcome outcome = Summarise(finished, StopReason::kStopped, {});
    Say(options_, ProgressEvent::Kind::kFinished, FinalLine(outcome));
    return outcome;
  }

  RunOutcome Summarise(const std::map<int64_t, Recorder::Finished>& finished, StopReason reason,
                       const std::set<std::string>& stores_gone) const {
    RunOutcome outcome;
    outcome.run_dir = folder_.path();
    outcome.run_id = folder_.id();
    outcome.planned = static_cast<int64_t>(plan_.executions.size());
    outcome.done = static_cast<int64_t>(finished.size());
    for (const auto& [id, end] : finished) {
      const PlanExecution& e = plan_.executions[static_cast<size_t>(id)];
      outcome.ok += end.status == ExecutionStatus::kOk;
      outcome.failed += end.status == ExecutionStatus::kFailed;
      outcome.timeout += end.status == ExecutionStatus::kTimeout;
      outcome.wrong_result += end.status == ExecutionStatus::kWrongResult;
      if (end.status == ExecutionStatus::kOk || outcome.failures.size() >= kMostFailuresTold)
        continue;
      outcome.failures.push_back(
          fmt::format("{} {} iteration {}: {}: {}", plan_.cells[static_cast<size_t>(e.cell)].id,
                      plan_.queries[static_cast<size_t>(e.query)].name, e.iteration,
                      record::ExecutionStatusName(end.status), end.error));
    }
    if (outcome.done == outcome.planned) return outcome;
    outcome.cancelled = 1;
    const auto [end, what] = HowItEnded(reason, stores_gone);
    outcome.end = end;
    outcome.why = fmt::format("{} after {} of {} queries; go on with: lakegauge resume {}{}", what,
                              outcome.done, outcome.planned, outcome.run_dir,
                              options_.retry_failed ? " --retry-failed" : "");
    return outcome;
  }

  static std::pair<RunEnd, std::string> HowItEnded(StopReason reason,
                                                   const std::set<std::string>& stores_gone) {
    switch (reason) {
      case StopReason::kMaxTime:
        return {RunEnd::kLimit, "the time limit was reached"};
      case StopReason::kMaxRequests:
        return {RunEnd::kLimit, "the request limit was reached"};
      case StopReason::kMaxCost:
        return {RunEnd::kLimit, "the cost limit was reached"};
      case StopReason::kStoreGone:
        return {RunEnd::kStoreGone, fmt::format("store {} went away: the run ended",
                                                fmt::join(stores_gone, " and store "))};
      case StopReason::kNone:
      case StopReason::kStopped:
        break;
    }
    return {RunEnd::kStopped, "stopped"};
  }

  void SayWhatIsRetried(const record::Journal& journal) const {
    const auto n = std::count_if(journal.finished.begin(), journal.finished.end(),
                                 [](const auto& e) { return record::MayBeRetried(e.status); });
    Say(options_, ProgressEvent::Kind::kNote,
        n == 0 ? "nothing failed or timed out: nothing is retried"
               : fmt::format("{} that failed or timed out {} once more",
                             n == 1 ? "1 query" : fmt::format("{} queries", n),
                             n == 1 ? "runs" : "run"));
  }

  static std::string FinalLine(const RunOutcome& outcome) {
    if (outcome.end != RunEnd::kComplete) return outcome.why;
    const int64_t bad = outcome.planned - outcome.ok;
    return bad == 0 ? fmt::format("all {} queries done", outcome.planned)
                    : fmt::format("all {} queries done, {} of them not ok", outcome.planned, bad);
  }

  Plan plan_;
  RunFolder folder_;
  const RunOptions& options_;
  Clock& clock_;
  Preparation preparation_;
};

}  // namespace

std::string_view RunEndName(RunEnd end) {
  switch (end) {
    case RunEnd::kComplete:
      return "complete";
    case RunEnd::kLimit:
      return "limit";
    case RunEnd::kStoreGone:
      return "store_gone";
    case RunEnd::kStopped:
      break;
  }
  return "stopped";
}

Result<RunOutcome> Run(const Experiment& experiment, const RunOptions& options) {
  Clock& clock = options.clock != nullptr ? *options.clock : RealClock();
  LG_ASSIGN_OR_RETURN(Plan plan, MakePlan(experiment, Absolute(options.data_dir)));
  LG_RETURN_IF_ERROR(CheckLimits(plan, Merged(plan.limits, options.limits)));
  LG_ASSIGN_OR_RETURN(RunFolder folder,
                      RunFolder::Create(options.results_dir, options.out, experiment.name, clock));
  plan.run = folder.id();
  plan.run_dir = Absolute(folder.path());
  LG_RETURN_IF_ERROR(WriteFileAtomically(folder.experiment(), TextForCopy(experiment)));
  LG_RETURN_IF_ERROR(WriteResolved(experiment, plan, folder));
  // From here on the run can be resumed.
  LG_RETURN_IF_ERROR(WriteFileAtomically(folder.plan(), plan.ToJson().dump(1)));
  return RunInProgress(std::move(plan), std::move(folder), options).GoOn();
}

Result<RunOutcome> Resume(const std::string& run_dir, const RunOptions& options) {
  LG_ASSIGN_OR_RETURN(RunFolder folder, RunFolder::Open(run_dir));
  const auto json = ReadJsonFile(folder.plan());
  if (!json.ok()) {
    if (json.error().code != ErrorCode::kNotFound) return json.error();
    return MakeError(
        ErrorCode::kNotFound,
        fmt::format("{} was stopped before its plan was written: there is nothing to go on "
                    "with; run the experiment again",
                    run_dir));
  }
  if (json->contains("imported")) {
    return MakeError(ErrorCode::kUnsupported,
                     run_dir + " was imported: there is nothing to go on with");
  }
  auto plan = Plan::FromJson(*json);
  if (!plan.ok()) return plan.error().WithContext(folder.plan());
  LG_RETURN_IF_ERROR(CheckLimits(*plan, Merged(plan->limits, options.limits)));
  if (!options.suspects.empty()) {
    LG_ASSIGN_OR_RETURN(const Repeats repeats, ReadRepeats(options.suspects));
    LG_RETURN_IF_ERROR(AddRepeats(repeats, *plan));
    // From here on they belong to the run, and a resume would go on with them.
    LG_RETURN_IF_ERROR(WriteFileAtomically(folder.plan(), plan->ToJson().dump(1)));
  }
  if (!options.data_dir.empty()) plan->data_dir = Absolute(options.data_dir);
  return RunInProgress(std::move(*plan), std::move(folder), options).GoOn();
}

}  // namespace lakegauge::run
