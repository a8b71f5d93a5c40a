#include "run/stage.h"

#include "profile/profile.h"
#include "run/borrowed_store.h"
#include "store/recording.h"
#include "store/shaping.h"

namespace lakegauge::run {

Stage::Stage(const PlanCell& cell, const CellData& data, uint64_t seed, int streams)
    : cell_(cell), data_(data), seed_(seed), streams_(streams) {}

Stage::~Stage() {
  sessions_.clear();
  if (engine_) engine_->Stop();
}

Status Stage::Start() {
  std::unique_ptr<store::Store> below = Borrow(*data_.store);
  if (!cell_.profile.is_null()) {
    LG_ASSIGN_OR_RETURN(const auto profile, profile::Profile::FromJson(cell_.profile));
    below = store::ShapeRequests(std::move(below), profile, seed_);
  }
  store_ = store::RecordRequests(std::move(below), log_);
  std::vector<engine::TableLocation> tables = data_.tables;
  for (engine::TableLocation& table : tables) table.store = store_.get();

  LG_ASSIGN_OR_RETURN(engine_, engine::MakeEngine(cell_.engine_kind, cell_.engine_settings));
  LG_RETURN_IF_ERROR(engine_->Start());
  description_ = engine_->Describe();
  for (int stream = 0; stream < streams_; ++stream) {
    LG_ASSIGN_OR_RETURN(auto session, engine_->OpenSession(stream));
    LG_RETURN_IF_ERROR(session->Bind(tables));
    sessions_.push_back(std::move(session));
  }
  return {};
}

std::vector<record::Request> Stage::TakeRequests(int64_t execution) {
  const std::scoped_lock lock(mutex_);
  for (record::Request& request : log_.Take()) {
    waiting_[request.execution].push_back(request);
  }
  const auto own = waiting_.find(execution);
  if (own == waiting_.end()) return {};
  std::vector<record::Request> requests = std::move(own->second);
  waiting_.erase(own);
  return requests;
}

}  // namespace lakegauge::run
