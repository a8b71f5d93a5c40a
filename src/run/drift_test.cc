#include "run/drift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lakegauge::run {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kSecond = 1'000'000'000;
constexpr double kMiBs = 1 << 20;

// A quiet machine of four cores at second 0.
Snapshot Quiet() {
  Snapshot s;
  s.time_ns = 100 * kSecond;
  s.utc_ns = 1'700'000'000 * kSecond;
  s.cpu = CpuTimes{1000, 0, 100, 5000, 10, 1, 1, 2, 4};
  s.disks = {{"vda", 10, 1e6, 10, 1e6, 3}};
  s.paging = {0, 0, 5};
  s.mhz = 3000;
  s.thermal_throttles = 0;
  s.throttled_s = 0;
  s.ours.processes = 1;
  s.ours.user_s = 50;
  s.ours.system_s = 5;
  s.ours.storage_read_bytes = 0;
  s.ours.storage_written_bytes = 0;
  return s;
}

// The same machine `seconds` later, in which we used `cores` of it.
Snapshot Later(Snapshot s, double seconds, double cores) {
  s.time_ns += static_cast<int64_t>(seconds * kSecond);
  s.utc_ns += static_cast<int64_t>(seconds * kSecond);
  s.cpu->user = *s.cpu->user + cores * seconds;
  s.cpu->idle = *s.cpu->idle + (4 - cores) * seconds;
  s.ours.user_s = *s.ours.user_s + cores * seconds;
  return s;
}

auto Reason(const std::string& reason, double share) {
  return AllOf(Field(&Disturbance::reason, reason),
               Field(&Disturbance::share, DoubleNear(share, 1e-9)));
}

std::vector<Disturbance> LookAtBoth(const Snapshot& before, const Snapshot& now) {
  Drift drift;
  EXPECT_THAT(drift.Look(before), IsEmpty());
  return drift.Look(now);
}

TEST(Drift, OurOwnLoadIsNoDisturbance) {
  EXPECT_THAT(LookAtBoth(Quiet(), Later(Quiet(), 1, 4)), IsEmpty());
}

TEST(Drift, LoadFromOutsideIsWhatTheMachineDidLessWhatWeDid) {
  Snapshot now = Later(Quiet(), 2, 1);
  now.cpu->user = *now.cpu->user + 0.6;
  now.cpu->system = *now.cpu->system + 0.4;
  const auto found = LookAtBoth(Quiet(), now);
  ASSERT_THAT(found, ElementsAre(Reason("load", 0.125)));
  EXPECT_EQ(found[0].from_ns, Quiet().time_ns);
  EXPECT_EQ(found[0].to_ns, now.time_ns);
  EXPECT_THAT(found[0].text, HasSubstr("0.50 of 4 cores"));
}

TEST(Drift, LoadBelowATwentiethOfTheCoresIsNot) {
  Snapshot now = Later(Quiet(), 1, 1);
  now.cpu->user = *now.cpu->user + 0.19;
  EXPECT_THAT(LookAtBoth(Quiet(), now), IsEmpty());
}

TEST(Drift, InterruptsAndWaitingForStorageAreNobodysLoad) {
  Snapshot now = Later(Quiet(), 1, 0);
  now.cpu->irq = *now.cpu->irq + 1;
  now.cpu->softirq = *now.cpu->softirq + 1;
  now.cpu->iowait = *now.cpu->iowait + 2;
  EXPECT_THAT(LookAtBoth(Quiet(), now), IsEmpty());
}

TEST(Drift, TimeTheHypervisorTookIsSteal) {
  Snapshot now = Later(Quiet(), 1, 1);
  now.cpu->steal = *now.cpu->steal + 0.4;
  EXPECT_THAT(LookAtBoth(Quiet(), now), ElementsAre(Reason("steal", 0.1)));
}

TEST(Drift, AQuotaThatHeldUsBackIsThrottling) {
  Snapshot now = Later(Quiet(), 1, 1);
  now.throttled_s = 0.4;
  EXPECT_THAT(LookAtBoth(Quiet(), now), ElementsAre(Reason("throttle", 0.1)));
}

TEST(Drift, HeatIsThrottlingWhateverItsLength) {
  Snapshot now = Later(Quiet(), 1, 1);
  now.thermal_throttles = 3;
  EXPECT_THAT(LookAtBoth(Quiet(), now), ElementsAre(Reason("throttle", 1)));
}

TEST(Drift, DiskTrafficThatIsNotOursCountsByTheTimeItKeptTheDiskBusy) {
  Snapshot now = Later(Quiet(), 1, 1);
  now.disks[0].read_bytes += 8 * kMiBs;
  now.disks[0].written_bytes += 8 * kMiBs;
  now.disks[0].busy_s += 0.5;
  now.ours.storage_read_bytes = 8 * kMiBs;
  const auto found = LookAtBoth(Quiet(), now);
  ASSERT_THAT(found, ElementsAre(Reason("disk", 0.25)));
  EXPECT_THAT(found[0].text, HasSubstr("8 MiB/s of disk traffic was not ours; vda"));
}

