#include "base/clock.h"

#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>

namespace lakegauge {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
// A waiter that can be stopped looks at its stop token this often while its deadline is far away.
constexpr int64_t kStopPollNs = 20'000'000;

int64_t ReadClock(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<int64_t>(t.tv_sec) * kNsPerSecond + t.tv_nsec;
}

void SleepUntil(int64_t deadline_ns) {
  const timespec t{static_cast<time_t>(deadline_ns / kNsPerSecond),
                   static_cast<long>(deadline_ns % kNsPerSecond)};  // NOLINT
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

void PauseCore() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// How long after its moment a sleep ends on this machine although a core is free: a virtual one's
// timer interrupt alone can take 50 us. Sleeps aim that much early, and what is left is spun.
//
// Follows the lower quartile of what is seen, so that about three sleeps in four end late by a
// little and one in four spins for a little; and takes no part while cores are fought for, since
// then spinning would hold one that somebody else needs.
class Overshoot {
 public:
  // How much before its deadline a sleep may end.
  int64_t EarlyNs(int64_t now_ns) const {
    return now_ns < crowded_until_ns_.load(std::memory_order_relaxed)
               ? 0
               : early_ns_.load(std::memory_order_relaxed);
  }
  // A sleep that aimed at `aim_ns` ended at `now_ns`.
  void Saw(int64_t aim_ns, int64_t now_ns) {
    const int64_t over_ns = now_ns - aim_ns;
    if (over_ns > kCrowdedNs) {
      crowded_until_ns_.store(now_ns + kCrowdedForNs, std::memory_order_relaxed);
      return;
    }
    // Two threads that do this at once lose one of two steps.
    const int64_t early_ns = early_ns_.load(std::memory_order_relaxed);
    const int64_t step_ns = over_ns > early_ns ? kStepNs : -3 * kStepNs;
    early_ns_.store(std::clamp<int64_t>(early_ns + step_ns, 0, kMostNs), std::memory_order_relaxed);
  }

 private:
  static constexpr int64_t kStepNs = 250;
  static constexpr int64_t kMostNs = 150'000;
  static constexpr int64_t kCrowdedNs = 300'000;
  static constexpr int64_t kCrowdedForNs = 5'000'000;
  std::atomic<int64_t> early_ns_{0};
  std::atomic<int64_t> crowded_until_ns_{0};
};

class MachineClock : public Clock {
 public:
  int64_t NowNs() override { return ReadClock(CLOCK_MONOTONIC); }
  int64_t UtcNs() override { return ReadClock(CLOCK_REALTIME); }
  bool WaitUntil(int64_t deadline_ns, std::stop_token stop) override {
    thread_local const int slack = prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    (void)slack;
    for (int64_t now = NowNs(); now < deadline_ns; now = NowNs()) {
      if (stop.stop_requested()) return false;
      if (stop.stop_possible() && deadline_ns - now > 2 * kStopPollNs) {
        SleepUntil(now + kStopPollNs);
        continue;
      }
      const int64_t aim_ns = deadline_ns - overshoot_.EarlyNs(now);
      if (aim_ns > now) {
        SleepUntil(aim_ns);
        overshoot_.Saw(aim_ns, NowNs());
      } else {
        PauseCore();
      }
    }
    return !stop.stop_requested();
  }

 private:
  Overshoot overshoot_;
};

}  // namespace

Clock& RealClock() {
  static MachineClock clock;
  return clock;
}

int64_t FakeClock::NowNs() {
  std::lock_guard lock(mutex_);
  return now_ns_;
}

int64_t FakeClock::UtcNs() { return NowNs(); }

bool FakeClock::WaitUntil(int64_t deadline_ns, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (auto_advance_) {
    if (stop.stop_requested()) return false;
    now_ns_ = std::max(now_ns_, deadline_ns);
    return true;
  }
  return moved_.wait(lock, stop, [&] { return now_ns_ >= deadline_ns; });
}

void FakeClock::Advance(int64_t ns) {
  {
    std::lock_guard lock(mutex_);
    now_ns_ += ns;
  }
  moved_.notify_all();
}

int64_t ThreadCpuNs() { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }
int64_t ProcessCpuNs() { return ReadClock(CLOCK_PROCESS_CPUTIME_ID); }

std::string FormatUtc(int64_t utc_ns) {
  int64_t seconds = utc_ns / kNsPerSecond;
  int64_t rest = utc_ns % kNsPerSecond;
  if (rest < 0) {
    rest += kNsPerSecond;
    --seconds;
  }
  const time_t t = seconds;
  tm parts{};
  gmtime_r(&t, &parts);
  char date[40];
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  char text[64];
  std::snprintf(text, sizeof text, "%s.%06dZ", date, static_cast<int>(rest / 1000));
  return text;
}

}  // namespace lakegauge
