#include "analyze/effect_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyze/model.h"

namespace lakegauge::analyze {
namespace {

OrderedJson OrNull(const std::optional<double>& value) {
  return value ? OrderedJson(*value) : OrderedJson();
}

OrderedJson Low(const std::optional<Interval>& i) {
  return i ? OrderedJson(i->low) : OrderedJson();
}
OrderedJson High(const std::optional<Interval>& i) {
  return i ? OrderedJson(i->high) : OrderedJson();
}

Sample RowSample(const Json& row, const std::string& prefix) {
  return {.n = JsonOr<int64_t>(row, (prefix + "n").c_str(), 0),
          .mean = JsonOr<double>(row, (prefix + "avg_s").c_str(), 0),
          .stddev = JsonOr<double>(row, (prefix + "stddev_s").c_str(), 0)};
}

std::vector<double> Smallest(const std::vector<Effect>& effects) {
  std::vector<double> found;
  for (const Effect& effect : effects) {
    if (effect.smallest) found.push_back(*effect.smallest);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string Range(double low, double high) {
  const std::string from = EffectPercent(low);
  const std::string to = EffectPercent(high);
  return from == to ? from : from + " to " + to;
}

}  // namespace

void AddEffect(const Effect& effect, OrderedJson* json) {
  const auto& ratio = effect.ratio;
  (*json)["delta_s"] = ratio ? OrderedJson(effect.delta) : OrderedJson();
  (*json)["delta_low_s"] = Low(effect.delta_interval);
  (*json)["delta_high_s"] = High(effect.delta_interval);
  (*json)["ratio"] = ratio ? OrderedJson(ratio->value) : OrderedJson();
  (*json)["ci_low"] = ratio ? Low(ratio->interval) : OrderedJson();
  (*json)["ci_high"] = ratio ? High(ratio->interval) : OrderedJson();
  (*json)["p"] = OrNull(effect.p);
  (*json)["smallest"] = OrNull(effect.smallest);
  (*json)["mark"] = MarkName(effect.mark);
}

std::vector<Effect> QueryEffects(const Json& rows, const std::string& kind) {
  std::map<std::string, std::vector<size_t>> families;  // cell -> rows
  std::vector<Effect> effects(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (JsonOr<bool>(rows[i], ("is_" + kind + "_baseline").c_str(), false)) {
      effects[i].mark = Mark::kBaseline;
    } else {
      families[JsonOr<std::string>(rows[i], "cell", "")].push_back(i);
    }
  }
  for (const auto& [cell, members] : families) {
    std::vector<Sample> mine;
    std::vector<Sample> base;
    for (const size_t i : members) {
      mine.push_back(RowSample(rows[i], ""));
      base.push_back(RowSample(rows[i], kind + "_"));
    }
    const auto found = CompareQueries(mine, base);
    for (size_t k = 0; k < members.size(); ++k) effects[members[k]] = found[k];
  }
  return effects;
}

void AddQueryEffect(const Effect& effect, const std::string& kind, OrderedJson* json) {
  OrderedJson plain;
  AddEffect(effect, &plain);
  (*json)["delta_" + kind + "_s"] = plain["delta_s"];
  (*json)["delta_" + kind + "_low_s"] = plain["delta_low_s"];
  (*json)["delta_" + kind + "_high_s"] = plain["delta_high_s"];
  (*json)["ratio_" + kind] = plain["ratio"];
  (*json)["ratio_" + kind + "_low"] = plain["ci_low"];
  (*json)["ratio_" + kind + "_high"] = plain["ci_high"];
  (*json)["p_" + kind] = plain["p"];
  (*json)["smallest_" + kind] = plain["smallest"];
  (*json)["mark_" + kind] = plain["mark"];
}

std::string EffectPercent(double relative) {
  const double percent = 100 * relative;
  if (percent > 1000) return "over 1,000%";
  return fmt::format("{:.{}f}%", percent, percent < 9.95 ? 1 : 0);
}

OrderedJson DetectableJson(const std::vector<Effect>& totals, const std::vector<Effect>& queries,
                           size_t many) {
  const auto of_totals = Smallest(totals);
  const auto of_queries = Smallest(queries);
  if (of_totals.empty() && of_queries.empty()) return nullptr;
  OrderedJson json = {{"power", kPower}};
  std::vector<std::string> parts;
  if (!of_totals.empty()) {
    json["total_least"] = of_totals.front();
    json["total_most"] = of_totals.back();
    parts.push_back(Range(of_totals.front(), of_totals.back()) + " in a pass");
  }
  if (!of_queries.empty()) {
    const double median = *Median(of_queries);
    json["query_median"] = median;
    json["query_most"] = of_queries.back();
    json["queries"] = many;
    parts.push_back(
        fmt::format("{}{} in a query{}", EffectPercent(median),
                    of_queries.size() > 1
                        ? fmt::format(" (median; at worst {})", EffectPercent(of_queries.back()))
                        : "",
                    many > 1 ? fmt::format(", with {} judged together", many) : ""));
  }
  json["text"] = fmt::format("The smallest slowdown that would have been marked 9 times in 10: {}.",
                             fmt::join(parts, "; "));
  return json;
}

}  // namespace lakegauge::analyze
