#include "workload/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "workload/answer_values.h"
#include "workload/official.h"

namespace lakegauge::workload {
namespace {

using testing::HasSubstr;
using Row = std::vector<std::optional<std::string>>;

Answer Make(std::vector<std::string> types, std::vector<Row> rows) {
  Answer answer;
  for (size_t i = 0; i < types.size(); ++i) {
    answer.columns.push_back({"c" + std::to_string(i), types[i]});
  }
  answer.rows = std::move(rows);
  return answer;
}

ResultOrder By(std::vector<SortKey> keys, int64_t limit = -1) { return {std::move(keys), limit}; }
SortKey Column(int column, bool descending = false) { return {column, "", descending, {}}; }

TEST(Difference, NumbersOfColumnsAndRowsCount) {
  const Answer one = Make({"INTEGER"}, {{"1"}});
  EXPECT_EQ(Difference(one, Make({"INTEGER", "INTEGER"}, {{"1", "2"}})),
            "expected 1 columns, found 2");
  EXPECT_EQ(Difference(one, Make({"INTEGER"}, {})), "expected 1 rows, found 0");
  EXPECT_EQ(Difference(one, one), "");
}

TEST(Difference, RowsMatchInAnyOrderWhereNoneIsPromised) {
  const Answer a = Make({"INTEGER", "VARCHAR"}, {{"1", "x"}, {"2", "y"}, {"1", "x"}});
  const Answer b = Make({"int", "string"}, {{"2", "y"}, {"1", "x"}, {"1", "x"}});
  EXPECT_EQ(Difference(a, b), "");
  EXPECT_EQ(Fingerprint(a), Fingerprint(b));
  const Answer c = Make({"INTEGER", "VARCHAR"}, {{"2", "y"}, {"2", "y"}, {"1", "x"}});
  EXPECT_EQ(Difference(a, c), "row 3 is missing: 1|x; found instead: 2|y");
}

TEST(Difference, ExactNumbersAreEqualAsDecimals) {
  const Answer a = Make({"DECIMAL(7,2)"}, {{"1.50"}, {"-0.00"}, {"0.07"}});
  const Answer b = Make({"decimal(38,6)"}, {{"1.500000"}, {"0"}, {".07"}});
  EXPECT_EQ(Difference(a, b), "");
  EXPECT_EQ(Fingerprint(a), Fingerprint(b));
  EXPECT_THAT(Difference(Make({"DECIMAL(7,2)"}, {{"1.50"}}), Make({"DECIMAL(7,2)"}, {{"1.51"}})),
              HasSubstr("missing"));
  EXPECT_THAT(Difference(Make({"HUGEINT"}, {{"12345678901234567890123"}}),
                         Make({"HUGEINT"}, {{"12345678901234567890124"}})),
              HasSubstr("missing"))
      << "no digit is lost to floating point";
}

TEST(Difference, FloatingPointAgreesWithinItsTolerance) {
  const auto differ = [](const char* x, const char* y) {
    return !Difference(Make({"DOUBLE"}, {{x}}), Make({"DOUBLE"}, {{y}})).empty();
  };
  EXPECT_FALSE(differ("1000000", "1000000.9"));
  EXPECT_TRUE(differ("1000000", "1000001.1"));
  EXPECT_FALSE(differ("0", "1e-10"));
  EXPECT_TRUE(differ("0", "1e-8"));
  EXPECT_FALSE(differ("-1e300", "-1.0000001e300"));
  EXPECT_FALSE(differ("nan", "NaN"));
  EXPECT_FALSE(differ("inf", "Infinity"));
  EXPECT_TRUE(differ("inf", "-inf"));
  EXPECT_TRUE(differ("nan", "1"));
}

TEST(Difference, AnExactSideMayHaveRoundedAFloatingOne) {
  const auto differ = [](const char* x, const char* y) {
    return !Difference(Make({"DOUBLE"}, {{x}}), Make({"decimal(11,4)"}, {{y}})).empty();
  };
  EXPECT_FALSE(differ("0.00123456", "0.0012"));
  EXPECT_TRUE(differ("0.00126", "0.0012"));
}

TEST(Difference, TextIsComparedByteForByteTrailingSpacesAside) {
  const auto differ = [](const char* x, const char* y) {
    return !Difference(Make({"VARCHAR"}, {{x}}), Make({"char(5)"}, {{y}})).empty();
  };
  EXPECT_FALSE(differ("ab", "ab   "));
  EXPECT_TRUE(differ("ab", " ab"));
  EXPECT_TRUE(differ("ab", "AB"));
  EXPECT_TRUE(differ("1", "1.0")) << "text is no number";
}

TEST(Difference, NullEqualsNullOnly) {
  const Answer null = Make({"VARCHAR"}, {{std::nullopt}});
  EXPECT_EQ(Difference(null, null), "");
  for (const char* text : {"", "NULL", "N"}) {
    EXPECT_NE(Difference(null, Make({"VARCHAR"}, {{text}})), "") << text;
    EXPECT_NE(Fingerprint(null), Fingerprint(Make({"VARCHAR"}, {{text}}))) << text;
  }
  EXPECT_NE(Difference(Make({"DOUBLE"}, {{std::nullopt}}), Make({"DOUBLE"}, {{"0"}})), "");
}

TEST(Difference, ValuesDoNotRunIntoEachOther) {
  const Answer a = Make({"VARCHAR", "VARCHAR"}, {{"ab", "c"}});
  const Answer b = Make({"VARCHAR", "VARCHAR"}, {{"a", "bc"}});
  EXPECT_NE(Difference(a, b), "");
  EXPECT_NE(Fingerprint(a), Fingerprint(b));
}

TEST(Difference, NearFloatsAreMatchedOneToOneWhateverTheirOrder) {
  // The first expected row fits both actual rows, the second only the first of them.
  const Answer expected = Make({"DOUBLE"}, {{"1.0000000"}, {"0.9999992"}});
  const Answer actual = Make({"DOUBLE"}, {{"0.9999998"}, {"1.0000005"}});
  EXPECT_EQ(Difference(expected, actual), "");
}

TEST(Difference, RowsMustStandInTheOrderTheQueryAskedFor) {
  const Answer sorted = Make({"INTEGER", "VARCHAR"}, {{"2", "a"}, {"10", "c"}, {"10", "b"}});
  const Answer not_sorted = Make({"INTEGER", "VARCHAR"}, {{"10", "c"}, {"2", "a"}, {"10", "b"}});
  EXPECT_EQ(Difference(sorted, not_sorted), "");
  EXPECT_EQ(OutOfOrder(sorted, By({Column(0)})), "");
  EXPECT_EQ(OutOfOrder(not_sorted, By({Column(0)})),
            "row 2 is out of order by column 1 (c0): 2 after 10");
  EXPECT_EQ(Difference(sorted, not_sorted, By({Column(0)})),
            "row 2 is out of order by column 1 (c0): 2 after 10");
  EXPECT_EQ(Difference(not_sorted, sorted, By({Column(0)})), "") << "ties stand in any order";
  EXPECT_THAT(Difference(sorted, sorted, By({Column(0), Column(1)})),
              HasSubstr("row 3 is out of order by column 2"));
  EXPECT_EQ(Difference(sorted, sorted, By({Column(0), Column(1, true)})), "");
}

TEST(Difference, NullsStandAtEitherEndUnlessTheQuerySays) {
  const Answer first = Make({"INTEGER"}, {{std::nullopt}, {"1"}, {"2"}});
  const Answer last = Make({"INTEGER"}, {{"1"}, {"2"}, {std::nullopt}});
  const Answer middle = Make({"INTEGER"}, {{"1"}, {std::nullopt}, {"2"}});
  SortKey key = Column(0);
  for (const auto& answer : {first, last}) EXPECT_EQ(Difference(first, answer, By({key})), "");
  key.nulls = SortKey::Nulls::kLast;
  EXPECT_EQ(Difference(first, last, By({key})), "");
  EXPECT_THAT(Difference(first, first, By({key})), HasSubstr("out of order"));
  EXPECT_THAT(Difference(first, middle, By({key})), HasSubstr("out of order"));
}

TEST(Difference, TiesAtTheLimitMayBeOtherRows) {
  const auto answer = [](const char* other) {
    return Make({"INTEGER", "VARCHAR"}, {{"1", "a"}, {"2", "b"}, {"2", other}});
  };
  EXPECT_EQ(Difference(answer("c"), answer("d"), By({Column(0)}, 3)), "");
  EXPECT_NE(Difference(answer("c"), answer("d"), By({Column(0)}, 100)), "")
      << "the limit was not reached, so no row was cut off";
  EXPECT_NE(Difference(answer("c"), answer("d"), By({}, 3)), "")
      << "without an order nothing says which rows may differ";
  const Answer wrong = Make({"INTEGER", "VARCHAR"}, {{"1", "x"}, {"2", "b"}, {"2", "c"}});
  EXPECT_EQ(Difference(answer("c"), wrong, By({Column(0)}, 3)),
            "row 1 is missing: 1|a; found instead: 1|x");
  const Answer later = Make({"INTEGER", "VARCHAR"}, {{"1", "a"}, {"2", "b"}, {"3", "c"}});
  EXPECT_NE(Difference(answer("c"), later, By({Column(0)}, 3)), "");
}

TEST(Fingerprint, IsFixed) {
  EXPECT_EQ(Fingerprint(Make({"INTEGER", "DOUBLE", "VARCHAR"},
                             {{"1", "0.1", "x"}, {std::nullopt, "-12345.678", "y "}})),
            "940f534298d4261f");
}

TEST(Fingerprint, IgnoresTheLastBitsOfFloatingPoint) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    // Money averaged over a few rows: the last digits are often exactly 5.
    const double value =
        static_cast<double>(random() % 100'000'000) / 100 / static_cast<double>(1 + random() % 8);
    const double near = std::nextafter(value, random() % 2 == 0 ? 0 : 1e9);
    ASSERT_EQ(CutToSevenDigits(value), CutToSevenDigits(near)) << value;
  }
}

