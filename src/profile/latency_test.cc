#include "profile/latency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "profile/draw.h"

namespace lakegauge::profile {
namespace {

using ::testing::HasSubstr;

std::vector<int64_t> Draws(const Latency& latency, int count) {
  std::vector<int64_t> draws;
  for (int i = 0; i < count; ++i) {
    const DrawKey key{42, i % 100, 0, HashKey("k" + std::to_string(i)), i};
    draws.push_back(latency.QuantileNs(Uniform(key, 1, Purpose::kFirstByte)));
  }
  std::sort(draws.begin(), draws.end());
  return draws;
}

double Mean(const std::vector<int64_t>& values) {
  double sum = 0;
  for (const int64_t v : values) sum += static_cast<double>(v);
  return sum / static_cast<double>(values.size());
}

TEST(NormalQuantile, AgreesWithTabulatedValues) {
  EXPECT_EQ(NormalQuantile(0.5), 0);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(NormalQuantile(0.99), 2.3263478740408408, 1e-14);
  EXPECT_NEAR(NormalQuantile(0.01), -2.3263478740408408, 1e-14);
  EXPECT_NEAR(NormalQuantile(1e-10), -6.361340902404056, 1e-12);
  EXPECT_NEAR(std::erfc(-NormalQuantile(0.3) / std::sqrt(2)) / 2, 0.3, 1e-15);
}

TEST(Latency, LognormalHasThePercentilesItWasGiven) {
  const auto latency = Latency::LognormalFromP50P99(7 * kNsPerMs, 28 * kNsPerMs);
  EXPECT_EQ(latency.QuantileNs(0.5), 7 * kNsPerMs);
  EXPECT_NEAR(static_cast<double>(latency.QuantileNs(0.99)), 28e6, 1);
  const double sigma = std::log(4) / 2.3263478740408408;
  EXPECT_NEAR(latency.mean_ns(), 7e6 * std::exp(sigma * sigma / 2), 1);
}

TEST(Latency, LognormalHasTheMeanItWasGiven) {
  const auto latency = Latency::LognormalFromMean(7e6, 4);
  EXPECT_NEAR(latency.mean_ns(), 7e6, 1e-3);
  EXPECT_NEAR(
      static_cast<double>(latency.QuantileNs(0.99)) / static_cast<double>(latency.QuantileNs(0.5)),
      4, 1e-6);
}

TEST(Latency, DrawsHaveTheMeanAndThePercentilesOfTheirDistribution) {
  for (const auto& latency :
       {Latency::LognormalFromMean(121e6, 4), Latency::LognormalFromMean(7e6, 50),
        Latency::Empirical({{0, 1'000'000}, {0.5, 3'000'000}, {0.9, 10'000'000}, {1, 50'000'000}}),
        Latency::LognormalFromP50P99(5'000'000, 5'000'000), Latency::Constant(9'000'000)}) {
    const auto draws = Draws(latency, 200'000);
    EXPECT_NEAR(Mean(draws) / latency.mean_ns(), 1, 0.03) << latency.ToText();
    EXPECT_NEAR(static_cast<double>(draws[100'000]) / static_cast<double>(latency.QuantileNs(0.5)),
                1, 0.02);
    EXPECT_NEAR(static_cast<double>(draws[198'000]) / static_cast<double>(latency.QuantileNs(0.99)),
                1, 0.04);
  }
}

TEST(Latency, TheMeanOfAnEmpiricalOneIsThatOfItsStraightLines) {
  const auto latency = Latency::Empirical({{0, 0}, {0.5, 100}, {1, 300}});
  EXPECT_DOUBLE_EQ(latency.mean_ns(), 0.5 * 50 + 0.5 * 200);
  EXPECT_EQ(latency.QuantileNs(0.25), 50);
  EXPECT_EQ(latency.QuantileNs(0.75), 200);
}

TEST(Latency, JsonKeepsItExactly) {
  for (const auto& latency : {Latency::LognormalFromMean(121e6, 4), Latency::Constant(5),
                              Latency::Empirical({{0, 1}, {0.5, 7}, {1, 9}})}) {
    const auto again = Latency::FromJson(*ParseJson(latency.ToJson().dump()));
    ASSERT_TRUE(again.ok());
    for (const double q : {0.001, 0.3, 0.5, 0.9, 0.999}) {
      EXPECT_EQ(again->QuantileNs(q), latency.QuantileNs(q));
    }
  }
  EXPECT_FALSE(Latency::FromJson(Json{{"kind", "gamma"}}).ok());
  EXPECT_FALSE(Latency::FromJson(Json()).ok());
}

std::string ProblemOf(const std::string& yaml) {
  const auto doc = YamlDocument::Parse("x: " + yaml, "p");
  Latency::Read(doc.root().Map().Required("x"));
  return doc.status().ok() ? "" : doc.status().error().message;
}

TEST(Latency, WhatIsNoDistributionIsAProblem) {
  EXPECT_EQ(ProblemOf("7ms"), "");
  EXPECT_EQ(ProblemOf("{p50: 7ms, p99: 7ms}"), "");
  EXPECT_EQ(ProblemOf("{quantiles: [[0, 1ms], [0.5, 2ms], [1, 9ms]]}"), "");
  EXPECT_THAT(ProblemOf("fast"), HasSubstr("such as 7ms"));
  EXPECT_THAT(ProblemOf("{p50: 7ms}"), HasSubstr("found no whole distribution"));
  EXPECT_THAT(ProblemOf("{p50: 7ms, p99: 28ms, mean: 1ms}"), HasSubstr("no whole distribution"));
  EXPECT_THAT(ProblemOf("{p50: 7ms, p99: 6ms}"), HasSubstr("allowed at least p50, 7.00 ms"));
  EXPECT_THAT(ProblemOf("{mean: 7ms, p99_over_p50: 0.5}"), HasSubstr("a number from 1 to 1000"));
  EXPECT_THAT(ProblemOf("{quantiles: [[0, 1ms], [0.5, 2ms]]}"), HasSubstr("allowed from 0 to 1"));
  EXPECT_THAT(ProblemOf("{quantiles: [[0, 3ms], [1, 2ms]]}"), HasSubstr("allowed ascending ones"));
  EXPECT_THAT(ProblemOf("{median: 7ms}"), HasSubstr("found key 'median'"));
}

TEST(Draw, DependsOnWhatIsAskedAlone) {
  const DrawKey key{1, 2, 0, HashKey("a"), 4096};
  EXPECT_EQ(Uniform(key, 1, Purpose::kFirstByte), Uniform(key, 1, Purpose::kFirstByte));
  DrawKey other = key;
  other.execution = 3;
  EXPECT_NE(Uniform(key, 1, Purpose::kFirstByte), Uniform(other, 1, Purpose::kFirstByte));
  EXPECT_NE(Uniform(key, 1, Purpose::kFirstByte), Uniform(key, 2, Purpose::kFirstByte));
  EXPECT_NE(Uniform(key, 1, Purpose::kFirstByte), Uniform(key, 1, Purpose::kError));
}

// The published draws of earlier runs stay what they were: a change of the hash is a new version.
TEST(Draw, IsTheSameOnEveryMachineAndInEveryVersion) {
  EXPECT_EQ(HashKey("store_sales/1.parquet"), HashKey("store_sales/1.parquet"));
  EXPECT_EQ(HashKey(""), 0xCBF29CE484222325u);
  EXPECT_EQ(HashKey("a"), 0xAF63DC4C8601EC8Cu);
  EXPECT_EQ(Mix(0), 0xE220A8397B1DCDAFu);
}

TEST(Draw, StaysInsideTheOpenInterval) {
  for (int64_t i = 0; i < 100'000; ++i) {
    const double u = Uniform({7, i, 0, 0, 0}, 1, Purpose::kFirstByte);
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
  }
}

}  // namespace
}  // namespace lakegauge::profile
