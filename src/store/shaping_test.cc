#include "store/shaping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/units.h"
#include "profile/profile.h"
#include "store/memory_store.h"

namespace lakegauge::store {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMs = kNsPerMs;

profile::Profile Parse(const std::string& rest) {
  auto profile =
      profile::ParseProfile("{name: p, description: d, source: s, " + rest + "}", "p.yaml");
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : profile.error().message);
  return *profile;
}

// A store whose object "k" has `size` bytes, shaped, on a clock that moves only by waiting.
class Shaping : public ::testing::Test {
 protected:
  void Make(const std::string& profile, size_t size = 1000, uint64_t seed = 1) {
    auto inner = MakeMemoryStore();
    ASSERT_TRUE(WriteObject(*inner, {}, "k", std::string(size, 'x')).ok());
    store_ = ShapeRequests(std::move(inner), Parse(profile), seed, clock_);
    auto reader = store_->OpenRead({}, "k", {.size = static_cast<int64_t>(size)});
    ASSERT_TRUE(reader.ok());
    reader_ = std::move(*reader);
    buffer_.resize(size);
  }
  Result<size_t> Read(int64_t offset, size_t length, int64_t execution = 0) {
    timing_ = {};
    context_.execution = execution;
    context_.timing = &timing_;
    return reader_->ReadAt(context_, offset, std::span(buffer_).first(length));
  }
  int64_t TimeOf(const std::function<void()>& work) {
    const int64_t start = clock_.NowNs();
    work();
    return clock_.NowNs() - start;
  }
  FakeClock clock_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
  std::vector<std::byte> buffer_;
  RequestContext context_;
  RequestTiming timing_;
};

TEST_F(Shaping, AReadTakesItsFirstByteAndItsTransfer) {
  Make("first_byte: {GET: 7ms}, bandwidth: {stream: 1MB/s}");
  EXPECT_EQ(TimeOf([&] { EXPECT_EQ(*Read(0, 1000), 1000u); }), 8 * kMs);
  EXPECT_EQ(timing_.asked_first_ns, 7 * kMs);
  EXPECT_EQ(timing_.asked_ns, 8 * kMs);
  EXPECT_EQ(timing_.attempts, 1);
}

// A slow disk below: its time is part of the delay, not added to it.
class SlowReader : public Reader {
 public:
  explicit SlowReader(Clock& clock, int64_t ns) : clock_(clock), ns_(ns) {}
  int64_t size() const override { return 10; }
  Result<size_t> ReadAt(const RequestContext&, int64_t, std::span<std::byte> out) override {
    clock_.WaitUntil(clock_.NowNs() + ns_);
    return out.size();
  }

 private:
  Clock& clock_;
  int64_t ns_;
};

class SlowStore : public Store {
 public:
  SlowStore(Clock& clock, int64_t ns) : clock_(clock), ns_(ns) {}
  Result<std::optional<ObjectInfo>> Stat(const RequestContext&, std::string_view) override {
    return std::optional<ObjectInfo>();
  }
  Result<ListPage> List(const RequestContext&, std::string_view, std::string_view) override {
    return ListPage{};
  }
  Result<std::unique_ptr<Reader>> OpenRead(const RequestContext&, std::string_view,
                                           const Known&) override {
    return std::unique_ptr<Reader>(std::make_unique<SlowReader>(clock_, ns_));
  }
  Result<std::unique_ptr<Writer>> OpenWrite(const RequestContext&, std::string_view) override {
    return MakeError(ErrorCode::kUnsupported, "read only");
  }
  Status Delete(const RequestContext&, std::string_view) override { return {}; }
  Status CopyWithin(const RequestContext&, std::string_view, std::string_view) override {
    return {};
  }
  StoreDescription Describe() const override { return {"slow:", "slow", false, ""}; }

 private:
  Clock& clock_;
  int64_t ns_;
};

