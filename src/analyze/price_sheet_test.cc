#include "analyze/price_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lakegauge::analyze {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSmall = R"(name: small
description: one store
date: 2026-11-30
currency: EUR
gigabyte: 1GB
month_days: 30
sources: {list: a price list}
compute:
  - {name: node, count: 2, per_hour: 1.8, minimum: 60s, source: list}
stores:
  a:
    - {requests: [GET, HEAD], per_1000: 0.0004, source: list}
    - {storage_per_gb_month: 0.02, minimum: 30d, minimum_object: 128KiB, source: list}
    - {retrieval_per_gb: 0.01, source: list}
)";

std::string Changed(std::string_view from, std::string_view to) {
  std::string text = kSmall;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string ProblemOf(const std::string& text) {
  const auto sheet = ParsePriceSheet(text, "prices.yaml");
  EXPECT_FALSE(sheet.ok());
  return sheet.ok() ? "" : sheet.error().message;
}

TEST(PriceSheet, IsReadWhole) {
  const auto sheet = ParsePriceSheet(kSmall, "prices.yaml");
  ASSERT_TRUE(sheet.ok()) << sheet.error().message;
  EXPECT_EQ(sheet->currency, "EUR");
  EXPECT_THAT(sheet->columns, ElementsAre("bill"));
  EXPECT_EQ(sheet->ClusterPerSecond(0)->ToText(), "0.001");
  ASSERT_NE(sheet->Store("a"), nullptr);
  EXPECT_EQ(sheet->Store("b"), nullptr);
  const auto& charges = sheet->Store("a")->charges;
  ASSERT_EQ(charges.size(), 3u);
  EXPECT_EQ(charges[0].name, "GET, HEAD");
  EXPECT_EQ(charges[0].source, "a price list");
  EXPECT_EQ(charges[1].minimum_object_bytes, 128 * 1024);
}

TEST(PriceSheet, ProblemsHaveAPlace) {
  EXPECT_THAT(ProblemOf(Changed("per_1000: 0.0004", "per_1000: 4e-4")),
              HasSubstr("prices.yaml:12:41: found '4e-4'; allowed an amount such as 0.00003"));
  EXPECT_THAT(ProblemOf(Changed("per_1000: 0.0004", "per_1000: -1")),
              HasSubstr("found '-1'; allowed 0 or more"));
  EXPECT_THAT(ProblemOf(Changed("per_1000: 0.0004", "per_1000: 1000000000000000000000000000")),
              HasSubstr("prices.yaml:12:41"));
  EXPECT_THAT(ProblemOf(Changed("retrieval_per_gb", "retreival_per_gb")),
              HasSubstr("did you mean 'retrieval_per_gb'?"));
  EXPECT_THAT(ProblemOf(Changed("[GET, HEAD]", "[GET, HED]")), HasSubstr("HEAD"));
  EXPECT_THAT(ProblemOf(Changed("[GET, HEAD]", "[GET, GET]")), HasSubstr("twice"));
  EXPECT_THAT(ProblemOf(Changed("0.01, source: list", "0.01, source: lst")),
              HasSubstr("did you mean 'list'?"));
  EXPECT_THAT(ProblemOf(Changed(", source: list}\n    - {storage", "}\n    - {storage")),
              HasSubstr("source"));
}

TEST(PriceSheet, DatesCurrenciesAndMonthsMustBeReal) {
  EXPECT_THAT(ProblemOf(Changed("2026-11-30", "2026-02-30")), HasSubstr("allowed a date"));
  EXPECT_THAT(ProblemOf(Changed("2026-11-30", "30.11.2026")), HasSubstr("allowed a date"));
  EXPECT_THAT(ProblemOf(Changed("EUR", "euro")), HasSubstr("allowed a code such as USD"));
  EXPECT_THAT(ProblemOf(Changed("month_days: 30", "month_days: 27")), HasSubstr("27"));
  EXPECT_THAT(ProblemOf(Changed("gigabyte: 1GB", "gigabyte: 1MB")), HasSubstr("1GiB"));
  EXPECT_THAT(ProblemOf(Changed("count: 2", "count: 0")), HasSubstr("0"));
}

TEST(PriceSheet, AChargeHasOnePriceAndAnOperationOneCharge) {
  EXPECT_THAT(
      ProblemOf(Changed("{retrieval_per_gb: 0.01,", "{retrieval_per_gb: 0.01, upload_per_gb: 1,")),
      HasSubstr("found upload_per_gb, retrieval_per_gb; allowed one price"));
  EXPECT_THAT(ProblemOf(Changed("{retrieval_per_gb: 0.01,", "{name: x,")),
              HasSubstr("found no price"));
  EXPECT_THAT(ProblemOf(Changed("{retrieval_per_gb: 0.01,", "{requests: GET, per_1000: 1,")),
              HasSubstr("found 2 prices of GET in the column 'bill'; allowed one"));
  EXPECT_THAT(ProblemOf(Changed("{retrieval_per_gb: 0.01,", "{storage_per_gb_month: 0.01,")),
              HasSubstr("2 prices of storage"));
}

TEST(PriceSheet, AColumnMustBeOneOfTheSheets) {
  EXPECT_THAT(
      ProblemOf(Changed("{retrieval_per_gb: 0.01,", "{retrieval_per_gb: 0.01, only: full,")),
      HasSubstr("bill"));
  EXPECT_THAT(ProblemOf(Changed("sources:", "columns: [a, a]\nsources:")), HasSubstr("twice"));
}

TEST(PriceSheet, MissingKeysAreNamed) {
  const std::string problem = ProblemOf("name: x\n");
  for (const char* key : {"description", "date", "currency", "gigabyte", "month_days", "sources"}) {
    EXPECT_THAT(problem, HasSubstr(key));
  }
  EXPECT_THAT(ProblemOf(""), Not(HasSubstr("terminate")));
}

TEST(PriceSheet, BuiltInOnesAreGoodAndEachPriceHasItsSource) {
  ASSERT_THAT(BuiltInPriceSheets(), ElementsAre("storage-class"));
  for (const auto& name : BuiltInPriceSheets()) {
    const auto sheet = LoadPriceSheet(name);
    ASSERT_TRUE(sheet.ok()) << sheet.error().message;
    EXPECT_EQ(sheet->name, name);
    for (const PricedStore& store : sheet->stores) {
      for (const Charge& charge : store.charges) EXPECT_FALSE(charge.source.empty());
    }
  }
}

TEST(PriceSheet, AnUnknownNameGetsTheNearest) {
  const auto sheet = LoadPriceSheet("storage-clas");
  ASSERT_FALSE(sheet.ok());
  EXPECT_EQ(sheet.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(sheet.error().message, HasSubstr("did you mean 'storage-class'?"));
  EXPECT_FALSE(LoadPriceSheet("no/such.yaml").ok());
}

}  // namespace
}  // namespace lakegauge::analyze