TEST(Fingerprint, EqualOnesAreEqualAnswers) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 10000; ++i) {
    const double value = static_cast<double>(random() % 2'000'000'000) / 1000 - 1e6;
    const double near = value * (1 + static_cast<double>(random() % 2000) / 1e9);
    if (CutToSevenDigits(value) != CutToSevenDigits(near)) continue;
    ASSERT_LE(std::abs(value - near), kFloatTolerance * std::max(std::abs(value), std::abs(near)));
  }
  EXPECT_EQ(CutToSevenDigits(1e6), "1e6");
  EXPECT_EQ(CutToSevenDigits(-0.0), "0");
  EXPECT_EQ(CutToSevenDigits(-123456789), "-1234568e2");
  EXPECT_EQ(CutToSevenDigits(5e-324).empty(), false);
}

TEST(OrderOfSql, ReadsTheKeysThatAreOutputColumns) {
  const auto order = OrderOfSql(
      "SELECT a, b AS x, sum(c) FROM t GROUP BY a, b "
      "ORDER BY 2 DESC NULLS FIRST, A, sum(c), a + 1, b LIMIT 100");
  ASSERT_EQ(order.keys.size(), 3u) << "a + 1 is no output column, so the rest promises nothing";
  EXPECT_EQ(order.keys[0].column, 1);
  EXPECT_TRUE(order.keys[0].descending);
  EXPECT_EQ(order.keys[0].nulls, SortKey::Nulls::kFirst);
  EXPECT_EQ(order.keys[1].column, 0);
  EXPECT_FALSE(order.keys[1].descending);
  EXPECT_EQ(order.keys[1].nulls, SortKey::Nulls::kEither);
  EXPECT_EQ(order.keys[2].column, 2);
  EXPECT_EQ(order.limit, 100);
}

