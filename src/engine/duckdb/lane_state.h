#pragma once
// What belongs to one DuckDB connection while it runs a query of ours: who asks (execution, stream,
// stop), and waking the thread that waits for it. Private to the files that use DuckDB's C++
// headers.
//
// Threads: all methods from any thread.

#include <condition_variable>
#include <duckdb.hpp>
#include <duckdb/main/client_context_state.hpp>
#include <memory>
#include <mutex>
#include <stop_token>

#include "engine/duckdb/native_query.h"

namespace lakegauge::engine {

class LaneState : public duckdb::ClientContextState {
 public:
  static constexpr const char* kKey = "lakegauge_lane";
  // Of the connection that a file is opened for; null for a connection that is not ours.
  static std::shared_ptr<const Asking> AskingOf(duckdb::FileOpener* opener);

  void SetAsking(Asking asking);
  std::shared_ptr<const Asking> asking() const;

  // The waiting thread says so first, looks for work once more, and only then waits: a task that
  // ends in between is not missed. Wait returns when woken, or after a while in any case (an error
  // is made known to the executor just after its task's end).
  void BeginWait();
  void Wait();
  void EndWait();
  void Wake();
  // Called by DuckDB in each thread at the end of each step of a task.
  void OnTaskStop(duckdb::ClientContext& context) override;

 private:
  mutable std::mutex asking_mutex_;
  std::shared_ptr<const Asking> asking_ = std::make_shared<Asking>();

  std::mutex wait_mutex_;
  std::condition_variable wake_;
  std::atomic<bool> waiting_{false};
  bool woken_ = false;
};

}  // namespace lakegauge::engine
