#include "base/money.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace lakegauge {
namespace {

Money M(std::string_view text) {
  const auto money = Money::Parse(text);
  EXPECT_TRUE(money.ok()) << text;
  return money.value_or(Money());
}

Quantity Q(std::string_view text) {
  const auto quantity = Quantity::Parse(text);
  EXPECT_TRUE(quantity.ok()) << text;
  return quantity.value_or(Quantity());
}

TEST(Money, IsReadAndPrintedDigitForDigit) {
  for (const char* text :
       {"0", "23.72", "0.00003", "-1.4", "0.000000000001", "1000000", "999999999999999999999999"}) {
    EXPECT_EQ(M(text).ToText(), text);
  }
  EXPECT_EQ(M("+1.40").ToText(), "1.4");
  EXPECT_EQ(M(".5").ToText(), "0.5");
  EXPECT_EQ(M("007.00").ToText(), "7");
  EXPECT_EQ(M("-0.00").ToText(), "0");
  EXPECT_EQ(M("0.1000000000000000").ToText(), "0.1");  // zeros beyond the twelfth digit say nothing
}

TEST(Money, RefusesWhatIsNoDecimal) {
  for (const char* text : {"", ".", "-", "1e-5", "1,000", "0x1", "NaN", "inf", "1.2.3", "--1", "1 ",
                           "$1", "0.0000000000001", "1000000000000000000000000"}) {
    const auto money = Money::Parse(text);
    ASSERT_FALSE(money.ok()) << text;
    EXPECT_EQ(money.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(Money, RoundsHalfToEvenAndOnlyWhenPrinted) {
  EXPECT_EQ(M("0.005").ToCents(), "0.00");
  EXPECT_EQ(M("0.015").ToCents(), "0.02");
  EXPECT_EQ(M("0.025").ToCents(), "0.02");
  EXPECT_EQ(M("0.025000000001").ToCents(), "0.03");
  EXPECT_EQ(M("-0.015").ToCents(), "-0.02");
  EXPECT_EQ(M("-0.001").ToCents(), "0.00");
  EXPECT_EQ(M("9.999").ToCents(), "10.00");
  EXPECT_EQ(M("0.0029455").Rounded(5), "0.00295");
  EXPECT_EQ(M("2").Rounded(0), "2");
}

TEST(Money, ProductsAreRoundedToTheLastUnitHalfToEven) {
  EXPECT_EQ(M("0.000000000001").Times(Quantity::Of(1, 2))->ToText(), "0");
  EXPECT_EQ(M("0.000000000003").Times(Quantity::Of(1, 2))->ToText(), "0.000000000002");
  EXPECT_EQ(M("1").Times(Quantity::Of(1, 3))->ToText(), "0.333333333333");
  EXPECT_EQ(M("-1").Times(Quantity::Of(2, 3))->ToText(), "-0.666666666667");
  EXPECT_EQ(M("0.11").Times(Quantity::Of(924 * 7, 30))->ToText(), "23.716");
}

TEST(Money, WhatDoesNotFitIsAnErrorAndNeverWraps) {
  const Money most = M("99999999999999999999999");
  EXPECT_TRUE(most.Times(1000).ok());
  EXPECT_FALSE(most.Times(10'000).ok());
  EXPECT_FALSE(most.Times(std::numeric_limits<int64_t>::max()).ok());
  Money sum = most;
  int steps = 0;
  while (steps < 200) {
    const auto next = sum.Plus(sum);
    if (!next.ok()) break;
    EXPECT_GT(*next, sum);
    sum = *next;
    ++steps;
  }
  EXPECT_LT(steps, 200);
  EXPECT_FALSE(M("-1").Times(-1)->is_negative());
  EXPECT_FALSE(M("0").Minus(M("1"))->Minus(sum)->Minus(sum).ok());
}

TEST(Money, AHugeFactorDoesNotSpoilAProductThatFits) {
  // 128-bit products in between would have wrapped.
  const Quantity tiny = Quantity::Of(1, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(M("9223372036854775807").Times(tiny)->ToText(), "1");
}

TEST(Money, SumsOfRoundedPartsAreExact) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    Money total, back;
    std::vector<Money> parts;
    for (int i = 0; i < 20; ++i) {
      const Money price =
          *M("0.000000000001").Times(static_cast<int64_t>(random() % 1'000'000'000));
      const auto part = price.Times(
          Quantity::Of(static_cast<Int128>(random()), static_cast<Int128>(random() % 99'999) + 1));
      ASSERT_TRUE(part.ok());
      parts.push_back(*part);
      total = *total.Plus(*part);
    }
    back = total;
    for (const Money& part : parts) back = *back.Minus(part);
    EXPECT_EQ(back, Money());
    EXPECT_EQ(M(total.ToText()), total);
  }
}

TEST(Money, HowManyOfAnother) {
  EXPECT_EQ(M("1.40").Over(M("0.0006"))->ToText(2), "2333.33");
  EXPECT_EQ(M("1.08").Over(M("0.00295"))->ToText(0), "366");
  EXPECT_FALSE(M("1").Over(M("0")).ok());
  EXPECT_FALSE(M("1").Over(M("-1")).ok());
}

TEST(Quantity, IsExactAndInLowestTerms) {
  EXPECT_EQ(*Q("0.1").Plus(Q("0.2")), Q("0.3"));
  EXPECT_EQ(*Q("2.5").Times(Q("0.4")), Quantity(1));
  EXPECT_EQ(*Quantity(1).Over(3)->Times(3), Quantity(1));
  EXPECT_EQ(Quantity::Of(6, 4).denominator(), 2);
  EXPECT_FALSE(Quantity(1).Over(0).ok());
  EXPECT_FALSE(Quantity(1).Over(-1).ok());
}

TEST(Quantity, Ordering) {
  EXPECT_LT(Q("0.333333333333333333"), Quantity::Of(1, 3));
  EXPECT_LT(Q("-2"), Q("-1"));
  EXPECT_LT(Q("-1"), Quantity());
  EXPECT_LT(Quantity(), Quantity::Of(1, std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(Quantity(2) <=> Q("2.0"), std::strong_ordering::equal);
}

TEST(Quantity, CeilingAndText) {
  EXPECT_EQ(*Q("16.94").Ceiling(), 17);
  EXPECT_EQ(*Q("17").Ceiling(), 17);
  EXPECT_EQ(*Q("-0.5").Ceiling(), 0);
  EXPECT_FALSE(Quantity::Of(Int128{1} << 100, 1).Ceiling().ok());
  EXPECT_EQ(Quantity::Of(2, 3).ToText(3), "0.667");
  EXPECT_EQ(Quantity(5).ToText(3), "5");
  EXPECT_EQ(Quantity(5).ToText(2, false), "5.00");
  EXPECT_EQ(Q("-0.0001").ToText(2), "0");
}

TEST(Quantity, RefusesAbsurdText) {
  for (const char* text : {"", "x", "1e3", "12345678901234567890", "0.1234567890123456789"}) {
    EXPECT_FALSE(Quantity::Parse(text).ok()) << text;
  }
}

TEST(Quantity, ReadsRealNumbersToTheBillionth) {
  EXPECT_EQ(*Quantity::FromReal(1.5), Q("1.5"));
  EXPECT_EQ(*Quantity::FromReal(-0.25), Q("-0.25"));
  EXPECT_EQ(*Quantity::FromReal(0.1), Q("0.1"));
  EXPECT_EQ(*Quantity::FromReal(1e15), Q("1000000000000000"));
  EXPECT_FALSE(Quantity::FromReal(std::numeric_limits<double>::quiet_NaN()).ok());
  EXPECT_FALSE(Quantity::FromReal(std::numeric_limits<double>::infinity()).ok());
  EXPECT_FALSE(Quantity::FromReal(1e30).ok());
}

TEST(Quantity, OverflowIsAnError) {
  const Quantity huge = Quantity::Of(Int128{1} << 120, 1);
  EXPECT_FALSE(huge.Times(huge).ok());
  EXPECT_TRUE(huge.Times(Quantity::Of(1, Int128{1} << 120)).ok());
  EXPECT_FALSE(
      Quantity::Of(1, (Int128{1} << 100) + 1).Plus(Quantity::Of(1, (Int128{1} << 99) + 1)).ok());
}

}  // namespace
}  // namespace lakegauge
