#include "analyze/significance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace lakegauge::analyze {
namespace {

// One suite: queries of very different lengths, a relative spread around `spread` that itself
// varies from query to query (`mixed`: standard deviation of the logarithm of the variance),
// measured in two sessions of n iterations.
struct Suite {
  int queries = 99;
  int n = 5;
  double spread = 0.03;
  double mixed = 0.5;
  double other_side = 1;  // times the spread on the second side
  double spikes = 0;      // chance of an iteration that takes up to far longer
  double shared = 0;      // what all queries of an iteration share, relative
  double session = 0;     // what all iterations of a session share, relative
  double slower = 1;      // true ratio of the second side

  std::pair<std::vector<Sample>, std::vector<Sample>> Draw(std::mt19937_64& random,
                                                           Sample* first_total,
                                                           Sample* second_total) const {
    std::normal_distribution<double> normal;
    std::exponential_distribution<double> tail;
    std::uniform_real_distribution<double> uniform;
    std::vector<double> lengths, spreads;
    for (int q = 0; q < queries; ++q) {
      lengths.push_back(std::exp(normal(random)));
      spreads.push_back(spread * std::exp(mixed / 2 * normal(random)));
    }
    const auto side = [&](double ratio, double factor, Sample* total) {
      std::vector<double> passes(n), common(n), x(n);
      for (double& c : common) c = shared * normal(random);
      const double luck = 1 + session * normal(random);
      std::vector<Sample> samples;
      for (int q = 0; q < queries; ++q) {
        for (int i = 0; i < n; ++i) {
          double e = spreads[q] * factor * normal(random) + common[i];
          if (spikes > 0 && uniform(random) < spikes) e += 0.3 * tail(random);
          x[i] = lengths[q] * ratio * luck * std::max(0.1, 1 + e);
          passes[i] += x[i];
        }
        samples.push_back(Summarise(x));
      }
      *total = Summarise(passes);
      return samples;
    };
    auto first = side(1, 1, first_total);
    auto second = side(slower, other_side, second_total);
    return {std::move(first), std::move(second)};
  }
};

struct Found {
  double suites_marked = 0;   // percent of suites with even one query marked
  double totals_marked = 0;   // percent
  double queries_marked = 0;  // percent of queries
  double covered = 0;         // percent of the queries' intervals that hold the true ratio
  double smallest = 0;        // median over the queries
};

Found Simulate(const Suite& suite, int suites, uint64_t seed) {
  std::mt19937_64 random(seed);
  Found found;
  std::vector<double> smallest;
  double tests = 0;
  for (int s = 0; s < suites; ++s) {
    Sample a, b;
    const auto [first, second] = suite.Draw(random, &a, &b);
    bool any = false;
    for (const Effect& e : CompareQueries(second, first)) {
      const bool marked = e.mark == Mark::kSlower || e.mark == Mark::kFaster;
      any = any || marked;
      ++tests;
      found.queries_marked += marked;
      found.covered +=
          e.ratio->interval->low <= suite.slower && suite.slower <= e.ratio->interval->high;
      smallest.push_back(*e.smallest);
    }
    found.suites_marked += any;
    found.totals_marked += CompareTotals(b, a).mark != Mark::kWithinNoise;
  }
  found.suites_marked *= 100.0 / suites;
  found.totals_marked *= 100.0 / suites;
  found.queries_marked *= 100 / tests;
  found.covered *= 100 / tests;
  found.smallest = *Median(smallest);
  std::printf(
      "queries=%d n=%d spread=%.3f mixed=%.1f other=%.0f spikes=%.2f shared=%.3f session=%.3f "
      "slower=%.3f: suites marked %.1f%%, totals %.2f%%, queries %.1f%%, covered %.1f%%, smallest "
      "%.1f%%\n",
      suite.queries, suite.n, suite.spread, suite.mixed, suite.other_side, suite.spikes,
      suite.shared, suite.session, suite.slower, found.suites_marked, found.totals_marked,
      found.queries_marked, found.covered, 100 * found.smallest);
  return found;
}

// At most one suite in twenty holds even one mark where nothing differs; 200 suites leave 1.5% of
// chance in the figure, twice which is allowed for (docs/statistics.md has 2,500 suites each).
TEST(Significance, SuitesOfNoDifferenceHoldAMarkAtMostOnceInTwenty) {
  constexpr double kMost = 8;
  for (const int n : {3, 5, 10}) {
    EXPECT_LE(Simulate({.n = n, .mixed = 0}, 200, n).suites_marked, kMost) << n;
    EXPECT_LE(Simulate({.n = n, .mixed = 1}, 200, 10 + n).suites_marked, kMost) << n;
    EXPECT_LE(Simulate({.n = n, .other_side = 3}, 200, 20 + n).suites_marked, kMost) << n;
    EXPECT_LE(Simulate({.n = n, .spikes = 0.05}, 200, 30 + n).suites_marked, kMost) << n;
    EXPECT_LE(Simulate({.n = n, .shared = 0.02}, 200, 40 + n).suites_marked, kMost) << n;
    EXPECT_LE(Simulate({.n = n, .session = kSessionDrift}, 200, 50 + n).suites_marked, kMost) << n;
  }
  EXPECT_LE(Simulate({.queries = 8, .n = 3, .mixed = 1}, 1000, 61).suites_marked, kMost);
  EXPECT_LE(Simulate({.queries = 24, .n = 3, .mixed = 1}, 500, 62).suites_marked, kMost);
  EXPECT_LE(Simulate({.queries = 1, .n = 3}, 1000, 63).suites_marked, kMost);
}

// One total in 500 by the level asked; at three iterations Welch's approximation gives one in 200.
TEST(Significance, TotalsOfNoDifferenceAreHardlyEverMarked) {
  for (const int n : {3, 5, 10}) {
    EXPECT_LE(Simulate({.queries = 6, .n = n, .shared = 0.01}, 3000, n).totals_marked, 0.8);
    EXPECT_LE(Simulate({.queries = 6, .n = n, .session = kSessionDrift}, 3000, n).totals_marked,
              0.8);
  }
}

TEST(Significance, ATenthMoreIsFoundAtFiveIterations) {
  EXPECT_GE(Simulate({.spread = 0.025, .slower = 1.1}, 40, 1).queries_marked, 85);
  EXPECT_GE(Simulate({.spread = 0.02, .slower = 1.1}, 40, 2).queries_marked, 95);
  EXPECT_GE(Simulate({.queries = 12, .spread = 0.025, .slower = 1.1}, 500, 4).queries_marked, 90);
  EXPECT_GE(Simulate({.slower = 1.03}, 40, 3).totals_marked, 90);
}

// The size that is called the smallest is marked nine times in ten when it is there.
TEST(Significance, TheSmallestEffectIsFoundNineTimesInTen) {
  for (const int n : {3, 5, 10}) {
    Suite suite{.n = n, .mixed = 0};
    suite.slower = 1 + Simulate(suite, 20, 70 + n).smallest;
    const double power = Simulate(suite, 40, 80 + n).queries_marked;
    EXPECT_GE(power, 85) << n << " (Holm finds a little more than its first step promises)";
  }
}

TEST(Significance, IntervalsOfQueriesCoverTheTruth) {
  for (const int n : {3, 5, 10}) {
    for (const double mixed : {0.0, 0.7}) {
      const double covered =
          Simulate({.n = n, .mixed = mixed, .session = kSessionDrift}, 60, 90 + n).covered;
      EXPECT_GE(covered, 93) << n;
      EXPECT_LE(covered, 97) << n;
    }
  }
}

TEST(Significance, AMarkNeverStandsBesideAnIntervalThatHoldsOne) {
  std::mt19937_64 random(5);
  for (int s = 0; s < 50; ++s) {
    Sample a, b;
    const auto [first, second] = Suite{.n = 3, .slower = 1.07}.Draw(random, &a, &b);
    for (const Effect& e : CompareQueries(second, first)) {
      if (e.mark == Mark::kSlower) {
        EXPECT_GT(e.ratio->interval->low, 1);
      }
      if (e.mark == Mark::kFaster) {
        EXPECT_LT(e.ratio->interval->high, 1);
      }
      EXPECT_LE(e.delta_interval->low, e.delta);
      EXPECT_GE(e.delta_interval->high, e.delta);
    }
  }
}

// Equal spreads are one spread: the more queries, the more the family knows.
TEST(Significance, AFamilyLendsItsSpreadAsFarAsItsQueriesAgree) {
  std::mt19937_64 random(9);
  Sample total;
  const auto alike = Suite{.queries = 99, .n = 3, .mixed = 0}.Draw(random, &total, &total).first;
  const SpreadPrior prior = FitSpread(alike);
  EXPECT_GT(prior.df, 5);
  EXPECT_NEAR(std::sqrt(prior.variance), 0.03, 0.004);
  const auto unlike = Suite{.queries = 99, .n = 3, .mixed = 3}.Draw(random, &total, &total).first;
  EXPECT_LT(FitSpread(unlike).df, 2);
  EXPECT_EQ(FitSpread(std::span(alike).first(4)).df, 0) << "too few to say";
  const auto moderated = Moderated(alike);
  EXPECT_GT(moderated[0].df, 4) << "two of its own";
  EXPECT_EQ(moderated[0].mean, alike[0].mean);
}

TEST(Significance, WhatCannotBeJudgedIsNoTest) {
  const std::vector<Sample> cell = {{3, 2.0, 0.01}, {1, 2.0, 0}, {0, 0, 0}};
  const std::vector<Sample> base = {{3, 1.0, 0.01}, {3, 1.0, 0.01}, {3, 1.0, 0.01}};
  const auto effects = CompareQueries(cell, base);
  EXPECT_EQ(effects[0].mark, Mark::kSlower);
  EXPECT_DOUBLE_EQ(effects[1].ratio->value, 2);
  EXPECT_EQ(effects[1].mark, Mark::kTooFewSamples);
  EXPECT_FALSE(effects[1].smallest);
  EXPECT_FALSE(effects[2].ratio);
  EXPECT_EQ(effects[2].mark, Mark::kTooFewSamples);
  EXPECT_EQ(CompareTotals({3, 1.001, 0.01}, {3, 1.0, 0.01}).mark, Mark::kWithinNoise);
}

TEST(Significance, TheOtherWayRoundIsTheSameComparisonTurned) {
  const Sample a = {3, 1.0, 0.02};
  const Sample b = {5, 4.0, 0.10};
  const Effect turned = Inverse(CompareTotals(a, b));
  const Effect direct = CompareTotals(b, a);
  EXPECT_NEAR(turned.ratio->value, direct.ratio->value, 1e-12);
  EXPECT_NEAR(turned.ratio->interval->low, direct.ratio->interval->low, 1e-9);
  EXPECT_NEAR(turned.ratio->interval->high, direct.ratio->interval->high, 1e-9);
  EXPECT_NEAR(turned.delta, direct.delta, 1e-12);
  EXPECT_NEAR(turned.delta_interval->low, direct.delta_interval->low, 1e-9);
  EXPECT_NEAR(*turned.p, *direct.p, 1e-12);
  EXPECT_NEAR(*turned.smallest, *direct.smallest, 1e-9);
  EXPECT_EQ(turned.mark, Mark::kSlower);
}

TEST(Significance, AnIntervalWithoutAMarkIsUncertainOnlyWhereItLeavesOutOne) {
  EXPECT_TRUE(IsUncertain(CompareTotals({3, 1.04, 0.01}, {3, 1.0, 0.01})));
  EXPECT_FALSE(IsUncertain(CompareTotals({3, 1.001, 0.01}, {3, 1.0, 0.01}))) << "holds 1";
  EXPECT_FALSE(IsUncertain(CompareTotals({3, 2.0, 0.01}, {3, 1.0, 0.01}))) << "marked";
  EXPECT_FALSE(IsUncertain(CompareTotals({1, 2.0, 0}, {3, 1.0, 0.01}))) << "too few";
}

// A clock that counts whole milliseconds can give three equal times.
TEST(Significance, EqualTimesAreNoCertainty) {
  std::vector<Sample> cell, base;
  for (int q = 0; q < 10; ++q) {
    cell.push_back({3, 0.0101, q % 2 == 0 ? 0.0 : 0.0004});
    base.push_back({3, 0.0100, q % 3 == 0 ? 0.0 : 0.0004});
  }
  for (const Effect& e : CompareQueries(cell, base)) EXPECT_EQ(e.mark, Mark::kWithinNoise);
}

}  // namespace
}  // namespace lakegauge::analyze
