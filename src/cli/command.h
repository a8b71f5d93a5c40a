#pragma once
// What every subcommand shares: where its answer goes, how it is told to stop, and how errors are
// said.
//
// Threads: the main thread only; `stop` is requested by the thread that waits for signals.
// Exit statuses: 0 done; 1 something failed (a query, a verification, a check, a disk); 2 the
// command line, the experiment or a file was wrong and nothing ran; 130 stopped by Ctrl-C.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "dataset/dataset.h"
#include "run/experiment.h"
#include "run/plan.h"
#include "run/runner.h"

namespace lakegauge::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

struct Context {
  std::vector<std::string> arguments;  // as typed, for the record
  std::stop_token stop;
  std::atomic<bool> stops_cleanly{
      false};                   // the action looks at `stop`; else Ctrl-C ends it at once
  std::function<int()> action;  // set by the subcommand that was named

  // Options that several subcommands have.
  std::string data_dir;     // bases and layouts; $LAKEGAUGE_DATA or ./data
  std::string results_dir;  // runs; $LAKEGAUGE_RESULTS or ./results
};

// What a script is told of an error: 2 where what was given cannot be right, 130 where it was
// stopped, else 1.
int ExitStatusOf(ErrorCode code);
// Prints "lakegauge: message" to standard error, each line of the message so; its exit status.
int Fail(const Error& error);

// Standard output and standard error. A reader that has gone (lakegauge list | head) is not a
// failure and stops nothing; what else keeps standard output from being written is told by
// FinishOutput.
void Write(std::FILE* to, std::string_view text);
template <typename... Args>
void Print(fmt::format_string<Args...> format, Args&&... args) {
  Write(stdout, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void PrintNote(fmt::format_string<Args...> format, Args&&... args) {
  Write(stderr, fmt::format(format, std::forward<Args>(args)...));
}
// Flushes standard output; `exit_status`, or 1 and a line on standard error if it was not written.
int FinishOutput(int exit_status);

// Standard output, one JSON document with indentation.
void PrintJson(const Json& json);

// An option's value: a finite number above 0; an integer from 1; a TPC-DS scale factor.
CLI::Validator NumberAbove0();
CLI::Validator IntegerFrom1();
CLI::Validator ScaleFactor();

void AddDataOption(CLI::App& command, Context& context);
void AddResultsOption(CLI::App& command, Context& context);

// Progress of dataset and layout work on standard error: a line that is redrawn on a terminal, else
// a plain line at most every few seconds.
dataset::ProgressFn PrepareProgress();

// Experiment file and what changes it: --quick, --scale, --set.
struct ExperimentOptions {
  std::string path;
  run::Overrides overrides;
  double scale = 0;
};
void AddExperimentOptions(CLI::App& command, ExperimentOptions& options);
Result<run::Experiment> Load(ExperimentOptions& options);

// --max-requests, --max-time, --max-cost.
struct LimitOptions {
  int64_t requests = 0;
  std::string time;
  double cost = 0;
};
void AddLimitOptions(CLI::App& command, LimitOptions& options);
Result<run::Limits> ReadLimits(const LimitOptions& options);

// What a plan would cost by a price sheet (analyze/cost_table.h), from its estimates.
Result<OrderedJson> CostOfPlan(const run::Plan& plan, const std::string& prices);

// A run by its path, its name or "latest". Of the latest, standard error is told where it is not
// done or not all ok.
Result<std::string> FindRun(const Context& context, const std::string& name);

// Columns of the terminal behind standard error.
size_t TerminalWidth();
// As much of a line as fits into so many columns, cut between characters (UTF-8). A character of
// three or four bytes may be a wide one and counts twice.
std::string_view FitColumns(std::string_view line, size_t columns);

// Live progress of a run: a line that is redrawn on a terminal, plain lines elsewhere.
std::unique_ptr<run::ProgressSink> RunProgress();

// Reports, the short table and how it ended, after a run or a resumed one; the exit status.
int Finish(const Result<run::RunOutcome>& outcome, bool json);

// One function a subcommand; each adds itself to `app` and sets context.action when named.
void AddRun(CLI::App& app, Context& context);
void AddPlan(CLI::App& app, Context& context);
void AddResume(CLI::App& app, Context& context);
void AddReport(CLI::App& app, Context& context);
void AddCompare(CLI::App& app, Context& context);
void AddAnnotate(CLI::App& app, Context& context);
void AddHistory(CLI::App& app, Context& context);
void AddImport(CLI::App& app, Context& context);
void AddList(CLI::App& app, Context& context);
void AddClean(CLI::App& app, Context& context);
void AddGenerate(CLI::App& app, Context& context);
void AddLayout(CLI::App& app, Context& context);
void AddInspect(CLI::App& app, Context& context);
void AddProfiles(CLI::App& app, Context& context);
void AddDoctor(CLI::App& app, Context& context);
void AddInit(CLI::App& app, Context& context);
void AddBundle(CLI::App& app, Context& context);
void AddCost(CLI::App& app, Context& context);
void AddCheckClaim(CLI::App& app, Context& context);

}  // namespace lakegauge::cli
