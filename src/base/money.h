#pragma once
// Money as decimals, and the amounts it is multiplied with as exact fractions: no figure of a bill
// passes through binary floating point.
//
// Money counts whole 10^-12 of a currency unit. A product is rounded half to even to that unit, a
// sum is exact, so a total equals the sum of its parts to the last digit. Cents come about only
// when an amount is printed, rounded half to even.
//
// Threads: values. Errors: kInvalidArgument for text that is no decimal and for what does not fit
// (more than about 10^26 units of money, fractions beyond 128 bits): never a wrapped figure.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lakegauge {

__extension__ using Int128 = __int128;

// An exact fraction in lowest terms: 924 gigabytes, 1181 / 3600 hours.
class Quantity {
 public:
  Quantity() = default;                           // 0
  Quantity(int64_t whole) : numerator_(whole) {}  // NOLINT: 3 is a quantity
  // Kept in lowest terms; `denominator` above 0.
  static Quantity Of(Int128 numerator, Int128 denominator);
  // "924", "2.33", "-0.5": at most 18 digits after the point, 18 before it.
  static Result<Quantity> Parse(std::string_view text);
  // The double's own binary value, to 10^-9; refuses what is not finite or above 10^18.
  static Result<Quantity> FromReal(double value);

  bool is_zero() const { return numerator_ == 0; }
  bool is_negative() const { return numerator_ < 0; }
  Int128 numerator() const { return numerator_; }
  Int128 denominator() const { return denominator_; }

  Result<Quantity> Plus(const Quantity& other) const;
  Result<Quantity> Times(const Quantity& other) const;
  // `other` above 0.
  Result<Quantity> Over(const Quantity& other) const;
  // The least integer that is not below it.
  Result<int64_t> Ceiling() const;
  std::strong_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const = default;

  // Rounded half to even to `decimals` (0 to 18); trailing zeros are cut where `trim`.
  std::string ToText(int decimals, bool trim = true) const;

 private:
  Int128 numerator_ = 0;
  Int128 denominator_ = 1;
};

class Money {
 public:
  static constexpr int kDecimals = 12;

  Money() = default;  // nothing
  // "23.72", "0.00003", "-1.4": at most 12 digits after the point, no exponent, no separators.
  static Result<Money> Parse(std::string_view text);

  bool is_zero() const { return units_ == 0; }
  bool is_negative() const { return units_ < 0; }

  Result<Money> Plus(const Money& other) const;
  Result<Money> Minus(const Money& other) const;
  // Rounded half to even to 10^-12.
  Result<Money> Times(const Quantity& quantity) const;
  // How many of `other`, which is above 0, it is.
  Result<Quantity> Over(const Money& other) const;
  auto operator<=>(const Money& other) const = default;

  // All its digits: "0.0029455", "23.72", "4".
  std::string ToText() const;
  // Half to even: Rounded(2) is "23.72", "-0.01", "1000000.00".
  std::string Rounded(int decimals) const;
  // To cents.
  std::string ToCents() const { return Rounded(2); }

 private:
  explicit Money(Int128 units) : units_(units) {}
  Int128 units_ = 0;
};

}  // namespace lakegauge
