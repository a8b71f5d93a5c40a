#include "run/recorder.h"

#include <fmt/format.h>

#include <algorithm>

namespace lakegauge::run {

using record::ExecutionStatus;

Result<std::unique_ptr<Recorder>> Recorder::Open(const Plan& plan, const RunFolder& folder,
                                                 const record::Journal& journal, Clock& clock,
                                                 const Json& session_facts, bool retry_failed) {
  std::unique_ptr<Recorder> recorder(new Recorder(folder));
  recorder->session_ = journal.sessions;
  for (const PlanExecution& e : plan.executions) {
    recorder->planned_[plan.cells[static_cast<size_t>(e.cell)].id].push_back(e.id);
  }
  for (const record::Execution& e : journal.finished) {
    if (e.status == ExecutionStatus::kCancelled) continue;
    if (e.id < 0 || e.id >= static_cast<int64_t>(plan.executions.size())) {
      return MakeError(ErrorCode::kCorrupt,
                       fmt::format("{} holds execution {}, which the plan of {} does not have",
                                   folder.journal(), e.id, plan.executions.size()));
    }
    recorder->finished_[e.id] = {e.status, e.error, retry_failed && MayBeRetried(e.status)};
  }
  recorder->cells_ended_.insert(journal.cells_ended.begin(), journal.cells_ended.end());
  // A cell that ended has more to do once repeats were added to the plan, or what failed is
  // retried.
  for (const auto& [cell, ids] : recorder->planned_) {
    if (!recorder->IsWholeLocked(cell)) recorder->cells_ended_.erase(cell);
  }
  LG_ASSIGN_OR_RETURN(recorder->journal_, record::JournalWriter::Open(folder.journal()));
  LG_RETURN_IF_ERROR(recorder->journal_->SessionStart(recorder->session_, clock.NowNs(),
                                                      clock.UtcNs(), session_facts));
  if (recorder->session_ > 0) {
    // Spools of a killed session may hold requests of a query that has no end line and will run
    // again.
    for (const auto& [cell, ids] : recorder->planned_) {
      const bool touched = std::any_of(ids.begin(), ids.end(), [&](int64_t id) {
        return recorder->finished_.contains(id) ||
               std::find(journal.begun_only.begin(), journal.begun_only.end(), id) !=
                   journal.begun_only.end();
      });
      if (touched) LG_RETURN_IF_ERROR(recorder->Compact(cell));
      LG_RETURN_IF_ERROR(recorder->MaybeEndCellLocked(cell));
    }
  }
  return recorder;
}

bool Recorder::IsFinished(int64_t execution) const {
  const std::scoped_lock lock(mutex_);
  return IsFinishedLocked(execution);
}

bool Recorder::IsFinishedLocked(int64_t execution) const {
  const auto at = finished_.find(execution);
  return at != finished_.end() && !at->second.again;
}

bool Recorder::IsWholeLocked(const std::string& cell) const {
  const auto& ids = planned_.at(cell);
  return std::all_of(ids.begin(), ids.end(), [&](int64_t id) { return IsFinishedLocked(id); });
}

Status Recorder::CellStart(const std::string& cell, const Json& facts) {
  return journal_->CellStart(cell, facts);
}

Status Recorder::Event(const std::string& name, const Json& facts) {
  return journal_->Event(name, facts);
}

Status Recorder::Begin(const record::Execution& execution) { return journal_->Begin(execution); }

Status Recorder::Finish(const record::Execution& execution,
                        const std::vector<record::Request>& requests,
                        const record::RequestLog& keys) {
  const std::scoped_lock lock(mutex_);
  const bool cancelled = execution.status == ExecutionStatus::kCancelled;
  if (!cancelled) LG_RETURN_IF_ERROR(SpoolLocked(execution.cell, requests, keys));
  LG_RETURN_IF_ERROR(journal_->End(execution));
  if (!cancelled) finished_[execution.id] = {execution.status, execution.error};
  return {};
}

Status Recorder::Spool(const std::string& cell, const std::vector<record::Request>& requests,
                       const record::RequestLog& keys) {
  const std::scoped_lock lock(mutex_);
  return SpoolLocked(cell, requests, keys);
}

Status Recorder::SpoolLocked(const std::string& cell, const std::vector<record::Request>& requests,
                             const record::RequestLog& keys) {
  auto& spool = spools_[cell];
  if (!spool) {
    // A name that no other session has: a compacted file knows which spools it holds by their
    // names.
    LG_ASSIGN_OR_RETURN(
        spool, record::SpoolWriter::Open(folder_.spool(), fmt::format("{}.{}", cell, session_)));
  }
  return spool->Append(requests, keys);
}

Status Recorder::MaybeEndCell(const std::string& cell) {
  const std::scoped_lock lock(mutex_);
  return MaybeEndCellLocked(cell);
}

Status Recorder::MaybeEndCellLocked(const std::string& cell) {
  if (!IsWholeLocked(cell) || cells_ended_.contains(cell)) return {};
  LG_RETURN_IF_ERROR(Compact(cell));
  LG_RETURN_IF_ERROR(journal_->CellEnd(cell));
  cells_ended_.insert(cell);
  return {};
}

Status Recorder::Compact(const std::string& cell) {
  if (const auto spool = spools_.find(cell); spool != spools_.end()) {
    if (spool->second) LG_RETURN_IF_ERROR(spool->second->Close());
    spools_.erase(spool);
  }
  std::vector<int64_t> keep;
  for (const int64_t id : planned_[cell]) {
    if (finished_.contains(id)) keep.push_back(id);
  }
  return record::CompactSpools(folder_.spool(), cell, folder_.requests(), keep);
}

std::map<int64_t, Recorder::Finished> Recorder::finished() const {
  const std::scoped_lock lock(mutex_);
  std::map<int64_t, Finished> finished = finished_;
  std::erase_if(finished, [](const auto& item) { return item.second.again; });
  return finished;
}

}  // namespace lakegauge::run
