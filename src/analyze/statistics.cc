#include "analyze/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
  while (UpperTail(high, df) > tail) {
    low = high;
    high *= 2;
  }
  // Newton's steps on the logarithm of the tail, within a bracket that halves where a step leaves
  // it.
  const double log_density =
      std::lgamma((df + 1) / 2) - std::lgamma(df / 2) - 0.5 * std::log(df * M_PI);
  double t = 0.5 * (low + high);
  for (int i = 0; i < 200; ++i) {
    const double above = UpperTail(t, df);
    (above > tail ? low : high) = t;
    const double density = std::exp(log_density - (df + 1) / 2 * std::log1p(t * t / df));
    double next = t + std::log(above / tail) * above / density;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) <= 1e-15 * next || next == low || next == high) return next;
    t = next;
  }
  return t;
}

std::optional<Interval> MeanInterval(const Sample& sample, double confidence) {
  if (sample.n < 2 || !(sample.mean > 0)) return std::nullopt;
  const auto n = static_cast<double>(sample.n);
  const double relative = sample.stddev / (sample.mean * std::sqrt(n));
  const double half = StudentTQuantile(0.5 + confidence / 2, n - 1) * relative;
  return Interval{sample.mean * std::exp(-half), sample.mean * std::exp(half)};
}

double Digamma(double x) {
  double below = 0;
  for (; x < 8; x += 1) below -= 1 / x;
  const double f = 1 / (x * x);
  return below + std::log(x) - 0.5 / x -
         f * (1.0 / 12 - f * (1.0 / 120 - f * (1.0 / 252 - f * (1.0 / 240 - f / 132))));
}

double Trigamma(double x) {
  double below = 0;
  for (; x < 8; x += 1) below += 1 / (x * x);
  const double f = 1 / (x * x);
  return below + 1 / x + f / 2 +
         f / x * (1.0 / 6 - f * (1.0 / 30 - f * (1.0 / 42 - f * (1.0 / 30 - f * 5 / 66))));
}

std::optional<Ratio> RatioOfMeans(std::span<const Sample> numerators,
                                  std::span<const Sample> denominators, double confidence,
                                  double drift) {
  double log_ratio = 0;
  double variance = 0;
  double weighted = 0;  // sum of v^2 / df
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
    variance += v + drift * drift;
    weighted += v * v / (s.df > 0 ? s.df : static_cast<double>(s.n - 1));
    return true;
  };
  for (const Sample& s : numerators) {
    if (!add(s, 1)) return std::nullopt;
  }
  for (const Sample& s : denominators) {
    if (!add(s, -1)) return std::nullopt;
  }
  Ratio ratio;
  ratio.value = std::exp(log_ratio);
  if (!enough) return ratio;
  ratio.log_se = std::sqrt(variance);
  // With no spread seen at all (identical times) drift is all there is, and it is taken as known.
  constexpr double kManyDegrees = 1e6;
  ratio.df = weighted > 0 ? std::min(variance * variance / weighted, kManyDegrees) : kManyDegrees;
  const double half = StudentTQuantile(0.5 + confidence / 2, ratio.df) * ratio.log_se;
  ratio.interval = Interval{std::exp(log_ratio - half), std::exp(log_ratio + half)};
  ratio.p = ratio.log_se > 0   ? 2 * UpperTail(std::abs(log_ratio) / ratio.log_se, ratio.df)
            : log_ratio == 0.0 ? 1.0
                               : 0.0;
  return ratio;
}

std::optional<Ratio> RatioOfMeans(const Sample& numerator, const Sample& denominator,
                                  double confidence, double drift) {
  return RatioOfMeans(std::span(&numerator, 1), std::span(&denominator, 1), confidence, drift);
}

std::vector<double> HolmAdjusted(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double least = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    least = std::max(least, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

}  // namespace lakegauge::analyze
