#pragma once
// The costs of several cells by one price sheet: a query, a pass, the whole run, keeping and
// loading the data, a month; and after how many passes a dearer, faster store has paid for itself.
// One JSON model (docs/formats.md, "cost") that the terminal, summary.json and the report render.
//
// Threads: pure functions. Errors: kInvalidArgument for amounts too large to be counted.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/cost.h"
#include "analyze/price_sheet.h"
#include "base/json.h"
#include "base/result.h"

namespace lakegauge::analyze {

struct CellUsage {
  std::string id, engine, store, layout, dataset;
  std::string priced_as;  // the sheet's store; empty: the sheet has none for it
  bool emulated = false;
  std::optional<Usage> run;   // the whole of it, warm-up and failures too
  std::optional<Usage> pass;  // one pass through the workload, the mean of the complete ones
  std::vector<std::pair<std::string, Usage>> queries;  // the mean of each
  std::optional<Stored> stored;
  std::vector<std::string> notes;  // what could not be counted
};

struct CostOptions {
  std::string baseline;         // store that others are compared with; empty: the first cell's
  Quantity retention_days = 7;  // how long the data are kept
  std::optional<Quantity> passes_a_month;  // 0 or none: no month is priced
  std::optional<int> month_days;           // of the month; default the sheet's
};

Result<OrderedJson> CostTable(const PriceSheet& sheet, const std::vector<CellUsage>& cells,
                              const CostOptions& options);

// For people: cents from 1 on, three significant digits below, separators: "1,000,000.00",
// "0.00295".
std::string MoneyText(const Money& money);
// "924", "34.18", "2,333.33": at most `decimals`.
std::string QuantityText(const Quantity& quantity, int decimals = 2);

}  // namespace lakegauge::analyze
