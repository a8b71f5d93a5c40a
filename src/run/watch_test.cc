#include "run/watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace lakegauge::run {
namespace {

// A session that only notes that it was cancelled.
class CancelledSession : public engine::Session {
 public:
  Status Bind(const std::vector<engine::TableLocation>&) override { return {}; }
  Result<engine::Outcome> Execute(const engine::Task&) override { return engine::Outcome{}; }
  void Cancel() override {
    if (!said_) cancelled_.set_value();
    said_ = true;
  }
  Status DropCaches() override { return {}; }
  void WaitUntilCancelled() { cancelled_.get_future().wait(); }

 private:
  std::promise<void> cancelled_;
  bool said_ = false;
};

constexpr auto kNoRequests = [] { return int64_t{0}; };
constexpr auto kNoCost = [] { return 0.0; };

TEST(Watch, LetsQueriesRunWhileThereIsNoReasonToStop) {
  FakeClock clock;
  Watch watch({}, {}, clock, kNoRequests, kNoCost);
  CancelledSession session;
  EXPECT_TRUE(watch.Enter(&session));
  watch.Leave(&session);
  EXPECT_EQ(watch.reason(), StopReason::kNone);
}

TEST(Watch, CancelsWhatRunsWhenTheUserStops) {
  FakeClock clock;
  std::stop_source stop;
  Watch watch(stop.get_token(), {}, clock, kNoRequests, kNoCost);
  CancelledSession session;
  ASSERT_TRUE(watch.Enter(&session));
  stop.request_stop();
  session.WaitUntilCancelled();
  watch.Leave(&session);
  EXPECT_EQ(watch.reason(), StopReason::kStopped);
  EXPECT_FALSE(watch.Enter(&session));
}

// The first execution, which no limit on requests or cost cuts.
void RunFirst(Watch& watch) {
  CancelledSession session;
  ASSERT_TRUE(watch.Enter(&session));
  watch.Leave(&session);
}

TEST(Watch, EachLimitHasItsOwnReason) {
  FakeClock clock;
  Watch time({}, {clock.NowNs(), 0, 0}, clock, kNoRequests, kNoCost);
  EXPECT_EQ(time.reason(), StopReason::kMaxTime);
  Watch requests(
      {}, {0, 5, 0}, clock, [] { return int64_t{5}; }, kNoCost);
  RunFirst(requests);
  EXPECT_EQ(requests.reason(), StopReason::kMaxRequests);
  Watch cost({}, {0, 0, 0.5}, clock, kNoRequests, [] { return 0.5; });
  RunFirst(cost);
  EXPECT_EQ(cost.reason(), StopReason::kMaxCost);
}

TEST(Watch, LimitsOnRequestsAndCostLetTheFirstExecutionEnd) {
  FakeClock clock;
  Watch watch(
      {}, {0, 5, 0.5}, clock, [] { return int64_t{500}; }, [] { return 50.0; });
  CancelledSession session;
  EXPECT_EQ(watch.reason(), StopReason::kNone);
  ASSERT_TRUE(watch.Enter(&session));
  EXPECT_EQ(watch.reason(), StopReason::kNone);
  watch.Leave(&session);
  EXPECT_FALSE(watch.Enter(&session));
}

TEST(Watch, ALimitOnRequestsCutsALaterQueryThatRuns) {
  FakeClock clock;
  std::atomic<int64_t> requests{0};
  Watch watch(
      {}, {0, 10, 0}, clock, [&] { return requests.load(); }, kNoCost);
  RunFirst(watch);
  CancelledSession session;
  ASSERT_TRUE(watch.Enter(&session));
  requests = 10;
  session.WaitUntilCancelled();
  watch.Leave(&session);
  EXPECT_EQ(watch.reason(), StopReason::kMaxRequests);
}

}  // namespace
}  // namespace lakegauge::run
