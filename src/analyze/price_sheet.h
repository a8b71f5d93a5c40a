#pragma once
// A price sheet: what a cluster, a store, its requests and its bytes cost, each price with its
// source. Sheets are data (YAML, docs/cost.md); some are built in.
//
// A sheet may hold several columns ("as published", "full bill"): a charge counts in all of them,
// or in those it names. Whatever a sheet has no price for is left out of a bill and said to be.
//
// Threads: values. Errors: kInvalidArgument with a line for each problem of a file; kNotFound for a
// name that is neither built in nor a file, with the nearest name.
// Units: prices in the sheet's currency an hour, 1,000 requests, a gigabyte-month or a gigabyte;
// nanoseconds.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/money.h"
#include "base/named_yaml.h"
#include "base/result.h"
#include "base/yaml.h"
#include "profile/profile.h"

namespace lakegauge::analyze {

enum class ChargeKind {
  kCompute,      // a cluster's machines and surcharges, while it runs
  kProvisioned,  // a store that is paid by the hour, used or not
  kRequests,
  kStorage,
  kUpload,
  kRetrieval,
  kTransfer,
};
std::string_view ChargeKindName(ChargeKind kind);  // "compute", "requests", ...

struct Charge {
  ChargeKind kind = ChargeKind::kCompute;
  std::string name;  // for people: "instances", "GET, HEAD"
  Money price;
  std::vector<profile::Operation> operations;  // kRequests
  int64_t count = 1;                           // of machines: kCompute, kProvisioned
  int64_t minimum_ns = 0;            // least time billed: kCompute a job, kStorage an object
  int64_t step_ns = 0;               // time is billed in whole steps; 0: as it is
  int64_t minimum_object_bytes = 0;  // kStorage: smaller objects are billed as so large
  std::string source;                // in words
  std::vector<size_t> columns;       // indices into the sheet's
  bool In(size_t column) const;
};

struct PricedStore {
  std::string name;
  std::vector<Charge> charges;
};

struct PriceSheet {
  std::string name;
  std::string description;
  std::string date;      // 2026-11-30: when the prices were read
  std::string currency;  // "USD"
  int64_t gigabyte_bytes = 0;
  int month_days = 30;  // of a gigabyte-month
  std::vector<std::string> columns;
  std::vector<Charge> compute;
  std::vector<PricedStore> stores;

  const PricedStore* Store(std::string_view store) const;  // nullptr: the sheet has none
  std::vector<std::string> StoreNames() const;
  // The column's index. kNotFound with what is allowed.
  Result<size_t> Column(std::string_view column) const;
  // What the cluster costs a second in a column.
  Result<Money> ClusterPerSecond(size_t column) const;
  OrderedJson ToJson() const;
  // Reads a sheet's map; problems are noted in the node's document.
  static PriceSheet Read(const YamlNode& node);
};

std::vector<std::string> BuiltInPriceSheets();
// A built-in one by name, or a YAML file by path.
Result<PriceSheet> LoadPriceSheet(std::string_view name_or_path);
// Its text as it is, for a copy beside a run's records.
Result<NamedYaml> ReadPriceSheet(std::string_view name_or_path);
// From text; `origin` is what problems call it.
Result<PriceSheet> ParsePriceSheet(std::string_view yaml, std::string_view origin);

// Decimals of a YAML file, not negative: a problem of the node where they are not.
Money ReadMoney(const YamlNode& node);
Quantity ReadQuantity(const YamlNode& node);

}  // namespace lakegauge::analyze
