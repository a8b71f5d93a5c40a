#pragma once
// The cost model (docs/formats.md, "cost") and checked claims for a terminal: stores side by side,
// and after how many passes a dearer one has paid.
//
// Threads: pure functions.

#include <string>

#include "base/json.h"

namespace lakegauge::report {

struct CostTextOptions {
  bool queries = false;  // every query's cost as well
  bool lines = false;    // every line of the bills, with its price and source
};

// A decimal text of the model as people read it, and a bill's total; "-" where there is none.
std::string MoneyAmount(const Json& value);
std::string BillTotal(const Json& bill);

std::string CostText(const Json& cost, const CostTextOptions& options = {});
std::string ClaimText(const Json& finding);
// One price sheet, as `cost --list-prices` shows it.
std::string PriceSheetText(const Json& sheet);

}  // namespace lakegauge::report
