#include "analyze/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace lakegauge::analyze {
namespace {

void AddOnce(std::vector<std::string>* list, const std::string& item) {
  if (std::find(list->begin(), list->end(), item) == list->end()) list->push_back(item);
}

std::optional<double> Number(const Json& row, const char* key) {
  const auto at = row.find(key);
  if (at == row.end() || !at->is_number()) return std::nullopt;
  return at->get<double>();
}

Sample ReadSample(const Json& row, const std::string& prefix) {
  return {.n = JsonOr<int64_t>(row, (prefix + "n").c_str(), 0),
          .mean = JsonOr<double>(row, (prefix + "avg_s").c_str(), 0),
          .stddev = JsonOr<double>(row, (prefix + "stddev_s").c_str(), 0)};
}

Cell ReadCell(const Json& row) {
  Cell c;
  c.id = JsonOr<std::string>(row, "cell", "");
  c.engine = JsonOr<std::string>(row, "engine", "");
  c.store = JsonOr<std::string>(row, "store", "");
  c.layout = JsonOr<std::string>(row, "layout", "");
  c.dataset = JsonOr<std::string>(row, "dataset", "");
  c.format = JsonOr<std::string>(row, "format", "");
  c.target_bytes = JsonOr<int64_t>(row, "target_bytes", 0);
  c.emulated = JsonOr<bool>(row, "emulated", false);
  c.suite = ReadSample(row, "");
  c.stability_pct = StabilityPercent(c.suite);
  c.executions = JsonOr<int64_t>(row, "executions", 0);
  c.failures = JsonOr<int64_t>(row, "failures", 0);
  c.cancelled = JsonOr<int64_t>(row, "cancelled", 0);
  c.cold = JsonOr<int64_t>(row, "cold", 0);
  c.warm = JsonOr<int64_t>(row, "warm", 0);
  c.invalid = JsonOr<int64_t>(row, "invalid", 0);
  c.busy_cores = Number(row, "busy_cores");
  if (Number(row, "file_bytes")) c.file_bytes = JsonOr<int64_t>(row, "file_bytes", 0);
  c.within_10pct = Number(row, "within_10pct");
  return c;
}

}  // namespace

const Cell* Model::Find(const std::string& engine, const std::string& store,
                        const std::string& layout, const std::string& dataset) const {
  for (const Cell& c : cells) {
    if (c.engine == engine && c.store == store && c.layout == layout && c.dataset == dataset) {
      return &c;
    }
  }
  return nullptr;
}

bool Model::Coincide(const std::string& dataset, const std::string& a, const std::string& b) const {
  const auto of_dataset = coinciding.find(dataset);
  if (of_dataset == coinciding.end()) return false;
  const auto of_layout = of_dataset->second.find(a);
  if (of_layout == of_dataset->second.end()) return false;
  return std::find(of_layout->second.begin(), of_layout->second.end(), b) !=
         of_layout->second.end();
}

Model MakeModel(const Json& plan, const Json& cells, const Json& comparisons,
                const Json& coinciding) {
  Model m;
  const Json compare = plan.value("compare", Json::object());
  m.compare_layout = JsonOr<std::string>(compare, "layout", "");
  m.compare_store = JsonOr<std::string>(compare, "store", "");
  m.imported = plan.contains("imported");
  for (const Json& row : cells) {
    Cell c = ReadCell(row);
    AddOnce(&m.engines, c.engine);
    AddOnce(&m.stores, c.store);
    AddOnce(&m.layouts, c.layout);
    AddOnce(&m.datasets, c.dataset);
    m.cells.push_back(std::move(c));
  }
  for (const Json& row : plan.value("queries", Json::array())) {
    m.queries.push_back(JsonOr<std::string>(row, "name", ""));
  }
  for (const Json& cell : plan.value("cells", Json::array())) {
    const Json spec = cell.value("dataset_spec", Json::object());
    const auto scale = Number(spec, "scale");
    if (JsonOr<std::string>(spec, "kind", "") != "tpcds") continue;
    m.derived_from_tpcds = true;
    if (scale) m.dataset_scale[JsonOr<std::string>(cell, "dataset", "")] = *scale;
  }
  for (const Json& row : comparisons) {
    Comparison c{"",
                 ReadSample(row, ""),
                 ReadSample(row, "base_"),
                 JsonOr<int64_t>(row, "queries", 0),
                 JsonOr<int64_t>(row, "queries_asked", 0),
                 {}};
    const auto baseline = std::find_if(m.cells.begin(), m.cells.end(), [&](const Cell& cell) {
      return cell.id == JsonOr<std::string>(row, "baseline", "");
    });
    const auto cell = std::find_if(m.cells.begin(), m.cells.end(), [&](const Cell& other) {
      return other.id == JsonOr<std::string>(row, "cell", "");
    });
    if (baseline == m.cells.end() || cell == m.cells.end()) continue;
    // Where a pass was begun and nothing failed, it was interrupted: a part of it is no pass.
    const auto interrupted = [&](const Cell& side) {
      return !m.imported && side.suite.n == 0 && side.failures == 0 && side.invalid == 0;
    };
    if (interrupted(*cell) || interrupted(*baseline)) continue;
    c.effect = CompareTotals(c.cell, c.base);
    if (!c.effect.ratio) continue;
    const bool by_layout = JsonOr<std::string>(row, "kind", "") == "layout";
    c.baseline = by_layout ? baseline->layout : baseline->store;
    (by_layout ? cell->vs_layout : cell->vs_store) = std::move(c);
  }
  for (const Json& row : coinciding) {
    m.coinciding[JsonOr<std::string>(row, "dataset", "")][JsonOr<std::string>(row, "layout", "")]
        .push_back(JsonOr<std::string>(row, "same_as", ""));
  }
  return m;
}

namespace {

// Decimals that a ratio of this size deserves; an interval's ends take those of its value.
int Decimals(double ratio) {
  const double size = std::abs(ratio);
  return size < 0.0995 ? 3 : size < 1.995 ? 2 : size < 99.95 ? 1 : 0;
}

}  // namespace

std::string RatioText(double ratio) { return fmt::format("{:.{}f}x", ratio, Decimals(ratio)); }

std::string RatioText(const Effect& effect) {
  constexpr double kUseless = 1000;  // an interval from end to end
  const auto& r = effect.ratio;
  if (!r) return "unknown";
  if (!r->interval) return RatioText(r->value) + " (too few passes for an interval)";
  if (r->interval->high > kUseless * r->interval->low) {
    return RatioText(r->value) + " (within noise; the interval is too wide to say more)";
  }
  std::string noise;
  if (IsUncertain(effect)) {
    noise = fmt::format(", not certain: p {:.2g}", *effect.p);
  } else if (effect.mark == Mark::kWithinNoise) {
    noise = ", within noise";
  }
  const int decimals = Decimals(r->value);
  return fmt::format("{} ({:.{}f} to {:.{}f}{})", RatioText(r->value), r->interval->low, decimals,
                     r->interval->high, std::min(decimals, Decimals(r->interval->high)), noise);
}

std::string SecondsText(double seconds) {
  // In one unit with the shorter times it is read beside.
  if (const double size = std::abs(seconds); size >= 60 && size < 3600) {
    return fmt::format("{:.{}f} s", seconds, size < 99.95 ? 1 : 0);
  }
  const auto ns = static_cast<int64_t>(std::llround(std::abs(seconds) * 1e9));
  return (seconds < 0 ? "-" : "") + FormatDuration(ns);
}

std::string Joined(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string Counted(int64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", FormatCount(n), n == 1 ? one : many);
}

}  // namespace lakegauge::analyze
