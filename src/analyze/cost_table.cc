#include "analyze/cost_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/model.h"

namespace lakegauge::analyze {
namespace {

std::string Grouped(std::string text) {
  const size_t first = text.starts_with('-') ? 1 : 0;
  size_t at = std::min(text.find('.'), text.size());
  while (at > first + 3) text.insert(at -= 3, ",");
  return text;
}

// What one cell costs in one column.
struct CellCost {
  std::optional<Bill> run, pass, keeping, loading, month;
  std::optional<Money> query;  // the mean of the queries
  std::vector<std::pair<std::string, Money>> queries;
};

struct Pricing {
  const PriceSheet& sheet;
  const CostOptions& options;
  int month_days;
  Quantity passes_a_month;

  Result<CellCost> Price(const CellUsage& cell, const PricedStore& store, size_t column) const;
};

Result<CellCost> Pricing::Price(const CellUsage& cell, const PricedStore& store,
                                size_t column) const {
  CellCost cost;
  if (cell.run) {
    LG_ASSIGN_OR_RETURN(cost.run, PriceUsage(sheet, store, column, *cell.run, Billed::kJob));
  }
  if (cell.pass) {
    LG_ASSIGN_OR_RETURN(cost.pass, PriceUsage(sheet, store, column, *cell.pass, Billed::kJob));
  }
  Money sum;
  for (const auto& [name, usage] : cell.queries) {
    LG_ASSIGN_OR_RETURN(const Bill bill, PriceUsage(sheet, store, column, usage, Billed::kShare));
    cost.queries.emplace_back(name, bill.total);
    LG_ASSIGN_OR_RETURN(sum, sum.Plus(bill.total));
  }
  if (!cell.queries.empty()) {
    LG_ASSIGN_OR_RETURN(cost.query,
                        sum.Times(Quantity::Of(1, static_cast<Int128>(cell.queries.size()))));
  }
  const Stored nothing;
  const Stored& stored = cell.stored ? *cell.stored : nothing;
  LG_ASSIGN_OR_RETURN(
      Bill keeping, PriceKeeping(sheet, store, column, stored, options.retention_days, month_days));
  // A provisioned store costs something whatever lies there.
  if (cell.stored || !keeping.lines.empty()) cost.keeping = std::move(keeping);
  if (cell.stored) {
    LG_ASSIGN_OR_RETURN(cost.loading, PriceLoading(sheet, store, column, stored));
  }
  if (cost.pass && !passes_a_month.is_zero()) {
    LG_ASSIGN_OR_RETURN(cost.month, cost.pass->Times(passes_a_month));
    LG_ASSIGN_OR_RETURN(const Bill kept,
                        PriceKeeping(sheet, store, column, stored, month_days, month_days));
    LG_RETURN_IF_ERROR(cost.month->Add(kept));
  }
  return cost;
}

OrderedJson OrNull(const std::optional<Bill>& bill) {
  return bill ? bill->ToJson() : OrderedJson();
}

OrderedJson ColumnJson(const std::string& column, const CellCost& cost) {
  return {{"column", column},
          {"query", cost.query ? OrderedJson(cost.query->ToText()) : OrderedJson()},
          {"pass", OrNull(cost.pass)},
          {"run", OrNull(cost.run)},
          {"keeping", OrNull(cost.keeping)},
          {"loading", OrNull(cost.loading)},
          {"month", OrNull(cost.month)}};
}

// So many passes pay for `to_pay`.
OrderedJson PaysJson(const Money& to_pay, const std::optional<int64_t>& passes) {
  return {{"to_pay", to_pay.ToText()}, {"passes", passes ? OrderedJson(*passes) : OrderedJson()}};
}

// From where on the gigabytes that a pass reads eat up what it saves; absent: they never do.
Result<std::optional<Quantity>> GoneAt(const CellCost& dear, const CellCost& base,
                                       const Money& price, const Money& base_price,
                                       const Money& saved) {
  LG_ASSIGN_OR_RETURN(const Money more_a_gb, price.Minus(base_price));
  if (more_a_gb.is_zero() || more_a_gb.is_negative()) return std::optional<Quantity>();
  LG_ASSIGN_OR_RETURN(const Money paid, dear.pass->Of(ChargeKind::kRetrieval));
  LG_ASSIGN_OR_RETURN(const Money base_paid, base.pass->Of(ChargeKind::kRetrieval));
  LG_ASSIGN_OR_RETURN(Money without, saved.Plus(paid));
  LG_ASSIGN_OR_RETURN(without, without.Minus(base_paid));
  if (without.is_zero() || without.is_negative()) return std::optional<Quantity>();
  LG_ASSIGN_OR_RETURN(const Quantity gb, without.Over(more_a_gb));
  return std::optional<Quantity>(gb);
}

Result<Money> ToKeepAndLoad(const CellCost& cost) {
  const Bill nothing;
  return cost.keeping.value_or(nothing).total.Plus(cost.loading.value_or(nothing).total);
}

struct Pair {
  const CellUsage& cell;
  const CellUsage& base;
  const CellCost& cost;
  const CellCost& base_cost;
};

std::string PassesText(const std::optional<int64_t>& passes) {
  return passes ? Counted(*passes, "pass pays", "passes pay") : "no number of passes pays";
}

Result<OrderedJson> BreakEven(const Pricing& pricing, const Pair& pair, size_t column) {
  const PriceSheet& sheet = pricing.sheet;
  const std::string& name = sheet.columns[column];
  LG_ASSIGN_OR_RETURN(const Money saved, pair.base_cost.pass->total.Minus(pair.cost.pass->total));
  LG_ASSIGN_OR_RETURN(const Money beside, ToKeepAndLoad(pair.cost));
  LG_ASSIGN_OR_RETURN(const Money base_side, ToKeepAndLoad(pair.base_cost));
  LG_ASSIGN_OR_RETURN(const Money instead, beside.Minus(base_side));
  LG_ASSIGN_OR_RETURN(const auto beside_passes, RunsToPay(beside, saved));
  LG_ASSIGN_OR_RETURN(const auto instead_passes, RunsToPay(instead, saved));
  LG_ASSIGN_OR_RETURN(
      const auto gone,
      GoneAt(pair.cost, pair.base_cost, RetrievalPrice(*sheet.Store(pair.cell.priced_as), column),
             RetrievalPrice(*sheet.Store(pair.base.priced_as), column), saved));
  const bool beside_known = pair.cost.keeping && pair.cost.keeping->unpriced.empty();
  const bool instead_known =
      beside_known && pair.base_cost.keeping && pair.base_cost.keeping->unpriced.empty();
  const std::string days = QuantityText(pricing.options.retention_days);
  std::string text = fmt::format("{}: ", name);
  if (pair.cell.emulated || pair.base.emulated) text = "EMULATED; " + text;
  if (saved.is_zero() || saved.is_negative()) {
    LG_ASSIGN_OR_RETURN(const Money more, Money().Minus(saved));
    text += fmt::format("a pass on {} costs {} than on {}: no number of passes pays for it",
                        pair.cell.store, saved.is_zero() ? "no less" : MoneyText(more) + " more",
                        pair.base.store);
  } else {
    LG_ASSIGN_OR_RETURN(const Money back, saved.Times(beside_passes.value_or(0)));
    text += fmt::format("a pass on {} costs {} less than on {}", pair.cell.store, MoneyText(saved),
                        pair.base.store);
    if (pair.cost.keeping && !beside_known) {
      text += ". Storage has no price there, so nothing can be said of when it has paid";
    }
    if (beside_known) {
      text += fmt::format(
          ". A copy kept there for {} days beside the other costs {}: {} for it{}", days,
          MoneyText(beside), PassesText(beside_passes),
          back.is_zero() ? ""
                         : fmt::format(" ({} {})", *beside_passes == 1 ? "it saves" : "they save",
                                       MoneyText(back)));
    }
    if (instead_known) {
      text +=
          fmt::format(". Kept there alone: {}",
                      *instead_passes == 0 ? "it pays at once"
                                           : fmt::format("{} for it", PassesText(instead_passes)));
    }
    if (gone) {
      text += fmt::format(". What a pass saves is gone once it reads {} GB",
                          QuantityText(*gone, *gone < Quantity(1) ? 6 : 2));
    }
  }
  return OrderedJson{{"cell", pair.cell.id},
                     {"baseline", pair.base.id},
                     {"column", name},
                     {"saved_a_pass", saved.ToText()},
                     {"beside", beside_known ? PaysJson(beside, beside_passes) : OrderedJson()},
                     {"instead", instead_known ? PaysJson(instead, instead_passes) : OrderedJson()},
                     {"gone_at_retrieved_gb", gone ? OrderedJson(gone->ToText(6)) : OrderedJson()},
                     {"text", text}};
}

Result<OrderedJson> PricesJson(const PriceSheet& sheet) {
  OrderedJson json = {{"name", sheet.name},
                      {"description", sheet.description},
                      {"date", sheet.date},
                      {"currency", sheet.currency},
                      {"gigabyte_bytes", sheet.gigabyte_bytes},
                      {"columns", sheet.columns},
                      {"cluster_per_second", OrderedJson::array()},
                      {"sources", OrderedJson::array()}};
  std::set<std::string> told;
  const auto tell = [&](const Charge& charge) {
    if (told.insert(charge.source).second) json["sources"].push_back(charge.source);
  };
  for (const Charge& charge : sheet.compute) tell(charge);
  for (const PricedStore& store : sheet.stores) {
    for (const Charge& charge : store.charges) tell(charge);
  }
  for (size_t column = 0; column < sheet.columns.size(); ++column) {
    LG_ASSIGN_OR_RETURN(const Money a_second, sheet.ClusterPerSecond(column));
    json["cluster_per_second"].push_back(a_second.ToText());
  }
  return json;
}

// Where a pass is shorter than the least time that is billed, its compute says nothing of the
// store.
std::vector<std::string> MinimumNotes(const CellUsage& cell, const PriceSheet& sheet) {
  std::vector<std::string> notes;
  for (size_t column = 0; cell.pass && column < sheet.columns.size(); ++column) {
    Quantity least;
    for (const Charge& charge : sheet.compute) {
      if (charge.In(column))
        least = std::max(least, Quantity::Of(charge.minimum_ns, 1'000'000'000));
    }
    if (cell.pass->seconds.is_zero() || least <= cell.pass->seconds) continue;
    notes.push_back(fmt::format("{}: a pass takes {} s and is billed as {} s, the minimum",
                                sheet.columns[column], QuantityText(cell.pass->seconds),
                                QuantityText(least)));
  }
  return notes;
}

OrderedJson CellJson(const CellUsage& cell, const PriceSheet& sheet) {
  std::vector<std::string> notes = cell.notes;
  if (!cell.priced_as.empty()) {
    for (std::string& note : MinimumNotes(cell, sheet)) notes.push_back(std::move(note));
  }
  return {{"cell", cell.id},
          {"engine", cell.engine},
          {"store", cell.store},
          {"layout", cell.layout},
          {"dataset", cell.dataset},
          {"priced_as", cell.priced_as.empty() ? OrderedJson() : OrderedJson(cell.priced_as)},
          {"emulated", cell.emulated},
          {"pass_s", cell.pass ? OrderedJson(cell.pass->seconds.ToText(6)) : OrderedJson()},
          {"stored_gb", cell.stored ? OrderedJson(cell.stored->gb.ToText(6)) : OrderedJson()},
          {"objects", cell.stored ? OrderedJson(cell.stored->objects) : OrderedJson()},
          {"notes", notes},
          {"columns", OrderedJson::array()}};
}

}  // namespace

std::string MoneyText(const Money& money) {
  const Money one = *Money::Parse("1");
  const Money size = money.is_negative() ? Money().Minus(money).value_or(one) : money;
  if (size.is_zero() || size >= one) return Grouped(money.ToCents());
  int decimals = 3;
  for (Money edge = *Money::Parse("0.1"); size < edge && decimals < Money::kDecimals; ++decimals) {
    edge = edge.Times(Quantity::Of(1, 10)).value_or(Money());
  }
  std::string text = money.Rounded(decimals);
  while (text.ends_with('0') && text.size() - text.find('.') > 3) text.pop_back();
  return text;
}

std::string QuantityText(const Quantity& quantity, int decimals) {
  return Grouped(quantity.ToText(decimals));
}

Result<OrderedJson> CostTable(const PriceSheet& sheet, const std::vector<CellUsage>& cells,
                              const CostOptions& options) {
  const Pricing pricing{sheet, options, options.month_days.value_or(sheet.month_days),
                        options.passes_a_month.value_or(0)};
  OrderedJson json;
  LG_ASSIGN_OR_RETURN(json["prices"], PricesJson(sheet));
  json["month_days"] = pricing.month_days;
  json["retention_days"] = options.retention_days.ToText(6);
  json["passes_a_month"] = pricing.passes_a_month.is_zero()
                               ? OrderedJson()
                               : OrderedJson(pricing.passes_a_month.ToText(6));
  json["cells"] = OrderedJson::array();
  json["queries"] = OrderedJson::array();
  json["break_even"] = OrderedJson::array();
  std::map<const CellUsage*, std::vector<CellCost>> costs;
  for (const CellUsage& cell : cells) {
    OrderedJson out = CellJson(cell, sheet);
    const PricedStore* store = sheet.Store(cell.priced_as);
    for (size_t column = 0; store != nullptr && column < sheet.columns.size(); ++column) {
      auto cost = pricing.Price(cell, *store, column);
      if (!cost.ok()) return cost.error().WithContext(cell.id);
      out["columns"].push_back(ColumnJson(sheet.columns[column], *cost));
      for (const auto& [query, total] : cost->queries) {
        json["queries"].push_back({{"query", query},
                                   {"cell", cell.id},
                                   {"column", sheet.columns[column]},
                                   {"total", total.ToText()}});
      }
      costs[&cell].push_back(std::move(*cost));
    }
    json["cells"].push_back(std::move(out));
  }
  const std::string baseline =
      options.baseline.empty() && !cells.empty() ? cells.front().store : options.baseline;
  for (const CellUsage& cell : cells) {
    for (const CellUsage& base : cells) {
      const bool pair = base.store == baseline && cell.store != baseline &&
                        base.engine == cell.engine && base.layout == cell.layout &&
                        base.dataset == cell.dataset;
      if (!pair || !cell.pass || !base.pass) continue;
      if (costs[&cell].empty() || costs[&base].empty()) continue;
      for (size_t column = 0; column < sheet.columns.size(); ++column) {
        LG_ASSIGN_OR_RETURN(
            OrderedJson even,
            BreakEven(pricing, {cell, base, costs[&cell][column], costs[&base][column]}, column));
        json["break_even"].push_back(std::move(even));
      }
    }
  }
  return json;
}

}  // namespace lakegauge::analyze