TEST(Drift, OurOwnDiskTrafficIsNoDisturbance) {
  Snapshot now = Later(Quiet(), 1, 1);
  now.disks[0].read_bytes += 80 * kMiBs;
  now.disks[0].busy_s += 0.9;
  now.ours.storage_read_bytes = 78 * kMiBs;
  EXPECT_THAT(LookAtBoth(Quiet(), now), IsEmpty());
}

TEST(Drift, ADiskThatAppearedIsNotJudged) {
  Snapshot now = Later(Quiet(), 1, 1);
  now.disks = {{"sdb", 1e6, 1e12, 1e6, 1e12, 1e6}};
  EXPECT_THAT(LookAtBoth(Quiet(), now), IsEmpty());
}

TEST(Drift, SwappingIsToldFromAMebibyteASecond) {
  Snapshot now = Later(Quiet(), 1, 1);
  now.paging.swap_in_pages = 200;
  EXPECT_THAT(LookAtBoth(Quiet(), now), IsEmpty());
  now.paging.swap_out_pages = 56;
  EXPECT_THAT(LookAtBoth(Quiet(), now), ElementsAre(Reason("swap", 1)));
}

TEST(Drift, AStepOfTheWallClockIsSeenEitherWay) {
  Snapshot now = Later(Quiet(), 1, 1);
  now.utc_ns += 5'000'000;
  const auto forward = LookAtBoth(Quiet(), now);
  ASSERT_THAT(forward, ElementsAre(Reason("clock", 1)));
  EXPECT_THAT(forward[0].text, HasSubstr("forward by 0.005 s"));
  now.utc_ns -= 3605 * kSecond;
  EXPECT_THAT(LookAtBoth(Quiet(), now)[0].text, HasSubstr("back by"));
}

TEST(Drift, ClocksThatWereReadFarApartProveNoStep) {
  Snapshot now = Later(Quiet(), 1, 1);
  now.utc_ns += 5'000'000;
  now.clock_width_ns = 6'000'000;
  EXPECT_THAT(LookAtBoth(Quiet(), now), IsEmpty());
}

TEST(Drift, AFrequencyAwayFromTheSessionsMedianIsTold) {
  Drift drift;
  Snapshot now = Quiet();
  drift.Look(now);
  for (int i = 0; i < 6; ++i) EXPECT_THAT(drift.Look(now = Later(now, 1, 4)), IsEmpty());
  now = Later(now, 1, 4);
  now.mhz = 2000;
  const auto found = drift.Look(now);
  ASSERT_THAT(found, ElementsAre(Field(&Disturbance::reason, "frequency")));
  EXPECT_NEAR(found[0].share, 1.0 / 3, 0.01);
}

TEST(Drift, AnIdleMachineMayClockDown) {
  Drift drift;
  Snapshot now = Quiet();
  drift.Look(now);
  for (int i = 0; i < 6; ++i) drift.Look(now = Later(now, 1, 4));
  now = Later(now, 1, 1);
  now.mhz = 800;
  EXPECT_THAT(drift.Look(now), IsEmpty());
}

TEST(Drift, AStretchTooShortForTicksIsJudgedWithTheNext) {
  Drift drift;
  drift.Look(Quiet());
  Snapshot now = Later(Quiet(), 0.1, 1);
  now.cpu->user = *now.cpu->user + 2;
  EXPECT_THAT(drift.Look(now), IsEmpty());
  now = Later(now, 0.9, 1);
  const auto found = drift.Look(now);
  ASSERT_THAT(found, ElementsAre(Reason("load", 0.5)));
  EXPECT_EQ(found[0].from_ns, Quiet().time_ns);
}

TEST(Drift, WhatASnapshotLacksIsNotJudged) {
  Snapshot bare;
  bare.time_ns = kSecond;
  bare.utc_ns = 2 * kSecond;
  Snapshot later = bare;
  later.time_ns += kSecond;
  later.utc_ns += kSecond;
  EXPECT_THAT(LookAtBoth(bare, later), IsEmpty());
  Snapshot now = Later(Quiet(), 1, 1);
  now.ours = {};
  now.paging = {};
  now.cpu->steal.reset();
  EXPECT_THAT(LookAtBoth(Quiet(), now), IsEmpty());
}

TEST(Drift, CountersThatWereSetBackAreNotNegativeLoad) {
  Snapshot now = Later(Quiet(), 1, 0);
  now.ours.user_s = 0;
  now.cpu->user = 0;
  EXPECT_THAT(LookAtBoth(Quiet(), now), IsEmpty());
}

TEST(Drift, TheJournalsFactsNameSessionReasonAndStretch) {
  const Json facts = ToJson({{"load", 5, 9, 0.25, "other programs"}}, 3);
  EXPECT_EQ(facts.dump(),
            R"({"disturbances":[{"from_ns":5,"reason":"load","share":0.25,"text":"other programs",)"
            R"("to_ns":9}],"session":3})");
}

}  // namespace
}  // namespace lakegauge::run
