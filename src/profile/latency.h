#pragma once
// How long a store takes to the first byte, as a distribution: quantile function, mean and draws.
//
// A draw is its quantile function at a uniform number that the caller hashes from what the request
// is (profile/draw.h), so the same request draws the same, whatever the threads do meanwhile.
//
// Threads: values, immutable.
// Units: nanoseconds.
// Source: lognormal with mu = ln p50 and sigma = ln(p99/p50) / z(0.99) has mean exp(mu + sigma^2/2)
//   (Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions 1, ch. 14); normal quantiles
//   by algorithm AS 241 (Wichura 1988, Applied Statistics 37:477, PPND16).

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/yaml.h"

namespace lakegauge::profile {

class Latency {
 public:
  struct Quantile {
    double q = 0;  // 0 to 1
    int64_t ns = 0;
  };

  Latency() = default;  // constant 0
  static Latency Constant(int64_t ns);
  // p99_ns >= p50_ns > 0.
  static Latency LognormalFromP50P99(int64_t p50_ns, int64_t p99_ns);
  // The lognormal with this mean whose p99 is `ratio` >= 1 times its p50.
  static Latency LognormalFromMean(double mean_ns, double p99_over_p50);
  // Straight lines between the quantiles, which ascend in q and in ns, from q = 0 to q = 1.
  static Latency Empirical(std::vector<Quantile> quantiles);

  double mean_ns() const;
  // The latency below which the share q of requests lies; q in (0, 1).
  int64_t QuantileNs(double q) const;
  bool is_zero() const { return kind_ == Kind::kConstant && p50_ns_ == 0; }

  // "7 ms", or "lognormal, mean 7.00 ms, p50 5.97 ms, p99 23.9 ms".
  std::string ToText() const;
  Json ToJson() const;
  static Result<Latency> FromJson(const Json& json);
  // A duration ("7ms"), or a map: {p50, p99}, {mean, p99_over_p50} or {quantiles: [[q,
  // duration]...]}.
  static Latency Read(const YamlNode& node);

 private:
  enum class Kind { kConstant, kLognormal, kEmpirical };
  Kind kind_ = Kind::kConstant;
  double p50_ns_ = 0;
  double sigma_ = 0;
  std::vector<Quantile> quantiles_;
};

// Quantile of the standard normal distribution, p in (0, 1).
double NormalQuantile(double p);

}  // namespace lakegauge::profile
