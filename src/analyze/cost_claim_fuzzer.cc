// Any bytes are claims or a problem, never a crash; what was read can be checked.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyze/cost_claim.h"
#include "analyze/price_sheet.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lakegauge::analyze;  // NOLINT
  static const auto* const sheet = new PriceSheet(*LoadPriceSheet("storage-class"));
  const auto claims =
      ParseClaims(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!claims.ok()) {
    if (claims.error().message.empty()) __builtin_trap();
    return 0;
  }
  for (const Claim& claim : *claims) (void)CheckClaim(claim, *sheet);
  return 0;
}
