#include "analyze/price_sheet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>

#include "base/units.h"

namespace lakegauge::analyze {
namespace {

using profile::Operation;

constexpr int64_t kHourNs = 3600 * kNsPerS;
constexpr int64_t kDayNs = 24 * kHourNs;
constexpr int64_t kMostMachines = 1'000'000;
constexpr int64_t kLongestMinimumNs = 366 * kDayNs;

constexpr BuiltIn kBuiltIn[] = {
#include "analyze/prices_text.inc"
};

// The price key of a charge says what kind it is.
struct PriceKey {
  std::string_view key;
  ChargeKind kind;
  std::string_view unit;
};
constexpr std::array<PriceKey, 6> kPriceKeys{{
    {"per_hour", ChargeKind::kProvisioned, "an hour"},
    {"per_1000", ChargeKind::kRequests, "for 1,000 requests"},
    {"storage_per_gb_month", ChargeKind::kStorage, "a GB-month"},
    {"upload_per_gb", ChargeKind::kUpload, "a GB"},
    {"retrieval_per_gb", ChargeKind::kRetrieval, "a GB"},
    {"transfer_per_gb", ChargeKind::kTransfer, "a GB"},
}};

std::string_view UnitOf(ChargeKind kind) {
  for (const PriceKey& key : kPriceKeys) {
    if (key.kind == kind) return key.unit;
  }
  return "an hour";
}

std::vector<std::string_view> OperationNames() {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < profile::kOperations; ++i) {
    names.push_back(profile::OperationName(static_cast<Operation>(i)));
  }
  return names;
}

// One or a list of `names`, each once; indices.
std::vector<size_t> ReadChoices(const YamlNode& node, const std::vector<std::string_view>& names) {
  std::vector<size_t> chosen;
  const auto take = [&](const YamlNode& one) {
    const size_t at = one.Choice(names, names.size());
    if (at >= names.size()) return;
    if (std::find(chosen.begin(), chosen.end(), at) != chosen.end()) {
      one.Problem(fmt::format("found {} twice; allowed once", one.Found()));
    }
    chosen.push_back(at);
  };
  if (!node.is_list()) {
    take(node);
  } else {
    for (const YamlNode& one : node.List(1)) take(one);
  }
  return chosen;
}

std::string ReadDate(const YamlNode& node) {
  std::string text = node.String();
  if (text.empty()) return text;
  int year = 0;
  unsigned month = 0, day = 0;
  const auto number = [&](size_t from, size_t size, auto* value) {
    const char* begin = text.data() + from;
    const auto [end, failed] = std::from_chars(begin, begin + size, *value);
    return failed == std::errc() && end == begin + size;
  };
  const bool shaped = text.size() == 10 && text[0] != '-' && text[4] == '-' && text[7] == '-' &&
                      number(0, 4, &year) && number(5, 2, &month) && number(8, 2, &day);
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{day}};
  if (!shaped || !date.ok()) {
    node.Problem(fmt::format("found {}; allowed a date such as 2026-11-30", node.Found()));
  }
  return text;
}

