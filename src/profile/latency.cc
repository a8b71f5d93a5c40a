#include "profile/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.h"

namespace lakegauge::profile {
namespace {

constexpr double kZ99 = 2.3263478740408408;  // NormalQuantile(0.99)
constexpr int64_t kLongestNs = 3600 * kNsPerS;
constexpr double kLargestRatio = 1000;

std::string Ms(double ns) { return FormatDuration(std::llround(ns)); }

Latency ReadQuantiles(const YamlNode& node) {
  std::vector<Latency::Quantile> quantiles;
  for (const YamlNode& item : node.List(2)) {
    const auto pair = item.List(2, 2);
    if (pair.size() != 2) continue;
    const Latency::Quantile next{pair[0].Real(0, 1), pair[1].Duration(0, kLongestNs)};
    if (!quantiles.empty() && (next.q <= quantiles.back().q || next.ns < quantiles.back().ns)) {
      item.Problem("found a quantile that is not above the one before; allowed ascending ones");
    }
    quantiles.push_back(next);
  }
  if (quantiles.size() < 2) return {};
  if (quantiles.front().q != 0 || quantiles.back().q != 1) {
    node.Problem(fmt::format("found quantiles from {} to {}; allowed from 0 to 1",
                             quantiles.front().q, quantiles.back().q));
  }
  return Latency::Empirical(std::move(quantiles));
}

}  // namespace

// AS 241, PPND16: relative accuracy about 1e-16.
double NormalQuantile(double p) {
  const auto ratio = [](double r, const double(&a)[8], const double(&b)[8]) {
    double num = a[7];
    double den = b[7];
    for (int i = 6; i >= 0; --i) {
      num = num * r + a[i];
      den = den * r + b[i];
    }
    return num / den;
  };
  static constexpr double kA[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                   1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                   4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                   3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr double kB[8] = {1.0,
                                   4.2313330701600911252e+1,
                                   6.8718700749205790830e+2,
                                   5.3941960214247511077e+3,
                                   2.1213794301586595867e+4,
                                   3.9307895800092710610e+4,
                                   2.8729085735721942674e+4,
                                   5.2264952788528545610e+3};
  static constexpr double kC[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                   5.76949722146069140550e0,  3.64784832476320460504e0,
                                   1.27045825245236838258e0,  2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double kD[8] = {1.0,
                                   2.05319162663775882187e0,
                                   1.67638483018380384940e0,
                                   6.89767334985100004550e-1,
                                   1.48103976427480074590e-1,
                                   1.51986665636164571966e-2,
                                   5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
  static constexpr double kE[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                   1.78482653991729133580e0,  2.96560571828504891230e-1,
                                   2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                   2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double kF[8] = {1.0,
                                   5.99832206555887937690e-1,
                                   1.36929880922735805310e-1,
                                   1.48753612908506148525e-2,
                                   7.86869131145613259100e-4,
                                   1.84631831751005468180e-5,
                                   1.42151175831644588870e-7,
                                   2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) return q * ratio(0.180625 - q * q, kA, kB);
  double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? ratio(r - 1.6, kC, kD) : ratio(r - 5, kE, kF);
  return q < 0 ? -x : x;
}

Latency Latency::Constant(int64_t ns) {
  Latency latency;
  latency.p50_ns_ = static_cast<double>(ns);
  return latency;
}

Latency Latency::LognormalFromP50P99(int64_t p50_ns, int64_t p99_ns) {
  Latency latency;
  latency.kind_ = Kind::kLognormal;
  latency.p50_ns_ = static_cast<double>(p50_ns);
  latency.sigma_ = std::log(static_cast<double>(p99_ns) / static_cast<double>(p50_ns)) / kZ99;
  return latency;
}

Latency Latency::LognormalFromMean(double mean_ns, double p99_over_p50) {
  Latency latency;
  latency.kind_ = Kind::kLognormal;
  latency.sigma_ = std::log(p99_over_p50) / kZ99;
  latency.p50_ns_ = mean_ns / std::exp(latency.sigma_ * latency.sigma_ / 2);
  return latency;
}

Latency Latency::Empirical(std::vector<Quantile> quantiles) {
  Latency latency;
  latency.kind_ = Kind::kEmpirical;
  latency.quantiles_ = std::move(quantiles);
  latency.p50_ns_ = static_cast<double>(latency.QuantileNs(0.5));
  return latency;
}

double Latency::mean_ns() const {
  switch (kind_) {
    case Kind::kConstant:
      return p50_ns_;
    case Kind::kLognormal:
      return p50_ns_ * std::exp(sigma_ * sigma_ / 2);
    case Kind::kEmpirical:
      break;
  }
  // The quantile function's integral, a trapezium for each pair.
  double sum = 0;
  for (size_t i = 1; i < quantiles_.size(); ++i) {
    const auto& [q0, ns0] = quantiles_[i - 1];
    const auto& [q1, ns1] = quantiles_[i];
    sum += (q1 - q0) * (static_cast<double>(ns0) + static_cast<double>(ns1)) / 2;
  }
  return sum;
}

int64_t Latency::QuantileNs(double q) const {
  switch (kind_) {
    case Kind::kConstant:
      return std::llround(p50_ns_);
    case Kind::kLognormal: {
      const double ns = p50_ns_ * std::exp(sigma_ * NormalQuantile(q));
      return std::llround(std::min(ns, static_cast<double>(kLongestNs)));
    }
    case Kind::kEmpirical:
      break;
  }
  auto above = std::find_if(quantiles_.begin(), quantiles_.end(),
                            [&](const Quantile& point) { return point.q >= q; });
  if (above == quantiles_.end()) return quantiles_.back().ns;
  if (above == quantiles_.begin()) return above->ns;
  const auto below = above - 1;
  const double share = (q - below->q) / (above->q - below->q);
  return std::llround(static_cast<double>(below->ns) +
                      share * static_cast<double>(above->ns - below->ns));
}

std::string Latency::ToText() const {
  if (kind_ == Kind::kConstant) return Ms(p50_ns_);
  return fmt::format("{}, mean {}, p50 {}, p99 {}",
                     kind_ == Kind::kLognormal ? "lognormal" : "empirical", Ms(mean_ns()),
                     Ms(p50_ns_), FormatDuration(QuantileNs(0.99)));
}

Json Latency::ToJson() const {
  switch (kind_) {
    case Kind::kConstant:
      return {{"kind", "constant"}, {"p50_ns", p50_ns_}};
    case Kind::kLognormal:
      return {{"kind", "lognormal"},
              {"p50_ns", p50_ns_},
              {"sigma", sigma_},
              {"mean_ns", mean_ns()},
              {"p99_ns", QuantileNs(0.99)}};
    case Kind::kEmpirical:
      break;
  }
  Json points = Json::array();
  for (const auto& point : quantiles_) points.push_back({point.q, point.ns});
  return {{"kind", "empirical"}, {"quantiles_ns", points}, {"mean_ns", mean_ns()}};
}

Result<Latency> Latency::FromJson(const Json& json) {
  const auto bad = [] {
    return MakeError(ErrorCode::kCorrupt,
                     "a latency that is neither constant, lognormal nor empirical");
  };
  const std::string kind = JsonOr<std::string>(json, "kind", "");
  Latency latency;
  latency.p50_ns_ = JsonOr<double>(json, "p50_ns", -1);
  if (kind == "constant" && latency.p50_ns_ >= 0) return latency;
  if (kind == "lognormal" && latency.p50_ns_ > 0) {
    latency.kind_ = Kind::kLognormal;
    latency.sigma_ = JsonOr<double>(json, "sigma", -1);
    if (latency.sigma_ < 0) return bad();
    return latency;
  }
  const Json points = JsonOr<Json>(json, "quantiles_ns", Json());
  if (kind != "empirical" || !points.is_array() || points.size() < 2) return bad();
  std::vector<Quantile> quantiles;
  for (const Json& point : points) {
    if (!point.is_array() || point.size() != 2 || !point[0].is_number() || !point[1].is_number()) {
      return bad();
    }
    quantiles.push_back({point[0].get<double>(), point[1].get<int64_t>()});
  }
  return Empirical(std::move(quantiles));
}

Latency Latency::Read(const YamlNode& node) {
  if (!node.is_map()) return Constant(node.Duration(0, kLongestNs));
  const YamlMap map = node.Map();
  const YamlNode p50 = map.Optional("p50");
  const YamlNode p99 = map.Optional("p99");
  const YamlNode mean = map.Optional("mean");
  const YamlNode ratio = map.Optional("p99_over_p50");
  const YamlNode quantiles = map.Optional("quantiles");
  const int64_t p50_ns = p50.Duration(1, kLongestNs, 1);
  const int64_t p99_ns = p99.Duration(1, kLongestNs, p50_ns);
  const int64_t mean_ns = mean.Duration(1, kLongestNs, 1);
  const double p99_over_p50 = ratio.Real(1, kLargestRatio, 1);
  Latency empirical = quantiles.present() ? ReadQuantiles(quantiles) : Latency();
  const bool by_percentiles = p50.present() && p99.present();
  const bool by_mean = mean.present() && ratio.present();
  const int keys = p50.present() + p99.present() + mean.present() + ratio.present();
  if (by_percentiles && keys == 2 && !quantiles.present()) {
    if (p99_ns < p50_ns) {
      p99.Problem(
          fmt::format("found {}; allowed at least p50, {}", p99.Found(), FormatDuration(p50_ns)));
      return Constant(p50_ns);
    }
    return LognormalFromP50P99(p50_ns, p99_ns);
  }
  if (by_mean && keys == 2 && !quantiles.present()) {
    return LognormalFromMean(static_cast<double>(mean_ns), p99_over_p50);
  }
  if (quantiles.present() && keys == 0) return empirical;
  node.Problem(
      "found no whole distribution; allowed a duration, {p50, p99}, {mean, p99_over_p50} or "
      "{quantiles: [[0, ...], ..., [1, ...]]}");
  return {};
}

}  // namespace lakegauge::profile
