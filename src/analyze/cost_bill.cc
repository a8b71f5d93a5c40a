#include "analyze/cost_bill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>

#include "base/files.h"
#include "base/units.h"

namespace lakegauge::analyze {
namespace {

constexpr int64_t kLongestRetentionNs = 100LL * 366 * 86'400 * kNsPerS;
constexpr int64_t kMostObjects = 1'000'000'000'000'000;

CellUsage ReadStore(const std::string& name, const YamlNode& node) {
  CellUsage cell;
  cell.id = name;
  cell.store = name;
  const YamlMap map = node.Map();
  cell.priced_as = map.Optional("as").String(name);
  if (const YamlNode pass = map.Optional("pass"); pass.present()) {
    cell.pass = ReadUsage(pass.Map());
  }
  const YamlNode gb = map.Optional("stored_gb");
  const YamlNode objects = map.Optional("objects");
  if (gb.present()) {
    Stored stored;
    stored.gb = ReadQuantity(gb);
    stored.objects = objects.Integer(0, kMostObjects);
    cell.stored = stored;
  } else if (objects.present()) {
    objects.Problem("found objects; allowed only beside stored_gb");
  }
  return cell;
}

}  // namespace

Usage ReadUsage(const YamlMap& map) {
  Usage usage;
  usage.seconds = ReadQuantity(map.Optional("seconds"));
  if (const YamlNode requests = map.Optional("requests"); requests.present()) {
    const YamlMap by_operation = requests.Map();
    for (size_t i = 0; i < profile::kOperations; ++i) {
      const auto name = profile::OperationName(static_cast<profile::Operation>(i));
      usage.requests[i] = ReadQuantity(by_operation.Optional(name));
    }
  }
  usage.retrieved_gb = ReadQuantity(map.Optional("retrieved_gb"));
  usage.uploaded_gb = ReadQuantity(map.Optional("uploaded_gb"));
  usage.transferred_gb = ReadQuantity(map.Optional("transferred_gb"));
  if (const YamlNode given = map.Optional("given"); given.present()) {
    const YamlMap amounts = given.Map();
    for (const ChargeKind kind : {ChargeKind::kCompute, ChargeKind::kRequests, ChargeKind::kUpload,
                                  ChargeKind::kRetrieval, ChargeKind::kTransfer}) {
      const YamlNode amount = amounts.Optional(ChargeKindName(kind));
      if (amount.present()) usage.given.emplace_back(ChargeKindName(kind), ReadMoney(amount));
    }
  }
  return usage;
}

Result<HandBill> ParseBill(std::string_view yaml, std::string_view origin) {
  const YamlDocument doc = YamlDocument::Parse(yaml, origin);
  HandBill bill;
  const YamlMap map = doc.root().Map();
  bill.title = map.Required("title").String();
  bill.prices = map.Optional("prices").String();
  bill.options.baseline = map.Optional("baseline").String();
  if (const YamlNode retention = map.Optional("retention"); retention.present()) {
    bill.options.retention_days =
        Quantity::Of(retention.Duration(0, kLongestRetentionNs), Int128{86'400} * kNsPerS);
  }
  bill.options.passes_a_month = ReadQuantity(map.Optional("passes_a_month"));
  if (const YamlNode days = map.Optional("month_days"); days.present()) {
    bill.options.month_days = static_cast<int>(days.Integer(28, 31, 30));
  }
  if (const YamlNode notes = map.Optional("notes"); notes.present()) {
    for (const YamlNode& note : notes.List()) bill.notes.push_back(note.String());
  }
  const YamlNode stores = map.Required("stores");
  for (const auto& [name, node] : stores.Map().Entries()) {
    bill.cells.push_back(ReadStore(name, node));
  }
  if (stores.present() && stores.is_map() && bill.cells.empty()) {
    stores.Problem("found no store; allowed at least one");
  }
  if (!bill.options.baseline.empty()) {
    bool known = false;
    std::vector<std::string> names;
    for (const CellUsage& cell : bill.cells) {
      known = known || cell.store == bill.options.baseline;
      names.push_back(cell.store);
    }
    if (!known) {
      map.Optional("baseline")
          .Problem(
              fmt::format("found '{}'; allowed {}", bill.options.baseline, fmt::join(names, ", ")));
    }
  }
  LG_RETURN_IF_ERROR(doc.status());
  return bill;
}

Result<HandBill> LoadBill(const std::string& path) {
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseBill(text, path);
}

Result<OrderedJson> CostOfBill(const HandBill& bill, const PriceSheet& sheet) {
  for (const CellUsage& cell : bill.cells) {
    if (sheet.Store(cell.priced_as) != nullptr) continue;
    return MakeError(
        ErrorCode::kInvalidArgument,
        fmt::format("store {}: found the prices of '{}'; allowed, in the sheet {}: {}", cell.store,
                    cell.priced_as, sheet.name, fmt::join(sheet.StoreNames(), ", ")));
  }
  LG_ASSIGN_OR_RETURN(OrderedJson json, CostTable(sheet, bill.cells, bill.options));
  json["title"] = bill.title;
  json["notes"] = bill.notes;
  return json;
}

}  // namespace lakegauge::analyze
