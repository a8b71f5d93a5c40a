#include "engine/blocked.h"

#include <gtest/gtest.h>

namespace lakegauge::engine {
namespace {

record::Request Get(int32_t thread, int64_t start, int64_t end, int64_t cpu_start = 0,
                    int64_t cpu_end = 0) {
  record::Request request;
  request.thread = thread;
  request.start_ns = start;
  request.end_ns = end;
  request.cpu_start_ns = cpu_start;
  request.cpu_end_ns = cpu_end == 0 ? cpu_start : cpu_end;
  return request;
}

TEST(Blocked, NothingAskedIsNothingBlocked) {
  const auto b = BlockedTime({}, {{1, 0, 500}}, 0, 1000);
  EXPECT_EQ(b.blocked_ns, 0);
  EXPECT_EQ(b.wait_lane_ns, 0);
}

TEST(Blocked, OneLaneIsBlockedWhileItWaits) {
  // Computes 0-300, waits 300-800, computes 800-1000.
  const auto b = BlockedTime({Get(1, 300, 800, 300)}, {{1, 0, 500}}, 0, 1000);
  EXPECT_EQ(b.blocked_ns, 500);
  EXPECT_EQ(b.wait_lane_ns, 500);
}

TEST(Blocked, LanesThatWaitTogetherBlockOnceAndEachCountsItsLane) {
  const auto b = BlockedTime({Get(1, 0, 600), Get(2, 200, 1000)}, {{1, 0, 0}, {2, 0, 0}}, 0, 1000);
  EXPECT_EQ(b.blocked_ns, 1000);
  EXPECT_EQ(b.wait_lane_ns, 1400);
}

TEST(Blocked, AComputingLaneHidesAnothersWaiting) {
  // Lane 2 computes all the time and asks for nothing.
  const auto b = BlockedTime({Get(1, 0, 1000)}, {{1, 0, 0}, {2, 50, 1050}}, 0, 1000);
  EXPECT_EQ(b.blocked_ns, 0);
  EXPECT_EQ(b.wait_lane_ns, 1000);
}

TEST(Blocked, AnIdleLaneHidesNothing) {
  const auto b = BlockedTime({Get(1, 0, 1000)}, {{1, 0, 0}, {2, 7, 7}}, 0, 1000);
  EXPECT_EQ(b.blocked_ns, 1000);
}

TEST(Blocked, CpuWithinARequestIsNotWaiting) {
  // A read from the page cache: copying, not waiting.
  const auto b = BlockedTime({Get(1, 0, 1000, 0, 900)}, {{1, 0, 900}}, 0, 1000);
  EXPECT_EQ(b.blocked_ns, 100);
  EXPECT_EQ(b.wait_lane_ns, 100);
}

TEST(Blocked, CpuOfUnknownPlaceIsSpreadEvenly) {
  // Lane 2 used half of the time for computing, and nobody knows when.
  const auto b = BlockedTime({Get(1, 0, 1000)}, {{1, 0, 0}, {2, 0, 500}}, 0, 1000);
  EXPECT_EQ(b.blocked_ns, 500);
  // Two such lanes are taken as independent.
  const auto c = BlockedTime({Get(1, 0, 1000)}, {{1, 0, 0}, {2, 0, 500}, {3, 0, 500}}, 0, 1000);
  EXPECT_EQ(c.blocked_ns, 250);
}

TEST(Blocked, AStampNarrowsWhereCpuWasUsed) {
  // Lane 2's own request shows that it computed before it and idled after.
  const auto b =
      BlockedTime({Get(1, 0, 1000), Get(2, 500, 600, 500)}, {{1, 0, 0}, {2, 0, 500}}, 0, 1000);
  EXPECT_EQ(b.blocked_ns, 500);
}

TEST(Blocked, FullyUsedCoresLeaveNoTimeBlocked) {
  std::vector<record::ThreadCpu> threads = {{99, 0, 0}};
  for (int i = 0; i < 20; ++i) threads.push_back({i, 0, 100});
  EXPECT_GT(BlockedTime({Get(99, 0, 1000)}, threads, 0, 1000).blocked_ns, 100);
  EXPECT_EQ(BlockedTime({Get(99, 0, 1000)}, threads, 0, 1000, 2).blocked_ns, 0)
      << "twenty lanes that each got a tenth kept both cores busy";
}

TEST(Blocked, RequestsAreCutToTheExecution) {
  const auto b = BlockedTime({Get(1, -500, 200), Get(1, 900, 5000)}, {{1, 0, 0}}, 0, 1000);
  EXPECT_EQ(b.blocked_ns, 300);
  EXPECT_EQ(b.wait_lane_ns, 300);
}

TEST(Blocked, AThreadNobodyKnowsOfStillWaits) {
  const auto b = BlockedTime({Get(5, 100, 300, 70)}, {}, 0, 1000);
  EXPECT_EQ(b.blocked_ns, 200);
}

TEST(Blocked, ManyShortStretchesDoNotDrift) {
  std::vector<record::Request> requests;
  int64_t cpu = 0;
  for (int64_t i = 0; i < 100000; ++i) {
    requests.push_back(Get(1, i * 100, i * 100 + 30, cpu, cpu + 3));
    cpu += 3 + 35;
  }
  const auto b = BlockedTime(requests, {{1, 0, cpu}, {2, 0, 0}}, 0, 10'000'000);
  EXPECT_EQ(b.blocked_ns, 2'700'000);
  EXPECT_EQ(b.wait_lane_ns, 2'700'000);
}

}  // namespace
}  // namespace lakegauge::engine
