#include "analyze/side_by_side.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analyze/statistics.h"

namespace lakegauge::analyze {
namespace {

constexpr size_t kFewestStores = 3;

// What is compared: everything but the store.
using Place = std::tuple<std::string, std::string, std::string, std::string>;

Sample SampleOf(const Json& row) {
  return {JsonOr<int64_t>(row, "n", 0), JsonOr<double>(row, "avg_s", 0),
          JsonOr<double>(row, "stddev_s", 0)};
}

OrderedJson StoreJson(const std::string& store, const Sample& s) {
  return {{"store", store},
          {"n", s.n},
          {"avg_s", s.n > 0 ? OrderedJson(s.mean) : OrderedJson()},
          {"stddev_s", s.n > 1 ? OrderedJson(s.stddev) : OrderedJson()}};
}

OrderedJson RatioJson(const std::string& store, const std::string& baseline, const Sample& a,
                      const Sample& b) {
  const auto ratio = RatioOfMeans(a, b);
  const bool interval = ratio && ratio->interval;
  return {{"store", store},
          {"baseline", baseline},
          {"value", ratio ? OrderedJson(ratio->value) : OrderedJson()},
          {"ci_low", interval ? OrderedJson(ratio->interval->low) : OrderedJson()},
          {"ci_high", interval ? OrderedJson(ratio->interval->high) : OrderedJson()},
          {"mark", MarkName(MarkOf(ratio))}};
}

}  // namespace

OrderedJson SideBySide(const Model& model, const Json& queries) {
  OrderedJson rows = OrderedJson::array();
  if (model.stores.size() < kFewestStores) return rows;
  std::map<std::string, const Cell*> cells;
  for (const Cell& c : model.cells) cells[c.id] = &c;
  std::vector<Place> order;
  std::map<Place, std::map<std::string, Sample>> found;
  for (const Json& row : queries) {
    const auto cell = cells.find(JsonOr<std::string>(row, "cell", ""));
    if (cell == cells.end()) continue;
    const Cell& c = *cell->second;
    const Place place(c.engine, c.dataset, c.layout, JsonOr<std::string>(row, "query", ""));
    const auto [at, added] = found.try_emplace(place);
    if (added) order.push_back(place);
    at->second[c.store] = SampleOf(row);
  }
  for (const Place& place : order) {
    const auto& samples = found.at(place);
    if (samples.size() < 2) continue;
    const auto& [engine, dataset, layout, query] = place;
    OrderedJson stores = OrderedJson::array();
    OrderedJson ratios = OrderedJson::array();
    for (size_t i = 0; i < model.stores.size(); ++i) {
      const auto a = samples.find(model.stores[i]);
      if (a == samples.end()) continue;
      stores.push_back(StoreJson(a->first, a->second));
      for (size_t k = 0; k < i; ++k) {
        const auto b = samples.find(model.stores[k]);
        if (b == samples.end()) continue;
        ratios.push_back(RatioJson(a->first, b->first, a->second, b->second));
      }
    }
    rows.push_back({{"engine", engine},
                    {"dataset", dataset},
                    {"layout", layout},
                    {"query", query},
                    {"stores", std::move(stores)},
                    {"ratios", std::move(ratios)}});
  }
  return rows;
}

}  // namespace lakegauge::analyze
