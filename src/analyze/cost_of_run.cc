#include "analyze/cost_of_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/units.h"

namespace lakegauge::analyze {
namespace {

using profile::Operation;

constexpr std::string_view kBilled =
    R"sql(-- What a bill counts: each execution as part of its whole run (warm-up and failures too), of its
-- pass where that is complete, and of its query where it was ok and not marked invalid.
CREATE OR REPLACE TABLE billed AS
SELECT cell, 'run' AS scope, '' AS query, execution, iteration, elapsed_ns, requests FROM executions
UNION ALL
SELECT m.cell, 'pass', '', m.execution, m.iteration, m.elapsed_ns, m.requests
FROM measured m JOIN passes p ON p.cell = m.cell AND p.iteration = m.iteration AND p.complete
UNION ALL
SELECT cell, 'query', query, execution, iteration, elapsed_ns, requests
FROM valid WHERE status = 'ok';
)sql";

constexpr std::string_view kBilledRequests =
    R"sql(-- Requests of each execution by operation.
CREATE OR REPLACE VIEW billed_requests AS
SELECT execution, operation AS op, count(*) AS n,
       coalesce(sum(size_bytes) FILTER (operation = 'GET'), 0)::BIGINT AS read_bytes,
       coalesce(sum(length) FILTER (operation = 'PUT'), 0)::BIGINT AS written_bytes
FROM read_parquet('{run}requests/*.parquet', union_by_name = true)
WHERE execution IS NOT NULL GROUP BY ALL;
)sql";

constexpr std::string_view kNoBilledRequests =
    R"sql(-- No cell's requests are compacted yet: an empty table of the same columns.
CREATE OR REPLACE TABLE billed_requests (execution BIGINT, op VARCHAR, n BIGINT,
  read_bytes BIGINT, written_bytes BIGINT);
)sql";

constexpr std::string_view kCostUsage =
    R"sql(-- Time used: sums over `times` passes or executions. Streams share the cluster.
WITH streams AS (SELECT cell, count(DISTINCT stream) AS streams FROM planned GROUP BY ALL)
SELECT b.cell, b.scope, b.query, any_value(s.streams) AS streams,
       sum(b.elapsed_ns)::BIGINT AS elapsed_ns, sum(b.requests)::BIGINT AS requests,
       CASE b.scope WHEN 'pass' THEN count(DISTINCT b.iteration)
                    WHEN 'query' THEN count(*) ELSE 1 END AS times
FROM billed b JOIN streams s USING (cell) GROUP BY b.cell, b.scope, b.query ORDER BY ALL;
)sql";

constexpr std::string_view kCostRequests =
    R"sql(-- Requests and bytes used: sums over the same passes or executions.
SELECT b.cell, b.scope, b.query, r.op, sum(r.n)::BIGINT AS n,
       sum(r.read_bytes)::BIGINT AS read_bytes, sum(r.written_bytes)::BIGINT AS written_bytes
FROM billed b JOIN billed_requests r USING (execution)
GROUP BY b.cell, b.scope, b.query, r.op ORDER BY ALL;
)sql";

constexpr std::string_view kCostFiles =
    R"sql(-- Files of each layout by size.
SELECT dataset, layout, size, count(*) AS n FROM files GROUP BY ALL ORDER BY ALL;
)sql";

struct Key {
  std::string cell, scope, query;
  auto operator<=>(const Key&) const = default;
};

Key KeyOf(const Json& row) {
  return {JsonOr<std::string>(row, "cell", ""), JsonOr<std::string>(row, "scope", ""),
          JsonOr<std::string>(row, "query", "")};
}

struct Counted {
  Usage usage;
  int64_t times = 1;
  int64_t journal_requests = 0;
  int64_t kept_requests = 0;
};

size_t OperationIndex(const std::string& name) {
  for (size_t i = 0; i < profile::kOperations; ++i) {
    if (profile::OperationName(static_cast<Operation>(i)) == name) return i;
  }
  return profile::kOperations;
}

