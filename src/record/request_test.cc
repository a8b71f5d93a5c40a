#include "record/request.h"

#include <gtest/gtest.h>

#include <thread>

namespace lakegauge::record {
namespace {

Request At(int64_t start_ns, int64_t bytes = 1) {
  Request r;
  r.start_ns = start_ns;
  r.bytes = bytes;
  return r;
}

TEST(RequestLog, GivesWhatAllThreadsPutOrderedByStartAndForgetsIt) {
  RequestLog log;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&log, t] {
        for (int i = 0; i < 1000; ++i) log.Put(At(i * 4 + t, 2));
      });
    }
  }
  const auto all = log.Take();
  ASSERT_EQ(all.size(), 4000u);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].start_ns, static_cast<int64_t>(i));
  EXPECT_TRUE(log.Take().empty());
  EXPECT_EQ(log.count(), 4000);
  EXPECT_EQ(log.bytes(), 8000);
}

TEST(RequestLog, TakingWhileOthersPutLosesNothing) {
  RequestLog log;
  size_t taken = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&log] {
        for (int i = 0; i < 20'000; ++i) log.Put(At(i));
      });
    }
    while (log.count() < 60'000) taken += log.Take().size();
  }
  taken += log.Take().size();
  EXPECT_EQ(taken, 60'000u);
}

TEST(RequestLog, AThreadMayUseManyLogsInTurn) {
  for (int i = 0; i < 100; ++i) {
    RequestLog a;
    RequestLog b;
    a.Put(At(1));
    b.Put(At(2));
    b.Put(At(3));
    EXPECT_EQ(a.Take().size(), 1u);
    EXPECT_EQ(b.Take().size(), 2u);
  }
}

TEST(RequestLog, KeysHaveOneIdEach) {
  RequestLog log;
  const uint32_t a = log.KeyId("a/1.parquet");
  const uint32_t b = log.KeyId("a/2.parquet");
  EXPECT_NE(a, b);
  EXPECT_EQ(log.KeyId("a/1.parquet"), a);
  EXPECT_EQ(log.Key(b), "a/2.parquet");
  EXPECT_EQ(log.Key(99), "");
}

}  // namespace
}  // namespace lakegauge::record
