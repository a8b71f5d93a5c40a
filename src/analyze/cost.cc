#include "analyze/cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace lakegauge::analyze {
namespace {

using profile::Operation;

// Time as it is billed: at least the minimum, in whole steps.
Result<Quantity> BilledSeconds(const Charge& charge, const Quantity& seconds, Billed billed) {
  if (billed == Billed::kShare || seconds.is_zero()) return seconds;
  Quantity time = std::max(seconds, Quantity::Of(charge.minimum_ns, kNsPerS));
  if (charge.step_ns > 0) {
    LG_ASSIGN_OR_RETURN(const Quantity steps, time.Over(Quantity::Of(charge.step_ns, kNsPerS)));
    LG_ASSIGN_OR_RETURN(const int64_t whole, steps.Ceiling());
    LG_ASSIGN_OR_RETURN(time, Quantity(whole).Times(Quantity::Of(charge.step_ns, kNsPerS)));
  }
  return time;
}

Status AddLine(const Charge& charge, const Quantity& quantity, std::string unit, std::string per,
               int64_t price_is_of, Bill* bill) {
  LG_ASSIGN_OR_RETURN(const Quantity times, quantity.Over(price_is_of));
  LG_ASSIGN_OR_RETURN(const Money amount, charge.price.Times(times));
  return bill->Add({charge.kind, charge.name, quantity, std::move(unit), charge.price,
                    std::move(per), amount, charge.source});
}

Status AddMachines(const Charge& charge, const Quantity& seconds, Bill* bill) {
  LG_ASSIGN_OR_RETURN(const Quantity all, seconds.Times(charge.count));
  if (charge.kind == ChargeKind::kCompute) {
    return AddLine(charge, all, "machine-seconds", "an hour", 3600, bill);
  }
  LG_ASSIGN_OR_RETURN(const Quantity hours, all.Over(3600));
  return AddLine(charge, hours, "machine-hours", "an hour", 1, bill);
}

// Where a kind of charge is in the column at all.
const Charge* Find(const PricedStore& store, size_t column, ChargeKind kind) {
  for (const Charge& charge : store.charges) {
    if (charge.kind == kind && charge.In(column)) return &charge;
  }
  return nullptr;
}

const Charge* FindRequest(const PricedStore& store, size_t column, Operation operation) {
  for (const Charge& charge : store.charges) {
    if (charge.kind == ChargeKind::kRequests && charge.In(column) &&
        std::find(charge.operations.begin(), charge.operations.end(), operation) !=
            charge.operations.end()) {
      return &charge;
    }
  }
  return nullptr;
}

Status AddRequests(const PricedStore& store, size_t column, const Usage& usage, Bill* bill) {
  for (const Charge& charge : store.charges) {
    if (charge.kind != ChargeKind::kRequests || !charge.In(column)) continue;
    Quantity sum;
    for (const Operation operation : charge.operations) {
      LG_ASSIGN_OR_RETURN(sum, sum.Plus(usage.requests[static_cast<size_t>(operation)]));
    }
    if (sum.is_zero()) continue;
    LG_RETURN_IF_ERROR(AddLine(charge, sum, "requests", "1,000", 1000, bill));
  }
  for (size_t i = 0; i < profile::kOperations; ++i) {
    const auto operation = static_cast<Operation>(i);
    if (usage.requests[i].is_zero() || FindRequest(store, column, operation) != nullptr) continue;
    bill->unpriced.push_back(
        fmt::format("{} {}", usage.requests[i].ToText(1), profile::OperationName(operation)));
  }
  return {};
}

Status AddGigabytes(const PricedStore& store, size_t column, ChargeKind kind, const Quantity& gb,
                    Bill* bill) {
  const Charge* charge = Find(store, column, kind);
  if (charge == nullptr || gb.is_zero()) return {};
  return AddLine(*charge, gb, "GB", "a GB", 1, bill);
}

// Gigabytes billed, where small objects count as larger ones.
Result<Quantity> BilledGigabytes(const Charge& charge, const Stored& stored, int64_t gigabyte) {
  const Int128 least = charge.minimum_object_bytes;
  if (least == 0) return stored.gb;
  if (stored.sizes.empty()) {
    LG_ASSIGN_OR_RETURN(const Quantity padded,
                        Quantity(stored.objects).Times(Quantity::Of(least, gigabyte)));
    return std::max(stored.gb, padded);
  }
  Int128 bytes = 0;
  for (const auto& [size, n] : stored.sizes) {
    bytes += std::max(least, static_cast<Int128>(size)) * n;  // below 2^126 whatever they are
  }
  return Quantity::Of(bytes, gigabyte);
}

}  // namespace

Status Bill::Add(BillLine line) {
  LG_ASSIGN_OR_RETURN(total, total.Plus(line.amount));
  lines.push_back(std::move(line));
  return {};
}

Status Bill::Add(const Bill& other) {
  for (const BillLine& line : other.lines) LG_RETURN_IF_ERROR(Add(line));
  unpriced.insert(unpriced.end(), other.unpriced.begin(), other.unpriced.end());
  return {};
}

Result<Bill> Bill::Times(const Quantity& times) const {
  Bill scaled;
  scaled.unpriced = unpriced;
  for (BillLine line : lines) {
    LG_ASSIGN_OR_RETURN(line.quantity, line.quantity.Times(times));
    LG_ASSIGN_OR_RETURN(line.amount, line.amount.Times(times));
    LG_RETURN_IF_ERROR(scaled.Add(std::move(line)));
  }
  return scaled;
}

