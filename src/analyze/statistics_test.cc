#include "analyze/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>

#include "sql/sql.h"

namespace lakegauge::analyze {
namespace {

using testing::DoubleNear;

// Two-sided 95%, as every printed table of Student's t has them (n = df + 1).
TEST(StudentT, QuantilesAreThoseOfThePublishedTable) {
  const std::pair<int, double> table[] = {
      {1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},  {6, 2.447},
      {7, 2.365},  {8, 2.306},  {9, 2.262},  {10, 2.228}, {11, 2.201}, {12, 2.179},
      {13, 2.160}, {14, 2.145}, {15, 2.131}, {16, 2.120}, {17, 2.110}, {18, 2.101},
      {19, 2.093}, {20, 2.086}, {21, 2.080}, {22, 2.074}, {23, 2.069}, {24, 2.064},
      {25, 2.060}, {26, 2.056}, {27, 2.052}, {28, 2.048}, {29, 2.045}, {99, 1.984}};
  for (const auto& [df, expected] : table) {
    EXPECT_NEAR(StudentTQuantile(0.975, df), expected, 0.0005) << "df " << df;
  }
}

// df 1 and 2 have closed forms: tan(pi (p - 1/2)) and (2p - 1) / sqrt(2 p (1 - p)).
TEST(StudentT, AgreesWithClosedForms) {
  for (const double p : {0.6, 0.75, 0.9, 0.95, 0.975, 0.99, 0.999, 0.9995}) {
    EXPECT_NEAR(StudentTQuantile(p, 1) / std::tan(M_PI * (p - 0.5)), 1, 1e-10) << p;
    EXPECT_NEAR(StudentTQuantile(p, 2) / ((2 * p - 1) / std::sqrt(2 * p * (1 - p))), 1, 1e-10) << p;
    EXPECT_DOUBLE_EQ(StudentTQuantile(1 - p, 3), -StudentTQuantile(1 - (1 - p), 3));
  }
}

TEST(StudentT, QuantileInvertsTheDistributionForAnyDegreesOfFreedom) {
  for (const double df : {0.7, 1.0, 2.3, 4.0, 17.5, 300.0, 1e5}) {
    for (const double p : {0.01, 0.3, 0.5, 0.8, 0.975, 0.999}) {
      EXPECT_NEAR(StudentTCdf(StudentTQuantile(p, df), df), p, 1e-9) << df << " " << p;
    }
  }
}

TEST(Estimators, WorkedExamples) {
  const std::vector<double> v = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(*SampleStddev(v), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(*Median(v), 4.5);
  EXPECT_DOUBLE_EQ(*Quantile(v, 0.9), 7.6) << "R-7: 6.3 steps from the smallest";
  EXPECT_DOUBLE_EQ(*GeometricMean(std::vector<double>{1, 10, 100}), 10);
  EXPECT_DOUBLE_EQ(*StabilityPercent({3, 10, 0.5}), 5);
  const auto interval = MeanInterval({3, 10, 1});  // 4.3027 * 0.1 / sqrt(3) of the logarithm
  EXPECT_NEAR(interval->low, 10 * std::exp(-0.248414), 1e-5);
  EXPECT_NEAR(interval->high, 10 * std::exp(0.248414), 1e-5);
}

TEST(Estimators, AnIntervalOfPositiveTimesStaysAboveZeroHoweverFewAndRestless) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> draw(0, 2);
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> times(2 + round % 4);
    for (double& t : times) t = draw(random);
    const Sample sample = Summarise(times);
    const auto interval = MeanInterval(sample);
    EXPECT_GT(interval->low, 0);
    EXPECT_LE(interval->low, sample.mean);
    EXPECT_GE(interval->high, sample.mean);
  }
}

TEST(Estimators, WhatCannotBeHadIsAbsent) {
  const std::vector<double> one = {3};
  EXPECT_FALSE(SampleStddev(one));
  EXPECT_FALSE(MeanInterval(Summarise(one)));
  EXPECT_FALSE(MeanInterval({3, 0, 0}));
  EXPECT_FALSE(StabilityPercent(Summarise(one)));
  EXPECT_EQ(*Median(one), 3);
  EXPECT_FALSE(Median({}));
  EXPECT_FALSE(GeometricMean(std::vector<double>{1, 0}));
  EXPECT_FALSE(RatioOfMeans({3, 1, 0.1}, {0, 0, 0}));
  const auto ratio = RatioOfMeans({1, 6, 0}, {3, 2, 0.1});
  EXPECT_DOUBLE_EQ(ratio->value, 3);
  EXPECT_FALSE(ratio->interval);
  EXPECT_FALSE(ratio->p);
}

// The spread of both sides 1/sqrt(3) of 10%: half width in logs t(4 df) 2.7764 * 0.1 * sqrt(2/3).
TEST(Estimators, RatioIntervalWorkedByHand) {
  const auto r = RatioOfMeans({3, 20, 2}, {3, 10, 1});
  ASSERT_TRUE(r && r->interval);
  EXPECT_DOUBLE_EQ(r->value, 2);
  EXPECT_NEAR(r->interval->low, 2 * std::exp(-2.776445 * 0.1 * std::sqrt(2.0 / 3)), 1e-6);
  EXPECT_NEAR(r->interval->high, 2 * std::exp(2.776445 * 0.1 * std::sqrt(2.0 / 3)), 1e-6);
}

// p is below 0.05 just where the 95% interval leaves out 1.
TEST(Estimators, ThePOfARatioIsThatOfItsInterval) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> draw(10, 1);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> a(3 + round % 5), b(3 + round % 4);
    for (double& v : a) v = draw(random);
    for (double& v : b) v = draw(random) + 0.7;
    const auto r = RatioOfMeans(Summarise(a), Summarise(b));
    ASSERT_TRUE(r && r->interval && r->p);
    EXPECT_EQ(*r->p<0.05, r->interval->low> 1 || r->interval->high < 1) << round;
  }
}

