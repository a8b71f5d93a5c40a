// lakegauge check-claim: published sentences about cost, held against a price sheet step by step.

#include <memory>

#include "analyze/cost_claim.h"
#include "analyze/price_sheet.h"
#include "cli/command.h"
#include "report/cost_text.h"

namespace lakegauge::cli {
namespace {

// 0 where all of them can be so.
int CheckClaims(const std::string& file, const std::string& prices, bool json) {
  const auto claims = analyze::LoadClaims(file);
  if (!claims.ok()) return Fail(claims.error());
  Json all = Json::array();
  bool holds = true;
  std::string text;
  for (const analyze::Claim& claim : *claims) {
    const auto sheet = analyze::LoadPriceSheet(prices.empty() ? claim.prices : prices);
    if (!sheet.ok()) return Fail(sheet.error());
    const auto finding = analyze::CheckClaim(claim, *sheet);
    if (!finding.ok()) return Fail(finding.error().WithContext(file));
    holds = holds && JsonOr<bool>(*finding, "holds", false);
    text += (text.empty() ? "" : "\n") + report::ClaimText(*finding);
    all.push_back(Json(*finding));
  }
  if (json) {
    PrintJson(all);
  } else {
    Print("{}", text);
  }
  return holds ? kExitOk : kExitFailed;
}

}  // namespace

void AddCheckClaim(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("check-claim",
                                     "Hold a published sentence about cost against a price sheet");
  auto file = std::make_shared<std::string>();
  auto prices = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("claims", *file, "A file of claims (docs/cost.md)")->required();
  command->add_option("--prices", *prices, "Another price sheet than the claims name");
  command->add_flag("--json", *json, "Machine-readable result");
  command->callback([&context, file, prices, json] {
    context.action = [file, prices, json] { return CheckClaims(*file, *prices, *json); };
  });
}

}  // namespace lakegauge::cli
