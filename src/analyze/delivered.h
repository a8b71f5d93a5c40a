#pragma once
// What emulated stores delivered against what their profiles asked: latency by operation, bandwidth
// of a stream and in all, request rate; and whether that is near enough to call it the profile.
//
// Delay that this machine added (a core that was not free, a timer that fired late) is what
// `late` holds: it is part of what was delivered, and is told apart.
//
// Threads: values. Units: milliseconds, bytes or requests a second, shares.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace lakegauge::analyze {

// How far what was delivered may be off what was asked before the report says so.
inline constexpr double kMeanTolerance = 0.02;  // and median
inline constexpr double kP99Tolerance = 0.05;
inline constexpr double kLimitTolerance = 0.03;  // bandwidth and rate
// Below it a difference is the clock's and the kernel's.
inline constexpr double kLatencyFloorMs = 0.05;

struct DeliveredLatency {
  std::string operation;
  int64_t count = 0;
  double asked_mean_ms = 0, mean_ms = 0;
  double asked_p50_ms = 0, p50_ms = 0;
  double asked_p99_ms = 0, p99_ms = 0;
  double late_mean_ms = 0, late_p50_ms = 0, late_p99_ms = 0;
  bool kept = true;
  // The worst of mean and median, as a share of what was asked, and that of the 99th percentile.
  double MeanOff() const;
  double P99Off() const;
};

struct DeliveredLimit {
  std::string what;  // "bandwidth of a stream", "bandwidth in all", "read rate"
  std::string unit;  // "bytes/s", "requests/s"
  double limit = 0;
  double asked = 0;      // what the profile made of it: less where it did not bind
  double delivered = 0;  // a rate: the most in any second
  int64_t refused = 0;   // of a rate: attempts answered 503
  bool kept = true;
};

struct Delivered {
  std::string store;
  std::string profile;
  std::vector<DeliveredLatency> latencies;
  std::vector<DeliveredLimit> limits;
  bool kept() const;
  // The gravest shortfall in words; empty where it was kept.
  std::string Shortfall() const;
};

// From plan.json and the rows of the tables "shaping" and "shaping_limits"; stores in plan order.
std::vector<Delivered> MakeDelivered(const Json& plan, const Json& shaping, const Json& limits);
// summary.json's "delivered".
OrderedJson ToJson(const std::vector<Delivered>& delivered);

}  // namespace lakegauge::analyze
