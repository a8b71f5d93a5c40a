#include "analyze/significance.h"

#include <algorithm>
#include <cmath>

namespace lakegauge::analyze {
namespace {

constexpr size_t kSmallestFamily = 5;  // fewer queries say too little of how spreads vary
// Two precautions, the least that kept simulated families within kFamilyLevel (docs/statistics.md):
// how many standard errors larger the disagreement of spreads is taken than it was seen, and the
// share of the degrees of freedom that is counted on. Welch's own degrees of freedom promise too
// much far out in the tail, and spreads do not follow the distribution that is fitted to them.
constexpr double kCaution = 1.5;
constexpr double kCountedOn = 0.6;

double Degrees(const Sample& s) { return s.df > 0 ? s.df : static_cast<double>(s.n - 1); }

bool Usable(const Sample& s) { return s.n >= 2 && s.mean > 0; }

double RelativeVariance(const Sample& s) { return s.stddev * s.stddev / (s.mean * s.mean); }

// The x whose trigamma is y; trigamma falls from infinity to 0.
double InverseTrigamma(double y) {
  double low = 1e-6;
  double high = 1e6;
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(low * high);
    (Trigamma(middle) > y ? low : high) = middle;
  }
  return low;
}

// Of the difference of means, with the ratio's spreads and degrees of freedom by Welch.
std::optional<Interval> DeltaInterval(const Sample& a, const Sample& b) {
  if (a.n < 2 || b.n < 2) return std::nullopt;
  const double va = a.stddev * a.stddev / static_cast<double>(a.n);
  const double vb = b.stddev * b.stddev / static_cast<double>(b.n);
  const double drift = kSessionDrift * kSessionDrift * (a.mean * a.mean + b.mean * b.mean);
  const double variance = va + vb + drift;
  const double weighted = va * va / Degrees(a) + vb * vb / Degrees(b);
  const double df = weighted > 0 ? std::min(variance * variance / weighted, 1e6) : 1e6;
  const double half = StudentTQuantile(0.975, df) * std::sqrt(variance);
  return Interval{a.mean - b.mean - half, a.mean - b.mean + half};
}

// `level` is the two-sided one at which this very comparison is marked.
Effect EffectOf(const Sample& a, const Sample& b, double level) {
  Effect effect;
  effect.ratio = RatioOfMeans(a, b, 0.95, kSessionDrift);
  if (!effect.ratio) return effect;
  effect.delta = a.mean - b.mean;
  effect.delta_interval = DeltaInterval(a, b);
  effect.p = effect.ratio->p;
  if (!effect.p) return effect;
  const double df = effect.ratio->df;
  effect.smallest = std::expm1(
      (StudentTQuantile(1 - level / 2, df) + StudentTQuantile(kPower, df)) * effect.ratio->log_se);
  return effect;
}

void SetMark(double level, Effect* effect) {
  effect->level = level;
  if (!effect->p) return;
  effect->mark = *effect->p >= level          ? Mark::kWithinNoise
                 : effect->ratio->value > 1.0 ? Mark::kSlower
                                              : Mark::kFaster;
}

}  // namespace

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

SpreadPrior FitSpread(std::span<const Sample> family) {
  std::vector<double> variances;
  std::vector<double> degrees;
  for (const Sample& s : family) {
    if (!Usable(s)) continue;
    variances.push_back(RelativeVariance(s));
    degrees.push_back(static_cast<double>(s.n - 1));
  }
  const auto n = static_cast<double>(variances.size());
  if (variances.size() < kSmallestFamily) return {};
  // Identical times (a coarse clock) have no logarithm: the least spread that is taken for real.
  const double floor = std::max(1e-5 * *Median(variances), 1e-12);
  std::vector<double> logs;  // of the variances, rid of what chi-squared adds on average
  double mean = 0;
  double by_chance = 0;  // variance of the logarithms if all queries had the same spread
  for (size_t i = 0; i < variances.size(); ++i) {
    const double half = degrees[i] / 2;
    logs.push_back(std::log(std::max(variances[i], floor)) - Digamma(half) + std::log(half));
    mean += logs.back() / n;
    by_chance += Trigamma(half) / n;
  }
  double seen = 0;
  for (const double log : logs) seen += (log - mean) * (log - mean) / (n - 1);
  const double own = seen * (1 + kCaution * std::sqrt(2 / (n - 1))) - by_chance;
  SpreadPrior prior;
  prior.df = 2 * InverseTrigamma(std::max(own, 1e-4));
  prior.variance = std::exp(mean + Digamma(prior.df / 2) - std::log(prior.df / 2));
  return prior;
}