TEST_F(Shaping, TheDelayIsADeadlineFromTheStartNotASleepAfterTheWork) {
  for (const auto& [work_ms, whole_ms, late_ms] :
       {std::tuple(3, 7, 0), std::tuple(7, 7, 0), std::tuple(9, 9, 2)}) {
    store_ = ShapeRequests(std::make_unique<SlowStore>(clock_, work_ms * kMs),
                           Parse("first_byte: {GET: 7ms}"), 1, clock_);
    reader_ = *store_->OpenRead({}, "k", {.size = 10});
    buffer_.resize(10);
    EXPECT_EQ(TimeOf([&] { EXPECT_TRUE(Read(0, 10).ok()); }), whole_ms * kMs);
    EXPECT_EQ(timing_.asked_ns, 7 * kMs);
    EXPECT_EQ(timing_.lateness_ns, late_ms * kMs);
  }
}

TEST_F(Shaping, TheSameSeedAndExecutionDrawTheSameInAnyOrder) {
  const auto draw = [&](uint64_t seed, int64_t execution, int64_t offset) {
    Make("first_byte: {GET: {p50: 7ms, p99: 28ms}}", 1000, seed);
    (void)Read(900, 1, execution).ok();  // another request before
    EXPECT_TRUE(Read(offset, 1, execution).ok());
    return timing_.asked_first_ns;
  };
  EXPECT_EQ(draw(1, 5, 100), draw(1, 5, 100));
  EXPECT_NE(draw(1, 5, 100), draw(2, 5, 100));
  EXPECT_NE(draw(1, 5, 100), draw(1, 6, 100));
  EXPECT_NE(draw(1, 5, 100), draw(1, 5, 101));
  Make("first_byte: {GET: {p50: 7ms, p99: 28ms}}");
  ASSERT_TRUE(Read(100, 1, 5).ok());
  EXPECT_EQ(timing_.asked_first_ns, draw(1, 5, 100));
}

TEST_F(Shaping, OneStreamGetsTheWholePipe) {
  Make("bandwidth: {total: 1MB/s}", 1'000'000);
  EXPECT_NEAR(static_cast<double>(TimeOf([&] { EXPECT_TRUE(Read(0, 1'000'000).ok()); })), 1e9, 10);
}

TEST_F(Shaping, AStreamIsLimitedByTheSmallerBandwidth) {
  Make("bandwidth: {total: 10MB/s, stream: 1MB/s}", 1'000'000);
  EXPECT_NEAR(static_cast<double>(TimeOf([&] { EXPECT_TRUE(Read(0, 1'000'000).ok()); })), 1e9, 10);
}

TEST_F(Shaping, RequestsInARowShareThePipeOverTime) {
  Make("bandwidth: {total: 1MB/s}, first_byte: {GET: 1ms}", 1000);
  // 1 ms to the first byte and 1 ms of transfer each; the pipe is idle meanwhile.
  EXPECT_EQ(TimeOf([&] {
              for (int i = 0; i < 10; ++i) EXPECT_TRUE(Read(0, 1000).ok());
            }),
            20 * kMs);
}

