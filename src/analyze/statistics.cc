#include "analyze/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lakegauge::analyze {
namespace {

// Regularised incomplete beta I_x(a, b) by the continued fraction of DLMF 8.17.22, evaluated with
// the modified Lentz method; converges fast for x < (a + 1) / (a + b + 2), else by symmetry.
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMaxTerms = 100'000;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double h = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    h *= d * c;
    if (std::abs(d * c - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return h;
}

double IncompleteBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

// P(T > t) for t >= 0, accurate in the tail.
double UpperTail(double t, double df) {
  return 0.5 * IncompleteBeta(df / 2, 0.5, df / (df + t * t));
}

}  // namespace

Sample Summarise(std::span<const double> values) {
  Sample s;
  s.n = static_cast<int64_t>(values.size());
  if (s.n == 0) return s;
  double sum = 0;
  for (const double v : values) sum += v;
  s.mean = sum / static_cast<double>(s.n);
  s.stddev = SampleStddev(values).value_or(0);
  return s;
}

std::optional<double> SampleStddev(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  double mean = 0;
  double squares = 0;  // Welford's update: no cancellation
  double n = 0;
  for (const double v : values) {
    n += 1;
    const double delta = v - mean;
    mean += delta / n;
    squares += delta * (v - mean);
  }
  return std::sqrt(squares / (n - 1));
}

std::optional<double> Quantile(std::span<const double> values, double p) {
  if (values.empty()) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double at = static_cast<double>(sorted.size() - 1) * std::clamp(p, 0.0, 1.0);
  const auto below = static_cast<size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

std::optional<double> Median(std::span<const double> values) { return Quantile(values, 0.5); }

std::optional<double> GeometricMean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  double logs = 0;
  for (const double v : values) {
    if (!(v > 0)) return std::nullopt;
    logs += std::log(v);
  }
  return std::exp(logs / static_cast<double>(values.size()));
}

std::optional<double> StabilityPercent(const Sample& sample) {
  if (sample.n < 2 || !(sample.mean > 0)) return std::nullopt;
  return 100 * sample.stddev / sample.mean;
}

double StudentTCdf(double t, double df) { return t < 0 ? UpperTail(-t, df) : 1 - UpperTail(t, df); }

double StudentTQuantile(double p, double df) {
  if (p == 0.5) return 0;
  if (p < 0.5) return -StudentTQuantile(1 - p, df);
  const double tail = 1 - p;
  double low = 0;
  double high = 1;
  while (UpperTail(high, df) > tail) high *= 2;
  // Bisection to the last bit: at most about 60 steps, and it cannot diverge.
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) return middle;
    (UpperTail(middle, df) > tail ? low : high) = middle;
  }
}

std::optional<Interval> MeanInterval(const Sample& sample, double confidence) {
  if (sample.n < 2) return std::nullopt;
  const auto n = static_cast<double>(sample.n);
  const double half = StudentTQuantile(0.5 + confidence / 2, n - 1) * sample.stddev / std::sqrt(n);
  return Interval{sample.mean - half, sample.mean + half};
}

std::optional<Ratio> RatioOfMeans(std::span<const Sample> numerators,
                                  std::span<const Sample> denominators, double confidence) {
  double log_ratio = 0;
  double variance = 0;
  double weighted = 0;  // sum of v^2 / (n - 1)
  bool enough = true;
  const auto add = [&](const Sample& s, double sign) {
    if (s.n < 1 || !(s.mean > 0)) return false;
    log_ratio += sign * std::log(s.mean);
    if (s.n < 2) {
      enough = false;
      return true;
    }
    const double relative = s.stddev / s.mean;
    const double v = relative * relative / static_cast<double>(s.n);
    variance += v;
    weighted += v * v / static_cast<double>(s.n - 1);
    return true;
  };
  for (const Sample& s : numerators) {
    if (!add(s, 1)) return std::nullopt;
  }
  for (const Sample& s : denominators) {
    if (!add(s, -1)) return std::nullopt;
  }
  Ratio ratio{std::exp(log_ratio), std::nullopt};
  if (!enough) return ratio;
  // No spread seen at all (identical times): the interval is the point.
  const double half = weighted > 0
                          ? StudentTQuantile(0.5 + confidence / 2, variance * variance / weighted) *
                                std::sqrt(variance)
                          : 0;
  ratio.interval = Interval{std::exp(log_ratio - half), std::exp(log_ratio + half)};
  return ratio;
}

std::optional<Ratio> RatioOfMeans(const Sample& numerator, const Sample& denominator,
                                  double confidence) {
  return RatioOfMeans(std::span(&numerator, 1), std::span(&denominator, 1), confidence);
}

std::string_view MarkName(Mark mark) {
  switch (mark) {
    case Mark::kBaseline:
      return "baseline";
    case Mark::kFaster:
      return "faster";
    case Mark::kSlower:
      return "slower";
    case Mark::kWithinNoise:
      return "within noise";
    case Mark::kTooFewSamples:
      break;
  }
  return "too few samples";
}

Mark MarkOf(const std::optional<Ratio>& ratio) {
  if (!ratio || !ratio->interval) return Mark::kTooFewSamples;
  if (ratio->interval->low > 1) return Mark::kSlower;
  if (ratio->interval->high < 1) return Mark::kFaster;
  return Mark::kWithinNoise;
}

}  // namespace lakegauge::analyze