Result<std::map<Key, Counted>> ReadUsage(Records& records, const PriceSheet& sheet) {
  LG_ASSIGN_OR_RETURN(const Json times, records.Rows("cost_usage"));
  LG_ASSIGN_OR_RETURN(const Json requests, records.Rows("cost_requests"));
  std::map<Key, Counted> all;
  for (const Json& row : times) {
    Counted& counted = all[KeyOf(row)];
    counted.times = std::max<int64_t>(1, JsonOr<int64_t>(row, "times", 1));
    const Int128 streams = std::max<int64_t>(1, JsonOr<int64_t>(row, "streams", 1));
    counted.usage.seconds =
        Quantity::Of(JsonOr<int64_t>(row, "elapsed_ns", 0), streams * counted.times * kNsPerS);
    counted.journal_requests = JsonOr<int64_t>(row, "requests", 0);
  }
  for (const Json& row : requests) {
    Counted& counted = all[KeyOf(row)];
    const size_t operation = OperationIndex(JsonOr<std::string>(row, "op", ""));
    const auto n = JsonOr<int64_t>(row, "n", 0);
    counted.kept_requests += n;
    if (operation < profile::kOperations) {
      counted.usage.requests[operation] = Quantity::Of(n, counted.times);
    }
    const Int128 gigabytes = Int128{sheet.gigabyte_bytes} * counted.times;
    LG_ASSIGN_OR_RETURN(counted.usage.retrieved_gb,
                        counted.usage.retrieved_gb.Plus(
                            Quantity::Of(JsonOr<int64_t>(row, "read_bytes", 0), gigabytes)));
    LG_ASSIGN_OR_RETURN(counted.usage.uploaded_gb,
                        counted.usage.uploaded_gb.Plus(
                            Quantity::Of(JsonOr<int64_t>(row, "written_bytes", 0), gigabytes)));
    counted.usage.transferred_gb = counted.usage.retrieved_gb;
  }
  return all;
}

Result<std::map<std::pair<std::string, std::string>, Stored>> ReadStored(Records& records,
                                                                         const PriceSheet& sheet) {
  LG_ASSIGN_OR_RETURN(const Json files, records.Rows("cost_files"));
  std::map<std::pair<std::string, std::string>, Stored> all;
  for (const Json& row : files) {
    Stored& stored =
        all[{JsonOr<std::string>(row, "dataset", ""), JsonOr<std::string>(row, "layout", "")}];
    const auto size = JsonOr<int64_t>(row, "size", 0);
    const auto n = JsonOr<int64_t>(row, "n", 0);
    stored.objects += n;
    stored.sizes.emplace_back(size, n);
    LG_ASSIGN_OR_RETURN(stored.gb,
                        stored.gb.Plus(Quantity::Of(Int128{size} * n, sheet.gigabyte_bytes)));
  }
  return all;
}

// A price of plan.json as a decimal.
Money PlanMoney(const Json& price, const char* key) {
  return Money::Parse(fmt::format("{:.12f}", JsonOr<double>(price, key, 0))).value_or(Money());
}

// What the experiment's stores state of their prices, as a sheet; no stores where none does.
PriceSheet SheetOfPlan(const Json& plan) {
  PriceSheet sheet;
  sheet.name = "the experiment's stores";
  sheet.description = "prices that the experiment states beside its stores";
  sheet.currency = "USD";
  sheet.gigabyte_bytes = 1'000'000'000;
  sheet.columns = {"requests and bytes read"};
  for (const Json& cell : plan.value("cells", Json::array())) {
    const auto name = JsonOr<std::string>(cell, "store", "");
    const Json price = cell.value("price", Json());
    if (sheet.Store(name) != nullptr || !price.is_object()) continue;
    PricedStore store{name, {}};
    const auto add = [&](ChargeKind kind, const std::string& what, const char* key) {
      Charge charge;
      charge.kind = kind;
      charge.name = what;
      charge.price = PlanMoney(price, key);
      charge.source = "the experiment";
      charge.columns = {0};
      if (!charge.price.is_zero()) store.charges.push_back(std::move(charge));
    };
    add(ChargeKind::kRequests, "GET, HEAD", "get_per_1000");
    if (!store.charges.empty())
      store.charges.back().operations = {Operation::kGet, Operation::kHead};
    add(ChargeKind::kRequests, "LIST", "list_per_1000");
    if (!store.charges.empty() && store.charges.back().operations.empty()) {
      store.charges.back().operations = {Operation::kList};
    }
    add(ChargeKind::kRetrieval, "retrieval", "read_per_gb");
    if (!store.charges.empty()) sheet.stores.push_back(std::move(store));
  }
  return sheet;
}

}  // namespace

std::vector<TableSql> CostBaseTables(bool has_requests) {
  return {{"billed", std::string(kBilled)},
          {"billed_requests", std::string(has_requests ? kBilledRequests : kNoBilledRequests)}};
}

std::vector<TableSql> CostResultTables() {
  return {{"cost_usage", std::string(kCostUsage)},
          {"cost_requests", std::string(kCostRequests)},
          {"cost_files", std::string(kCostFiles)}};
}

std::string PricedAs(const PriceSheet& sheet, const std::string& store, const std::string& profile,
                     const std::map<std::string, std::string>& priced_as) {
  if (const auto at = priced_as.find(store); at != priced_as.end()) return at->second;
  if (sheet.Store(store) != nullptr) return store;
  if (sheet.Store(profile) != nullptr) return profile;
  return "";
}

