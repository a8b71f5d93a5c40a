#include "run/repeats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "record/journal.h"
#include "record/spool.h"
#include "run/runner.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RepeatsTest : public testing::Test {
 protected:
  RepeatsTest() {
    options_.results_dir = home_.path() + "/results";
    options_.data_dir = SharedTinyData();
  }
  static Plan TinyPlan() {
    Plan plan;
    plan.cells.resize(2);
    plan.cells[0].id = "a";
    plan.cells[1].id = "b";
    plan.queries.resize(2);
    plan.queries[0].name = "q1";
    plan.queries[1].name = "q2";
    for (int i = 0; i < 4; ++i) {
      PlanExecution e;
      e.id = i;
      e.cell = i / 2;
      e.iteration = 3;
      e.query = i % 2;
      plan.executions.push_back(e);
    }
    return plan;
  }

  TemporaryFolder home_;
  RunOptions options_;
};

TEST_F(RepeatsTest, AreFurtherIterationsOfTheirCells) {
  Plan plan = TinyPlan();
  const Status added = AddRepeats({2, {{"b", "q2", {}}, {"a", "q1", {}}, {"b", "q1", {}}}}, plan);
  ASSERT_TRUE(added.ok()) << added.error().message;
  ASSERT_EQ(plan.executions.size(), 10u);
  std::vector<std::string> told;
  for (size_t i = 4; i < plan.executions.size(); ++i) {
    const PlanExecution& e = plan.executions[i];
    EXPECT_EQ(e.id, static_cast<int64_t>(i));
    EXPECT_TRUE(e.repeat);
    told.push_back(plan.cells[static_cast<size_t>(e.cell)].id +
                   plan.queries[static_cast<size_t>(e.query)].name + "#" +
                   std::to_string(e.iteration));
  }
  EXPECT_THAT(told, ElementsAre("aq1#4", "bq2#4", "bq1#4", "aq1#5", "bq2#5", "bq1#5"));
}

TEST_F(RepeatsTest, WhatThePlanDoesNotHaveIsRefused) {
  Plan plan = TinyPlan();
  EXPECT_THAT(AddRepeats({1, {{"c", "q1", {}}}}, plan).error().message, HasSubstr("'c'"));
  EXPECT_THAT(AddRepeats({1, {{"a", "q9", {}}}}, plan).error().message, HasSubstr("'q9'"));
}

TEST_F(RepeatsTest, AFileOfSomethingElseIsRefused) {
  const std::string path = home_.path() + "/suspects.json";
  for (const char* text : {"[]", "{}", R"({"v":1,"times":0,"suspects":[]})"}) {
    ASSERT_TRUE(WriteFileAtomically(path, text).ok());
    EXPECT_FALSE(ReadRepeats(path).ok()) << text;
  }
}

TEST_F(RepeatsTest, RunInASessionOfTheirOwnAndLeaveTheRestAlone) {
  const auto experiment = ParseExperiment(TinyExperiment(), "tiny.yaml");
  ASSERT_TRUE(experiment.ok());
  const auto first = run::Run(*experiment, options_);
  ASSERT_TRUE(first.ok()) << first.error().message;
  const auto before = record::ReadJournal(first->run_dir + "/journal.jsonl");
  const record::Execution& suspect = before->finished.front();
  const std::string requests = first->run_dir + "/requests/" + suspect.cell + ".parquet";
  const size_t requests_before = record::ReadRequests(requests)->requests.size();

  options_.suspects = home_.path() + "/suspects.json";
  const Json file = {
      {"v", 1}, {"times", 2}, {"suspects", {{{"cell", suspect.cell}, {"query", suspect.query}}}}};
  ASSERT_TRUE(WriteFileAtomically(options_.suspects, file.dump()).ok());
  options_.data_dir.clear();
  const auto again = Resume(first->run_dir, options_);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_TRUE(again->clean());
  EXPECT_EQ(again->planned, first->planned + 2);

  const auto after = record::ReadJournal(first->run_dir + "/journal.jsonl");
  ASSERT_TRUE(after.ok());
  ASSERT_EQ(after->finished.size(), before->finished.size() + 2);
  const record::Execution& last = after->finished.back();
  EXPECT_EQ(last.session, 1);
  EXPECT_EQ(last.query, suspect.query);
  EXPECT_GT(last.iteration, suspect.iteration);
  EXPECT_GT(record::ReadRequests(requests)->requests.size(), requests_before);

  // Once they are part of the plan, a plain resume finds nothing left.
  options_.suspects.clear();
  const auto idle = Resume(first->run_dir, options_);
  ASSERT_TRUE(idle.ok()) << idle.error().message;
  EXPECT_EQ(idle->done, again->planned);
}

}  // namespace
}  // namespace lakegauge::run