// What iterations share widens every interval, however small their spread.
TEST(Estimators, DriftIsTheLeastThatAnIntervalIsWide) {
  const auto r = RatioOfMeans({10, 20, 0}, {10, 20, 0}, 0.95, 0.005);
  EXPECT_NEAR(std::log(r->interval->high), 1.959964 * 0.005 * std::sqrt(2), 1e-6);
  EXPECT_EQ(*r->p, 1);
}

// psi(1) = -gamma, psi(1/2) = -gamma - 2 ln 2; psi'(1) = pi^2 / 6, psi'(1/2) = pi^2 / 2.
TEST(Estimators, DigammaAndTrigammaAreThoseOfTheTables) {
  constexpr double kGamma = 0.57721566490153286;
  EXPECT_NEAR(Digamma(1), -kGamma, 1e-10);
  EXPECT_NEAR(Digamma(0.5), -kGamma - 2 * std::log(2), 1e-10);
  EXPECT_NEAR(Digamma(10), 2.2517525890667211, 1e-10);
  EXPECT_NEAR(Trigamma(1), M_PI * M_PI / 6, 1e-9);
  EXPECT_NEAR(Trigamma(0.5), M_PI * M_PI / 2, 1e-9);
  EXPECT_NEAR(Trigamma(3.5) - Trigamma(4.5), 1 / (3.5 * 3.5), 1e-10);
}

// Holm 1979: by hand, four tests; the order in does not matter, none falls below one before it.
TEST(Estimators, HolmsAdjustmentWorkedByHand) {
  EXPECT_THAT(HolmAdjusted(std::vector<double>{0.04, 0.01, 0.03, 0.005}),
              testing::ElementsAre(DoubleNear(0.06, 1e-12), DoubleNear(0.03, 1e-12),
                                   DoubleNear(0.06, 1e-12), DoubleNear(0.02, 1e-12)));
  EXPECT_THAT(HolmAdjusted(std::vector<double>{0.9, 0.8}), testing::ElementsAre(1, 1));
  EXPECT_TRUE(HolmAdjusted({}).empty());
}