Result<std::vector<CellUsage>> UsageOfRun(Records& records, const PriceSheet& sheet,
                                          const std::map<std::string, std::string>& priced_as) {
  LG_ASSIGN_OR_RETURN(const auto used, ReadUsage(records, sheet));
  LG_ASSIGN_OR_RETURN(const auto stored, ReadStored(records, sheet));
  std::vector<CellUsage> cells;
  for (const Json& planned : records.plan().value("cells", Json::array())) {
    CellUsage& cell = cells.emplace_back();
    cell.id = JsonOr<std::string>(planned, "id", "");
    cell.engine = JsonOr<std::string>(planned, "engine", "");
    cell.store = JsonOr<std::string>(planned, "store", "");
    cell.layout = JsonOr<std::string>(planned, "layout", "");
    cell.dataset = JsonOr<std::string>(planned, "dataset", "");
    cell.emulated = JsonOr<bool>(planned, "emulated", false);
    const auto profile = JsonOr<std::string>(planned.value("profile", Json()), "name", "");
    cell.priced_as = PricedAs(sheet, cell.store, profile, priced_as);
    if (cell.priced_as.empty()) {
      cell.notes.push_back(fmt::format(
          "store {} has no prices in the sheet {} (it has {}); --as {}=NAME says which it is",
          cell.store, sheet.name, fmt::join(sheet.StoreNames(), ", "), cell.store));
    }
    if (const auto at = used.find({cell.id, "run", ""}); at != used.end()) {
      cell.run = at->second.usage;
      if (at->second.kept_requests != at->second.journal_requests) {
        cell.notes.push_back(fmt::format(
            "{} of {} requests are on record by kind: the rest, and their bytes, are left out",
            FormatCount(at->second.kept_requests), FormatCount(at->second.journal_requests)));
      }
    } else {
      cell.notes.push_back("nothing has run yet");
    }
    if (const auto at = used.find({cell.id, "pass", ""}); at != used.end()) {
      cell.pass = at->second.usage;
    } else if (cell.run) {
      cell.notes.push_back("no pass is complete: a pass has no price");
    }
    for (const auto& [key, counted] : used) {
      if (key.cell == cell.id && key.scope == "query") {
        cell.queries.emplace_back(key.query, counted.usage);
      }
    }
    if (const auto at = stored.find({cell.dataset, cell.layout}); at != stored.end()) {
      cell.stored = at->second;
    } else {
      cell.notes.push_back("no manifest of its layout: storage has no price");
    }
  }
  return cells;
}

namespace {

Result<OrderedJson> CostOfRecords(Records& records, const PriceSheet& sheet,
                                  const std::map<std::string, std::string>& priced_as,
                                  CostOptions options) {
  LG_ASSIGN_OR_RETURN(const auto cells, UsageOfRun(records, sheet, priced_as));
  if (options.baseline.empty()) {
    options.baseline = JsonOr<std::string>(records.plan().value("compare", Json()), "store", "");
  }
  if (!options.passes_a_month) {
    options.passes_a_month = options.month_days.value_or(sheet.month_days);  // one a day
  }
  LG_ASSIGN_OR_RETURN(OrderedJson json, CostTable(sheet, cells, options));
  json["run"] = JsonOr<std::string>(records.plan(), "run", "");
  json["notes"] = records.notes();
  return json;
}

// What cannot be counted is said in the block and spoils no report.
OrderedJson CostOrProblem(Records& records, const PriceSheet& sheet) {
  auto cost = CostOfRecords(records, sheet, {}, {});
  return cost.ok() ? std::move(*cost) : OrderedJson{{"problem", cost.error().message}};
}

}  // namespace

Result<OrderedJson> CostOfRun(const std::string& run_dir, const PriceSheet& sheet,
                              const std::map<std::string, std::string>& priced_as,
                              CostOptions options) {
  LG_ASSIGN_OR_RETURN(Records records, Records::Open(run_dir));
  return CostOfRecords(records, sheet, priced_as, std::move(options));
}

Result<OrderedJson> CostBlock(Records& records) {
  const Json named = records.plan().value("prices", Json());
  if (named.is_object()) {
    const auto name = JsonOr<std::string>(named, "name", "");
    const auto sheet = ParsePriceSheet(JsonOr<std::string>(named, "text", ""), name);
    if (!sheet.ok()) return OrderedJson{{"problem", sheet.error().message}};
    return CostOrProblem(records, *sheet);
  }
  const PriceSheet sheet = SheetOfPlan(records.plan());
  return sheet.stores.empty() ? OrderedJson() : CostOrProblem(records, sheet);
}

}  // namespace lakegauge::analyze