std::string ReadCurrency(const YamlNode& node) {
  std::string text = node.String("USD");
  const bool code = text.size() == 3 && std::all_of(text.begin(), text.end(),
                                                    [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!code) node.Problem(fmt::format("found {}; allowed a code such as USD", node.Found()));
  return text;
}

struct SheetContext {
  std::map<std::string, std::string> sources;
  std::vector<std::string> columns;
};

void ReadSource(const YamlMap& map, const SheetContext& context, Charge* charge) {
  const YamlNode node = map.Required("source");
  const std::string key = node.String();
  if (key.empty()) return;
  const auto at = context.sources.find(key);
  if (at == context.sources.end()) {
    std::vector<std::string> names;
    for (const auto& [name, text] : context.sources) names.push_back(name);
    node.Problem(fmt::format("found {}; allowed {}{}", node.Found(), fmt::join(names, ", "),
                             DidYouMean(key, names)));
    return;
  }
  charge->source = at->second;
}

void ReadKind(const YamlMap& map, bool of_store, Charge* charge) {
  if (!of_store) {
    charge->kind = ChargeKind::kCompute;
    charge->price = ReadMoney(map.Required("per_hour"));
    return;
  }
  std::vector<std::string_view> found;
  std::vector<std::string_view> allowed;
  for (const PriceKey& key : kPriceKeys) {
    allowed.push_back(key.key);
    const YamlNode price = map.Optional(key.key);
    if (!price.present()) continue;
    found.push_back(key.key);
    charge->kind = key.kind;
    charge->price = ReadMoney(price);
  }
  if (found.size() != 1) {
    map.node().Problem(
        fmt::format("found {}; allowed one price: {}",
                    found.empty() ? "no price" : fmt::format("{}", fmt::join(found, ", ")),
                    fmt::join(allowed, ", ")));
  }
}

Charge ReadCharge(const YamlNode& node, bool of_store, const SheetContext& context) {
  Charge charge;
  const YamlMap map = node.Map();
  ReadKind(map, of_store, &charge);
  std::string name(ChargeKindName(charge.kind));
  if (charge.kind == ChargeKind::kRequests) {
    const auto names = OperationNames();
    std::vector<std::string_view> chosen;
    for (const size_t at : ReadChoices(map.Required("requests"), names)) {
      charge.operations.push_back(static_cast<Operation>(at));
      chosen.push_back(names[at]);
    }
    name = fmt::format("{}", fmt::join(chosen, ", "));
  }
  if (charge.kind == ChargeKind::kCompute || charge.kind == ChargeKind::kProvisioned) {
    charge.count = map.Optional("count").Integer(1, kMostMachines, 1);
    charge.minimum_ns = map.Optional("minimum").Duration(0, kLongestMinimumNs);
    charge.step_ns = map.Optional("step").Duration(0, kLongestMinimumNs, kNsPerS);
  }
  if (charge.kind == ChargeKind::kStorage) {
    charge.minimum_ns = map.Optional("minimum").Duration(0, kLongestMinimumNs);
    charge.minimum_object_bytes = map.Optional("minimum_object").Bytes(0, kGiB);
  }
  charge.name = map.Optional("name").String(name);
  ReadSource(map, context, &charge);
  if (const YamlNode only = map.Optional("only"); only.present()) {
    charge.columns = ReadChoices(only, {context.columns.begin(), context.columns.end()});
  } else {
    charge.columns.resize(context.columns.size());
    std::iota(charge.columns.begin(), charge.columns.end(), size_t{0});
  }
  return charge;
}

// No operation may have two prices in one column, nor storage.
void CheckOnce(const PriceSheet& sheet, const YamlNode& node, const PricedStore& store) {
  for (size_t column = 0; column < sheet.columns.size(); ++column) {
    std::array<int, profile::kOperations> priced{};
    int storage = 0;
    for (const Charge& charge : store.charges) {
      if (!charge.In(column)) continue;
      if (charge.kind == ChargeKind::kStorage) ++storage;
      for (const Operation operation : charge.operations) ++priced[static_cast<size_t>(operation)];
    }
    for (size_t i = 0; i < priced.size(); ++i) {
      if (priced[i] < 2) continue;
      node.Problem(fmt::format("found {} prices of {} in the column '{}'; allowed one", priced[i],
                               profile::OperationName(static_cast<Operation>(i)),
                               sheet.columns[column]));
    }
    if (storage > 1) {
      node.Problem(fmt::format("found {} prices of storage in the column '{}'; allowed one",
                               storage, sheet.columns[column]));
    }
  }
}

std::vector<std::string> ReadColumns(const YamlNode& node) {
  if (!node.present()) return {"bill"};
  std::vector<std::string> columns;
  for (const YamlNode& one : node.List(1, 8)) {
    std::string name = one.String();
    if (std::find(columns.begin(), columns.end(), name) != columns.end()) {
      one.Problem(fmt::format("found {} twice; allowed once", one.Found()));
      continue;
    }
    columns.push_back(std::move(name));
  }
  return columns.empty() ? std::vector<std::string>{"bill"} : columns;
}

template <typename T, typename Parse>
T ReadDecimal(const YamlNode& node, Parse parse) {
  if (!node.present()) return {};
  const std::string text = node.String();
  if (text.empty()) return {};
  const Result<T> value = parse(text);
  if (!value.ok()) {
    node.Problem(value.error().message);
    return {};
  }
  if (value->is_negative()) {
    node.Problem(fmt::format("found {}; allowed 0 or more", node.Found()));
    return {};
  }
  return *value;
}

OrderedJson ChargeJson(const Charge& charge, const PriceSheet& sheet) {
  OrderedJson columns = OrderedJson::array();
  for (const size_t column : charge.columns) columns.push_back(sheet.columns[column]);
  OrderedJson json = {{"kind", ChargeKindName(charge.kind)},
                      {"name", charge.name},
                      {"price", charge.price.ToText()},
                      {"unit", UnitOf(charge.kind)},
                      {"source", charge.source},
                      {"columns", std::move(columns)}};
  if (charge.count != 1) json["count"] = charge.count;
  if (charge.minimum_ns > 0) json["minimum_s"] = static_cast<double>(charge.minimum_ns) / 1e9;
  if (charge.minimum_object_bytes > 0) json["minimum_object_bytes"] = charge.minimum_object_bytes;
  return json;
}

}  // namespace

