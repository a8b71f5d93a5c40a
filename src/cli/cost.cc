// lakegauge cost: what a run, quantities given by hand or a plan cost by a price sheet.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "analyze/cost_bill.h"
#include "analyze/cost_of_run.h"
#include "analyze/cost_table.h"
#include "analyze/price_sheet.h"
#include "base/units.h"
#include "cli/command.h"
#include "report/cost_text.h"
#include "run/runs.h"

namespace lakegauge::cli {
namespace {

constexpr int64_t kDayS = 86'400;

struct CostArguments {
  std::string run, prices, bill, retention, every, per_month, baseline;
  std::vector<std::string> priced_as;  // "local=s3-express"
  int month_days = 0;
  bool list_prices = false, queries = false, lines = false, json = false;
};

Error Usage(const std::string& message) { return MakeError(ErrorCode::kInvalidArgument, message); }

Result<Quantity> ReadDays(const std::string& option, const std::string& text) {
  const auto ns = ParseDuration(text);
  if (!ns.ok()) return ns.error().WithContext(option);
  return Quantity::Of(*ns, Int128{kDayS} * kNsPerS);
}

// What the command line says, over what the file said.
Status Override(const CostArguments& arguments, int sheet_month_days,
                analyze::CostOptions* options) {
  if (!arguments.baseline.empty()) options->baseline = arguments.baseline;
  if (arguments.month_days > 0) options->month_days = arguments.month_days;
  if (!arguments.retention.empty()) {
    LG_ASSIGN_OR_RETURN(options->retention_days, ReadDays("--retention", arguments.retention));
  }
  if (!arguments.per_month.empty()) {
    auto passes = Quantity::Parse(arguments.per_month);
    if (!passes.ok()) return passes.error().WithContext("--per-month");
    if (passes->is_negative()) {
      return Usage(fmt::format("--per-month: found '{}'; allowed 0 or more", arguments.per_month));
    }
    options->passes_a_month = *passes;
  }
  if (!arguments.every.empty()) {
    LG_ASSIGN_OR_RETURN(const Quantity days, ReadDays("--every", arguments.every));
    if (days.is_zero()) {
      return Usage(
          fmt::format("--every: found '{}'; allowed a time above 0, such as 6h", arguments.every));
    }
    const Quantity month = options->month_days.value_or(sheet_month_days);
    LG_ASSIGN_OR_RETURN(options->passes_a_month, month.Over(days));
  }
  return {};
}

Result<std::map<std::string, std::string>> ReadPricedAs(const CostArguments& arguments,
                                                        const analyze::PriceSheet& sheet) {
  std::map<std::string, std::string> priced_as;
  for (const std::string& text : arguments.priced_as) {
    const size_t equals = text.find('=');
    const std::string store = text.substr(0, equals);
    const std::string name = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (store.empty() || sheet.Store(name) == nullptr) {
      return Usage(fmt::format("--as: found '{}'; allowed STORE=NAME, NAME one of {}", text,
                               fmt::join(sheet.StoreNames(), ", ")));
    }
    priced_as[store] = name;
  }
  return priced_as;
}

int ListPrices(const CostArguments& arguments) {
  Json all = Json::array();
  std::vector<std::string> names = analyze::BuiltInPriceSheets();
  if (!arguments.prices.empty()) names = {arguments.prices};
  for (const std::string& name : names) {
    const auto sheet = analyze::LoadPriceSheet(name);
    if (!sheet.ok()) return Fail(sheet.error());
    if (arguments.json) {
      all.push_back(Json(sheet->ToJson()));
    } else {
      Print("{}", report::PriceSheetText(sheet->ToJson()));
    }
  }
  if (arguments.json) PrintJson(all);
  return kExitOk;
}

Result<OrderedJson> CostOfHandBill(const CostArguments& arguments) {
  LG_ASSIGN_OR_RETURN(analyze::HandBill bill, analyze::LoadBill(arguments.bill));
  const std::string prices = arguments.prices.empty() ? bill.prices : arguments.prices;
  if (prices.empty()) {
    return Usage(fmt::format("{} names no prices; allowed --prices SHEET ({} are built in)",
                             arguments.bill, fmt::join(analyze::BuiltInPriceSheets(), ", ")));
  }
  LG_ASSIGN_OR_RETURN(const auto sheet, analyze::LoadPriceSheet(prices));
  LG_RETURN_IF_ERROR(Override(arguments, sheet.month_days, &bill.options));
  return analyze::CostOfBill(bill, sheet);
}

// The sheet that the command line names, else the one that the run's experiment named.
Result<analyze::PriceSheet> SheetFor(const CostArguments& arguments, const std::string& run_dir) {
  if (!arguments.prices.empty()) return analyze::LoadPriceSheet(arguments.prices);
  LG_ASSIGN_OR_RETURN(const Json plan, ReadJsonFile(run_dir + "/plan.json"));
  const Json named = plan.value("prices", Json());
  const auto text = JsonOr<std::string>(named, "text", "");
  if (!text.empty()) {
    return analyze::ParsePriceSheet(text, JsonOr<std::string>(named, "name", ""));
  }
  return Usage(fmt::format("the run's experiment names no prices; allowed --prices SHEET ({})",
                           fmt::join(analyze::BuiltInPriceSheets(), ", ")));
}

Result<OrderedJson> CostOfRunNamed(const Context& context, const CostArguments& arguments) {
  if (arguments.run.empty()) {
    return Usage("found neither a run nor --bill; allowed one (or --list-prices)");
  }
  LG_ASSIGN_OR_RETURN(const std::string dir, FindRun(context, arguments.run));
  LG_ASSIGN_OR_RETURN(const auto sheet, SheetFor(arguments, dir));
  LG_ASSIGN_OR_RETURN(const auto priced_as, ReadPricedAs(arguments, sheet));
  analyze::CostOptions options;
  LG_RETURN_IF_ERROR(Override(arguments, sheet.month_days, &options));
  return analyze::CostOfRun(dir, sheet, priced_as, options);
}

int Cost(const Context& context, const CostArguments& arguments) {
  if (arguments.list_prices) return ListPrices(arguments);
  if (!arguments.bill.empty() && !arguments.run.empty()) {
    return Fail(Usage("found a run and --bill; allowed one of them"));
  }
  const auto cost =
      arguments.bill.empty() ? CostOfRunNamed(context, arguments) : CostOfHandBill(arguments);
  if (!cost.ok()) return Fail(cost.error());
  if (arguments.json) {
    PrintJson(*cost);
  } else {
    Print("{}", report::CostText(*cost, {arguments.queries, arguments.lines}));
  }
  return kExitOk;
}

// `times` passes as estimated; every request is taken for a GET.
Result<analyze::Usage> EstimatedUsage(const run::CellEstimate& estimate, int64_t gigabyte,
                                      const Quantity& times) {
  analyze::Usage usage;
  LG_ASSIGN_OR_RETURN(const Quantity seconds, Quantity::FromReal(estimate.pass_s));
  LG_ASSIGN_OR_RETURN(const Quantity requests, Quantity::FromReal(std::round(estimate.requests)));
  LG_ASSIGN_OR_RETURN(const Quantity bytes, Quantity::FromReal(std::round(estimate.bytes_read)));
  LG_ASSIGN_OR_RETURN(usage.seconds, seconds.Times(times));
  LG_ASSIGN_OR_RETURN(usage.of(profile::Operation::kGet), requests.Times(times));
  LG_ASSIGN_OR_RETURN(const Quantity read, bytes.Times(times));
  LG_ASSIGN_OR_RETURN(usage.retrieved_gb, read.Over(gigabyte));
  usage.transferred_gb = usage.retrieved_gb;
  return usage;
}

// Of a layout that has been written; else nothing is known of it.
std::optional<analyze::Stored> StoredBy(const run::PlanCell& cell, const std::string& data_dir,
                                        int64_t gigabyte) {
  const auto json = ReadJsonFile(dataset::LayoutDir(data_dir, cell.dataset_spec, cell.layout_spec) +
                                 "/manifest.json");
  if (!json.ok()) return std::nullopt;
  const auto manifest = dataset::Manifest::FromJson(*json);
  if (!manifest.ok()) return std::nullopt;
  analyze::Stored stored;
  Int128 bytes = 0;
  for (const auto& file : manifest->files) {
    bytes += file.size;
    stored.sizes.emplace_back(file.size, 1);
  }
  stored.objects = static_cast<int64_t>(manifest->files.size());
  stored.gb = Quantity::Of(bytes, gigabyte);
  return stored;
}

}  // namespace

Result<OrderedJson> CostOfPlan(const run::Plan& plan, const std::string& prices) {
  LG_ASSIGN_OR_RETURN(const auto sheet, analyze::LoadPriceSheet(prices));
  std::vector<analyze::CellUsage> cells;
  for (const run::PlanCell& planned : plan.cells) {
    analyze::CellUsage& cell = cells.emplace_back();
    cell.id = planned.id;
    cell.engine = planned.engine;
    cell.store = planned.store;
    cell.layout = planned.layout;
    cell.dataset = planned.dataset;
    cell.emulated = planned.emulated;
    cell.priced_as = analyze::PricedAs(sheet, planned.store,
                                       JsonOr<std::string>(planned.profile, "name", ""), {});
    if (cell.priced_as.empty()) {
      cell.notes.push_back(fmt::format("store {} has no prices in the sheet {} (it has {})",
                                       cell.store, sheet.name,
                                       fmt::join(sheet.StoreNames(), ", ")));
    }
    LG_ASSIGN_OR_RETURN(cell.pass, EstimatedUsage(planned.estimate, sheet.gigabyte_bytes, 1));
    LG_ASSIGN_OR_RETURN(cell.run, EstimatedUsage(planned.estimate, sheet.gigabyte_bytes,
                                                 plan.warmup + plan.iterations));
    cell.stored = StoredBy(planned, plan.data_dir, sheet.gigabyte_bytes);
    if (!cell.stored) {
      cell.notes.push_back("its layout is not written yet: storage has no price");
    }
  }
  analyze::CostOptions options;
  options.baseline = plan.compare_store;
  LG_ASSIGN_OR_RETURN(OrderedJson json, analyze::CostTable(sheet, cells, options));
  json["notes"] = {"an estimate, as rough as the plan's; all requests are taken for GET"};
  return json;
}

void AddCost(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "cost", "Price a run, or quantities given by hand; when a dearer store has paid");
  auto arguments = std::make_shared<CostArguments>();
  command->add_option("run", arguments->run, "A run, by path, by name, or 'latest'");
  command->add_option("--prices", arguments->prices,
                      "A price sheet: built in, or a file (default: the experiment's)");
  command->add_option("--bill", arguments->bill, "A file of quantities, instead of a run");
  command
      ->add_option("--as", arguments->priced_as,
                   "Price a store as one of the sheet's: --as local=s3-express; may be given again")
      ->allow_extra_args(false);
  command->add_option("--baseline", arguments->baseline,
                      "Store that the others are compared with (default: the run's)");
  command->add_option("--retention", arguments->retention,
                      "How long the data are kept, e.g. 7d (default)");
  auto* per_month =
      command->add_option("--per-month", arguments->per_month,
                          "Price a month of so many passes (default: one a day; 0: no month)");
  command->add_option("--every", arguments->every, "Price a month of a pass every so long, e.g. 6h")
      ->excludes(per_month);
  command
      ->add_option("--month-days", arguments->month_days,
                   "Days of the month, 28 to 31 (default: the sheet's)")
      ->check(CLI::Range(28, 31));
  command->add_flag("--queries", arguments->queries, "Show what each query costs as well");
  command->add_flag("--lines", arguments->lines, "Show every line of each bill with its source");
  command->add_flag("--list-prices", arguments->list_prices,
                    "Show the built-in price sheets, or the one named");
  command->add_flag("--json", arguments->json, "Machine-readable result");
  AddResultsOption(*command, context);
  command->callback([&context, arguments] {
    context.action = [&context, arguments] { return Cost(context, *arguments); };
  });
}

}  // namespace lakegauge::cli
