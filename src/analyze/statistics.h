#pragma once
// The estimators behind every figure of a report, each small and named; docs/statistics.md says
// when each holds and what it assumes.
//
// Threads: pure functions. Errors: a figure that cannot be had (too few samples, a mean that is not
// positive) is nullopt, never a made-up number.
// Source: Student's t by the incomplete beta function, DLMF 8.17 (https://dlmf.nist.gov/8.17), and
//   DLMF 8.17.22 for its continued fraction; quantiles: Hyndman and Fan 1996, type 7; degrees of
//   freedom: Welch 1947 and Satterthwaite 1946; the log of a ratio: the delta method.

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

// Student t interval of a mean; nullopt with n < 2.
std::optional<Interval> MeanInterval(const Sample& sample, double confidence = 0.95);

// A ratio of means with its interval; the interval is absent when a side has n < 2.
struct Ratio {
  double value = 0;
  std::optional<Interval> interval;
};
// mean(numerators) product over mean(denominators) product. The interval is the t interval of the
// ratio's logarithm, variances by the delta method (s^2 / (n mean^2) each), degrees of freedom by
// Welch and Satterthwaite. Assumes independent samples (not paired), roughly normal times, and
// coefficients of variation small enough for the logarithm to be about linear (below about 30%).
// nullopt when a mean is not positive or a side is empty.
std::optional<Ratio> RatioOfMeans(std::span<const Sample> numerators,
                                  std::span<const Sample> denominators, double confidence = 0.95);
std::optional<Ratio> RatioOfMeans(const Sample& numerator, const Sample& denominator,
                                  double confidence = 0.95);
inline constexpr std::string_view kRatioMethod =
    "ratio of means; 95% t interval of its logarithm (delta method), Welch-Satterthwaite degrees "
    "of "
    "freedom, iterations not paired";

// What may be said of a measurement against its baseline.
enum class Mark { kBaseline, kFaster, kSlower, kWithinNoise, kTooFewSamples };
std::string_view MarkName(Mark mark);
// Of times: slower where the ratio's whole interval lies above 1, faster where it lies below.
Mark MarkOf(const std::optional<Ratio>& ratio);

}  // namespace lakegauge::analyze
