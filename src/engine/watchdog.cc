#include "engine/watchdog.h"

#include <chrono>

namespace lakegauge::engine {

Watchdog::Watchdog(std::function<void()> fire)
    : fire_(std::move(fire)), thread_([this] { Run(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::Arm(int64_t deadline_ns) {
  {
    std::lock_guard lock(mutex_);
    deadline_ns_ = deadline_ns;
    fired_ = false;
  }
  changed_.notify_all();
}

bool Watchdog::Disarm() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !firing_; });
  deadline_ns_ = 0;
  return fired_;
}

void Watchdog::Run() {
  std::unique_lock lock(mutex_);
  while (!quit_) {
    if (deadline_ns_ == 0) {
      changed_.wait(lock);
      continue;
    }
    // libstdc++'s steady clock is CLOCK_MONOTONIC.
    const std::chrono::steady_clock::time_point deadline{std::chrono::nanoseconds(deadline_ns_)};
    if (std::chrono::steady_clock::now() < deadline) {
      changed_.wait_until(lock, deadline);
      continue;
    }
    deadline_ns_ = 0;
    fired_ = true;
    firing_ = true;
    lock.unlock();
    fire_();
    lock.lock();
    firing_ = false;
    changed_.notify_all();
  }
}

}  // namespace lakegauge::engine
