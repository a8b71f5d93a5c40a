// What a run used comes out of its records, in the units of a bill.

#include "analyze/cost_of_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "analyze/analyze.h"
#include "analyze/testing/mini_run.h"
#include "analyze/testing/run_fixture.h"
#include "base/files.h"
#include "record/annotations.h"

namespace lakegauge::analyze {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Folder(const std::string& name) {
  return ::testing::TempDir() + "lg_cost." + std::to_string(getpid()) + "." + name;
}

Json CostOf(const testing::FixtureRun& run, const std::map<std::string, std::string>& priced_as,
            const CostOptions& options = {}) {
  const std::string dir = Folder(run.name);
  const auto written = testing::WriteFixture(run, dir);
  EXPECT_TRUE(written.ok()) << written.error().message;
  const auto cost = CostOfRun(dir, *LoadPriceSheet("storage-class"), priced_as, options);
  EXPECT_TRUE(cost.ok()) << cost.error().message;
  return cost.ok() ? Json(*cost) : Json();
}

const std::map<std::string, std::string> kBoth = {{"local", "s3-standard"}, {"slow", "s3-express"}};

// Cell by id; its column 0 is as published, 1 the full bill.
Json CellOf(const Json& cost, const std::string& id) {
  for (const Json& cell : cost["cells"]) {
    if (cell["cell"] == id) return cell;
  }
  ADD_FAILURE() << id;
  return {};
}

TEST(CostOfRun, AQueryAPassAndTheRunByHand) {
  const Json cost = CostOf(testing::MiniRun(), kBoth);
  const Json cell = CellOf(cost, "duckdb.local.unlimited.tpcds");
  EXPECT_EQ(cell["priced_as"], "s3-standard");
  EXPECT_EQ(cell["emulated"], false);
  EXPECT_EQ(cell["pass_s"], "0.37");
  const Json& published = cell["columns"][0];
  // 1 s of the cluster, 9 GET and 3 LIST.
  EXPECT_EQ(published["pass"]["total"], "0.0029641");
  // All nine executions: 1.11 s, billed as 2; 27 GET, 9 LIST.
  EXPECT_EQ(published["run"]["total"], "0.0059468");
  // The full bill has a minimum of 60 s.
  EXPECT_EQ(cell["columns"][1]["pass"]["total"], "0.1767486");
  for (const Json& query : cost["queries"]) {
    if (query["query"] != "q01" || query["cell"] != cell["cell"]) continue;
    EXPECT_EQ(query["total"], "0.000330205");  // 0.11 s, 3 GET, 1 LIST: a share, nothing rounded up
  }
}

TEST(CostOfRun, BytesReadAndStoredComeFromTheRecords) {
  const Json cost = CostOf(testing::MiniRun(), kBoth);
  const Json cell = CellOf(cost, "duckdb.slow.unlimited.tpcds");
  EXPECT_EQ(cell["emulated"], true);
  EXPECT_EQ(cell["objects"], 1);
  EXPECT_EQ(cell["stored_gb"], "0.004005");  // 4,300,000 bytes of 2^30
  Quantity retrieved;
  for (const Json& line : cell["columns"][1]["pass"]["lines"]) {
    if (line["kind"] == "retrieval")
      retrieved = *Quantity::Parse(line["quantity"].get<std::string>());
  }
  EXPECT_EQ(retrieved.ToText(6), "0.000549");  // 9 x 65,536 bytes
}

TEST(CostOfRun, OnlyCompletePassesHaveAPrice) {
  const Json cost = CostOf(testing::MiniRun(), kBoth);
  EXPECT_EQ(CellOf(cost, "duckdb.slow.1MiB.tpcds")["pass_s"], "14");  // two others are incomplete
}

TEST(CostOfRun, StoresAreComparedAndEmulatedOnesStamped) {
  const Json cost = CostOf(testing::MiniRun(), kBoth);
  ASSERT_EQ(cost["break_even"].size(), 4u);  // two layouts, two columns
  const Json& even = cost["break_even"][0];
  EXPECT_EQ(even["baseline"], "duckdb.local.unlimited.tpcds");
  EXPECT_THAT(even["text"].get<std::string>(), HasSubstr("EMULATED"));
}

TEST(CostOfRun, StoresAreFoundByTheirNameOrTheirProfile) {
  const PriceSheet sheet = *LoadPriceSheet("storage-class");
  EXPECT_EQ(PricedAs(sheet, "s3-express", "", {}), "s3-express");
  EXPECT_EQ(PricedAs(sheet, "object-store", "s3-standard", {}), "s3-standard");
  EXPECT_EQ(PricedAs(sheet, "s3-express", "", {{"s3-express", "s3-standard"}}), "s3-standard");
  EXPECT_EQ(PricedAs(sheet, "local", "", {}), "");
}

TEST(CostOfRun, AStoreWithoutPricesSaysSoAndHasNoBill) {
  const Json cost = CostOf(testing::MiniRun(), {});
  const Json cell = CellOf(cost, "duckdb.local.unlimited.tpcds");
  EXPECT_TRUE(cell["priced_as"].is_null());
  EXPECT_THAT(cell["columns"], IsEmpty());
  EXPECT_THAT(cell["notes"], Contains(HasSubstr("store local has no prices in the sheet")));
  EXPECT_THAT(cost["break_even"], IsEmpty());
}

TEST(CostOfRun, StreamsShareTheClusterAndWarmUpIsPartOfTheRunAlone) {
  testing::FixtureRun run;
  run.name = "streams";
  run.streams = 2;
  run.warmup = 1;
  run.iterations = 2;
  run.outcome = [](const testing::FixtureExecution&) {
    testing::FixtureOutcome outcome;
    outcome.seconds = 10;
    return outcome;
  };
  const Json cost = CostOf(run, {{"local", "s3-standard"}});
  const Json cell = cost["cells"][0];
  EXPECT_EQ(cell["pass_s"], "10");  // two streams side by side
  const auto requests = [&](const char* what) {
    int64_t n = 0;
    for (const Json& line : cell["columns"][0][what]["lines"]) {
      if (line["kind"] == "requests") n += std::stoll(line["quantity"].get<std::string>());
    }
    return n;
  };
  EXPECT_EQ(requests("pass"), 10);  // 2 x (4 GET and a LIST)
  EXPECT_EQ(requests("run"), 30);   // with the warm-up
}

TEST(CostOfRun, ARunThatWasKilledSaysWhatItLacks) {
  testing::FixtureRun run;
  run.name = "killed";
  run.iterations = 2;
  run.outcome = [](const testing::FixtureExecution& e) {
    testing::FixtureOutcome outcome;
    outcome.finished = e.iteration == 1;
    return outcome;
  };
  const Json cell = CostOf(run, {{"local", "s3-standard"}})["cells"][0];
  EXPECT_THAT(cell["notes"], Contains(HasSubstr("0 of 5 requests are on record by kind")));
  EXPECT_EQ(cell["pass_s"], "0.1");
}

TEST(CostOfRun, WhatIsMarkedInvalidWasPaidForAndIsInNoMean) {
  testing::FixtureRun run;
  run.name = "marked";
  run.iterations = 2;
  run.outcome = [](const testing::FixtureExecution& e) {
    testing::FixtureOutcome outcome;
    outcome.seconds = e.iteration == 1 ? 100 : 10;
    return outcome;
  };
  const std::string dir = Folder(run.name);
  ASSERT_TRUE(testing::WriteFixture(run, dir).ok());
  std::vector<record::Annotation> marks(1);  // execution 0: the first iteration
  marks[0].reason = "a backup ran";
  ASSERT_TRUE(record::AppendAnnotations(dir + "/" + record::kAnnotationsFile, marks, 0).ok());
  const Json cost =
      *CostOfRun(dir, *LoadPriceSheet("storage-class"), {{"local", "s3-standard"}}, {});
  const Json cell = cost["cells"][0];
  EXPECT_EQ(cell["pass_s"], "10");
  EXPECT_EQ(cost["queries"][0]["total"], "0.0294616");                  // 10 s, 4 GET and a LIST
  EXPECT_EQ(cell["columns"][0]["run"]["lines"][0]["quantity"], "990");  // 9 machines, 110 s
}

TEST(CostOfRun, AMonthIsOfAPassADayUnlessTold) {
  CostOptions options;
  EXPECT_EQ(CostOf(testing::MiniRun(), kBoth, options)["passes_a_month"], "30");
  options.month_days = 28;
  EXPECT_EQ(CostOf(testing::MiniRun(), kBoth, options)["passes_a_month"], "28");
  options.passes_a_month = 0;
  EXPECT_TRUE(CostOf(testing::MiniRun(), kBoth, options)["passes_a_month"].is_null());
}

TEST(CostOfRun, AMonthOfPasses) {
  CostOptions options;
  options.passes_a_month = 120;
  options.month_days = 28;
  const Json cost = CostOf(testing::MiniRun(), kBoth, options);
  const Json column = CellOf(cost, "duckdb.local.unlimited.tpcds")["columns"][0];
  const Money passes = *Money::Parse("0.0029641")->Times(120);
  const Money month = *Money::Parse(column["month"]["total"].get<std::string>());
  EXPECT_EQ(month.Minus(passes)->Rounded(9), "0.000092108");  // and 4.3 MB kept the whole month
  EXPECT_EQ(cost["month_days"], 28);
}

// The block of summary.json: plan.json changed as an experiment would have made it.

Json BlockOf(const std::string& name, const std::function<void(Json*)>& change) {
  const std::string dir = Folder("block_" + name);
  EXPECT_TRUE(testing::WriteFixture(testing::MiniRun(), dir).ok());
  Json plan = *ReadJsonFile(dir + "/plan.json");
  change(&plan);
  EXPECT_TRUE(WriteFileAtomically(dir + "/plan.json", plan.dump()).ok());
  const auto summary = Analyze(dir);
  EXPECT_TRUE(summary.ok()) << summary.error().message;
  return summary.ok() ? Json(summary->json)["cost"] : Json();
}

TEST(CostBlock, IsNullWithoutPrices) {
  EXPECT_TRUE(BlockOf("none", [](Json*) {}).is_null());
}

TEST(CostBlock, CountsBySheetThatThePlanHolds) {
  const Json block = BlockOf("sheet", [](Json* plan) {
    (*plan)["prices"] = {{"name", "mine"},
                         {"text",
                          "name: mine\ndescription: d\ndate: 2026-01-01\ncurrency: EUR\n"
                          "gigabyte: 1GB\nmonth_days: 30\nsources: {s: s}\nstores:\n  local:\n"
                          "    - {requests: [GET, LIST], per_1000: 1, source: s}\n"}};
  });
  EXPECT_EQ(block["prices"]["currency"], "EUR");
  const Json cell = CellOf(block, "duckdb.local.unlimited.tpcds");
  EXPECT_EQ(cell["columns"][0]["pass"]["total"], "0.012");  // 9 GET and 3 LIST
  EXPECT_EQ(cell["columns"][0]["keeping"]["unpriced"].size(), 1u);
}

TEST(CostBlock, CountsByThePricesThatStoresState) {
  const Json block = BlockOf("stated", [](Json* plan) {
    for (Json& cell : (*plan)["cells"]) {
      if (cell["store"] == "slow") {
        cell["price"] = {{"get_per_1000", 0.0004}, {"list_per_1000", 0.005}, {"read_per_gb", 0}};
      }
    }
  });
  const Json cell = CellOf(block, "duckdb.slow.unlimited.tpcds");
  EXPECT_EQ(cell["columns"][0]["pass"]["total"], "0.0000186");
  EXPECT_TRUE(CellOf(block, "duckdb.local.unlimited.tpcds")["priced_as"].is_null());
}

TEST(CostBlock, ASheetThatCannotBeReadSpoilsNoReport) {
  const Json block = BlockOf("bad", [](Json* plan) {
    (*plan)["prices"] = {{"name", "mine.yaml"}, {"text", "nmae: mine\n"}};
  });
  EXPECT_THAT(block["problem"].get<std::string>(), HasSubstr("mine.yaml:1:1"));
}

}  // namespace
}  // namespace lakegauge::analyze
