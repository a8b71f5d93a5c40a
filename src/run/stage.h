#pragma once
// One cell set up to run: its store under shaping and recording, its engine started, a session for
// each stream with the tables bound.
//
// Threads: Start and Stop from one; sessions as engine.h says; TakeRequests from any (one lock).
// Owns: engine, sessions and decorators; the bare store is the preparation's. Errors: what kept the
// cell from starting.

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/engine.h"
#include "record/request.h"
#include "run/plan.h"
#include "run/preparation.h"
#include "store/store.h"

namespace lakegauge::run {

class Stage {
 public:
  Stage(const PlanCell& cell, const CellData& data, uint64_t seed, int streams);
  ~Stage();
  Status Start();

  const PlanCell& cell() const { return cell_; }
  const CellData& data() const { return data_; }
  engine::Session& session(int stream) { return *sessions_[static_cast<size_t>(stream)]; }
  engine::EngineDescription description() const { return description_; }
  record::RequestLog& log() { return log_; }
  // Requests of one execution (-1: of none, such as listing tables), and forgets them.
  std::vector<record::Request> TakeRequests(int64_t execution);

 private:
  const PlanCell& cell_;
  const CellData& data_;
  const uint64_t seed_;
  const int streams_;
  record::RequestLog log_;
  std::unique_ptr<store::Store> store_;  // decorated
  std::unique_ptr<engine::Engine> engine_;
  std::vector<std::unique_ptr<engine::Session>> sessions_;
  engine::EngineDescription description_;
  std::mutex mutex_;
  std::map<int64_t, std::vector<record::Request>> waiting_;  // by execution
};

}  // namespace lakegauge::run
