#include "run/watch.h"

#include <chrono>
#include <utility>

namespace lakegauge::run {
namespace {
constexpr std::chrono::milliseconds kLookEvery{20};
}  // namespace

Watch::Watch(std::stop_token stop, WatchLimits limits, Clock& clock,
             std::function<int64_t()> requests, std::function<double()> cost)
    : stop_(std::move(stop)),
      limits_(limits),
      clock_(clock),
      requests_(std::move(requests)),
      cost_(std::move(cost)),
      thread_([this](const std::stop_token& done) { Loop(done); }) {}

Watch::~Watch() {
  thread_.request_stop();
  changed_.notify_all();
}

StopReason Watch::Look() {
  if (reason_ != StopReason::kNone) return reason_;
  if (stop_.stop_requested()) {
    reason_ = StopReason::kStopped;
  } else if (limits_.end_ns > 0 && clock_.NowNs() >= limits_.end_ns) {
    reason_ = StopReason::kMaxTime;
  } else if (!one_ended_) {
    return StopReason::kNone;
  } else if (limits_.max_requests > 0 && requests_() >= limits_.max_requests) {
    reason_ = StopReason::kMaxRequests;
  } else if (limits_.max_cost > 0 && cost_() >= limits_.max_cost) {
    reason_ = StopReason::kMaxCost;
  }
  return reason_;
}

bool Watch::Enter(engine::Session* session) {
  const std::scoped_lock lock(mutex_);
  if (Look() != StopReason::kNone) return false;
  running_.insert(session);
  changed_.notify_all();
  return true;
}

void Watch::Leave(engine::Session* session) {
  const std::scoped_lock lock(mutex_);
  running_.erase(session);
  one_ended_ = true;
}

StopReason Watch::reason() {
  const std::scoped_lock lock(mutex_);
  return Look();
}

void Watch::Loop(const std::stop_token& done) {
  std::unique_lock lock(mutex_);
  while (!done.stop_requested()) {
    changed_.wait(lock, done, [this] { return !running_.empty(); });
    while (!done.stop_requested() && !running_.empty()) {
      // Again each time round: a session that was asked just before its query began would not hear.
      if (Look() != StopReason::kNone) {
        for (engine::Session* session : running_) session->Cancel();
      }
      changed_.wait_for(lock, done, kLookEvery, [] { return false; });
    }
  }
}

}  // namespace lakegauge::run
