#include "base/money.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace lakegauge {
namespace {

__extension__ using UInt128 = unsigned __int128;

constexpr Int128 kMost = static_cast<Int128>(~static_cast<UInt128>(0) >> 1);

struct Wide {  // 256 bits
  UInt128 high = 0;
  UInt128 low = 0;
  auto operator<=>(const Wide& other) const = default;
};

Wide Product(UInt128 a, UInt128 b) {
  constexpr UInt128 kLow = std::numeric_limits<uint64_t>::max();
  const UInt128 a0 = a & kLow, a1 = a >> 64, b0 = b & kLow, b1 = b >> 64;
  const UInt128 low = a0 * b0;
  const UInt128 middle = a1 * b0 + (low >> 64);
  const UInt128 other = a0 * b1 + (middle & kLow);
  return {a1 * b1 + (middle >> 64) + (other >> 64), (other << 64) | (low & kLow)};
}

UInt128 Magnitude(Int128 value) {
  return value < 0 ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
}

// a * b / d, half to even; nullopt where it does not fit. d above 0 and below 2^127.
std::optional<Int128> MulDiv(Int128 a, Int128 b, Int128 d) {
  const bool negative = (a < 0) != (b < 0);
  const Wide product = Product(Magnitude(a), Magnitude(b));
  const auto divisor = static_cast<UInt128>(d);
  if (product.high >= divisor) return std::nullopt;
  UInt128 remainder = product.high;  // below the divisor, so a doubled one fits
  UInt128 quotient = 0;
  for (int bit = 127; bit >= 0; --bit) {
    remainder = (remainder << 1) | ((product.low >> bit) & 1);
    quotient <<= 1;
    if (remainder >= divisor) {
      remainder -= divisor;
      quotient |= 1;
    }
  }
  const UInt128 twice = remainder * 2;
  if (twice > divisor || (twice == divisor && (quotient & 1) != 0)) ++quotient;
  if (quotient > static_cast<UInt128>(kMost)) return std::nullopt;
  const auto result = static_cast<Int128>(quotient);
  return negative ? -result : result;
}

Int128 Gcd(Int128 a, Int128 b) {
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

Int128 PowerOfTen(int n) {
  Int128 power = 1;
  for (int i = 0; i < n; ++i) power *= 10;
  return power;
}

std::string Digits(UInt128 value) {
  std::string text;
  do {
    text += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(text.begin(), text.end());
  return text;
}

// value * 10^-decimals.
std::string Decimal(Int128 value, int decimals) {
  std::string text = Digits(Magnitude(value));
  if (decimals > 0) {
    const auto places = static_cast<size_t>(decimals);
    if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
    text.insert(text.size() - places, ".");
  }
  return value < 0 ? "-" + text : text;
}

void TrimZeros(std::string* text) {
  if (text->find('.') == std::string::npos) return;
  while (text->back() == '0') text->pop_back();
  if (text->back() == '.') text->pop_back();
}

// The decimal times 10^decimals; nullopt where it is none, or has more digits than allowed.
std::optional<Int128> ParseDecimal(std::string_view text, int whole_digits, int decimals) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  Int128 value = 0;
  int whole = 0, fraction = -1, seen = 0;
  for (const char c : text) {
    if (c == '.') {
      if (fraction >= 0) return std::nullopt;
      fraction = 0;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    ++seen;
    if (fraction >= 0) {
      if (fraction == decimals) {
        if (c != '0') return std::nullopt;
        continue;
      }
      ++fraction;
    } else if (whole > 0 || c != '0') {
      if (++whole > whole_digits) return std::nullopt;
    }
    value = value * 10 + (c - '0');
  }
  if (seen == 0) return std::nullopt;
  value *= PowerOfTen(decimals - std::max(fraction, 0));
  return negative ? -value : value;
}

Error TooMuch(std::string_view what) {
  return MakeError(ErrorCode::kInvalidArgument, fmt::format("{} is too large to be counted", what));
}

constexpr int kQuantityDigits = 18;
constexpr int kMoneyWholeDigits = 24;

}  // namespace

Quantity Quantity::Of(Int128 numerator, Int128 denominator) {
  const Int128 common = Gcd(numerator, denominator);
  Quantity quantity;
  quantity.numerator_ = numerator / common;
  quantity.denominator_ = denominator / common;
  return quantity;
}

Result<Quantity> Quantity::Parse(std::string_view text) {
  const auto value = ParseDecimal(text, kQuantityDigits, kQuantityDigits);
  if (!value) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("found '{}'; allowed a decimal such as 924 or 2.33", text));
  }
  return Of(*value, PowerOfTen(kQuantityDigits));
}