TEST(OrderOfSql, FindsColumnsOfAStarByName) {
  const auto order = OrderOfSql("SELECT * FROM t ORDER BY t.b");
  ASSERT_EQ(order.keys.size(), 1u);
  EXPECT_EQ(order.keys[0].name, "b");
  const Answer answer = Make({"INTEGER"}, {{"2"}, {"1"}});
  EXPECT_EQ(Difference(answer, answer, order), "") << "no column of that name: nothing is promised";
}

TEST(OrderOfSql, TakesTheFirstSelectsNamesInAUnionAndTheLastStatement) {
  const auto order = OrderOfSql("SELECT 1; SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY a");
  ASSERT_EQ(order.keys.size(), 1u);
  EXPECT_EQ(order.keys[0].column, 0);
}

TEST(OrderOfSql, PromisesNothingForWhatItCannotRead) {
  for (const char* sql : {"", "SELEC 1", "CREATE TABLE t(a INT)", "SELECT a FROM t",
                          "SELECT a AS x, b AS x FROM t ORDER BY x"}) {
    EXPECT_TRUE(OrderOfSql(sql).keys.empty()) << sql;
    EXPECT_EQ(OrderOfSql(sql).limit, -1) << sql;
  }
}

TEST(AnswerJson, ComesBackAsItWas) {
  const Answer answer = Make({"INTEGER", "VARCHAR"}, {{"1", "a\"b\n"}, {std::nullopt, ""}});
  const auto back = AnswerFromJson(ToJson(answer));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->rows, answer.rows);
  EXPECT_EQ(back->columns[1].type, "VARCHAR");
}

