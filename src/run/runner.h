#pragma once
// Runs an experiment into a run directory, and goes on with one that was stopped or killed. Hides
// the order of things on disk that makes a kill at any moment lose no finished query and repeat
// none.
//
// Threads: call from one thread; the stop token may be requested from any (a signal handler's
// thread). Owns: nothing after it returns. Errors: what kept the run from starting or from being
// recorded; a failed query is no error, see RunOutcome.
//
// For each execution: caches dropped and proved, journal begin, query, answer checked, its requests
// flushed to the spool, journal end. What has an end line is finished; all else runs again.

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "run/experiment.h"
#include "run/progress.h"

namespace lakegauge::run {

struct RunOptions {
  std::string results_dir = "results";
  std::string data_dir = "data";
  std::string out;  // the run directory itself; empty: results_dir/<experiment>-<UTC time>
  std::vector<std::string> command;  // for the record
  Limits limits;                     // those above 0 replace the experiment's
  bool drop_all_caches = false;  // also /proc/sys/vm/drop_caches (root): drops other programs' too
  int prepare_threads = 0;       // 0: all cores
  int64_t prepare_memory_bytes = 0;
  std::string suspects;       // file of executions to run again (run/repeats.h); empty: none
  bool retry_failed = false;  // of a resume: what failed or timed out runs once more
  ProgressSink* progress = nullptr;
  std::stop_token stop;
  Clock* clock = nullptr;  // null: RealClock()
};

enum class RunEnd { kComplete, kStopped, kLimit, kStoreGone };
std::string_view RunEndName(RunEnd end);  // complete stopped limit store_gone

struct RunOutcome {
  std::string run_dir;
  std::string run_id;
  RunEnd end = RunEnd::kComplete;
  std::string why;  // one line where it did not complete; says how to go on
  int64_t planned = 0;
  int64_t done = 0;  // with an end line other than cancelled, earlier sessions' too
  int64_t ok = 0, failed = 0, timeout = 0, wrong_result = 0, cancelled = 0;
  std::vector<std::string> failures;  // "cell q03 iteration 2: message", the first 20
  bool clean() const { return end == RunEnd::kComplete && failed + timeout + wrong_result == 0; }
};

Result<RunOutcome> Run(const Experiment& experiment, const RunOptions& options);
// Only out of `run_dir`: resolved experiment, plan and journal decide. data_dir as at first when
// options.data_dir is empty.
Result<RunOutcome> Resume(const std::string& run_dir, const RunOptions& options);

}  // namespace lakegauge::run