Result<Quantity> Quantity::FromReal(double value) {
  if (!std::isfinite(value) || std::abs(value) > 1e18) {
    return MakeError(ErrorCode::kInvalidArgument, fmt::format("{} cannot be counted", value));
  }
  const double whole = std::trunc(value);
  const auto billionths = static_cast<Int128>(std::nearbyint((value - whole) * 1e9));
  return Of(static_cast<Int128>(whole) * 1'000'000'000 + billionths, 1'000'000'000);
}

Result<Quantity> Quantity::Plus(const Quantity& other) const {
  const Int128 common = Gcd(denominator_, other.denominator_);
  Int128 left = 0, right = 0, sum = 0, denominator = 0;
  if (__builtin_mul_overflow(numerator_, other.denominator_ / common, &left) ||
      __builtin_mul_overflow(other.numerator_, denominator_ / common, &right) ||
      __builtin_add_overflow(left, right, &sum) ||
      __builtin_mul_overflow(denominator_, other.denominator_ / common, &denominator)) {
    return TooMuch("a sum of amounts");
  }
  return Of(sum, denominator);
}

Result<Quantity> Quantity::Times(const Quantity& other) const {
  const Quantity a = Of(numerator_, other.denominator_);
  const Quantity b = Of(other.numerator_, denominator_);
  Quantity product;
  if (__builtin_mul_overflow(a.numerator_, b.numerator_, &product.numerator_) ||
      __builtin_mul_overflow(a.denominator_, b.denominator_, &product.denominator_)) {
    return TooMuch("a product of amounts");
  }
  return product;
}

Result<Quantity> Quantity::Over(const Quantity& other) const {
  if (other.numerator_ <= 0) {
    return MakeError(ErrorCode::kInvalidArgument, "division by an amount that is not above 0");
  }
  Quantity inverse;
  inverse.numerator_ = other.denominator_;
  inverse.denominator_ = other.numerator_;
  return Times(inverse);
}

Result<int64_t> Quantity::Ceiling() const {
  Int128 whole = numerator_ / denominator_;
  if (numerator_ % denominator_ > 0) ++whole;
  if (whole > std::numeric_limits<int64_t>::max() || whole < std::numeric_limits<int64_t>::min()) {
    return TooMuch("a count");
  }
  return static_cast<int64_t>(whole);
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (is_negative() != other.is_negative()) {
    return is_negative() ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  const Wide left = Product(Magnitude(numerator_), static_cast<UInt128>(other.denominator_));
  const Wide right = Product(Magnitude(other.numerator_), static_cast<UInt128>(denominator_));
  return is_negative() ? right <=> left : left <=> right;
}

std::string Quantity::ToText(int decimals, bool trim) const {
  const auto scaled = MulDiv(numerator_, PowerOfTen(decimals), denominator_);
  // Only a whole number beyond 10^20 does not fit with its decimals.
  std::string text = scaled ? Decimal(*scaled, decimals) : Decimal(numerator_ / denominator_, 0);
  if (trim) TrimZeros(&text);
  return text == "-0" ? "0" : text;
}

Result<Money> Money::Parse(std::string_view text) {
  const auto units = ParseDecimal(text, kMoneyWholeDigits, kDecimals);
  if (!units) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        fmt::format("found '{}'; allowed an amount such as 0.00003, with at most {} digits after "
                    "the point and {} before it",
                    text, kDecimals, kMoneyWholeDigits));
  }
  return Money(*units);
}

Result<Money> Money::Plus(const Money& other) const {
  Money sum;
  if (__builtin_add_overflow(units_, other.units_, &sum.units_)) return TooMuch("a sum of money");
  return sum;
}

Result<Money> Money::Minus(const Money& other) const {
  Money difference;
  if (__builtin_sub_overflow(units_, other.units_, &difference.units_)) {
    return TooMuch("a sum of money");
  }
  return difference;
}

Result<Money> Money::Times(const Quantity& quantity) const {
  const auto units = MulDiv(units_, quantity.numerator(), quantity.denominator());
  if (!units) return TooMuch("an amount of money");
  return Money(*units);
}

Result<Quantity> Money::Over(const Money& other) const {
  if (other.units_ <= 0) {
    return MakeError(ErrorCode::kInvalidArgument, "division by money that is not above 0");
  }
  return Quantity::Of(units_, other.units_);
}

std::string Money::ToText() const {
  std::string text = Decimal(units_, kDecimals);
  TrimZeros(&text);
  return text;
}

std::string Money::Rounded(int decimals) const {
  const int places = std::clamp(decimals, 0, kDecimals);
  const auto rounded = MulDiv(units_, 1, PowerOfTen(kDecimals - places));
  return Decimal(rounded.value_or(0), places);  // always fits: it only shrinks
}

}  // namespace lakegauge
