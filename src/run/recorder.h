#pragma once
// Keeps the record of a run's executions in the order that survives a kill at any moment: begin
// line, then (after the query) its requests in the spool, then its end line. Hides journal, spools
// and which executions are finished.
//
// Threads: all methods from any (one lock). Errors: what could not be written; the run must stop
// then.

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/journal.h"
#include "record/request.h"
#include "record/spool.h"
#include "run/plan.h"
#include "run/run_folder.h"

namespace lakegauge::run {

class Recorder {
 public:
  // Opens the journal as session `journal.sessions`, brings what earlier sessions spooled into
  // requests/, leaving out what was killed in flight, and ends cells that only lacked their end.
  // With `retry_failed`, what failed or timed out is to run once more: it is not finished, but its
  // earlier end stands until it has another.
  static Result<std::unique_ptr<Recorder>> Open(const Plan& plan, const RunFolder& folder,
                                                const record::Journal& journal, Clock& clock,
                                                const Json& session_facts, bool retry_failed);

  int64_t session() const { return session_; }
  bool IsFinished(int64_t execution) const;
  Status CellStart(const std::string& cell, const Json& facts);
  Status Event(const std::string& name, const Json& facts);
  Status Begin(const record::Execution& execution);
  // Cancelled ones are noted but not finished: their requests are not kept and they run again.
  Status Finish(const record::Execution& execution, const std::vector<record::Request>& requests,
                const record::RequestLog& keys);
  // Requests of no execution.
  Status Spool(const std::string& cell, const std::vector<record::Request>& requests,
               const record::RequestLog& keys);
  // Ends the cell where all its executions are finished; nothing to do where not.
  Status MaybeEndCell(const std::string& cell);

  // By execution id, each finished one's status and one line of error.
  struct Finished {
    record::ExecutionStatus status;
    std::string error;
    bool again = false;  // ended so in an earlier session, and is to run once more
  };
  std::map<int64_t, Finished> finished() const;  // without those to run once more

 private:
  explicit Recorder(const RunFolder& folder) : folder_(folder) {}
  Status SpoolLocked(const std::string& cell, const std::vector<record::Request>& requests,
                     const record::RequestLog& keys);
  Status Compact(const std::string& cell);
  Status MaybeEndCellLocked(const std::string& cell);
  bool IsFinishedLocked(int64_t execution) const;
  bool IsWholeLocked(const std::string& cell) const;

  const RunFolder& folder_;
  int64_t session_ = 0;
  mutable std::mutex mutex_;
  std::unique_ptr<record::JournalWriter> journal_;
  std::map<std::string, std::unique_ptr<record::SpoolWriter>> spools_;
  std::map<int64_t, Finished> finished_;
  std::map<std::string, std::vector<int64_t>> planned_;  // cell -> executions
  std::set<std::string> cells_ended_;
};

}  // namespace lakegauge::run
