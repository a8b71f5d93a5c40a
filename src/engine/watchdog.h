#pragma once
// Does something at a deadline unless it is called off first. One thread waits for all deadlines of
// one owner, one at a time.
//
// Threads: Arm and Disarm from one thread; `fire` runs in the watchdog's own.
// Units: nanoseconds of CLOCK_MONOTONIC.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace lakegauge::engine {

class Watchdog {
 public:
  explicit Watchdog(std::function<void()> fire);
  ~Watchdog();
  void Arm(int64_t deadline_ns);
  // Whether it had fired. After it returns, `fire` is not running and will not run.
  bool Disarm();

 private:
  void Run();

  const std::function<void()> fire_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t deadline_ns_ = 0;  // 0: none
  bool fired_ = false;
  bool firing_ = false;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace lakegauge::engine