// Property: DuckDB's quantile_cont, stddev_samp and median, and a naive reading of the definitions,
// give the same for random samples.
TEST(Estimators, AgreeWithDuckDbAndWithTheDefinitions) {
  auto database = sql::Database::Open({});
  ASSERT_TRUE(database.ok());
  auto connection = database->Connect();
  ASSERT_TRUE(connection.ok());
  std::mt19937_64 random(20260131);
  for (int round = 0; round < 40; ++round) {
    std::lognormal_distribution<double> draw(0, 1 + round % 3);
    std::vector<double> v(2 + random() % 30);
    std::string list;
    for (double& x : v) {
      x = draw(random);
      list += (list.empty() ? "(" : ",(") + sql::ToText(sql::Value(x)) + "::DOUBLE)";
    }
    const double p = static_cast<double>(random() % 1001) / 1000;
    const auto rows = connection->Query("SELECT stddev_samp(x), median(x), quantile_cont(x, " +
                                        sql::ToText(sql::Value(p)) +
                                        "::DOUBLE), geomean(x) FROM (VALUES " + list + ") t(x)");
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    const auto& row = rows->rows.at(0);
    EXPECT_NEAR(*SampleStddev(v) / sql::ToDouble(row[0]), 1, 1e-9);
    EXPECT_NEAR(*Median(v) / sql::ToDouble(row[1]), 1, 1e-9);
    EXPECT_NEAR(*Quantile(v, p) / sql::ToDouble(row[2]), 1, 1e-9);
    EXPECT_NEAR(*GeometricMean(v) / sql::ToDouble(row[3]), 1, 1e-9);

    double mean = 0;
    for (const double x : v) mean += x / static_cast<double>(v.size());
    double squares = 0;
    for (const double x : v) squares += (x - mean) * (x - mean);
    EXPECT_NEAR(*SampleStddev(v) / std::sqrt(squares / static_cast<double>(v.size() - 1)), 1, 1e-9);
    // R-7 by its definition: the p-quantile splits the sample so that interpolating ranks works.
    std::sort(v.begin(), v.end());
    const double h = 1 + p * static_cast<double>(v.size() - 1);
    const auto k = static_cast<size_t>(std::floor(h));
    const double naive =
        k >= v.size() ? v.back() : v[k - 1] + (h - std::floor(h)) * (v[k] - v[k - 1]);
    EXPECT_NEAR(*Quantile(v, p) / naive, 1, 1e-9);
  }
}

// Property: Python's statistics module, a third implementation, gives the same percentiles
// (quantiles, "inclusive" is R-7), deviations and geometric means.
TEST(Estimators, AgreeWithPythonsStatisticsModule) {
  std::mt19937_64 random(77);
  std::lognormal_distribution<double> draw(0, 1.5);
  std::vector<std::vector<double>> samples;
  std::string lists;
  for (int round = 0; round < 30; ++round) {
    auto& v = samples.emplace_back(2 + random() % 40);
    std::string list;
    for (double& x : v) {
      x = draw(random);
      list += (list.empty() ? "[" : ",") + sql::ToText(sql::Value(x));
    }
    lists += list + "],";
  }
  // Of each sample a line: 99 percentiles, deviation, geometric mean.
  const std::string program =
      "import statistics as s\nfor v in [" + lists +
      "]:\n  print(*s.quantiles(v, n=100, method='inclusive'), s.stdev(v), s.geometric_mean(v))\n";
  const std::string path = testing::TempDir() + "estimators_by_python." + std::to_string(getpid());
  std::ofstream(path) << program;
  std::FILE* python = popen(("python3 '" + path + "'").c_str(), "r");
  ASSERT_NE(python, nullptr);
  const auto next = [&] {
    double value = NAN;
    return std::fscanf(python, "%lf", &value) == 1 ? value : NAN;
  };
  for (const auto& v : samples) {
    for (int percent = 1; percent < 100; ++percent) {
      EXPECT_NEAR(*Quantile(v, percent / 100.0) / next(), 1, 1e-9) << percent;
    }
    EXPECT_NEAR(*SampleStddev(v) / next(), 1, 1e-9);
    EXPECT_NEAR(*GeometricMean(v) / next(), 1, 1e-9);
  }
  EXPECT_EQ(pclose(python), 0);
  std::remove(path.c_str());
}