TEST(ShapingThreads, StreamsShareThePipe) {
  FakeClock clock(false);
  auto inner = MakeMemoryStore();
  ASSERT_TRUE(WriteObject(*inner, {}, "k", std::string(100'000, 'x')).ok());
  const auto store = ShapeRequests(std::move(inner), Parse("bandwidth: {total: 1MB/s}"), 1, clock);
  const int64_t start = clock.NowNs();
  std::vector<int64_t> asked(4);
  std::atomic<int> done{0};
  std::vector<std::jthread> threads;
  for (size_t t = 0; t < asked.size(); ++t) {
    threads.emplace_back([&, t] {
      RequestTiming timing;
      RequestContext context;
      context.timing = &timing;
      std::vector<std::byte> buffer(100'000);
      const auto reader = store->OpenRead(context, "k", {.size = 100'000});
      EXPECT_TRUE((*reader)->ReadAt(context, 0, buffer).ok());
      asked[t] = timing.asked_ns;
      ++done;
    });
  }
  while (done < 4) clock.Advance(kMs);
  std::sort(asked.begin(), asked.end());
  // Four reads of 0.1 s each through one pipe: the last is through after 0.4 s or later (a thread
  // may have started after the clock had moved).
  EXPECT_GE(clock.NowNs() - start, 400 * kMs);
  EXPECT_GE(asked.back(), 100 * kMs);
}

TEST_F(Shaping, ListCostsEachPage) {
  auto inner = MakeMemoryStore();
  for (int i = 0; i < 2500; ++i) {
    ASSERT_TRUE(WriteObject(*inner, {}, std::to_string(i), "").ok());
  }
  store_ = ShapeRequests(std::move(inner), Parse("first_byte: {GET: 1ms, LIST: 30ms}"), 1, clock_);
  EXPECT_EQ(TimeOf([&] { EXPECT_EQ(ListAll(*store_, {}, "")->size(), 2500u); }), 90 * kMs);
}

TEST_F(Shaping, OpeningWithAKnownSizeCostsNothingElseAHead) {
  Make("first_byte: {GET: 1ms, HEAD: 5ms}");
  EXPECT_EQ(TimeOf([&] { EXPECT_TRUE(store_->OpenRead({}, "k", {.size = 1000}).ok()); }), 0);
  EXPECT_EQ(TimeOf([&] { EXPECT_TRUE(store_->OpenRead({}, "k", {}).ok()); }), 5 * kMs);
  EXPECT_EQ(TimeOf([&] { EXPECT_TRUE(store_->Stat({}, "none").ok()); }), 5 * kMs);
}

TEST_F(Shaping, APutIsChargedAtItsCommit) {
  Make("first_byte: {GET: 1ms, PUT: 20ms}, bandwidth: {stream: 1MB/s}");
  const auto writer = store_->OpenWrite({}, "new");
  EXPECT_EQ(TimeOf([&] { EXPECT_TRUE((*writer)->Append(std::vector<std::byte>(2000)).ok()); }), 0);
  EXPECT_EQ(TimeOf([&] { EXPECT_TRUE((*writer)->Commit().ok()); }), 22 * kMs);
}

TEST_F(Shaping, AboveTheRateRequestsAreThrottledAndTriedAgain) {
  Make(
      "first_byte: {GET: 1ms}, rate: {reads_per_s: 10}, "
      "retry: {attempts: 5, base: 40ms, factor: 1, jitter: false}");
  ASSERT_TRUE(Read(0, 1).ok());
  EXPECT_EQ(timing_.attempts, 1);
  // 503 at 1 ms, answered at 2 ms; again at 42 ms, 83 ms; let through at 124 ms.
  ASSERT_TRUE(Read(0, 1).ok());
  EXPECT_EQ(timing_.attempts, 4);
  EXPECT_EQ(timing_.asked_ns, 3 * 41 * kMs + 1 * kMs);
}

TEST_F(Shaping, ThrottlingWithoutRetryIsAnError) {
  Make("first_byte: {GET: 1ms}, rate: {reads_per_s: 10, burst: 2}");
  ASSERT_TRUE(Read(0, 1).ok());
  ASSERT_TRUE(Read(0, 1).ok());
  const auto refused = Read(0, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kThrottled);
  EXPECT_EQ(refused.error().http_status, 503);
  EXPECT_TRUE(refused.error().retryable);
  EXPECT_THAT(refused.error().message, HasSubstr("GET k: the emulated store p answered 503"));
}

TEST_F(Shaping, TheRateIsKeptOverTime) {
  Make("rate: {reads_per_s: 100}, retry: {attempts: 100, base: 1ms, factor: 1}");
  const int64_t spent = TimeOf([&] {
    for (int i = 0; i < 101; ++i) EXPECT_TRUE(Read(0, 1).ok());
  });
  EXPECT_NEAR(static_cast<double>(spent), 1e9, 0.11e9);
}

// A clock that is behind for one thread: what one sees that was put off its core between reading
// the time and going on.
class LaggingClock : public FakeClock {
 public:
  int64_t NowNs() override {
    return FakeClock::NowNs() - (std::this_thread::get_id() == late_ ? kLagNs : 0);
  }
  void Lag(std::thread::id thread) { late_ = thread; }

 private:
  static constexpr int64_t kLagNs = 50 * kMs;
  std::thread::id late_;
};

TEST(ShapingThreads, AThreadThatLagsIsNotRefusedForWhatOthersWereLetThroughMeanwhile) {
  LaggingClock clock;
  auto inner = MakeMemoryStore();
  ASSERT_TRUE(WriteObject(*inner, {}, "k", "x").ok());
  const auto store = ShapeRequests(
      std::move(inner), Parse("rate: {reads_per_s: 10, burst: 2}, retry: none"), 1, clock);
  const auto read = [&] {
    std::byte byte[1];
    return (*store->OpenRead({}, "k", {.size = 1}))->ReadAt({}, 0, byte).ok();
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(read());
    if (i < 2) clock.Advance(100 * kMs);
  }
  // One of the burst of two is left. The other thread set out 50 ms ago, when the third read had
  // not been let through and the burst for it was not due yet.
  bool let_through = false;
  std::jthread late([&] {
    clock.Lag(std::this_thread::get_id());
    let_through = read();
  });
  late.join();
  EXPECT_TRUE(let_through);
  EXPECT_FALSE(read());  // and it counts
}

TEST_F(Shaping, ErrorsComeAtTheirRateAndAreRetried) {
  Make("first_byte: {GET: 1ms}, error_rate: 0.25, retry: none");
  int failed = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto got = Read(0, 1, i);
    if (!got.ok()) {
      EXPECT_EQ(got.error().http_status, 500);
      ++failed;
    }
  }
  EXPECT_NEAR(failed, 250, 50);
  Make("first_byte: {GET: 1ms}, error_rate: 0.25, retry: duckdb-httpfs");
  for (int i = 0; i < 100; ++i) (void)Read(0, 1, i).ok();
  EXPECT_GT(timing_.asked_ns, 0);
}

TEST_F(Shaping, AStopEndsTheWait) {
  Make("first_byte: {GET: 1h}");
  std::stop_source stop;
  stop.request_stop();
  context_.stop = stop.get_token();
  EXPECT_EQ(Read(0, 1).error().code, ErrorCode::kCancelled);
}

TEST(ShapingThreads, AStopFromAnotherThreadEndsAWaitInProgress) {
  FakeClock clock(false);
  auto inner = MakeMemoryStore();
  ASSERT_TRUE(WriteObject(*inner, {}, "k", "x").ok());
  const auto store = ShapeRequests(std::move(inner), Parse("first_byte: {GET: 1h}"), 1, clock);
  std::stop_source stop;
  ErrorCode code = ErrorCode::kInternal;
  std::jthread waiter([&] {
    RequestContext context;
    context.stop = stop.get_token();
    std::byte byte[1];
    code = (*store->OpenRead(context, "k", {.size = 1}))->ReadAt(context, 0, byte).error().code;
  });
  stop.request_stop();
  waiter.join();
  EXPECT_EQ(code, ErrorCode::kCancelled);
}

TEST_F(Shaping, SaysThatItIsEmulated) {
  Make("first_byte: {GET: 1ms}");
  EXPECT_TRUE(store_->Describe().emulated);
  EXPECT_EQ(store_->Describe().profile, "p");
  Make("of_cores: 4");
  EXPECT_FALSE(store_->Describe().emulated);
}

}  // namespace
}  // namespace lakegauge::store