Sample Moderated(const Sample& sample, const SpreadPrior& prior, double most_df) {
  if (!Usable(sample) || !(prior.df > 0)) return sample;
  const auto own = static_cast<double>(sample.n - 1);
  const double variance =
      (prior.df * prior.variance + own * RelativeVariance(sample)) / (prior.df + own);
  Sample moderated = sample;
  moderated.stddev = sample.mean * std::sqrt(variance);
  moderated.df = kCountedOn * std::min(prior.df + own, most_df);
  return moderated;
}

std::vector<Sample> Moderated(std::span<const Sample> family) {
  const SpreadPrior prior = FitSpread(family);
  double degrees = 0;  // of all queries together: no more is known than that
  for (const Sample& s : family) degrees += Usable(s) ? static_cast<double>(s.n - 1) : 0;
  std::vector<Sample> moderated;
  moderated.reserve(family.size());
  for (const Sample& s : family) moderated.push_back(Moderated(s, prior, degrees));
  return moderated;
}

std::vector<Effect> CompareQueries(std::span<const Sample> cell, std::span<const Sample> baseline) {
  const std::vector<Sample> a = Moderated(cell);
  const std::vector<Sample> b = Moderated(baseline);
  size_t tests = 0;
  for (size_t i = 0; i < a.size(); ++i) tests += Usable(a[i]) && Usable(b[i]) ? 1 : 0;
  std::vector<Effect> effects;
  std::vector<double> p;
  const double level = kFamilyLevel / static_cast<double>(std::max<size_t>(tests, 1));
  for (size_t i = 0; i < a.size(); ++i) {
    effects.push_back(EffectOf(a[i], b[i], level));
    if (effects.back().p) p.push_back(*effects.back().p);
  }
  const std::vector<double> adjusted = HolmAdjusted(p);
  size_t at = 0;
  for (Effect& effect : effects) {
    if (!effect.p) continue;
    effect.p = adjusted[at++];
    SetMark(kFamilyLevel, &effect);
  }
  return effects;
}

Effect CompareTotals(const Sample& cell, const Sample& baseline) {
  Effect effect = EffectOf(cell, baseline, kTotalLevel);
  SetMark(kTotalLevel, &effect);
  return effect;
}

Effect Inverse(const Effect& effect) {
  const auto swapped = [](const Interval& i, auto&& turned) {
    return Interval{turned(i.high), turned(i.low)};
  };
  Effect inverse = effect;
  inverse.delta = -effect.delta;
  if (effect.delta_interval) {
    inverse.delta_interval = swapped(*effect.delta_interval, [](double s) { return -s; });
  }
  if (effect.ratio) {
    inverse.ratio->value = 1 / effect.ratio->value;
    if (effect.ratio->interval) {
      inverse.ratio->interval = swapped(*effect.ratio->interval, [](double r) { return 1 / r; });
    }
  }
  if (effect.mark == Mark::kFaster) inverse.mark = Mark::kSlower;
  if (effect.mark == Mark::kSlower) inverse.mark = Mark::kFaster;
  return inverse;
}

bool IsUncertain(const Effect& effect) {
  return effect.mark == Mark::kWithinNoise && effect.ratio && effect.ratio->interval &&
         (effect.ratio->interval->low > 1 || effect.ratio->interval->high < 1);
}

}  // namespace lakegauge::analyze
