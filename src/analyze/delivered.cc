#include "analyze/delivered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/units.h"

namespace lakegauge::analyze {
namespace {

double Off(double got, double asked) { return asked > 0 ? std::abs(got / asked - 1) : 0; }

bool Near(double got_ms, double asked_ms, double tolerance) {
  return std::abs(got_ms - asked_ms) <= std::max(kLatencyFloorMs, tolerance * asked_ms);
}

DeliveredLatency LatencyOf(const Json& row) {
  const auto figure = [&](const char* key) { return JsonOr<double>(row, key, 0); };
  DeliveredLatency d;
  d.operation = JsonOr<std::string>(row, "op", "");
  d.count = JsonOr<int64_t>(row, "count", 0);
  d.asked_mean_ms = figure("asked_mean_ms");
  d.mean_ms = figure("mean_ms");
  d.asked_p50_ms = figure("asked_p50_ms");
  d.p50_ms = figure("p50_ms");
  d.asked_p99_ms = figure("asked_p99_ms");
  d.p99_ms = figure("p99_ms");
  d.late_mean_ms = figure("late_mean_ms");
  d.late_p50_ms = figure("late_p50_ms");
  d.late_p99_ms = figure("late_p99_ms");
  d.kept = Near(d.mean_ms, d.asked_mean_ms, kMeanTolerance) &&
           Near(d.p50_ms, d.asked_p50_ms, kMeanTolerance) &&
           Near(d.p99_ms, d.asked_p99_ms, kP99Tolerance);
  return d;
}

// What a row says of a bandwidth; `slack_ms` is how much longer a transfer took on average than
// asked.
void AddBandwidth(const char* what, double limit, double asked, double delivered, double slack_ms,
                  std::vector<DeliveredLimit>& limits) {
  if (limit <= 0 || delivered <= 0) return;
  DeliveredLimit l{what, "bytes/s", limit, asked, delivered, 0, true};
  l.kept = delivered <= (1 + kLimitTolerance) * limit &&
           (Off(delivered, asked) <= kLimitTolerance || slack_ms <= kLatencyFloorMs);
  limits.push_back(std::move(l));
}

std::vector<DeliveredLimit> LimitsOf(const Json& profile, const Json& row) {
  std::vector<DeliveredLimit> limits;
  const auto figure = [&](const char* key) { return JsonOr<double>(row, key, 0); };
  const double slack_ms = figure("transfer_slack_ms");
  AddBandwidth("bandwidth of a stream", JsonOr<double>(profile, "stream_bytes_per_s", 0),
               figure("asked_stream_bytes_per_s"), figure("stream_bytes_per_s"), slack_ms, limits);
  AddBandwidth("bandwidth in all", JsonOr<double>(profile, "total_bytes_per_s", 0),
               figure("asked_total_bytes_per_s"), figure("total_bytes_per_s"), slack_ms, limits);
  if (const double limit = JsonOr<double>(profile, "reads_per_s", 0); limit > 0) {
    DeliveredLimit l{"read rate",
                     "requests/s",
                     limit,
                     limit,
                     figure("most_reads_per_s"),
                     JsonOr<int64_t>(row, "refused", 0),
                     true};
    const auto burst = static_cast<double>(JsonOr<int64_t>(profile, "rate_burst", 1));
    // Of a rate only too much can be seen: too little may be all that was asked for.
    l.kept = l.delivered <= (1 + kLimitTolerance) * limit + burst;
    if (l.delivered > 0) limits.push_back(std::move(l));
  }
  return limits;
}

std::string Rate(double value, const std::string& unit) {
  return unit == "bytes/s" ? fmt::format("{:.4g} MB/s", value / 1e6)
                           : fmt::format("{:.4g} requests/s", value);
}

}  // namespace

double DeliveredLatency::MeanOff() const {
  return std::max(Off(mean_ms, asked_mean_ms), Off(p50_ms, asked_p50_ms));
}

double DeliveredLatency::P99Off() const { return Off(p99_ms, asked_p99_ms); }

bool Delivered::kept() const {
  return std::all_of(latencies.begin(), latencies.end(), [](const auto& d) { return d.kept; }) &&
         std::all_of(limits.begin(), limits.end(), [](const auto& l) { return l.kept; });
}

std::string Delivered::Shortfall() const {
  const DeliveredLatency* worst = nullptr;
  for (const DeliveredLatency& d : latencies) {
    if (!d.kept && (worst == nullptr || d.count > worst->count)) worst = &d;
  }
  if (worst != nullptr) {
    return fmt::format(
        "{} {} took {:.3g} ms on average for {:.3g} asked, p99 {:.3g} for {:.3g}; of that {:.2g} "
        "ms "
        "on average was this machine's own delay",
        store, worst->operation, worst->mean_ms, worst->asked_mean_ms, worst->p99_ms,
        worst->asked_p99_ms, worst->late_mean_ms);
  }
  for (const DeliveredLimit& l : limits) {
    if (l.kept) continue;
    return fmt::format("{} gave {} as {}, {} asked", store, Rate(l.delivered, l.unit), l.what,
                       Rate(l.asked, l.unit));
  }
  return "";
}

std::vector<Delivered> MakeDelivered(const Json& plan, const Json& shaping, const Json& limits) {
  std::vector<Delivered> all;
  for (const Json& cell : plan.value("cells", Json::array())) {
    const auto store = JsonOr<std::string>(cell, "store", "");
    const Json profile = cell.value("profile", Json());
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const Delivered& d) { return d.store == store; });
    if (known || !profile.is_object()) continue;
    Delivered d;
    d.store = store;
    d.profile = JsonOr<std::string>(profile, "name", "");
    for (const Json& row : shaping) {
      if (JsonOr<std::string>(row, "store", "") == store) d.latencies.push_back(LatencyOf(row));
    }
    for (const Json& row : limits) {
      if (JsonOr<std::string>(row, "store", "") == store) d.limits = LimitsOf(profile, row);
    }
    if (!d.latencies.empty()) all.push_back(std::move(d));
  }
  return all;
}

OrderedJson ToJson(const std::vector<Delivered>& delivered) {
  OrderedJson all = OrderedJson::array();
  for (const Delivered& d : delivered) {
    OrderedJson latencies = OrderedJson::array();
    for (const DeliveredLatency& l : d.latencies) {
      latencies.push_back({{"op", l.operation},
                           {"count", l.count},
                           {"asked_mean_ms", l.asked_mean_ms},
                           {"mean_ms", l.mean_ms},
                           {"asked_p50_ms", l.asked_p50_ms},
                           {"p50_ms", l.p50_ms},
                           {"asked_p99_ms", l.asked_p99_ms},
                           {"p99_ms", l.p99_ms},
                           {"late_mean_ms", l.late_mean_ms},
                           {"late_p50_ms", l.late_p50_ms},
                           {"late_p99_ms", l.late_p99_ms},
                           {"kept", l.kept}});
    }
    OrderedJson limits = OrderedJson::array();
    for (const DeliveredLimit& l : d.limits) {
      limits.push_back({{"what", l.what},
                        {"unit", l.unit},
                        {"limit", l.limit},
                        {"asked", l.asked},
                        {"delivered", l.delivered},
                        {"refused", l.refused},
                        {"kept", l.kept}});
    }
    all.push_back({{"store", d.store},
                   {"profile", d.profile},
                   {"kept", d.kept()},
                   {"shortfall", d.Shortfall()},
                   {"latencies", std::move(latencies)},
                   {"limits", std::move(limits)}});
  }
  return all;
}

}  // namespace lakegauge::analyze
