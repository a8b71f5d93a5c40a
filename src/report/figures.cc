#include "report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/effect_json.h"
#include "base/units.h"

namespace lakegauge::report {
namespace {

constexpr char kUnknown[] = "-";

// Three significant digits without an exponent.
std::string Significant(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  if (size >= 0.9995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

int RatioDecimals(double ratio) {
  return ratio < 0.0995 ? 3 : ratio < 1.995 ? 2 : ratio < 99.95 ? 1 : 0;
}

}  // namespace

std::string Seconds(const Json& value) {
  return value.is_number() ? Significant(value.get<double>()) : kUnknown;
}

std::string Milliseconds(const Json& value) { return Seconds(value); }

std::string Count(const Json& value) {
  return value.is_number() ? FormatCount(std::llround(value.get<double>())) : kUnknown;
}

std::string Bytes(const Json& value) {
  return value.is_number() ? FormatBytes(std::llround(value.get<double>())) : kUnknown;
}

std::string Ratio(const Json& value) {
  if (!value.is_number()) return kUnknown;
  const auto ratio = value.get<double>();
  return fmt::format("{:.{}f}x", ratio, RatioDecimals(ratio));
}

std::string Percent(const Json& share) {
  return share.is_number() ? fmt::format("{:.1f}%", 100 * share.get<double>()) : kUnknown;
}

std::string Probability(const Json& p) {
  if (!p.is_number()) return kUnknown;
  const auto value = p.get<double>();
  return value < 0.001 ? "< 0.001" : fmt::format("{:.2g}", value);
}

std::string SmallestEffect(const Json& effect) {
  if (!effect.is_number()) return kUnknown;
  const auto value = effect.get<double>();
  return value > 10 ? ">1,000%" : analyze::EffectPercent(value);
}

std::string RatioWithInterval(const Json& comparison) {
  if (!comparison.is_object()) return kUnknown;
  const Json value =
      comparison.contains("ratio") ? comparison["ratio"] : Member(comparison, "value");
  if (!value.is_number()) return kUnknown;
  if (!IsNumber(comparison, "ci_low") || !IsNumber(comparison, "ci_high")) {
    return Ratio(value) + " (no interval)";
  }
  const auto low = comparison["ci_low"].get<double>();
  const auto high = comparison["ci_high"].get<double>();
  const int decimals = RatioDecimals(value.get<double>());
  return fmt::format("{} ({:.{}f} to {:.{}f})", Ratio(value), low, decimals, high,
                     std::min(decimals, RatioDecimals(high)));
}

bool IsUncertain(const Json& comparison) {
  return JsonOr<std::string>(comparison, "mark", "") == "within noise" &&
         (JsonOr<double>(comparison, "ci_low", 0) > 1 ||
          JsonOr<double>(comparison, "ci_high", 2) < 1);
}

std::string MarkText(const Json& comparison) {
  return IsUncertain(comparison) ? "not certain, p " + Probability(Member(comparison, "p"))
                                 : JsonOr<std::string>(comparison, "mark", "");
}

std::string MarkText(const Json& query, const std::string& kind) {
  return MarkText({{"mark", Member(query, "mark_" + kind)},
                   {"ci_low", Member(query, "ratio_" + kind + "_low")},
                   {"ci_high", Member(query, "ratio_" + kind + "_high")},
                   {"p", Member(query, "p_" + kind)}});
}

bool IsEmulated(const Json& summary, std::string_view store) {
  for (const Json& known : Member(summary, "stores")) {
    if (JsonOr<std::string>(known, "id", "") == store)
      return JsonOr<bool>(known, "emulated", false);
  }
  return false;
}

std::string StoreLabel(const Json& summary, std::string_view store) {
  return std::string(store) + (IsEmulated(summary, store) ? " (EMULATED)" : "");
}

bool IsNumber(const Json& object, std::string_view key) { return Member(object, key).is_number(); }

Json Member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(std::string(key));
  return at == object.end() ? Json() : *at;
}

}  // namespace lakegauge::report
