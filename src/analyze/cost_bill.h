#pragma once
// Quantities given by hand instead of by a run: a bill file says what a pass on each store takes,
// and how much lies there (YAML, docs/cost.md). For published figures and for plans on paper.
//
// Threads: values. Errors: kInvalidArgument with a line for each problem of the file.
// Units: seconds, requests, gigabytes of the price sheet, money.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/cost_table.h"
#include "base/result.h"
#include "base/yaml.h"

namespace lakegauge::analyze {

struct HandBill {
  std::string title;
  std::string prices;  // a sheet's name or path; empty: the command line says
  std::vector<std::string> notes;
  std::vector<CellUsage> cells;  // one a store
  CostOptions options;
};

Result<HandBill> ParseBill(std::string_view yaml, std::string_view origin);
Result<HandBill> LoadBill(const std::string& path);

// {seconds, requests: {GET: n}, retrieved_gb, uploaded_gb, transferred_gb, given: {compute: 1.08}}
Usage ReadUsage(const YamlMap& map);

// Its cost by `sheet`: CostTable with title and notes. Every store must have prices there.
Result<OrderedJson> CostOfBill(const HandBill& bill, const PriceSheet& sheet);

}  // namespace lakegauge::analyze
