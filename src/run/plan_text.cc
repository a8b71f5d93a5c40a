#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "run/plan.h"

namespace lakegauge::run {
namespace {

std::string Seconds(double s) { return FormatDuration(static_cast<int64_t>(s * 1e9)); }
std::string Count(double n) { return FormatCount(std::llround(n)); }
std::string Bytes(double n) { return FormatBytes(std::llround(n)); }

}  // namespace

std::string PlanText(const Plan& plan) {
  std::string out = fmt::format("{}\n", plan.title);
  if (!plan.question.empty()) out += plan.question + "\n";
  for (const std::string& part : plan.stands_in_for)
    out += fmt::format("stands in for: {}\n", part);
  const double passes = static_cast<double>(plan.warmup + plan.iterations);
  out += fmt::format("\n{} cells, {} queries, {} iteration{}{}{}: {} executions\n\n",
                     plan.cells.size(), plan.queries.size(), plan.iterations,
                     plan.iterations == 1 ? "" : "s",
                     plan.warmup > 0 ? fmt::format(" after {} of warm-up", plan.warmup) : "",
                     plan.streams > 1 ? fmt::format(", {} streams", plan.streams) : "",
                     FormatCount(static_cast<int64_t>(plan.executions.size())));
  size_t width = 4;
  for (const PlanCell& cell : plan.cells) width = std::max(width, cell.id.size());
  out += fmt::format("{:>3}  {:<{}}  {:>7}  {:>12}  {:>11}  {:>12}\n", "", "cell", width, "threads",
                     "a pass", "requests", "bytes read");
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    const PlanCell& cell = plan.cells[i];
    out += fmt::format("{:>3}  {:<{}}  {:>7}  {:>12}  {:>11}  {:>12}\n", i + 1, cell.id, width,
                       cell.threads, Seconds(cell.estimate.pass_s), Count(cell.estimate.requests),
                       Bytes(cell.estimate.bytes_read));
  }
  const Estimate& e = plan.estimate;
  out += fmt::format("\nqueries: about {} for {} pass{} of each cell, {} requests, {} read\n",
                     Seconds(e.wall_s), passes, passes == 1 ? "" : "es", Count(e.requests),
                     Bytes(e.bytes_read));
  if (e.disk_bytes > 0) {
    out +=
        fmt::format("data still to be made: about {} on disk in {}, {}\n",
                    Bytes(static_cast<double>(e.disk_bytes)), plan.data_dir, Seconds(e.prepare_s));
  }
  if (e.cost > 0) out += fmt::format("requests would cost about {:.4f} dollars\n", e.cost);
  out += "estimate: " + e.method + "\n";
  const bool emulated = std::any_of(plan.cells.begin(), plan.cells.end(),
                                    [](const PlanCell& cell) { return cell.emulated; });
  if (emulated) {
    out += "\nEMULATED stores, whose speed is an input and not a finding:\n";
    std::vector<std::string> told;
    for (const PlanCell& cell : plan.cells) {
      if (!cell.emulated || std::find(told.begin(), told.end(), cell.store) != told.end()) continue;
      told.push_back(cell.store);
      out += fmt::format("  {}: {}\n", cell.store, cell.profile_text);
    }
  }
  return out;
}

}  // namespace lakegauge::run
