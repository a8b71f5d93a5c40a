#include "analyze/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/schedule_simulation.h"
#include "analyze/testing/trace.h"

namespace lakegauge::analyze {
namespace {

using ::testing::ElementsAre;
using testing::Trace;

constexpr double kTolerance = 1e-6;  // seconds: the nanosecond between two readings of a clock

Target Free(double cores, int threads) {
  Target target;
  target.cores = cores;
  target.threads = threads;
  return target;
}

Target Every(double seconds, double cores, int threads) {
  Target target = Free(cores, threads);
  target.seconds = [seconds](const ScheduledRequest&) { return seconds; };
  return target;
}

Target AsRecorded(double cores, int threads) {
  Target target = Free(cores, threads);
  target.seconds = [](const ScheduledRequest& r) { return r.recorded_s; };
  return target;
}

// Two files of one table: a footer each at 900..1000, row groups at 0 and 400.
const std::vector<KeyFacts> kFiles = {{0, 1000, {0, 400}}, {0, 1000, {0, 400}}, {1, 1000, {0}}};

TEST(ScheduleTest, OneLaneIsItsComputingOnceNothingWaits) {
  // Ten times: 1 ms of computing, a request of 7 ms; 2 ms at the end.
  std::vector<testing::Ask> asks;
  for (int i = 0; i < 10; ++i) asks.push_back({.start_ms = 1 + 8.0 * i, .compute_ms = 1});
  const Schedule s = Trace(82, asks, {{1, 2}}).ScheduleOf(4);
  EXPECT_NEAR(Simulate(s, Free(2, 4)).elapsed_s, 0.012, kTolerance);
  EXPECT_NEAR(AlongCriticalPath(s, Free(2, 4)), 0.012, kTolerance);
  EXPECT_NEAR(Simulate(s, AsRecorded(2, 4)).elapsed_s, 0.082, kTolerance);
  EXPECT_NEAR(Simulate(s, Every(0.02, 2, 4)).elapsed_s, 0.212, kTolerance);
  EXPECT_NEAR(Simulate(s, Every(0.02, 2, 4)).blocked_s, 0.2, kTolerance);
}

TEST(ScheduleTest, TwoLanesShareCoresWhenNothingWaits) {
  // Each lane: 7 ms of waiting, 10 ms of computing, twice; the waits of one hide behind nothing.
  const Trace trace(
      34,
      {{.thread = 1, .start_ms = 0, .offset = 0},
       {.thread = 2, .start_ms = 0, .offset = 400, .handle = 2},
       {.thread = 1, .start_ms = 17, .compute_ms = 10, .key = 1, .offset = 0, .handle = 3},
       {.thread = 2, .start_ms = 17, .compute_ms = 10, .key = 1, .offset = 400, .handle = 4}},
      {{1, 10}, {2, 10}});
  const Schedule s = trace.ScheduleOf(2, kFiles);
  ASSERT_EQ(s.stages.size(), 2u) << "planning, and one scan of one table";
  EXPECT_EQ(s.stages[1].tasks, 4u);
  EXPECT_NEAR(Simulate(s, Free(2, 2)).elapsed_s, 0.020, kTolerance);
  EXPECT_NEAR(Simulate(s, Free(1, 2)).elapsed_s, 0.040, kTolerance) << "one core is shared";
  EXPECT_NEAR(Simulate(s, Free(2, 1)).elapsed_s, 0.040, kTolerance) << "one thread does all";
  EXPECT_NEAR(Simulate(s, AsRecorded(2, 2)).elapsed_s, 0.034, kTolerance);
}

TEST(ScheduleTest, WaitingThatComputingHidesCostsNothingWhenItGoes) {
  // One core, two lanes: 5 ms of waiting hide behind the other lane's 10 ms of computing.
  const Trace trace(
      45,
      {{.thread = 1, .start_ms = 0, .ms = 5, .offset = 0},
       {.thread = 2, .start_ms = 0, .ms = 15, .offset = 400, .handle = 2},
       {.thread = 1, .start_ms = 15, .ms = 10, .compute_ms = 10, .key = 1, .handle = 3},
       {.thread = 2,
        .start_ms = 25,
        .ms = 10,
        .compute_ms = 10,
        .key = 1,
        .offset = 400,
        .handle = 4}},
      {{1, 10}, {2, 10}});
  const Schedule s = trace.ScheduleOf(2, kFiles);
  EXPECT_NEAR(Simulate(s, Free(1, 2)).elapsed_s, 0.040, kTolerance) << "of 45 ms only 5 go";
  EXPECT_NEAR(s.cpu_s, 0.040, kTolerance);
}

TEST(ScheduleTest, PartOfACoreComputesSlower) {
  Target target = Free(1, 1);
  target.cores = 0.5;
  const Schedule s = Trace(9, {{.start_ms = 0}}, {{1, 2}}).ScheduleOf(1);
  EXPECT_NEAR(Simulate(s, target).elapsed_s, 0.004, kTolerance);
}

TEST(ScheduleTest, AStageWaitsForThoseThatEndedBeforeItBegan) {
  // A small table is built (key 2), then two lanes probe with files of another table.
  const Trace trace(30,
                    {{.thread = 1, .start_ms = 0, .key = 2, .handle = 1},
                     {.thread = 1, .start_ms = 10, .compute_ms = 3, .key = 0, .handle = 2},
                     {.thread = 2, .start_ms = 10, .compute_ms = 0, .key = 1, .handle = 3}},
                    {{1, 4}, {2, 5}});
  const Schedule s = trace.ScheduleOf(2, kFiles);
  ASSERT_EQ(s.stages.size(), 3u);
  EXPECT_THAT(s.stages[2].after, ElementsAre(0, 1));
  EXPECT_NEAR(Simulate(s, Free(2, 2)).elapsed_s, 0.008, kTolerance)
      << "3 ms, then 5 at once with 4";
  EXPECT_NEAR(Simulate(s, Every(0.1, 2, 2)).elapsed_s, 0.208, kTolerance);
}

TEST(ScheduleTest, ARowGroupWaitsForItsFilesFooter) {
  // Thread 1 reads a footer and then another file's; thread 2 reads a row group of the first file.
  const Trace trace(
      20,
      {{.thread = 1, .start_ms = 0, .key = 0, .offset = 900, .handle = 1, .bytes = 100},
       {.thread = 1,
        .start_ms = 7.5,
        .compute_ms = 1,
        .key = 1,
        .offset = 900,
        .handle = 2,
        .bytes = 100},
       {.thread = 2, .start_ms = 8, .key = 0, .offset = 0, .handle = 3}},
      {{2, 5}});
  const Schedule s = trace.ScheduleOf(2, kFiles);
  ASSERT_EQ(s.tasks.size(), 3u);
  EXPECT_EQ(s.tasks[2].gate, 0) << "or: " << s.tasks[1].gate;
  EXPECT_NEAR(Simulate(s, Every(0.1, 2, 2)).elapsed_s, 0.206, kTolerance)
      << "100 ms and 1 ms for the footer, then 100 ms and 5 ms";
}

TEST(ScheduleTest, OpeningAFileCostsWhatTheTargetSaysWhereTheRecordingWaitedForItsFooter) {
  const auto read = [](double footer_ms) {
    return Trace(20,
                 {{.start_ms = 0, .ms = footer_ms, .key = 0, .offset = 900},
                  {.start_ms = 8, .key = 0, .offset = 0, .handle = 2},
                  {.start_ms = 15, .key = 0, .offset = 400, .handle = 2}},
                 {{1, 5}})
        .ScheduleOf(1, kFiles);
  };
  Target target = Free(2, 1);
  target.open_cpu_s = 0.002;
  EXPECT_NEAR(Simulate(read(7), target).elapsed_s, 0.007, kTolerance) << "once a file";
  EXPECT_NEAR(Simulate(read(0.5), target).elapsed_s, 0.005, kTolerance) << "it is in there already";
}

TEST(ScheduleTest, PlanningComesFirstAndOneRequestAfterAnother) {
  const Trace trace(
      30,
      {{.thread = 1, .start_ms = 0, .key = 0, .offset = 900, .handle = 1, .bytes = 100},
       {.thread = 1,
        .start_ms = 8,
        .compute_ms = 1,
        .key = 2,
        .offset = 900,
        .handle = 2,
        .bytes = 100},
       {.thread = 2, .start_ms = 17, .key = 0, .handle = 3}},
      {{1, 2}, {2, 4}}, 17);
  const Schedule s = trace.ScheduleOf(4, kFiles);
  EXPECT_EQ(s.stages[0].tasks, 1u);
  EXPECT_NEAR(Simulate(s, Free(2, 4)).elapsed_s, 0.007, kTolerance) << "1 and 2 ms, then 4";
  EXPECT_NEAR(Simulate(s, Every(0.1, 2, 4)).elapsed_s, 0.307, kTolerance);
}

TEST(ScheduleTest, TheSameTableReadTwiceIsTwoScans) {
  const Trace trace(40,
                    {{.thread = 1, .start_ms = 0, .key = 2, .handle = 1},
                     {.thread = 1, .start_ms = 20, .compute_ms = 10, .key = 2, .handle = 2}},
                    {{1, 10}});
  EXPECT_EQ(trace.ScheduleOf(2, kFiles).stages.size(), 3u);
}

TEST(ScheduleTest, ASharedPipeLetsBytesThroughOneAfterAnother) {
  std::vector<testing::Ask> asks;
  for (int i = 0; i < 4; ++i) {
    asks.push_back({.thread = i + 1,
                    .start_ms = 0,
                    .key = static_cast<uint32_t>(i / 2),
                    .offset = i % 2 == 0 ? 0 : 400,
                    .handle = i + 1,
                    .bytes = 100'000});
  }
  const Schedule s =
      Trace(7, asks).ScheduleOf(4, {{0, 1'000'000, {0, 400}}, {0, 1'000'000, {0, 400}}});
  Target target = Every(0.007, 2, 4);
  EXPECT_NEAR(Simulate(s, target).elapsed_s, 0.007, kTolerance);
  target.total_bytes_per_s = 1e6;
  EXPECT_NEAR(Simulate(s, target).elapsed_s, 0.4, kTolerance) << "400 kB at 1 MB/s";
}

TEST(ScheduleTest, ComputingOfThreadsThatAskedForNothingCounts) {
  const Trace trace(17, {{.thread = 1, .start_ms = 0}}, {{1, 2}, {2, 10}});
  EXPECT_NEAR(Simulate(trace.ScheduleOf(2), Free(2, 2)).elapsed_s, 0.010, kTolerance);
  EXPECT_NEAR(Simulate(trace.ScheduleOf(2), Free(1, 2)).elapsed_s, 0.012, kTolerance);
  const Trace nothing_asked(10, {}, {{1, 10}});
  EXPECT_NEAR(Simulate(nothing_asked.ScheduleOf(2), Free(2, 2)).elapsed_s, 0.010, kTolerance);
}

TEST(ScheduleTest, AClockReadOnceARequestGivesTheComputingToWhatCameBefore) {
  record::Request r;
  r.cpu_start_ns = 1'000'000;
  r.cpu_end_ns = 11'000'000;
  r.bytes = 4'000'000;
  const RequestCpu twice = CpuOf(r, 500'000);
  EXPECT_NEAR(twice.before_s, 0.0005, 1e-12);
  EXPECT_NEAR(twice.own_s, 0.010, 1e-12);
  const RequestCpu once = CpuOf(r, 1'000'000);
  EXPECT_NEAR(once.before_s + once.own_s, 0.010, 1e-12);
  EXPECT_LT(once.own_s, 0.002) << "a system call and a copy of 4 MB";
}

TEST(ScheduleTest, WhatWaitingCostsInCpuTimeIsTakenOff) {
  const Schedule s =
      Trace(30, {{.start_ms = 10, .compute_ms = 10, .own_ms = 2}}, {{1, 10}}).ScheduleOf(1);
  Target target = Free(2, 1);
  EXPECT_NEAR(Simulate(s, target).elapsed_s, 0.022, kTolerance);
  target.cpu_factor = 0.9;
  EXPECT_NEAR(Simulate(s, target).elapsed_s, 0.0198, kTolerance);
}

}  // namespace
}  // namespace lakegauge::analyze
