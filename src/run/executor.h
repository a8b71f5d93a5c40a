#pragma once
// Runs the executions of a plan that are not finished yet, cell by cell and pass by pass: stages
// set up, caches dropped and proved, queries timed, answers checked, all of it recorded.
//
// Threads: Run from one; a thread for each stream inside. Owns: the stage of the cell that runs.
// Errors: what kept the run from being recorded; a query or a cell that fails is a record.

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "run/answers.h"
#include "run/left.h"
#include "run/page_cache.h"
#include "run/plan.h"
#include "run/preparation.h"
#include "run/progress.h"
#include "run/recorder.h"
#include "run/runner.h"
#include "run/stage.h"
#include "run/watch.h"

namespace lakegauge::run {

class Executor {
 public:
  Executor(const Plan& plan, const Preparation& preparation, Recorder& recorder,
           AnswerBook& answers, const RunOptions& options, const Limits& limits, Clock& clock);
  ~Executor();
  // Until all is done, the watch says stop, or what is left lies on stores that are gone.
  Result<StopReason> Run();
  // Ids of stores that went away; what was left of their cells was not run.
  const std::set<std::string>& stores_gone() const { return stores_gone_; }

 private:
  struct Pass {
    int cell = 0;
    int64_t iteration = 0;
    bool warmup = false;
    std::vector<const PlanExecution*> executions;  // not finished yet
  };
  std::vector<Pass> PassesLeft() const;
  Status RunPass(const Pass& pass);
  // `at_start`: what was proved before the pass began, where several streams run.
  Status RunStream(const Pass& pass, int stream, const CacheProof& at_start);
  Status RunOne(const PlanExecution& planned, const CacheProof& at_start, bool first);
  // Sets the stage for a cell, or says why it cannot be.
  Status SetStage(int cell);
  void DropStage();
  Status FailPass(const Pass& pass, const Error& why);
  // Asked once something failed: whether it was because the cell's store is gone, which is told
  // once. Nothing more of the cell is run then, and nothing of it is a failure.
  bool StoreIsGone(const PlanCell& cell);
  // Drops caches; whether the cell's files are then proved to be out of the page cache. Bytes are
  // -1 where it could not be looked at.
  CacheProof MakeCold(engine::Session* session);
  static void SetCache(const CacheProof& proof, record::Execution* e);
  record::Execution BeginRecord(const PlanExecution& planned) const;
  Status JudgeAnswer(const PlanCell& cell, const PlanQuery& query, const engine::Outcome& outcome,
                     record::Execution& e);
  void CountRequests(const std::vector<record::Request>& requests, record::Execution* e);
  int64_t RequestsSoFar();
  double CostSoFar();
  void Tell(ProgressEvent event, const PlanExecution* planned);
  void Note(const std::string& text);

  const Plan& plan_;
  const Preparation& preparation_;
  Recorder& recorder_;
  AnswerBook& answers_;
  const RunOptions& options_;
  Clock& clock_;
  const int64_t start_ns_;
  std::unique_ptr<Stage> stage_;
  PageCache page_cache_;
  std::string cache_problem_;  // why cold cannot be proved in this cell; empty: it can
  std::set<std::string> noted_;
  std::atomic<bool> session_gone_{
      false};  // the engine under a session ended; the next query gets anew

  std::atomic<bool> gone_{false};  // the store of the cell that runs
  std::mutex gone_mutex_;
  std::set<std::string> stores_gone_;

  std::mutex counts_mutex_;
  record::RequestLog* live_log_ = nullptr;  // of the stage
  int64_t requests_before_ = 0;             // of stages gone by
  int64_t requests_taken_ = 0;              // out of the live log
  double cost_taken_ = 0;
  double live_get_price_ = 0;

  std::mutex progress_mutex_;
  TimeLeft left_;
  int64_t done_ = 0;

  Watch watch_;  // last: its thread asks the members above
};

}  // namespace lakegauge::run