Result<Money> Bill::Of(ChargeKind kind) const {
  Money sum;
  for (const BillLine& line : lines) {
    if (line.kind != kind) continue;
    LG_ASSIGN_OR_RETURN(sum, sum.Plus(line.amount));
  }
  return sum;
}

OrderedJson Bill::ToJson() const {
  OrderedJson json = {{"total", total.ToText()}, {"lines", OrderedJson::array()}};
  for (const BillLine& line : lines) {
    json["lines"].push_back({{"kind", ChargeKindName(line.kind)},
                             {"name", line.name},
                             {"quantity", line.quantity.ToText(6)},
                             {"unit", line.unit},
                             {"price", line.price.ToText()},
                             {"per", line.per},
                             {"amount", line.amount.ToText()},
                             {"source", line.source}});
  }
  json["unpriced"] = unpriced;
  return json;
}

Result<Bill> PriceUsage(const PriceSheet& sheet, const PricedStore& store, size_t column,
                        const Usage& usage, Billed billed) {
  Bill bill;
  for (const Charge& charge : sheet.compute) {
    if (!charge.In(column) || usage.seconds.is_zero()) continue;
    LG_ASSIGN_OR_RETURN(const Quantity seconds, BilledSeconds(charge, usage.seconds, billed));
    LG_RETURN_IF_ERROR(AddMachines(charge, seconds, &bill));
  }
  LG_RETURN_IF_ERROR(AddRequests(store, column, usage, &bill));
  LG_RETURN_IF_ERROR(AddGigabytes(store, column, ChargeKind::kUpload, usage.uploaded_gb, &bill));
  LG_RETURN_IF_ERROR(
      AddGigabytes(store, column, ChargeKind::kRetrieval, usage.retrieved_gb, &bill));
  LG_RETURN_IF_ERROR(
      AddGigabytes(store, column, ChargeKind::kTransfer, usage.transferred_gb, &bill));
  for (const auto& [what, amount] : usage.given) {
    // As money already: by its kind where it names one, so that sums by kind hold it.
    ChargeKind kind = ChargeKind::kCompute;
    for (const ChargeKind one : {ChargeKind::kRequests, ChargeKind::kUpload, ChargeKind::kRetrieval,
                                 ChargeKind::kTransfer}) {
      if (what == ChargeKindName(one)) kind = one;
    }
    LG_RETURN_IF_ERROR(
        bill.Add({kind, what + ", given", 1, "", amount, "", amount, "given as money"}));
  }
  return bill;
}

Result<Bill> PriceKeeping(const PriceSheet& sheet, const PricedStore& store, size_t column,
                          const Stored& stored, const Quantity& days, int month_days) {
  Bill bill;
  for (const Charge& charge : store.charges) {
    if (!charge.In(column)) continue;
    if (charge.kind == ChargeKind::kStorage && !stored.gb.is_zero()) {
      LG_ASSIGN_OR_RETURN(const Quantity gb, BilledGigabytes(charge, stored, sheet.gigabyte_bytes));
      const Quantity least = Quantity::Of(charge.minimum_ns, Int128{86'400} * kNsPerS);
      LG_ASSIGN_OR_RETURN(const Quantity months, std::max(days, least).Over(month_days));
      LG_ASSIGN_OR_RETURN(const Quantity gb_months, gb.Times(months));
      LG_RETURN_IF_ERROR(AddLine(charge, gb_months, "GB-months", "a GB-month", 1, &bill));
    }
    if (charge.kind == ChargeKind::kProvisioned) {
      LG_ASSIGN_OR_RETURN(const Quantity seconds, days.Times(86'400));
      LG_ASSIGN_OR_RETURN(const Quantity billed, BilledSeconds(charge, seconds, Billed::kJob));
      LG_RETURN_IF_ERROR(AddMachines(charge, billed, &bill));
    }
  }
  if (!stored.gb.is_zero() && Find(store, column, ChargeKind::kStorage) == nullptr &&
      Find(store, column, ChargeKind::kProvisioned) == nullptr) {
    bill.unpriced.push_back(fmt::format("{} GB stored", stored.gb.ToText(3)));
  }
  return bill;
}

Result<Bill> PriceLoading(const PriceSheet& sheet, const PricedStore& store, size_t column,
                          const Stored& stored) {
  Usage usage;
  usage.of(Operation::kPut) = stored.objects;
  usage.uploaded_gb = stored.gb;
  return PriceUsage(sheet, store, column, usage, Billed::kShare);
}

Money RetrievalPrice(const PricedStore& store, size_t column) {
  const Charge* charge = Find(store, column, ChargeKind::kRetrieval);
  return charge == nullptr ? Money() : charge->price;
}

Result<std::optional<int64_t>> RunsToPay(const Money& to_pay, const Money& saved_a_run) {
  if (saved_a_run.is_zero() || saved_a_run.is_negative()) return std::optional<int64_t>();
  if (to_pay.is_zero() || to_pay.is_negative()) return std::optional<int64_t>(0);
  LG_ASSIGN_OR_RETURN(const Quantity runs, to_pay.Over(saved_a_run));
  LG_ASSIGN_OR_RETURN(const int64_t whole, runs.Ceiling());
  return std::optional<int64_t>(whole);
}

}  // namespace lakegauge::analyze
