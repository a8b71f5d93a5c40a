// Any bytes are a price sheet or a problem, never a crash; by what was read a bill can be counted.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyze/cost_table.h"
#include "analyze/price_sheet.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lakegauge::analyze;  // NOLINT
  const auto sheet =
      ParsePriceSheet(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!sheet.ok()) {
    if (sheet.error().message.empty()) __builtin_trap();
    return 0;
  }
  (void)sheet->ToJson();
  CellUsage cell;
  cell.pass.emplace();
  cell.pass->seconds = 90;
  for (auto& requests : cell.pass->requests) requests = 1'000'000;
  cell.pass->retrieved_gb = cell.pass->uploaded_gb = cell.pass->transferred_gb = 3;
  cell.queries = {{"q", *cell.pass}};
  cell.run = cell.pass;
  cell.stored.emplace();
  cell.stored->objects = 1;
  cell.stored->sizes = {{1, 1}};
  std::vector<CellUsage> cells;
  for (const std::string& store : sheet->StoreNames()) {
    cell.id = cell.store = cell.priced_as = store;
    cells.push_back(cell);
  }
  CostOptions options;
  options.passes_a_month = 30;
  (void)CostTable(*sheet, cells, options);
  return 0;
}
