#pragma once
// A published sentence about cost, as numbers, held against a price sheet step by step: can it be
// so? Claims are YAML (docs/cost.md): what a month's operations are said to cost, or how much
// cheaper one price is said to be than another.
//
// Threads: values. Errors: kInvalidArgument with a line for each problem of the file; kNotFound for
// a store, column or price that the sheet has not.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/cost.h"
#include "base/json.h"
#include "base/result.h"

namespace lakegauge::analyze {

// "So many requests of this size, kept so long, cost at least / at most / about so much."
struct AmountClaim {
  enum class Bound { kAtLeast, kAtMost, kAbout };
  std::string store;
  Usage usage;
  int64_t request_bytes = 0;  // carried by each PUT and GET
  int64_t kept_ns = 0;        // how long what was PUT is kept
  Bound bound = Bound::kAtLeast;
  Money claimed;
  int decimals = 0;  // that the claimed figure is written with
};

// "This price is so many percent below that one."
struct PriceClaim {
  profile::Operation operation = profile::Operation::kGet;
  std::string of, against;             // stores
  std::optional<Money> against_price;  // instead of `against`: a price that is in no sheet
  Quantity percent_less;
  int decimals = 0;
  bool up_to = false;
};

struct Claim {
  std::string text;    // the sentence
  std::string source;  // who said it
  std::string prices;  // sheet
  std::string column;  // empty: the sheet's last
  std::vector<std::string> notes;
  std::optional<AmountClaim> amount;  // one of the two
  std::optional<PriceClaim> price;
};

Result<std::vector<Claim>> ParseClaims(std::string_view yaml, std::string_view origin);
Result<std::vector<Claim>> LoadClaims(const std::string& path);

// {claim, source, prices, date, column, currency, steps[], claimed, computed, holds, verdict,
// notes[]}
Result<OrderedJson> CheckClaim(const Claim& claim, const PriceSheet& sheet);

}  // namespace lakegauge::analyze
