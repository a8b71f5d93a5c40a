#pragma once
// Time as the rest of lakegauge sees it: a monotonic clock that can also wait until a deadline and
// be told to stop waiting, and the wall clock for stamps. Tests use FakeClock and never sleep.
//
// Threads: every method may be called from any thread.
// Units: nanoseconds. Monotonic values are CLOCK_MONOTONIC and comparable only within one boot.

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>

namespace lakegauge {

class Clock {
 public:
  virtual ~Clock() = default;
  // CLOCK_MONOTONIC in nanoseconds.
  virtual int64_t NowNs() = 0;
  // Nanoseconds since 1970-01-01T00:00:00Z.
  virtual int64_t UtcNs() = 0;
  // Blocks the calling thread until NowNs() >= deadline_ns or stop is requested; false if it was
  // stopped. A deadline in the past returns at once.
  virtual bool WaitUntil(int64_t deadline_ns, std::stop_token stop = {}) = 0;
};

// The machine's clock. WaitUntil ends at its deadline or after it, never before: it sleeps with a
// timer slack of 1 ns (prctl PR_SET_TIMERSLACK, set by the first call in a thread; the default of
// 50 us would bias every emulated latency), aims early by what sleeps overshoot on this machine,
// and spins over the microseconds that are left; where cores are fought for it only sleeps.
Clock& RealClock();

// A clock that moves only when told. WaitUntil moves it to the deadline at once when `auto_advance`
// (single-threaded tests), else blocks until Advance() passes the deadline.
class FakeClock : public Clock {
 public:
  explicit FakeClock(bool auto_advance = true) : auto_advance_(auto_advance) {}
  int64_t NowNs() override;
  int64_t UtcNs() override;
  bool WaitUntil(int64_t deadline_ns, std::stop_token stop = {}) override;
  void Advance(int64_t ns);

 private:
  const bool auto_advance_;
  std::mutex mutex_;
  std::condition_variable_any moved_;
  int64_t now_ns_ = 1'000'000'000;
};

// CPU time of the calling thread (CLOCK_THREAD_CPUTIME_ID), nanoseconds.
int64_t ThreadCpuNs();
// CPU time of this process, user and system (CLOCK_PROCESS_CPUTIME_ID), nanoseconds.
int64_t ProcessCpuNs();

// "2026-01-31T12:00:00.123456Z" of nanoseconds since the epoch.
std::string FormatUtc(int64_t utc_ns);

}  // namespace lakegauge
