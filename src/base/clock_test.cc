#include "base/clock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lakegauge {
namespace {

constexpr int64_t kMicro = 1000;

// Sleeps aim early on purpose; whoever waits must not notice.
TEST(MachineClock, AWaitNeverEndsBeforeItsDeadline) {
  Clock& clock = RealClock();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&clock, t] {
      for (int i = 0; i < 200; ++i) {
        const int64_t deadline = clock.NowNs() + (t * 37 + i) * kMicro;
        ASSERT_TRUE(clock.WaitUntil(deadline));
        ASSERT_GE(clock.NowNs(), deadline);
      }
    });
  }
}

TEST(MachineClock, ADeadlineInThePastIsNoWait) {
  EXPECT_TRUE(RealClock().WaitUntil(0));
  EXPECT_TRUE(RealClock().WaitUntil(RealClock().NowNs() - 1));
}

TEST(MachineClock, AWaitThatIsStoppedSaysSo) {
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(RealClock().WaitUntil(RealClock().NowNs() + int64_t{3600} * 1'000'000'000,
                                     source.get_token()));
  std::stop_source later;
  std::jthread waiter([token = later.get_token()] {
    EXPECT_FALSE(RealClock().WaitUntil(RealClock().NowNs() + int64_t{3600} * 1'000'000'000, token));
  });
  later.request_stop();
}

TEST(FakeClock, AWaitMovesItToTheDeadline) {
  FakeClock clock;
  const int64_t start = clock.NowNs();
  EXPECT_TRUE(clock.WaitUntil(start + 5));
  EXPECT_EQ(clock.NowNs(), start + 5);
}

}  // namespace
}  // namespace lakegauge
