#include "engine/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "base/clock.h"

namespace lakegauge::engine {
namespace {

TEST(Watchdog, FiresAtADeadlineThatHasPassed) {
  std::promise<void> fired;
  Watchdog dog([&] { fired.set_value(); });
  dog.Arm(RealClock().NowNs() - 1);
  fired.get_future().wait();
  EXPECT_TRUE(dog.Disarm());
}

TEST(Watchdog, DoesNotFireOnceCalledOff) {
  std::atomic<int> fired{0};
  {
    Watchdog dog([&] { ++fired; });
    for (int i = 0; i < 100; ++i) {
      dog.Arm(RealClock().NowNs() + 3'600'000'000'000);
      EXPECT_FALSE(dog.Disarm());
    }
  }
  EXPECT_EQ(fired, 0);
}

TEST(Watchdog, DisarmWaitsForAFireThatIsUnderWay) {
  std::promise<void> started;
  std::promise<void> go_on;
  std::atomic<bool> ended{false};
  Watchdog dog([&] {
    started.set_value();
    go_on.get_future().wait();
    ended = true;
  });
  dog.Arm(1);
  started.get_future().wait();
  std::thread releaser([&] { go_on.set_value(); });
  EXPECT_TRUE(dog.Disarm());
  EXPECT_TRUE(ended);
  releaser.join();
}

}  // namespace
}  // namespace lakegauge::engine
