// How each kind of charge counts, the figures of the studies, and sums that are exact.

#include "analyze/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "analyze/cost_bill.h"
#include "analyze/cost_claim.h"
#include "analyze/cost_table.h"

namespace lakegauge::analyze {
namespace {

using profile::Operation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr size_t kPublished = 0;
constexpr size_t kFull = 1;

PriceSheet Study() {
  auto sheet = LoadPriceSheet("storage-class");
  EXPECT_TRUE(sheet.ok()) << sheet.error().message;
  return *sheet;
}

const PricedStore& Express(const PriceSheet& sheet) { return *sheet.Store("s3-express"); }
const PricedStore& Standard(const PriceSheet& sheet) { return *sheet.Store("s3-standard"); }

Quantity Q(std::string_view text) { return *Quantity::Parse(text); }
Money M(std::string_view text) { return *Money::Parse(text); }

Stored ThreeTerabytes() {
  Stored stored;
  stored.gb = 924;
  stored.objects = 5484;
  return stored;
}

PriceSheet Sheet(const std::string& charges, const std::string& compute = "[]") {
  const std::string text =
      "name: t\ndescription: t\ndate: 2026-01-01\ncurrency: USD\ngigabyte: 1GB\nmonth_days: 30\n"
      "sources: {s: s}\ncompute: " +
      compute + "\nstores:\n  a:\n" + charges;
  auto sheet = ParsePriceSheet(text, "t.yaml");
  EXPECT_TRUE(sheet.ok()) << sheet.error().message;
  return sheet.ok() ? *sheet : PriceSheet();
}

Money Kept(const PriceSheet& sheet, const Stored& stored, const Quantity& days, int month = 30) {
  const auto bill = PriceKeeping(sheet, sheet.stores[0], 0, stored, days, month);
  EXPECT_TRUE(bill.ok());
  return bill->total;
}

// The third study, to the cent and the count.

TEST(StorageClassStudy, TheClusterCosts0_00295ASecond) {
  const PriceSheet sheet = Study();
  EXPECT_EQ(sheet.ClusterPerSecond(kPublished)->ToText(), "0.0029455");
  EXPECT_EQ(sheet.ClusterPerSecond(kPublished)->Rounded(5), "0.00295");
  EXPECT_EQ(sheet.ClusterPerSecond(kFull)->Rounded(5), "0.00295");
}

TEST(StorageClassStudy, ComputeSavedIs366Seconds) {
  const PriceSheet sheet = Study();
  EXPECT_EQ(M("1.08").Over(M("0.00295"))->ToText(0), "366");
  Usage usage;
  usage.seconds = 366;
  const auto bill = PriceUsage(sheet, Standard(sheet), kPublished, usage, Billed::kJob);
  EXPECT_EQ(bill->total.ToCents(), "1.08");
  usage.seconds = 1181;  // the whole run on Standard
  EXPECT_EQ(PriceUsage(sheet, Standard(sheet), kPublished, usage, Billed::kJob)->total.ToCents(),
            "3.48");
}

TEST(StorageClassStudy, SevenDaysOf924GigabytesCost23_72) {
  const PriceSheet sheet = Study();
  for (const size_t column : {kPublished, kFull}) {
    const auto bill =
        PriceKeeping(sheet, Express(sheet), column, ThreeTerabytes(), 7, sheet.month_days);
    EXPECT_EQ(bill->total.ToText(), "23.716");
    EXPECT_EQ(bill->total.ToCents(), "23.72");
  }
}

TEST(StorageClassStudy, SeventeenRunsPay) {
  EXPECT_EQ(**RunsToPay(M("23.716"), M("1.40")), 17);
  EXPECT_EQ(M("1.40").Times(17)->ToCents(), "23.80");
  EXPECT_LT(*M("1.40").Times(16), M("23.716"));
}

TEST(StorageClassStudy, LoadingCosts2_96InTheFullBillAlone) {
  const PriceSheet sheet = Study();
  const auto full = PriceLoading(sheet, Express(sheet), kFull, ThreeTerabytes());
  EXPECT_EQ(full->Of(ChargeKind::kUpload)->ToCents(), "2.96");
  EXPECT_EQ(full->Of(ChargeKind::kRequests)->ToCents(), "0.01");
  EXPECT_EQ(full->total.ToCents(), "2.96");  // 2.9568 and 0.0062
  const auto published = PriceLoading(sheet, Express(sheet), kPublished, ThreeTerabytes());
  EXPECT_TRUE(published->total.is_zero());
  EXPECT_THAT(published->unpriced, ElementsAre("5484 PUT"));
}

TEST(StorageClassStudy, TheSavingIsGoneOnceARunRetrieves2_33Terabytes) {
  const PriceSheet sheet = Study();
  EXPECT_EQ(RetrievalPrice(Express(sheet), kFull).ToText(), "0.0006");
  EXPECT_TRUE(RetrievalPrice(Express(sheet), kPublished).is_zero());
  Usage usage;
  usage.retrieved_gb = Q("2333");
  EXPECT_LT(PriceUsage(sheet, Express(sheet), kFull, usage, Billed::kShare)->total, M("1.40"));
  usage.retrieved_gb = Q("2334");
  EXPECT_GT(PriceUsage(sheet, Express(sheet), kFull, usage, Billed::kShare)->total, M("1.40"));
}

std::string ExampleFile(const char* name) {
  return std::string(LAKEGAUGE_SOURCE_DIR) + "/examples/cost/" + name;
}

TEST(StorageClassStudy, TheExampleBillSaysAllOfIt) {
  const auto bill = LoadBill(ExampleFile("storage-class-3tb.yaml"));
  ASSERT_TRUE(bill.ok()) << bill.error().message;
  const auto cost = CostOfBill(*bill, Study());
  ASSERT_TRUE(cost.ok()) << cost.error().message;
  const Json even = Json(*cost)["break_even"];
  ASSERT_EQ(even.size(), 2u);
  EXPECT_EQ(even[kPublished]["saved_a_pass"], "1.4");
  EXPECT_EQ(even[kPublished]["beside"]["to_pay"], "23.716");
  EXPECT_EQ(even[kPublished]["beside"]["passes"], 17);
  EXPECT_THAT(even[kPublished]["text"].get<std::string>(), HasSubstr("(they save 23.80)"));
  EXPECT_TRUE(even[kPublished]["gone_at_retrieved_gb"].is_null());
  // With loading: 23.716 + 2.9568 + 0.00619692 over 1.40.
  EXPECT_EQ(even[kFull]["beside"]["to_pay"], "26.67899692");
  EXPECT_EQ(even[kFull]["beside"]["passes"], 20);
  EXPECT_EQ(even[kFull]["gone_at_retrieved_gb"], "2333.333333");
  EXPECT_THAT(even[kFull]["text"].get<std::string>(), HasSubstr("once it reads 2,333.33 GB"));
}

// The price list's own worked example (Amazon S3 FAQs, S3 Express One Zone, example 1).

TEST(AmazonFaq, ExampleOneComesTo2_58) {
  const PriceSheet sheet = Study();
  Usage usage;
  usage.of(Operation::kPut) = 1'000'000;
  usage.of(Operation::kGet) = 9'000'000;
  usage.of(Operation::kDelete) = 1'000'000;
  usage.uploaded_gb = Quantity::Of(Int128{10} * 1024 * 1'000'000, sheet.gigabyte_bytes);
  usage.retrieved_gb = Quantity::Of(Int128{10} * 1024 * 9'000'000, sheet.gigabyte_bytes);
  auto bill = PriceUsage(sheet, Express(sheet), kFull, usage, Billed::kJob);
  Stored stored;
  stored.gb = 10;
  const auto kept = PriceKeeping(sheet, Express(sheet), kFull, stored, 30, 30);
  ASSERT_TRUE(bill->Add(*kept).ok());
  EXPECT_EQ(bill->Of(ChargeKind::kStorage)->ToCents(), "1.10");
  EXPECT_EQ(bill->Of(ChargeKind::kRequests)->ToCents(), "1.40");
  EXPECT_EQ(bill->Of(ChargeKind::kUpload)->ToCents(), "0.03");
  EXPECT_EQ(bill->Of(ChargeKind::kRetrieval)->ToCents(), "0.05");
  EXPECT_EQ(bill->total.ToCents(), "2.58");
  EXPECT_THAT(bill->unpriced, IsEmpty());
}

// Claims.

TEST(Claims, TheWorkedExamples) {
  const auto claims = LoadClaims(ExampleFile("claims.yaml"));
  ASSERT_TRUE(claims.ok()) << claims.error().message;
  ASSERT_EQ(claims->size(), 3u);
  const auto million = CheckClaim((*claims)[0], Study());
  ASSERT_TRUE(million.ok()) << million.error().message;
  // 0.03955 + 0.00105 + 34.1796875 x (0.0032 + 0.0006 + 0.11)
  EXPECT_EQ((*million)["computed"], "3.9302484375");
  EXPECT_EQ((*million)["holds"], false);
  EXPECT_THAT(
      (*million)["verdict"].get<std::string>(),
      HasSubstr("it cannot be so: it comes to 3.93 USD, and at least 1,000,000.00 was said"));
  const auto cut = CheckClaim((*claims)[1], Study());
  EXPECT_EQ((*cut)["computed"], "92.5");
  EXPECT_EQ((*cut)["holds"], false);
  const auto april = CheckClaim((*claims)[2], Study());
  EXPECT_EQ((*april)["computed"], "85");
  EXPECT_EQ((*april)["holds"], true);
}

OrderedJson CheckOne(const std::string& rest) {
  const auto claims = ParseClaims(
      "claims:\n  - claim: c\n    source: s\n    prices: storage-class\n    " + rest, "c.yaml");
  EXPECT_TRUE(claims.ok()) << claims.error().message;
  const auto finding = CheckClaim(claims->front(), Study());
  EXPECT_TRUE(finding.ok()) << finding.error().message;
  return finding.ok() ? *finding : OrderedJson();
}

TEST(Claims, BoundsAndRounding) {
  const std::string gets = "amount: {store: s3-standard, requests: {GET: 1000000}, ";
  EXPECT_EQ(CheckOne(gets + "at_least: 0.40}")["holds"], true);
  EXPECT_EQ(CheckOne(gets + "at_least: 0.41}")["holds"], false);
  EXPECT_EQ(CheckOne(gets + "at_most: 0.40}")["holds"], true);
  EXPECT_EQ(CheckOne(gets + "at_most: 0.39}")["holds"], false);
  EXPECT_EQ(CheckOne(gets + "about: 0.4}")["holds"], true);
  EXPECT_EQ(CheckOne(gets + "about: 0}")["holds"], true);
  EXPECT_EQ(CheckOne(gets + "about: 0.401}")["holds"], false);
  const std::string price = "price: {requests: GET, of: s3-express, against: s3-standard, ";
  EXPECT_EQ(CheckOne(price + "percent_less: 92.5}")["holds"], true);
  EXPECT_EQ(CheckOne(price + "percent_less: 92}")["holds"], true);  // 92.5 to an even integer
  EXPECT_EQ(CheckOne(price + "percent_less: 95, up_to: true}")["holds"], true);
  EXPECT_EQ(CheckOne(price + "percent_less: 95}")["holds"], false);
  EXPECT_EQ(CheckOne("price: {requests: GET, of: s3-standard, against: s3-express, percent_less: "
                     "10, up_to: true}")["holds"],
            false);  // dearer is not "up to 10% less"
}

TEST(Claims, WrongFilesAreNamedWithTheirPlace) {
  const auto claims = ParseClaims(
      "claims:\n  - {claim: c, source: s, prices: p, amount: {store: a, at_lest: 1}}\n", "c.yaml");
  ASSERT_FALSE(claims.ok());
  EXPECT_THAT(claims.error().message, HasSubstr("c.yaml:2:"));
  EXPECT_THAT(claims.error().message, HasSubstr("did you mean 'at_least'?"));
  EXPECT_FALSE(ParseClaims("claims: []\n", "c.yaml").ok());
  EXPECT_FALSE(ParseClaims("claims:\n  - {claim: c, source: s, prices: p}\n", "c.yaml").ok());
}

TEST(Claims, UnknownStoresColumnsAndPricesAreErrors) {
  Claim claim;
  claim.price = PriceClaim{};
  claim.price->of = "nowhere";
  EXPECT_EQ(CheckClaim(claim, Study()).error().code, ErrorCode::kNotFound);
  claim.price->of = claim.price->against = "s3-express";
  claim.price->operation = Operation::kCopy;
  EXPECT_THAT(CheckClaim(claim, Study()).error().message, HasSubstr("no price of COPY"));
  claim.column = "half bill";
  EXPECT_THAT(CheckClaim(claim, Study()).error().message, HasSubstr("as published, full bill"));
}

// How charges count.

TEST(Compute, AJobIsBilledInWholeStepsWithAMinimum) {
  const PriceSheet sheet = Sheet(
      "    - {requests: GET, per_1000: 1, source: s}\n",
      "[{count: 2, per_hour: 36, minimum: 60s, source: s}, {per_hour: 3600, step: 1h, source: s}]");
  const auto cost = [&](std::string_view seconds, Billed billed) {
    Usage usage;
    usage.seconds = Q(seconds);
    return PriceUsage(sheet, sheet.stores[0], 0, usage, billed)->total.ToText();
  };
  EXPECT_EQ(cost("0", Billed::kJob), "0");         // nothing ran
  EXPECT_EQ(cost("0.1", Billed::kJob), "3601.2");  // a minute of two, an hour of one
  EXPECT_EQ(cost("60", Billed::kJob), "3601.2");
  EXPECT_EQ(cost("60.001", Billed::kJob), "3601.22");  // 61 seconds
  EXPECT_EQ(cost("3600.5", Billed::kJob), "7272.02");
  EXPECT_EQ(cost("0.1", Billed::kShare), "0.102");  // a share of a job that runs anyway
}

TEST(Storage, MonthsOfDifferentLength) {
  const PriceSheet sheet = Sheet("    - {storage_per_gb_month: 0.31, source: s}\n");
  Stored stored;
  stored.gb = 84;
  EXPECT_EQ(Kept(sheet, stored, 7, 28).ToText(), "6.51");
  EXPECT_EQ(Kept(sheet, stored, 7, 31).ToText(), "5.88");
  for (const int month : {28, 29, 30, 31}) {
    EXPECT_EQ(Kept(sheet, stored, month, month).ToText(),
              "26.04");  // a whole month is a whole month
  }
}

TEST(Storage, MinimumDurationIsBilledHoweverShortItLay) {
  const PriceSheet sheet = Sheet("    - {storage_per_gb_month: 0.3, minimum: 30d, source: s}\n");
  Stored stored;
  stored.gb = 10;
  EXPECT_EQ(Kept(sheet, stored, 1).ToText(), "3");
  EXPECT_EQ(Kept(sheet, stored, 30).ToText(), "3");
  EXPECT_EQ(Kept(sheet, stored, 60).ToText(), "6");
}

TEST(Storage, SmallObjectsAreBilledAtTheMinimumSize) {
  const PriceSheet sheet =
      Sheet("    - {storage_per_gb_month: 1, minimum_object: 128KB, source: s}\n");
  Stored stored;
  stored.sizes = {{1'000, 1'000'000}, {1'000'000'000, 2}};
  stored.objects = 1'000'002;
  stored.gb = 3;
  EXPECT_EQ(Kept(sheet, stored, 30).ToText(), "130");
  stored.sizes.clear();  // by hand: all of one size
  EXPECT_EQ(Kept(sheet, stored, 30).ToText(), "128.000256");
}

TEST(Provisioned, IsPaidByTheHourUsedOrNot) {
  const PriceSheet sheet = Sheet("    - {per_hour: 0.5, count: 17, step: 1h, source: s}\n");
  const Stored nothing;
  EXPECT_EQ(Kept(sheet, nothing, 1).ToText(), "204");
  EXPECT_EQ(Kept(sheet, nothing, *Quantity(1).Over(1440)).ToText(), "8.5");  // a minute: an hour
  Usage usage;
  usage.seconds = 100;
  EXPECT_TRUE(PriceUsage(sheet, sheet.stores[0], 0, usage, Billed::kJob)->total.is_zero());
}

TEST(Transfer, IsAPriceAGigabyteThatLeaves) {
  const PriceSheet sheet = Sheet("    - {transfer_per_gb: 0.09, source: s}\n");
  Usage usage;
  usage.transferred_gb = Q("0.5");
  EXPECT_EQ(PriceUsage(sheet, sheet.stores[0], 0, usage, Billed::kJob)->total.ToText(), "0.045");
}

TEST(Bill, NothingUsedCostsNothing) {
  const PriceSheet sheet = Study();
  for (const PricedStore& store : sheet.stores) {
    for (const size_t column : {kPublished, kFull}) {
      EXPECT_TRUE(PriceUsage(sheet, store, column, {}, Billed::kJob)->total.is_zero());
      EXPECT_TRUE(PriceKeeping(sheet, store, column, {}, 7, 30)->total.is_zero());
      EXPECT_TRUE(PriceLoading(sheet, store, column, {})->total.is_zero());
    }
  }
}

TEST(Bill, WhatIsTooLargeIsAnErrorAndNeverWraps) {
  const PriceSheet sheet = Study();
  Usage usage;
  usage.of(Operation::kGet) = std::numeric_limits<int64_t>::max();
  usage.seconds = std::numeric_limits<int64_t>::max();
  const auto dear = PriceUsage(sheet, Standard(sheet), kFull, usage, Billed::kJob);
  ASSERT_TRUE(dear.ok());  // 10^16 dollars fit
  EXPECT_GT(dear->total, M("1000000000000"));
  usage.of(Operation::kGet) = Quantity::Of(Int128{1} << 126, 1);
  const auto huge = PriceUsage(sheet, Standard(sheet), kFull, usage, Billed::kJob);
  ASSERT_FALSE(huge.ok());
  EXPECT_THAT(huge.error().message, HasSubstr("too large"));
}

TEST(Bill, TotalsEqualTheSumOfTheirPartsToTheLastDigit) {
  const PriceSheet sheet = Study();
  std::mt19937_64 random(7);
  const auto any = [&] {
    return Quantity::Of(static_cast<Int128>(random() % 1'000'000'000), 1 + random() % 9'999);
  };
  for (int round = 0; round < 300; ++round) {
    Usage usage;
    usage.seconds = any();
    for (Quantity& n : usage.requests) n = any();
    usage.retrieved_gb = any();
    usage.uploaded_gb = any();
    for (const PricedStore& store : sheet.stores) {
      auto bill = PriceUsage(sheet, store, kFull, usage, Billed::kShare);
      ASSERT_TRUE(bill.ok());
      auto scaled = bill->Times(any());
      ASSERT_TRUE(scaled.ok());
      ASSERT_TRUE(scaled->Add(*bill).ok());
      for (const Bill* one : {&*bill, &*scaled}) {
        Money sum, by_kind;
        for (const BillLine& line : one->lines) sum = *sum.Plus(line.amount);
        for (int kind = 0; kind < 7; ++kind) {
          by_kind = *by_kind.Plus(*one->Of(static_cast<ChargeKind>(kind)));
        }
        EXPECT_EQ(sum, one->total);
        EXPECT_EQ(by_kind, one->total);
        Money read_back;
        const Json lines = one->ToJson()["lines"];
        for (const Json& line : lines) {
          read_back = *read_back.Plus(M(line["amount"].get<std::string>()));
        }
        EXPECT_EQ(read_back.ToText(), one->ToJson()["total"]);
      }
    }
  }
}

TEST(BreakEven, NeverWhereNothingIsSavedAndAtOnceWhereNothingIsPaid) {
  EXPECT_FALSE(RunsToPay(M("1"), M("0"))->has_value());
  EXPECT_FALSE(RunsToPay(M("1"), M("-1"))->has_value());
  EXPECT_EQ(**RunsToPay(M("0"), M("1")), 0);
  EXPECT_EQ(**RunsToPay(M("-5"), M("1")), 0);
  EXPECT_EQ(**RunsToPay(M("1"), M("1")), 1);
  EXPECT_EQ(**RunsToPay(M("1.000000000001"), M("1")), 2);
  EXPECT_FALSE(RunsToPay(M("100000000000000000000000"), M("0.000000000001")).ok());
}

// Bills by hand.

TEST(HandBill, AMonthIsItsPassesAndItsStorage) {
  const auto bill = ParseBill(
      "title: t\npasses_a_month: 30\nmonth_days: 31\nstores:\n  s3-standard:\n    stored_gb: 31\n"
      "    pass: {seconds: 3600, requests: {GET: 1000000, LIST: 1000}}\n",
      "b.yaml");
  ASSERT_TRUE(bill.ok()) << bill.error().message;
  const Json cost = *CostOfBill(*bill, Study());
  const Json& column = cost["cells"][0]["columns"][kPublished];
  EXPECT_EQ(column["pass"]["total"], "11.0088");   // 10.6038 + 0.4 + 0.005
  EXPECT_EQ(column["month"]["total"], "330.977");  // 30 of them and 31 x 0.023
  EXPECT_EQ(cost["month_days"], 31);
}

TEST(HandBill, WhatIsNotKnownToLieThereHasNoPriceInsteadOfNone) {
  const auto bill = ParseBill("title: t\nstores:\n  s3-express: {pass: {seconds: 1}}\n", "b.yaml");
  const Json cost = *CostOfBill(*bill, Study());
  const Json column = cost["cells"][0]["columns"][kFull];
  EXPECT_TRUE(column["keeping"].is_null());
  EXPECT_TRUE(column["loading"].is_null());
  EXPECT_TRUE(column["month"].is_null());  // no frequency was said
}

TEST(HandBill, AProvisionedStoreIsKeptWhateverLiesThere) {
  const PriceSheet sheet = Sheet("    - {per_hour: 0.5, count: 17, step: 1h, source: s}\n");
  const auto bill = ParseBill(
      "title: t\nretention: 1d\npasses_a_month: 1\nstores:\n  a: {pass: {retrieved_gb: 5}}\n",
      "b.yaml");
  const Json cost = *CostOfBill(*bill, sheet);
  const Json column = cost["cells"][0]["columns"][0];
  EXPECT_EQ(column["keeping"]["total"], "204");
  EXPECT_EQ(column["month"]["total"], "6120");  // 17 x 0.5 x 24 x 30
}

TEST(HandBill, AShortPassSaysThatTheMinimumIsBilled) {
  const auto bill = ParseBill("title: t\nstores:\n  s3-express: {pass: {seconds: 3}}\n", "b.yaml");
  const Json cost = *CostOfBill(*bill, Study());
  EXPECT_THAT(cost["cells"][0]["notes"],
              ElementsAre("full bill: a pass takes 3 s and is billed as 60 s, the minimum"));
}

TEST(HandBill, ADearerStoreNeverPays) {
  const auto bill = ParseBill(
      "title: t\nbaseline: s3-standard\nstores:\n  s3-standard: {pass: {seconds: 100}}\n"
      "  s3-express: {stored_gb: 1, pass: {seconds: 101}}\n",
      "b.yaml");
  const Json cost = *CostOfBill(*bill, Study());
  const Json& even = cost["break_even"][kPublished];
  EXPECT_TRUE(even["beside"]["passes"].is_null());
  EXPECT_THAT(even["text"].get<std::string>(), HasSubstr("no number of passes pays for it"));
}

TEST(HandBill, WrongFilesAreNamedWithTheirPlace) {
  const auto problem = [](const std::string& text) {
    const auto bill = ParseBill(text, "b.yaml");
    EXPECT_FALSE(bill.ok()) << text;
    return bill.ok() ? "" : bill.error().message;
  };
  EXPECT_THAT(problem("title: t\nstores:\n  a: {pass: {secnds: 1}}\n"),
              HasSubstr("did you mean 'seconds'?"));
  EXPECT_THAT(problem("title: t\nstores:\n  a: {pass: {seconds: -1}}\n"),
              HasSubstr("b.yaml:3:23: found '-1'; allowed 0 or more"));
  EXPECT_THAT(problem("title: t\nstores:\n  a: {stored_gb: lots}\n"), HasSubstr("'lots'"));
  EXPECT_THAT(problem("title: t\nstores:\n  a: {objects: 3}\n"), HasSubstr("stored_gb"));
  EXPECT_THAT(problem("title: t\nbaseline: b\nstores:\n  a: {}\n"), HasSubstr("found 'b'"));
  EXPECT_THAT(problem("title: t\nmonth_days: 32\nstores:\n  a: {}\n"), HasSubstr("32"));
  EXPECT_THAT(problem("title: t\nstores: {}\n"), HasSubstr("found no store"));
}

TEST(HandBill, AStoreWithoutPricesIsAnError) {
  const auto bill = ParseBill("title: t\nstores:\n  nowhere: {pass: {seconds: 1}}\n", "b.yaml");
  const auto cost = CostOfBill(*bill, Study());
  ASSERT_FALSE(cost.ok());
  EXPECT_THAT(cost.error().message, HasSubstr("s3-standard, s3-express"));
}

TEST(MoneyText, CentsFromOneOnAndThreeDigitsBelow) {
  EXPECT_EQ(MoneyText(M("1234567.895")), "1,234,567.90");
  EXPECT_EQ(MoneyText(M("-1234.5")), "-1,234.50");
  EXPECT_EQ(MoneyText(M("0")), "0.00");
  EXPECT_EQ(MoneyText(M("0.32")), "0.32");
  EXPECT_EQ(MoneyText(M("0.0029455")), "0.00295");
  EXPECT_EQ(MoneyText(M("-0.0123456")), "-0.0123");
  EXPECT_EQ(MoneyText(M("0.000000000001")), "0.000000000001");
}

}  // namespace
}  // namespace lakegauge::analyze
