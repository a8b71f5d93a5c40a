// Any bytes are quantities or a problem, never a crash; what was read can be priced.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyze/cost_bill.h"
#include "analyze/price_sheet.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lakegauge::analyze;  // NOLINT
  static const auto* const sheet = new PriceSheet(*LoadPriceSheet("storage-class"));
  const auto bill = ParseBill(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (bill.ok()) {
    (void)CostOfBill(*bill, *sheet);
  } else if (bill.error().message.empty()) {
    __builtin_trap();
  }
  return 0;
}
