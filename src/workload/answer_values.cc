#include "workload/answer_values.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace lakegauge::workload {

ValueKind KindOfType(std::string_view type) {
  std::string name;
  for (const char c : type) {
    if (c == '(' || c == ' ') break;
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  if (name.empty()) return ValueKind::kUnknown;
  for (const std::string_view f : {"FLOAT", "DOUBLE", "REAL", "FLOAT4", "FLOAT8"}) {
    if (name == f) return ValueKind::kFloat;
  }
  for (const std::string_view e :
       {"TINYINT", "SMALLINT", "INTEGER", "INT", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
        "UINTEGER", "UBIGINT", "UHUGEINT", "DECIMAL", "NUMERIC", "LONG", "SHORT", "BYTE"}) {
    if (name == e) return ValueKind::kExact;
  }
  return ValueKind::kText;
}

ValueKind Joint(ValueKind a, ValueKind b) {
  if (a == ValueKind::kUnknown) a = b;
  if (b == ValueKind::kUnknown) b = a;
  if (a == ValueKind::kText || b == ValueKind::kText) return ValueKind::kText;
  if (a == ValueKind::kFloat || b == ValueKind::kFloat) return ValueKind::kFloat;
  return a;
}

std::optional<std::string> CanonicalDecimal(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const size_t point = text.find('.');
  std::string_view whole = text.substr(0, point);
  std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() && fraction.empty()) return std::nullopt;
  for (const std::string_view digits : {whole, fraction}) {
    for (const char c : digits) {
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    }
  }
  while (!whole.empty() && whole.front() == '0') whole.remove_prefix(1);
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  if (whole.empty() && fraction.empty()) return "0";
  std::string out = negative ? "-" : "";
  out += whole.empty() ? "0" : whole;
  if (!fraction.empty()) (out += '.') += fraction;
  return out;
}

std::optional<double> ParseFinite(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

double HalfLastDigit(std::string_view text) {
  const size_t point = text.find('.');
  const size_t digits = point == std::string_view::npos ? 0 : text.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(digits));
}

std::string_view WithoutTrailingSpaces(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string CutToSevenDigits(double value) {
  constexpr double kCellBoundary = 0.381966;
  constexpr int kDigits = 7;
  if (value == 0) return "0";
  const double magnitude = std::fabs(value);
  int exponent = static_cast<int>(std::floor(std::log10(magnitude))) - (kDigits - 1);
  auto scaled = [&] {
    return static_cast<double>(static_cast<long double>(magnitude) * std::pow(10.0L, -exponent));
  };
  // log10 may be off by one at powers of ten.
  if (scaled() >= 1e7) ++exponent;
  if (scaled() < 1e6) --exponent;
  auto cell = static_cast<int64_t>(std::floor(scaled() + kCellBoundary));
  while (cell % 10 == 0 && cell != 0) {
    cell /= 10;
    ++exponent;
  }
  return fmt::format("{}{}e{}", value < 0 ? "-" : "", cell, exponent);
}

}  // namespace lakegauge::workload
