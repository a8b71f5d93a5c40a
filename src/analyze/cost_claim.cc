#include "analyze/cost_claim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analyze/cost_bill.h"
#include "analyze/cost_table.h"
#include "base/files.h"
#include "base/units.h"

namespace lakegauge::analyze {
namespace {

using profile::Operation;

constexpr int64_t kLongestKeptNs = 100LL * 366 * 86'400 * kNsPerS;

int DecimalsOf(const YamlNode& node) {
  const std::string text = node.String();
  const size_t point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
}

AmountClaim ReadAmount(const YamlMap& map) {
  AmountClaim claim;
  claim.store = map.Required("store").String();
  claim.usage = ReadUsage(map);
  claim.request_bytes = map.Optional("request_size").Bytes(0, 1024 * kGiB);
  claim.kept_ns = map.Optional("kept").Duration(0, kLongestKeptNs);
  std::vector<std::string_view> found;
  using Bound = AmountClaim::Bound;
  const std::vector<std::pair<std::string_view, Bound>> bounds = {
      {"at_least", Bound::kAtLeast}, {"at_most", Bound::kAtMost}, {"about", Bound::kAbout}};
  for (const auto& [key, bound] : bounds) {
    const YamlNode node = map.Optional(key);
    if (!node.present()) continue;
    found.push_back(key);
    claim.bound = bound;
    claim.claimed = ReadMoney(node);
    claim.decimals = DecimalsOf(node);
  }
  if (found.size() != 1) {
    map.node().Problem(fmt::format(
        "found {}; allowed one of at_least, at_most, about",
        found.empty() ? "no claimed amount" : fmt::format("{}", fmt::join(found, ", "))));
  }
  return claim;
}

PriceClaim ReadPrice(const YamlMap& map) {
  PriceClaim claim;
  std::vector<std::string_view> names;
  for (size_t i = 0; i < profile::kOperations; ++i) {
    names.push_back(profile::OperationName(static_cast<Operation>(i)));
  }
  claim.operation = static_cast<Operation>(map.Required("requests").Choice(names));
  claim.of = map.Required("of").String();
  const YamlNode against = map.Optional("against");
  const YamlNode price = map.Optional("against_price");
  if (against.present() == price.present()) {
    map.node().Problem("found both or neither of against and against_price; allowed one");
  }
  claim.against = against.String();
  if (price.present()) claim.against_price = ReadMoney(price);
  const YamlNode percent = map.Required("percent_less");
  claim.percent_less = ReadQuantity(percent);
  if (percent.present()) claim.decimals = DecimalsOf(percent);
  claim.up_to = map.Optional("up_to").Bool(false);
  return claim;
}

Claim ReadClaim(const YamlNode& node) {
  Claim claim;
  const YamlMap map = node.Map();
  claim.text = map.Required("claim").String();
  claim.source = map.Required("source").String();
  claim.prices = map.Required("prices").String();
  claim.column = map.Optional("column").String();
  if (const YamlNode notes = map.Optional("notes"); notes.present()) {
    for (const YamlNode& note : notes.List()) claim.notes.push_back(note.String());
  }
  const YamlNode amount = map.Optional("amount");
  const YamlNode price = map.Optional("price");
  if (amount.present() == price.present()) {
    node.Problem("found both or neither of amount and price; allowed one");
  }
  if (amount.present()) claim.amount = ReadAmount(amount.Map());
  if (price.present()) claim.price = ReadPrice(price.Map());
  return claim;
}

Result<const PricedStore*> FindStore(const PriceSheet& sheet, const std::string& name) {
  const PricedStore* store = sheet.Store(name);
  if (store != nullptr) return store;
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("found the store '{}'; allowed, in the sheet {}: {}", name,
                               sheet.name, fmt::join(sheet.StoreNames(), ", ")));
}

Result<Money> RequestPriceOf(const PriceSheet& sheet, const std::string& name, size_t column,
                             Operation operation) {
  LG_ASSIGN_OR_RETURN(const PricedStore* store, FindStore(sheet, name));
  for (const Charge& charge : store->charges) {
    if (charge.In(column) && std::find(charge.operations.begin(), charge.operations.end(),
                                       operation) != charge.operations.end()) {
      return charge.price;
    }
  }
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("the sheet {} has no price of {} in {} ({})", sheet.name,
                               profile::OperationName(operation), name, sheet.columns[column]));
}

