#include "base/clock.h"

#include <sys/prctl.h>

#include <algorithm>
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

class MachineClock : public Clock {
 public:
  int64_t NowNs() override { return ReadClock(CLOCK_MONOTONIC); }
  int64_t UtcNs() override { return ReadClock(CLOCK_REALTIME); }
  bool WaitUntil(int64_t deadline_ns, std::stop_token stop) override {
    thread_local const int slack = prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    (void)slack;
    for (int64_t now = NowNs(); now < deadline_ns; now = NowNs()) {
      if (stop.stop_requested()) return false;
      SleepUntil(stop.stop_possible() ? std::min(deadline_ns, now + kStopPollNs) : deadline_ns);
    }
    return !stop.stop_requested();
  }
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
