#include "engine/duckdb/lane_state.h"

#include <chrono>
#include <duckdb/common/file_opener.hpp>
#include <duckdb/execution/executor.hpp>
#include <duckdb/parallel/task_scheduler.hpp>

namespace lakegauge::engine {
namespace {

constexpr std::chrono::milliseconds kLookAgain{10};

}  // namespace

std::shared_ptr<const Asking> LaneState::AskingOf(duckdb::FileOpener* opener) {
  static const auto kNobody = std::make_shared<const Asking>();
  const auto context = duckdb::FileOpener::TryGetClientContext(opener);
  if (!context) return kNobody;
  const auto lane = context->registered_state->Get<LaneState>(kKey);
  return lane ? lane->asking() : kNobody;
}

void LaneState::SetAsking(Asking asking) {
  auto made = std::make_shared<const Asking>(std::move(asking));
  std::lock_guard lock(asking_mutex_);
  asking_ = std::move(made);
}

std::shared_ptr<const Asking> LaneState::asking() const {
  std::lock_guard lock(asking_mutex_);
  return asking_;
}

void LaneState::BeginWait() {
  std::lock_guard lock(wait_mutex_);
  woken_ = false;
  waiting_.store(true);
}

void LaneState::Wait() {
  std::unique_lock lock(wait_mutex_);
  wake_.wait_for(lock, kLookAgain, [this] { return woken_; });
}

void LaneState::EndWait() { waiting_.store(false); }

void LaneState::Wake() {
  std::lock_guard lock(wait_mutex_);
  woken_ = true;
  wake_.notify_all();
}

void LaneState::OnTaskStop(duckdb::ClientContext& context) {
  // While somebody waits, the query's executor exists and outlives this task.
  if (!waiting_.load()) return;
  if (context.GetExecutor().ExecutionIsFinished() ||
      duckdb::TaskScheduler::GetScheduler(context).GetNumberOfTasks() > 0) {
    Wake();
  }
}

}  // namespace lakegauge::engine