TEST(AnswerJson, RefusesWhatIsNoAnswer) {
  for (const char* text :
       {"[]", "{}", R"({"columns":[{"name":"a","type":"INT"}],"rows":[["1","2"]]})",
        R"({"columns":[{"name":"a","type":"INT"}],"rows":[[1]]})", R"({"columns":1,"rows":[]})"}) {
    const auto answer = AnswerFromJson(*ParseJson(text));
    ASSERT_FALSE(answer.ok()) << text;
    EXPECT_EQ(answer.error().code, ErrorCode::kCorrupt);
  }
}

TEST(Official, AnswersAreThereForTheScalesSetupLaidOut) {
  EXPECT_THAT(OfficialScales(), testing::IsSupersetOf({0.01, 1.0}));
  const auto answer = OfficialAnswer("q03", 1);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  ASSERT_TRUE(answer->has_value());
  EXPECT_EQ((*answer)->columns.size(), 4u);
  EXPECT_GT((*answer)->rows.size(), 10u);
  for (int n = 1; n <= 99; ++n) {
    for (const double scale : {0.01, 1.0}) {
      const auto one =
          OfficialAnswer("q" + std::string(n < 10 ? "0" : "") + std::to_string(n), scale);
      ASSERT_TRUE(one.ok() && one->has_value()) << n;
    }
  }
}

TEST(Official, WhereThereIsNoneNoneIsGiven) {
  for (const auto& [query, scale] :
       {std::pair{"q03", 2.5}, {"mine", 1.0}, {"q00", 1.0}, {"q3", 1.0}}) {
    const auto answer = OfficialAnswer(query, scale);
    ASSERT_TRUE(answer.ok());
    EXPECT_FALSE(answer->has_value()) << query;
  }
}

TEST(Official, ARoundedNumberAgreesToItsLastDigit) {
  const Answer official = Make({"", ""}, {{"0.33", "x"}});
  EXPECT_EQ(OfficialDifference(official, Make({"DOUBLE", "VARCHAR"}, {{"0.3333", "x"}})), "");
  EXPECT_NE(OfficialDifference(official, Make({"DOUBLE", "VARCHAR"}, {{"0.34", "x"}})), "");
  EXPECT_NE(OfficialDifference(official, Make({"DECIMAL(9,2)", "VARCHAR"}, {{"0.34", "x"}})), "");
  EXPECT_NE(OfficialDifference(official, Make({"DOUBLE", "VARCHAR"}, {{"0.33", "y"}})), "");
}

}  // namespace
}  // namespace lakegauge::workload