std::string StepText(const BillLine& line) {
  if (line.per.empty()) return fmt::format("{}: {}", line.name, line.amount.ToText());
  return fmt::format("{}: {} {} x {} {} = {}", line.name, QuantityText(line.quantity, 4), line.unit,
                     line.price.ToText(), line.per == "1,000" ? "a 1,000" : line.per,
                     MoneyText(line.amount));
}

struct Finding {
  std::vector<std::string> steps;
  std::string claimed, computed, verdict;
  bool holds = false;
};

// The whole of an amount claim as a bill.
Result<Bill> BillOf(const AmountClaim& claim, const PriceSheet& sheet, size_t column,
                    std::vector<std::string>* steps) {
  LG_ASSIGN_OR_RETURN(const PricedStore* store, FindStore(sheet, claim.store));
  Usage usage = claim.usage;
  Stored stored;
  if (claim.request_bytes > 0) {
    const Quantity each = Quantity::Of(claim.request_bytes, sheet.gigabyte_bytes);
    const Quantity& puts = usage.of(Operation::kPut);
    const Quantity& gets = usage.of(Operation::kGet);
    LG_ASSIGN_OR_RETURN(const Quantity put_gb, puts.Times(each));
    LG_ASSIGN_OR_RETURN(const Quantity get_gb, gets.Times(each));
    LG_ASSIGN_OR_RETURN(usage.uploaded_gb, usage.uploaded_gb.Plus(put_gb));
    LG_ASSIGN_OR_RETURN(usage.retrieved_gb, usage.retrieved_gb.Plus(get_gb));
    steps->push_back(fmt::format("{} PUT and {} GET of {} carry {} GB in and {} GB out",
                                 QuantityText(puts), QuantityText(gets),
                                 FormatBytes(claim.request_bytes), QuantityText(put_gb, 4),
                                 QuantityText(get_gb, 4)));
    stored.gb = put_gb;
    LG_ASSIGN_OR_RETURN(stored.objects, puts.Ceiling());
  } else {
    stored.gb = usage.uploaded_gb;
  }
  LG_ASSIGN_OR_RETURN(Bill bill, PriceUsage(sheet, *store, column, usage, Billed::kJob));
  if (claim.kept_ns > 0) {
    const Quantity days = Quantity::Of(claim.kept_ns, Int128{86'400} * kNsPerS);
    LG_ASSIGN_OR_RETURN(const Bill kept,
                        PriceKeeping(sheet, *store, column, stored, days, sheet.month_days));
    LG_RETURN_IF_ERROR(bill.Add(kept));
  }
  return bill;
}

Result<Finding> CheckAmount(const AmountClaim& claim, const PriceSheet& sheet, size_t column) {
  Finding finding;
  LG_ASSIGN_OR_RETURN(const Bill bill, BillOf(claim, sheet, column, &finding.steps));
  for (const BillLine& line : bill.lines) finding.steps.push_back(StepText(line));
  finding.steps.push_back(fmt::format("in all: {}", bill.total.ToText()));
  for (const auto& what : bill.unpriced) {
    finding.steps.push_back("no price in this column, left out: " + what);
  }
  finding.claimed = claim.claimed.ToText();
  finding.computed = bill.total.ToText();
  using Bound = AmountClaim::Bound;
  std::string said;
  switch (claim.bound) {
    case Bound::kAtLeast:
      finding.holds = bill.total >= claim.claimed;
      said = "at least ";
      break;
    case Bound::kAtMost:
      finding.holds = bill.total <= claim.claimed;
      said = "at most ";
      break;
    case Bound::kAbout:
      finding.holds = bill.total.Rounded(claim.decimals) == claim.claimed.Rounded(claim.decimals);
      said = "about ";
      break;
  }
  finding.verdict =
      fmt::format("{}: it comes to {} {}, and {}{} was said",
                  finding.holds ? "it can be so" : "it cannot be so", MoneyText(bill.total),
                  sheet.currency, said, MoneyText(claim.claimed));
  const Money nothing;
  if (!finding.holds && bill.total > nothing && claim.claimed > bill.total) {
    LG_ASSIGN_OR_RETURN(const Quantity times, claim.claimed.Over(bill.total));
    finding.verdict +=
        fmt::format(". It would take {} times as much of everything", QuantityText(times, 0));
  }
  return finding;
}

Result<Finding> CheckPrice(const PriceClaim& claim, const PriceSheet& sheet, size_t column) {
  Finding finding;
  const auto operation = profile::OperationName(claim.operation);
  LG_ASSIGN_OR_RETURN(const Money of, RequestPriceOf(sheet, claim.of, column, claim.operation));
  Money against;
  std::string other = "the price before";
  if (claim.against_price) {
    against = *claim.against_price;
  } else {
    other = claim.against;
    LG_ASSIGN_OR_RETURN(against, RequestPriceOf(sheet, claim.against, column, claim.operation));
  }
  finding.steps.push_back(fmt::format("{}: 1,000 {} cost {}", claim.of, operation, of.ToText()));
  finding.steps.push_back(fmt::format("{}: 1,000 {} cost {}", other, operation, against.ToText()));
  LG_ASSIGN_OR_RETURN(const Money cut, against.Minus(of));
  LG_ASSIGN_OR_RETURN(const Quantity share, cut.Over(against));
  LG_ASSIGN_OR_RETURN(const Quantity percent, share.Times(100));
  finding.steps.push_back(
      fmt::format("1 - {} / {} = {}%", of.ToText(), against.ToText(), QuantityText(percent, 4)));
  const bool same = percent.ToText(claim.decimals) == claim.percent_less.ToText(claim.decimals);
  finding.holds = same || (claim.up_to && percent < claim.percent_less && !percent.is_negative());
  finding.claimed = claim.percent_less.ToText(4);
  finding.computed = percent.ToText(4);
  finding.verdict = fmt::format("{}: {} is {}% below {} for {}, and {}{}% was said",
                                finding.holds ? "it can be so" : "it is not so", claim.of,
                                QuantityText(percent, 4), other, operation,
                                claim.up_to ? "up to " : "", QuantityText(claim.percent_less, 4));
  return finding;
}

}  // namespace

Result<std::vector<Claim>> ParseClaims(std::string_view yaml, std::string_view origin) {
  const YamlDocument doc = YamlDocument::Parse(yaml, origin);
  std::vector<Claim> claims;
  for (const YamlNode& node : doc.root().Map().Required("claims").List(1)) {
    claims.push_back(ReadClaim(node));
  }
  LG_RETURN_IF_ERROR(doc.status());
  return claims;
}

Result<std::vector<Claim>> LoadClaims(const std::string& path) {
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseClaims(text, path);
}

Result<OrderedJson> CheckClaim(const Claim& claim, const PriceSheet& sheet) {
  size_t column = sheet.columns.size() - 1;
  if (!claim.column.empty()) {
    LG_ASSIGN_OR_RETURN(column, sheet.Column(claim.column));
  }
  Finding finding;
  if (claim.amount) {
    LG_ASSIGN_OR_RETURN(finding, CheckAmount(*claim.amount, sheet, column));
  } else if (claim.price) {
    LG_ASSIGN_OR_RETURN(finding, CheckPrice(*claim.price, sheet, column));
  }
  return OrderedJson{
      {"claim", claim.text},    {"source", claim.source},          {"prices", sheet.name},
      {"date", sheet.date},     {"column", sheet.columns[column]}, {"currency", sheet.currency},
      {"steps", finding.steps}, {"claimed", finding.claimed},      {"computed", finding.computed},
      {"holds", finding.holds}, {"verdict", finding.verdict},      {"notes", claim.notes}};
}

}  // namespace lakegauge::analyze
