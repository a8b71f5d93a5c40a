#pragma once
// What may be claimed of a difference: an interval and a mark for each query and each total, such
// that marks hold for a whole suite of queries at once, and the smallest difference that would have
// been found. Hides how a handful of iterations is made to go far enough.
//
// Queries: the spread of each query is moderated by that of the other queries of its cell
// (empirical Bayes), each side apart, so that three iterations do not stand alone with two degrees
// of freedom; then Welch's t of the log ratio, and Holm's adjustment over the queries of the cell.
// Totals: Welch's t of the log ratio at a stricter level, since each stands for a whole suite.
// Assumes: roughly normal times with a relative spread below about 30%; iterations of one session
// independent beside what they share, which kSessionDrift allows for. docs/statistics.md has the
// simulations, docs/measurement.md the experiment.
// Threads: pure functions. Units: seconds, relative spreads.
// Source: Smyth 2004, "Linear models and empirical Bayes methods for assessing differential
//   expression in microarray experiments", section 6.2 (the moments of log variances); Holm 1979.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyze/statistics.h"

namespace lakegauge::analyze {

// What the mean of one session's iterations is off by, relative, beside what their spread shows:
// one start of the engine, one state of the machine. From sessions of the same cell
// (bench/ab_noise).
inline constexpr double kSessionDrift = 0.003;
// Chance of even one false mark among the queries of a cell; of a false mark of one total.
inline constexpr double kFamilyLevel = 0.05;
inline constexpr double kTotalLevel = 0.002;
// How often a difference of the size called smallest would have been marked.
inline constexpr double kPower = 0.9;

enum class Mark { kBaseline, kFaster, kSlower, kWithinNoise, kTooFewSamples };
std::string_view MarkName(Mark mark);

// The relative spread that the queries of one cell have in common: a scaled inverse chi-squared
// distribution with `df` degrees of freedom around `variance`. df 0: the family is too small to
// say.
struct SpreadPrior {
  double df = 0;
  double variance = 0;  // of time over mean
};
SpreadPrior FitSpread(std::span<const Sample> family);
// The sample with its spread drawn towards the family's, and the degrees of freedom that gives it.
Sample Moderated(const Sample& sample, const SpreadPrior& prior, double most_df);
std::vector<Sample> Moderated(std::span<const Sample> family);

// One measurement against its baseline.
struct Effect {
  std::optional<Ratio> ratio;              // over the baseline; nullopt: a side has no time at all
  double delta = 0;                        // seconds
  std::optional<Interval> delta_interval;  // 95%
  std::optional<double> p;         // as judged: of a query Holm-adjusted over its cell's queries
  double level = 0;                // marked where p is below it
  std::optional<double> smallest;  // relative slowdown that would have been marked with kPower
  Mark mark = Mark::kTooFewSamples;
};

// The queries of one cell, each against the same query of the baseline: one family. Sizes are
// equal; a query with no time on a side has n = 0 there and is no test.
std::vector<Effect> CompareQueries(std::span<const Sample> cell, std::span<const Sample> baseline);
Effect CompareTotals(const Sample& cell, const Sample& baseline);

// The baseline against the measurement: what took 0.2 times as long as another is what that took 5
// times as long as.
Effect Inverse(const Effect& effect);
// The 95% interval leaves out 1, and yet p is too large for a mark: likely, and not certain.
bool IsUncertain(const Effect& effect);

inline constexpr std::string_view kRatioMethod =
    "ratio of means; 95% t interval of its logarithm (delta method), Welch-Satterthwaite degrees "
    "of "
    "freedom, iterations not paired, 0.3% allowed for what the iterations of a session share";
inline constexpr std::string_view kMarkMethod =
    "queries: Welch t of the log ratio with spreads moderated over the cell's queries (empirical "
    "Bayes), p adjusted by Holm over them, faster or slower below 0.05; totals: Welch t, below "
    "0.002";

}  // namespace lakegauge::analyze
