#include "analyze/outliers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "analyze/statistics.h"

namespace lakegauge::analyze {
namespace {

constexpr double kFar = 6;           // times the larger spread
constexpr double kUsual = 0.75;      // of the other groups' spreads: the quantile that is asked for
constexpr size_t kEnoughOfCell = 8;  // other groups of the cell; fewer: those of the run
constexpr double kAlone = 0.05;      // the relative spread where no other group says one
constexpr double kNormal = 1.4826;   // median absolute deviation of a normal to its deviation
constexpr double kLoadCores = 0.25;  // more of the machine used by others than in the other times

double Spread(const std::vector<double>& values) {
  return StabilityPercent(Summarise(values)).value_or(0) / 100;
}

std::vector<double> Without(const std::vector<double>& values, size_t left_out) {
  std::vector<double> rest;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != left_out) rest.push_back(values[i]);
  }
  return rest;
}

double MedianDeviation(const std::vector<double>& values, double median) {
  std::vector<double> deviations;
  for (const double v : values) deviations.push_back(std::abs(v - median));
  return kNormal * Median(deviations).value_or(0);
}

// What three in four other groups stay below.
double UsualSpread(std::span<const TimedGroup> groups, const std::vector<double>& spreads,
                   size_t group) {
  std::vector<double> of_cell;
  std::vector<double> of_run;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (g == group || groups[g].seconds.size() < 2) continue;
    of_run.push_back(spreads[g]);
    if (groups[g].cell == groups[group].cell) of_cell.push_back(spreads[g]);
  }
  return Quantile(of_cell.size() >= kEnoughOfCell ? of_cell : of_run, kUsual).value_or(kAlone);
}

std::optional<double> Number(const Json& row, const char* key) {
  const auto at = row.find(key);
  if (at == row.end() || !at->is_number()) return std::nullopt;
  return at->get<double>();
}

// Rows of one query in one cell.
struct Group {
  TimedGroup times;
  std::vector<const Json*> rows;
};

// What is on record of an execution: what the runner noticed, and load that the journal shows.
std::string Reason(const Group& group, size_t outlier) {
  const Json& row = *group.rows[outlier];
  std::vector<std::string> reasons;
  if (auto noticed = JsonOr<std::string>(row, "disturbance", ""); !noticed.empty()) {
    reasons.push_back(std::move(noticed));
  }
  std::vector<double> others;
  for (size_t i = 0; i < group.rows.size(); ++i) {
    if (const auto cores = Number(*group.rows[i], "other_cores"); cores && i != outlier) {
      others.push_back(*cores);
    }
  }
  const auto mine = Number(row, "other_cores");
  if (const auto usual = Median(others); mine && usual && *mine - *usual > kLoadCores) {
    reasons.push_back(
        fmt::format("load: other work kept {:.1f} cores busy, {:.1f} meanwhile in the "
                    "query's other executions",
                    *mine, std::max(*usual, 0.0)));
  }
  return reasons.empty() ? "no cause recorded" : fmt::format("{}", fmt::join(reasons, "; "));
}

OrderedJson Figures(const Sample& sample) {
  return {{"n", sample.n},
          {"avg_s", sample.n > 0 ? OrderedJson(sample.mean) : OrderedJson()},
          {"stddev_s", sample.n > 1 ? OrderedJson(sample.stddev) : OrderedJson()}};
}

}  // namespace

std::vector<std::vector<size_t>> FindOutliers(std::span<const TimedGroup> groups) {
  std::vector<double> spreads;
  for (const TimedGroup& group : groups) spreads.push_back(Spread(group.seconds));
  std::vector<std::vector<size_t>> found(groups.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto& seconds = groups[g].seconds;
    if (seconds.size() < 3) continue;
    const double usual = UsualSpread(groups, spreads, g);
    for (size_t i = 0; i < seconds.size(); ++i) {
      const auto rest = Without(seconds, i);
      const double median = *Median(rest);
      const double spread = std::max(usual * median, MedianDeviation(rest, median));
      if (std::abs(seconds[i] - median) > kFar * spread) found[g].push_back(i);
    }
  }
  return found;
}

OrderedJson OutliersJson(const Json& rows) {
  std::vector<Group> groups;
  for (const Json& row : rows) {
    const auto key = [](const Json& of) {
      return std::pair(JsonOr<std::string>(of, "cell", ""), JsonOr<std::string>(of, "query", ""));
    };
    if (groups.empty() || key(*groups.back().rows.front()) != key(row)) {
      groups.push_back({{key(row).first, {}}, {}});
    }
    groups.back().times.seconds.push_back(JsonOr<double>(row, "s", 0));
    groups.back().rows.push_back(&row);
  }
  std::vector<TimedGroup> times;
  for (const Group& group : groups) times.push_back(group.times);
  const auto found = FindOutliers(times);
  OrderedJson outliers = OrderedJson::array();
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto& seconds = times[g].seconds;
    std::vector<double> kept;
    for (size_t i = 0; i < seconds.size(); ++i) {
      if (std::find(found[g].begin(), found[g].end(), i) == found[g].end()) {
        kept.push_back(seconds[i]);
      }
    }
    for (const size_t i : found[g]) {
      const Json& row = *groups[g].rows[i];
      OrderedJson outlier;
      for (const char* member : {"execution", "cell", "query", "stream", "iteration"}) {
        outlier[member] = OrderedJson(row.value(member, Json()));
      }
      outlier["seconds"] = seconds[i];
      outlier["others_median_s"] = *Median(Without(seconds, i));
      outlier["reason"] = Reason(groups[g], i);
      outlier["with"] = Figures(Summarise(seconds));
      outlier["without"] = Figures(Summarise(kept));
      outliers.push_back(std::move(outlier));
    }
  }
  return outliers;
}

}  // namespace lakegauge::analyze