// The t interval of a mean holds the true mean in 95 of 100 experiments when times are normal; of
// skewed ones in fewer, and the shortfall is what docs/statistics.md says.
TEST(Estimators, MeanIntervalsCoverTheTruthAndFallShortOfVerySkewedTimes) {
  constexpr int kExperiments = 10'000;
  struct Coverage {
    double own = 0, plain = 0;  // percent; plain: mean +- t s / sqrt(n)
  };
  const auto coverage = [](int n, double sigma, uint64_t seed) {  // sigma 0: normal, 10% spread
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 1);
    const double truth = sigma > 0 ? std::exp(sigma * sigma / 2) : 1;
    const double t = StudentTQuantile(0.975, n - 1);
    Coverage covered;
    std::vector<double> x(n);
    for (int i = 0; i < kExperiments; ++i) {
      for (double& v : x) {
        v = sigma > 0 ? std::exp(sigma * normal(random)) : 1 + 0.1 * normal(random);
      }
      const Sample sample = Summarise(x);
      const auto interval = MeanInterval(sample);
      covered.own += interval->low <= truth && truth <= interval->high;
      covered.plain += std::abs(sample.mean - truth) <= t * sample.stddev / std::sqrt(n);
    }
    return Coverage{100 * covered.own / kExperiments, 100 * covered.plain / kExperiments};
  };
  for (const int n : {3, 5, 10}) {
    const Coverage normal = coverage(n, 0, 11 + n);
    EXPECT_GE(normal.own, 93) << n;
    EXPECT_LE(normal.own, 97) << n;
    const Coverage mild = coverage(n, 0.25, 23 + n);
    const Coverage strong = coverage(n, 1, 37 + n);
    EXPECT_GE(mild.own, 93) << n;
    EXPECT_GE(mild.own, mild.plain) << n;
    EXPECT_LT(strong.own, 93) << "n " << n << ": lognormal with sigma 1 is beyond what t covers";
    EXPECT_GE(strong.own, 85) << n;
    EXPECT_GE(strong.own, strong.plain) << n;
    std::printf(
        "coverage n=%d: normal %.1f (%.1f), lognormal 0.25 %.1f (%.1f), lognormal 1 %.1f (%.1f)\n",
        n, normal.own, normal.plain, mild.own, mild.plain, strong.own, strong.plain);
  }
}

// The interval holds the true ratio in about 95 of 100 experiments: times around 10 and 25 with
// spreads as they are seen, equal and unequal on the two sides, and for a ratio of two ratios.
TEST(Estimators, RatioIntervalsCoverTheTruth) {
  constexpr int kExperiments = 8'000;
  const std::pair<double, double> spreads[] = {{0.05, 0.05}, {0.10, 0.10}, {0.02, 0.10}};
  for (const int n : {3, 5, 10}) {
    for (const auto& [cv_a, cv_b] : spreads) {
      std::mt19937_64 random(1000 * n + static_cast<int>(cv_a * 100));
      std::normal_distribution<double> a(25, 25 * cv_a);
      std::normal_distribution<double> b(10, 10 * cv_b);
      int covered = 0;
      int covered_double = 0;
      std::vector<double> x(n), y(n);
      const auto draw = [&](std::normal_distribution<double>& from, std::vector<double>* to) {
        for (double& v : *to) v = from(random);
        return Summarise(*to);
      };
      for (int i = 0; i < kExperiments; ++i) {
        const Sample sa = draw(a, &x);
        const Sample sb = draw(b, &y);
        const auto one = RatioOfMeans(sa, sb)->interval;
        covered += one->low <= 2.5 && 2.5 <= one->high;
        const Sample numerators[] = {sa, draw(b, &y)};
        const Sample denominators[] = {sb, draw(a, &x)};
        const auto two = RatioOfMeans(numerators, denominators)->interval;
        covered_double += two->low <= 1 && 1 <= two->high;
      }
      const double share = 100.0 * covered / kExperiments;
      EXPECT_GE(share, 93) << "n " << n << " cv " << cv_a << " " << cv_b;
      EXPECT_LE(share, 97) << "n " << n << " cv " << cv_a << " " << cv_b;
      const double share_double = 100.0 * covered_double / kExperiments;
      EXPECT_GE(share_double, 93) << "n " << n << " cv " << cv_a << " " << cv_b;
      EXPECT_LE(share_double, 98) << "n " << n << " cv " << cv_a << " " << cv_b;
      RecordProperty("coverage_n" + std::to_string(n) + "_" + std::to_string(cv_a) + "_" +
                         std::to_string(cv_b),
                     std::to_string(share) + " " + std::to_string(share_double));
    }
  }
}

}  // namespace
}  // namespace lakegauge::analyze
