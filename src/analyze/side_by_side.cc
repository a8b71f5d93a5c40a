#include "analyze/side_by_side.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analyze/significance.h"

namespace lakegauge::analyze {
namespace {

constexpr size_t kFewestStores = 3;

// Of one query in one store.
struct Figures {
  Sample with;
  int64_t outliers = 0;
  std::optional<double> avg_without, stddev_without;  // where there are some
};

std::optional<double> NumberAt(const OrderedJson& row, const char* key) {
  const auto at = row.find(key);
  if (at == row.end() || !at->is_number()) return std::nullopt;
  return at->get<double>();
}

OrderedJson OrNull(const std::optional<double>& value) {
  return value ? OrderedJson(*value) : OrderedJson();
}

Figures FiguresOf(const OrderedJson& row) {
  Figures f;
  f.with.n = static_cast<int64_t>(NumberAt(row, "n").value_or(0));
  f.with.mean = NumberAt(row, "avg_s").value_or(0);
  f.with.stddev = NumberAt(row, "stddev_s").value_or(0);
  f.outliers = static_cast<int64_t>(NumberAt(row, "outliers").value_or(0));
  if (f.outliers > 0) {
    f.avg_without = NumberAt(row, "avg_without_s");
    f.stddev_without = NumberAt(row, "stddev_without_s");
  }
  return f;
}

OrderedJson StoreJson(const std::string& store, const Figures& f) {
  return {{"store", store},
          {"n", f.with.n},
          {"avg_s", f.with.n > 0 ? OrderedJson(f.with.mean) : OrderedJson()},
          {"stddev_s", f.with.n > 1 ? OrderedJson(f.with.stddev) : OrderedJson()},
          {"outliers", f.outliers},
          {"avg_without_s", OrNull(f.avg_without)},
          {"stddev_without_s", OrNull(f.stddev_without)}};
}

OrderedJson RatioJson(const std::string& store, const std::string& baseline, const Figures& a,
                      const Figures& b, const Effect& effect) {
  const bool interval = effect.ratio && effect.ratio->interval;
  OrderedJson json = {
      {"store", store},
      {"baseline", baseline},
      {"value", effect.ratio ? OrderedJson(effect.ratio->value) : OrderedJson()},
      {"ci_low", interval ? OrderedJson(effect.ratio->interval->low) : OrderedJson()},
      {"ci_high", interval ? OrderedJson(effect.ratio->interval->high) : OrderedJson()},
      {"mark", MarkName(effect.mark)},
      {"value_without", nullptr}};
  const double over = a.avg_without.value_or(a.with.mean);
  const double under = b.avg_without.value_or(b.with.mean);
  if ((a.avg_without || b.avg_without) && under > 0) json["value_without"] = over / under;
  return json;
}

// One engine, dataset and layout: its queries in order, each by store.
struct Group {
  std::vector<std::string> queries;
  std::map<std::string, std::map<std::string, Figures>> of;  // query -> store
};

// Every query of the group in one store against the same in another: one family.
std::vector<Effect> Against(const Group& group, const std::string& store,
                            const std::string& baseline) {
  std::vector<Sample> a, b;
  for (const std::string& query : group.queries) {
    const auto& by_store = group.of.at(query);
    const auto here = by_store.find(store);
    const auto there = by_store.find(baseline);
    a.push_back(here == by_store.end() ? Sample{} : here->second.with);
    b.push_back(there == by_store.end() ? Sample{} : there->second.with);
  }
  return CompareQueries(a, b);
}

}  // namespace

OrderedJson SideBySide(const Model& model, const OrderedJson& queries) {
  using Place = std::tuple<std::string, std::string, std::string>;
  OrderedJson rows = OrderedJson::array();
  if (model.stores.size() < kFewestStores) return rows;
  std::map<std::string, const Cell*> cells;
  for (const Cell& c : model.cells) cells[c.id] = &c;
  std::vector<Place> order;
  std::map<Place, Group> groups;
  for (const OrderedJson& row : queries) {
    const auto cell = cells.find(row.at("cell").get<std::string>());
    if (cell == cells.end()) continue;
    const Cell& c = *cell->second;
    const Place place(c.engine, c.dataset, c.layout);
    const auto [at, added] = groups.try_emplace(place);
    if (added) order.push_back(place);
    const auto query = row.at("query").get<std::string>();
    auto& by_store = at->second.of[query];
    if (by_store.empty()) at->second.queries.push_back(query);
    by_store[c.store] = FiguresOf(row);
  }
  for (const Place& place : order) {
    const Group& group = groups.at(place);
    std::vector<OrderedJson> stores(group.queries.size(), OrderedJson::array());
    std::vector<OrderedJson> ratios(group.queries.size(), OrderedJson::array());
    for (size_t i = 0; i < model.stores.size(); ++i) {
      const std::string& store = model.stores[i];
      for (size_t q = 0; q < group.queries.size(); ++q) {
        const auto& by_store = group.of.at(group.queries[q]);
        if (const auto at = by_store.find(store); at != by_store.end()) {
          stores[q].push_back(StoreJson(store, at->second));
        }
      }
      for (size_t k = 0; k < i; ++k) {
        const std::string& baseline = model.stores[k];
        const auto effects = Against(group, store, baseline);
        for (size_t q = 0; q < group.queries.size(); ++q) {
          const auto& by_store = group.of.at(group.queries[q]);
          const auto a = by_store.find(store);
          const auto b = by_store.find(baseline);
          if (a == by_store.end() || b == by_store.end()) continue;
          ratios[q].push_back(RatioJson(store, baseline, a->second, b->second, effects[q]));
        }
      }
    }
    const auto& [engine, dataset, layout] = place;
    for (size_t q = 0; q < group.queries.size(); ++q) {
      if (ratios[q].empty()) continue;
      rows.push_back({{"engine", engine},
                      {"dataset", dataset},
                      {"layout", layout},
                      {"query", group.queries[q]},
                      {"stores", std::move(stores[q])},
                      {"ratios", std::move(ratios[q])}});
    }
  }
  return rows;
}

}  // namespace lakegauge::analyze
