#pragma once
// The estimators behind every figure of a report, each small and named; docs/statistics.md says
// when each holds and what it assumes.
//
// Threads: pure functions. Errors: a figure that cannot be had (too few samples, a mean that is not
// positive) is nullopt, never a made-up number.
// Source: Student's t by the incomplete beta function, DLMF 8.17 (https://dlmf.nist.gov/8.17), and
//   DLMF 8.17.22 for its continued fraction; quantiles: Hyndman and Fan 1996, type 7; degrees of
//   freedom: Welch 1947 and Satterthwaite 1946; the log of a ratio: the delta method; many tests at
//   once: Holm 1979.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lakegauge::analyze {

struct Interval {
  double low = 0;
  double high = 0;
};

// What is known of a set of independent measurements of one quantity.
struct Sample {
  int64_t n = 0;
  double mean = 0;
  double stddev = 0;  // sample standard deviation, n - 1; meaningless with n < 2
  double df = 0;      // degrees of freedom of stddev where it was moderated; 0: n - 1
};

Sample Summarise(std::span<const double> values);
std::optional<double> SampleStddev(std::span<const double> values);  // n - 1; nullopt with n < 2
// linear between order statistics at (n - 1) p. nullopt when empty. 0 <= p <= 1.
std::optional<double> Quantile(std::span<const double> values, double p);
std::optional<double> Median(std::span<const double> values);
// nullopt when empty or when a value is not positive.
std::optional<double> GeometricMean(std::span<const double> values);
// Coefficient of variation in percent: 100 stddev / mean.
std::optional<double> StabilityPercent(const Sample& sample);

// P(T <= t) and its inverse for Student's t with `df` > 0 degrees of freedom (need not be whole).
double StudentTCdf(double t, double df);
double StudentTQuantile(double p, double df);

// Of the mean of a positive quantity: the t interval of its logarithm, whose standard error is
// s / (mean sqrt(n)) (delta method), taken back by the exponential, so that no end is below zero.
// nullopt with n < 2 or a mean that is not positive.
std::optional<Interval> MeanInterval(const Sample& sample, double confidence = 0.95);

// Psi and its derivative, for x > 0 (DLMF 5.11, with the recurrence 5.5.2).
double Digamma(double x);
double Trigamma(double x);

// A ratio of means with its interval; interval and p are absent when a side has n < 2.
struct Ratio {
  double value = 0;
  std::optional<Interval> interval;
  std::optional<double> p;  // two-sided, that the true ratio is 1; not adjusted for other tests
  double log_se = 0;        // standard error of the ratio's logarithm
  double df = 0;            // its degrees of freedom
};
// mean(numerators) product over mean(denominators) product. The interval is the t interval of the
// ratio's logarithm, variances by the delta method (s^2 / (n mean^2) each), degrees of freedom by
// Welch and Satterthwaite. Assumes independent samples (not paired), roughly normal times, and
// coefficients of variation small enough for the logarithm to be about linear (below about 30%).
// `drift` is the relative standard deviation that each sample's mean has beside its spread: what
// all iterations of a session share and none of them shows. nullopt when a mean is not positive or
// a side is empty.
std::optional<Ratio> RatioOfMeans(std::span<const Sample> numerators,
                                  std::span<const Sample> denominators, double confidence = 0.95,
                                  double drift = 0);
std::optional<Ratio> RatioOfMeans(const Sample& numerator, const Sample& denominator,
                                  double confidence = 0.95, double drift = 0);

// Holm's step-down adjustment: each p as it stands among all of them, so that calling what lies
// below alpha keeps the chance of even one false call below alpha, however they depend on each
// other.
std::vector<double> HolmAdjusted(std::span<const double> p);

}  // namespace lakegauge::analyze
