#pragma once
// What usage costs by a price sheet: lines and their total. Hides how each kind of charge counts
// (docs/cost.md).
//
// Threads: values and pure functions. Errors: kInvalidArgument for amounts too large to be counted.
// Units: seconds, requests, gigabytes of the sheet's own size, days.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/price_sheet.h"
#include "base/json.h"
#include "base/money.h"
#include "base/result.h"
#include "profile/profile.h"

namespace lakegauge::analyze {

// What was used. Fractions, since a mean of passes is one.
struct Usage {
  Quantity seconds;  // of the cluster
  std::array<Quantity, profile::kOperations> requests;
  Quantity retrieved_gb;                             // read from the store
  Quantity uploaded_gb;                              // written to it
  Quantity transferred_gb;                           // that left it; by a sheet's transfer price
  std::vector<std::pair<std::string, Money>> given;  // what is known only as money

  Quantity& of(profile::Operation operation) { return requests[static_cast<size_t>(operation)]; }
};

// What lies in a store.
struct Stored {
  Quantity gb;
  int64_t objects = 0;
  std::vector<std::pair<int64_t, int64_t>> sizes;  // bytes, how many; empty: all of one size
};

struct BillLine {
  ChargeKind kind = ChargeKind::kCompute;
  std::string name;
  Quantity quantity;
  std::string unit;  // "machine-seconds", "requests", "GB", "GB-months", ""
  Money price;
  std::string per;  // "an hour", "1,000", "a GB-month", "a GB", ""
  Money amount;
  std::string source;
};

struct Bill {
  std::vector<BillLine> lines;
  Money total;                        // the exact sum of the lines
  std::vector<std::string> unpriced;  // what was used and has no price in this column

  Status Add(BillLine line);
  Status Add(const Bill& other);
  Result<Bill> Times(const Quantity& times) const;
  Result<Money> Of(ChargeKind kind) const;
  OrderedJson ToJson() const;  // amounts as decimal texts
};

// How time is billed: a job is a cluster's life (whole steps, a minimum); a share is a part of one.
enum class Billed { kJob, kShare };

// Compute, requests, upload, retrieval and transfer. What a provisioned store costs is not here.
Result<Bill> PriceUsage(const PriceSheet& sheet, const PricedStore& store, size_t column,
                        const Usage& usage, Billed billed);
// Keeping it: storage for so many days, and a provisioned store for as long.
Result<Bill> PriceKeeping(const PriceSheet& sheet, const PricedStore& store, size_t column,
                          const Stored& stored, const Quantity& days, int month_days);
// Putting it there once: its bytes, and one PUT an object.
Result<Bill> PriceLoading(const PriceSheet& sheet, const PricedStore& store, size_t column,
                          const Stored& stored);
// The price of one more gigabyte read.
Money RetrievalPrice(const PricedStore& store, size_t column);

// The fewest runs that save at least `to_pay`; none where a run saves nothing.
Result<std::optional<int64_t>> RunsToPay(const Money& to_pay, const Money& saved_a_run);

}  // namespace lakegauge::analyze
