#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/letters.h"

namespace lakegauge {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 14> kByteUnits{{{"", 1},
                                           {"b", 1},
                                           {"kb", 1e3},
                                           {"mb", 1e6},
                                           {"gb", 1e9},
                                           {"tb", 1e12},
                                           {"k", 1024},
                                           {"kib", 1024},
                                           {"m", 1048576},
                                           {"mib", 1048576},
                                           {"g", 1073741824},
                                           {"gib", 1073741824},
                                           {"t", 1099511627776.0},
                                           {"tib", 1099511627776.0}}};
constexpr std::array<Unit, 8> kTimeUnits{{{"ns", 1},
                                          {"us", 1e3},
                                          {"ms", 1e6},
                                          {"s", 1e9},
                                          {"sec", 1e9},
                                          {"min", 60e9},
                                          {"h", 3600e9},
                                          {"d", 86400e9}}};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

template <size_t N>
Result<double> ParseWithUnit(std::string_view text, const std::array<Unit, N>& units,
                             std::string_view what, std::string_view example) {
  const std::string lower = Lower(Trim(text));
  double number = 0;
  const auto [end, ec] = std::from_chars(lower.data(), lower.data() + lower.size(), number);
  const std::string_view unit =
      Trim(std::string_view(end, static_cast<size_t>(lower.data() + lower.size() - end)));
  const auto known =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == unit; });
  const double value = known == units.end() ? -1 : number * known->factor;
  if (ec != std::errc() || !(value >= 0) || value > 9.2e18) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("'{}' is not {}; write for example {}", text, what, example));
  }
  return value;
}

std::string OneDecimal(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

Result<int64_t> ParseBytes(std::string_view text) {
  LG_ASSIGN_OR_RETURN(const double value,
                      ParseWithUnit(text, kByteUnits, "a size", "8MiB, 512KiB or 1GB"));
  return std::llround(value);
}

std::string FormatBytes(int64_t bytes) {
  constexpr std::array<std::pair<std::string_view, int64_t>, 4> kUnits{
      {{"TiB", 1024 * kGiB}, {"GiB", kGiB}, {"MiB", kMiB}, {"KiB", kKiB}}};
  for (const auto& [name, size] : kUnits) {
    if (bytes >= size) {
      return OneDecimal(static_cast<double>(bytes) / static_cast<double>(size)) + " " +
             std::string(name);
    }
  }
  return fmt::format("{} B", bytes);
}

Result<int64_t> ParseDuration(std::string_view text) {
  LG_ASSIGN_OR_RETURN(const double value,
                      ParseWithUnit(text, kTimeUnits, "a duration", "7ms, 1.5s or 10min"));
  return std::llround(value);
}

std::string FormatDuration(int64_t ns) {
  const auto significant = [](double v, std::string_view unit) {
    const int decimals = v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", v, decimals, unit);
  };
  const double v = static_cast<double>(ns);
  if (ns < kNsPerUs) return fmt::format("{} ns", ns);
  if (ns < kNsPerMs) return significant(v / 1e3, "us");
  if (ns < kNsPerS) return significant(v / 1e6, "ms");
  if (ns < 60 * kNsPerS) return significant(v / 1e9, "s");
  const int64_t seconds = (ns + kNsPerS / 2) / kNsPerS;
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

Result<double> ParseBandwidth(std::string_view text) {
  std::string_view amount = Trim(text);
  if (Lower(amount).ends_with("/s")) amount.remove_suffix(2);
  auto bytes = ParseWithUnit(amount, kByteUnits, "a bandwidth", "100MB/s or 1GiB/s");
  if (!bytes.ok()) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        fmt::format("'{}' is not a bandwidth; write for example 100MB/s or 1GiB/s", text));
  }
  return *bytes;
}

std::string FormatCount(int64_t n) {
  std::string digits = std::to_string(n);
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

}  // namespace lakegauge
