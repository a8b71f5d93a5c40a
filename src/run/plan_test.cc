#include "run/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "run/cell_profile.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

using testing::HasSubstr;

Plan PlanOf(const std::string& changes) {
  const auto e = ParseExperiment(TinyExperiment(changes), "e.yaml");
  EXPECT_TRUE(e.ok()) << e.error().message;
  auto plan = MakePlan(*e, "/nonexistent");
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return *plan;
}

std::vector<std::string> CellsInOrder(const Plan& plan) {
  std::vector<std::string> order;
  for (const PlanExecution& e : plan.executions) {
    const std::string& layout = plan.cells[static_cast<size_t>(e.cell)].layout;
    if (order.empty() || order.back() != layout) order.push_back(layout);
  }
  return order;
}

TEST(Plan, RunsCellAfterCellUnlessInterleaved) {
  EXPECT_THAT(CellsInOrder(PlanOf("workload: {queries: [3], iterations: 2}")),
              testing::ElementsAre("unlimited", "256KiB"));
  EXPECT_THAT(CellsInOrder(PlanOf("workload: {queries: [3], iterations: 2, interleave: cells}")),
              testing::ElementsAre("unlimited", "256KiB", "unlimited", "256KiB"));
}

TEST(Plan, NumbersExecutionsInTheOrderTheyRun) {
  const Plan plan = PlanOf("workload: {queries: [3, 42], iterations: 2, warmup: 1, streams: 2}");
  ASSERT_EQ(plan.executions.size(), 2u * 2 * 3 * 2);
  for (size_t i = 0; i < plan.executions.size(); ++i) {
    EXPECT_EQ(plan.executions[i].id, static_cast<int64_t>(i));
  }
  EXPECT_TRUE(plan.executions.front().warmup);
  EXPECT_FALSE(plan.executions.back().warmup);
}

TEST(Plan, FixedOrderIsTheSameInEveryIterationAndRandomIsNot) {
  const auto orders = [](const Plan& plan) {
    std::set<std::vector<int>> distinct;
    std::vector<int> order;
    for (const PlanExecution& e : plan.executions) {
      if (e.position == 1 && !order.empty()) distinct.insert(std::exchange(order, {}));
      order.push_back(e.query);
    }
    distinct.insert(order);
    return distinct.size();
  };
  EXPECT_EQ(orders(PlanOf("workload: {queries: [3, 7, 42, 52, 55, 96], iterations: 4}")), 1u);
  EXPECT_GT(
      orders(PlanOf("workload: {queries: [3, 7, 42, 52, 55, 96], iterations: 4, order: random}")),
      2u);
}

TEST(Plan, ThreadsFollowTheStore) {
  const Plan plan = PlanOf(
      "stores: {local: {uri: 'file:'}, far: {uri: 'file:', profile: s3-standard}}\n"
      "engines: {duckdb: {threads: auto}}");
  for (const PlanCell& cell : plan.cells) {
    EXPECT_EQ(cell.threads, cell.store == "far" ? kSlowStoreThreads : 2 * MachineCores());
    EXPECT_EQ(cell.emulated, cell.store == "far");
  }
}

TEST(Plan, SurvivesItsOwnJson) {
  const Plan plan = PlanOf(
      "stores: {far: {uri: 'file:', profile: s3-express, facts: {nodes: 9}}}\n"
      "workload: {queries: [3, 96], iterations: 2, streams: 2}");
  const auto again = Plan::FromJson(plan.ToJson());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->ToJson(), plan.ToJson());
}

TEST(Plan, RefusesALaterVersionAndWhatIsNoPlan) {
  EXPECT_EQ(Plan::FromJson({{"v", 99}}).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(Plan::FromJson({{"v", 1}}).error().code, ErrorCode::kCorrupt);
}

TEST(Plan, ScansHaveTheTextOfTheirOwnSchema) {
  const Plan plan = PlanOf(
      "datasets: {s1: {kind: bulk, schema: schema1, rows: 100, partitions: 10}, "
      "s3: {kind: bulk, schema: schema3, rows: 100, partitions: 10}}\n"
      "workload: {scans: [rows, columns]}");
  ASSERT_EQ(plan.queries.size(), 2u);
  EXPECT_NE(plan.queries[1].SqlFor("s1"), plan.queries[1].SqlFor("s3"));
}

TEST(Plan, SmallerFilesAndSlowerStoresAreExpectedToTakeLonger) {
  const Plan plan = PlanOf(
      "stores: {local: {uri: 'file:'}, far: {uri: 'file:', profile: s3-standard}}\n"
      "datasets: {tpcds: {kind: tpcds, scale: 1}}\n"
      "layouts: {unlimited: {}, 1MiB: {file_size: 1MiB}}");
  ASSERT_EQ(plan.cells.size(), 4u);
  EXPECT_LT(plan.cells[0].estimate.requests, plan.cells[1].estimate.requests);
  EXPECT_LT(plan.cells[0].estimate.pass_s, plan.cells[2].estimate.pass_s);
  EXPECT_GT(plan.estimate.disk_bytes, 0);
  EXPECT_THAT(PlanText(plan), HasSubstr("EMULATED"));
}

TEST(Plan, SeedsDifferByCellAndStayTheSame) {
  EXPECT_NE(CellSeed(1, "a"), CellSeed(1, "b"));
  EXPECT_NE(CellSeed(1, "a"), CellSeed(2, "a"));
  EXPECT_EQ(CellSeed(7, "duckdb.local.8MiB.tpcds"), CellSeed(7, "duckdb.local.8MiB.tpcds"));
}

}  // namespace
}  // namespace lakegauge::run
