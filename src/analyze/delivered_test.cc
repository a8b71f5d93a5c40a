#include "analyze/delivered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lakegauge::analyze {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Json Plan(const Json& profile) {
  return {{"cells",
           {{{"store", "local"}, {"profile", nullptr}},
            {{"store", "far"}, {"profile", profile}},
            {{"store", "far"}, {"profile", profile}}}}};
}

// Requests of 10 ms that came as they were asked, but for `changes`.
Json Latencies(const Json& changes = Json::object()) {
  Json row = {{"store", "far"},        {"op", "GET"},          {"count", 100},
              {"asked_mean_ms", 10.0}, {"mean_ms", 10.0},      {"asked_p50_ms", 10.0},
              {"p50_ms", 10.0},        {"asked_p99_ms", 40.0}, {"p99_ms", 40.0},
              {"late_mean_ms", 0.0},   {"late_p50_ms", 0.0},   {"late_p99_ms", 0.0}};
  row.update(changes);
  return Json::array({row});
}

Json Limits(const Json& changes = Json::object()) {
  Json row = {{"store", "far"},
              {"stream_bytes_per_s", 90e6},
              {"asked_stream_bytes_per_s", 90e6},
              {"total_bytes_per_s", 400e6},
              {"asked_total_bytes_per_s", 400e6},
              {"transfer_slack_ms", 1.0},
              {"most_reads_per_s", 100},
              {"refused", 0}};
  row.update(changes);
  return Json::array({row});
}

const Json kProfile = {{"name", "p"},
                       {"stream_bytes_per_s", 90e6},
                       {"total_bytes_per_s", 500e6},
                       {"reads_per_s", 100.0},
                       {"rate_burst", 5}};

bool Kept(const Json& latencies, const Json& limits) {
  const auto delivered = MakeDelivered(Plan(kProfile), latencies, limits);
  EXPECT_THAT(delivered, SizeIs(1)) << "one line a shaped store";
  return delivered.at(0).kept();
}

TEST(Delivered, MeanAndMedianMayBeTwoPercentOffAndThe99thPercentileFive) {
  EXPECT_TRUE(Kept(Latencies(), Limits()));
  EXPECT_TRUE(Kept(Latencies({{"mean_ms", 10.19}}), Limits()));
  EXPECT_FALSE(Kept(Latencies({{"mean_ms", 10.21}}), Limits()));
  EXPECT_FALSE(Kept(Latencies({{"mean_ms", 9.7}}), Limits())) << "too fast is no better";
  EXPECT_FALSE(Kept(Latencies({{"p50_ms", 10.21}}), Limits()));
  EXPECT_TRUE(Kept(Latencies({{"p99_ms", 41.9}}), Limits()));
  EXPECT_FALSE(Kept(Latencies({{"p99_ms", 42.1}}), Limits()));
}

TEST(Delivered, WhatTheClockCannotShowIsNoShortfall) {
  const Json tiny = {{"asked_mean_ms", 0.1}, {"mean_ms", 0.14},     {"asked_p50_ms", 0.1},
                     {"p50_ms", 0.14},       {"asked_p99_ms", 0.1}, {"p99_ms", 0.14}};
  EXPECT_TRUE(Kept(Latencies(tiny), Limits()));
  EXPECT_TRUE(
      Kept(Latencies(), Limits({{"stream_bytes_per_s", 70e6}, {"transfer_slack_ms", 0.02}})))
      << "short transfers, late by a timer's tick";
}

TEST(Delivered, BandwidthMayBeThreePercentOffWhatTheDeadlinesMadeOfIt) {
  EXPECT_TRUE(Kept(Latencies(), Limits({{"total_bytes_per_s", 390e6}})));
  EXPECT_FALSE(Kept(Latencies(), Limits({{"total_bytes_per_s", 380e6}})));
  EXPECT_FALSE(Kept(Latencies(), Limits({{"stream_bytes_per_s", 80e6}})));
  EXPECT_FALSE(
      Kept(Latencies(), Limits({{"total_bytes_per_s", 520e6}, {"asked_total_bytes_per_s", 520e6}})))
      << "more than the profile has";
}

TEST(Delivered, NoSecondMayHoldMoreReadsThanRateAndBurst) {
  EXPECT_TRUE(Kept(Latencies(), Limits({{"most_reads_per_s", 107}})));
  EXPECT_FALSE(Kept(Latencies(), Limits({{"most_reads_per_s", 109}})));
  EXPECT_TRUE(Kept(Latencies(), Limits({{"most_reads_per_s", 3}}))) << "no more were asked for";
}

TEST(Delivered, AShortfallIsToldWithWhatTheMachineAdded) {
  const auto missed = MakeDelivered(
      Plan(kProfile), Latencies({{"mean_ms", 12.5}, {"late_mean_ms", 2.5}}), Limits());
  EXPECT_THAT(missed.at(0).Shortfall(), HasSubstr("far GET took 12.5 ms on average for 10 asked"));
  EXPECT_THAT(missed.at(0).Shortfall(), HasSubstr("2.5 ms on average was this machine's own"));
  const OrderedJson json = ToJson(missed);
  EXPECT_FALSE(json[0]["kept"].get<bool>());
  EXPECT_EQ(json[0]["limits"].size(), 3U);
}

TEST(Delivered, LimitsThatAProfileDoesNotSetAreNotJudged) {
  const auto delivered = MakeDelivered(Plan({{"name", "p"}}), Latencies(), Limits());
  EXPECT_THAT(delivered.at(0).limits, SizeIs(0));
}

}  // namespace
}  // namespace lakegauge::analyze
