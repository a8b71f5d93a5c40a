#pragma once
// Watches over running queries: cancels them when the user stops the run or a limit is reached, and
// says which it was. Limits on requests and cost hold from the end of the first execution on, so
// that a run that is resumed under them gets further each time.
//
// Threads: one of its own; all methods from any thread. Owns: nothing; sessions must be left
// (Leave) before they end.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "engine/engine.h"

namespace lakegauge::run {

// kStoreGone is not of the watch: what is left would only fail.
enum class StopReason { kNone, kStopped, kMaxTime, kMaxRequests, kMaxCost, kStoreGone };

struct WatchLimits {
  int64_t end_ns = 0;        // CLOCK_MONOTONIC; 0: none
  int64_t max_requests = 0;  // 0: none
  double max_cost = 0;
};

class Watch {
 public:
  // `requests` and `cost` tell what this session made so far, running queries' included.
  Watch(std::stop_token stop, WatchLimits limits, Clock& clock, std::function<int64_t()> requests,
        std::function<double()> cost);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Around an execution: Enter says false, and nothing may start, once there is a reason to stop.
  bool Enter(engine::Session* session);
  void Leave(engine::Session* session);
  StopReason reason();

 private:
  void Loop(const std::stop_token& done);
  StopReason Look();  // with the lock held

  const std::stop_token stop_;
  const WatchLimits limits_;
  Clock& clock_;
  const std::function<int64_t()> requests_;
  const std::function<double()> cost_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<engine::Session*> running_;
  StopReason reason_ = StopReason::kNone;
  bool one_ended_ = false;  // an execution
  std::jthread thread_;
};

}  // namespace lakegauge::run