std::string_view ChargeKindName(ChargeKind kind) {
  constexpr std::array<std::string_view, 7> kNames{"compute", "provisioned", "requests", "storage",
                                                   "upload",  "retrieval",   "transfer"};
  return kNames[static_cast<size_t>(kind)];
}

bool Charge::In(size_t column) const {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

Money ReadMoney(const YamlNode& node) {
  return ReadDecimal<Money>(node, [](const std::string& text) { return Money::Parse(text); });
}

Quantity ReadQuantity(const YamlNode& node) {
  return ReadDecimal<Quantity>(node, [](const std::string& text) { return Quantity::Parse(text); });
}

const PricedStore* PriceSheet::Store(std::string_view store) const {
  for (const PricedStore& priced : stores) {
    if (priced.name == store) return &priced;
  }
  return nullptr;
}

std::vector<std::string> PriceSheet::StoreNames() const {
  std::vector<std::string> names;
  for (const PricedStore& store : stores) names.push_back(store.name);
  return names;
}

Result<size_t> PriceSheet::Column(std::string_view column) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == column) return i;
  }
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("found the column '{}'; allowed, in the sheet {}: {}", column, name,
                               fmt::join(columns, ", ")));
}

Result<Money> PriceSheet::ClusterPerSecond(size_t column) const {
  Money an_hour;
  for (const Charge& charge : compute) {
    if (!charge.In(column)) continue;
    LG_ASSIGN_OR_RETURN(const Money all, charge.price.Times(charge.count));
    LG_ASSIGN_OR_RETURN(an_hour, an_hour.Plus(all));
  }
  return an_hour.Times(Quantity::Of(1, 3600));
}

OrderedJson PriceSheet::ToJson() const {
  OrderedJson json = {
      {"name", name},         {"description", description},       {"date", date},
      {"currency", currency}, {"gigabyte_bytes", gigabyte_bytes}, {"month_days", month_days},
      {"columns", columns},   {"compute", OrderedJson::array()},  {"stores", OrderedJson::array()}};
  for (const Charge& charge : compute) json["compute"].push_back(ChargeJson(charge, *this));
  for (const PricedStore& store : stores) {
    OrderedJson charges = OrderedJson::array();
    for (const Charge& charge : store.charges) charges.push_back(ChargeJson(charge, *this));
    json["stores"].push_back({{"name", store.name}, {"charges", std::move(charges)}});
  }
  return json;
}

PriceSheet PriceSheet::Read(const YamlNode& node) {
  PriceSheet sheet;
  const YamlMap map = node.Map();
  sheet.name = map.Required("name").String();
  sheet.description = map.Required("description").String();
  sheet.date = ReadDate(map.Required("date"));
  sheet.currency = ReadCurrency(map.Required("currency"));
  constexpr std::array<int64_t, 2> kGigabytes{1'000'000'000, kGiB};
  sheet.gigabyte_bytes = kGigabytes[map.Required("gigabyte").Choice({"1GB", "1GiB"})];
  sheet.month_days = static_cast<int>(map.Required("month_days").Integer(28, 31, 30));
  sheet.columns = ReadColumns(map.Optional("columns"));
  SheetContext context;
  context.columns = sheet.columns;
  for (const auto& [key, source] : map.Required("sources").Map().Entries()) {
    context.sources[key] = source.String();
  }
  if (const YamlNode compute = map.Optional("compute"); compute.present()) {
    for (const YamlNode& one : compute.List()) {
      sheet.compute.push_back(ReadCharge(one, false, context));
    }
  }
  if (const YamlNode stores = map.Optional("stores"); stores.present()) {
    for (const auto& [store, charges] : stores.Map().Entries()) {
      PricedStore& priced = sheet.stores.emplace_back();
      priced.name = store;
      for (const YamlNode& one : charges.List(1)) {
        priced.charges.push_back(ReadCharge(one, true, context));
      }
      CheckOnce(sheet, charges, priced);
    }
  }
  return sheet;
}

std::vector<std::string> BuiltInPriceSheets() { return NamesOf(kBuiltIn); }

Result<PriceSheet> ParsePriceSheet(std::string_view yaml, std::string_view origin) {
  const YamlDocument doc = YamlDocument::Parse(yaml, origin);
  PriceSheet sheet = PriceSheet::Read(doc.root());
  LG_RETURN_IF_ERROR(doc.status());
  return sheet;
}

Result<NamedYaml> ReadPriceSheet(std::string_view name_or_path) {
  return ReadNamedYaml("price sheet", name_or_path, kBuiltIn, BuiltInPriceSheets());
}

Result<PriceSheet> LoadPriceSheet(std::string_view name_or_path) {
  LG_ASSIGN_OR_RETURN(const NamedYaml yaml, ReadPriceSheet(name_or_path));
  return ParsePriceSheet(yaml.text, yaml.origin);
}

}  // namespace lakegauge::analyze
