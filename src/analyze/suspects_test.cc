#include "analyze/suspects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "analyze/testing/run_fixture.h"

namespace lakegauge::analyze {
namespace {

using ::testing::ElementsAre;
using testing::FixtureExecution;
using testing::FixtureOutcome;
using testing::FixtureRun;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SuspectsTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(dir_); }

  // q02 takes these seconds in turn; q01 is steady.
  std::vector<Suspect> Of(const std::vector<double>& seconds, const std::string& reason = "",
                          int invalid_iteration = 0) {
    FixtureRun run;
    run.queries = {"q01", "q02"};
    run.iterations = static_cast<int>(seconds.size());
    run.outcome = [&](const FixtureExecution& e) {
      FixtureOutcome o;
      if (e.query == "q02") {
        o.seconds = seconds[static_cast<size_t>(e.iteration - 1)];
        if (e.iteration == 1 && !reason.empty()) o.disturbances = {{reason, 0.5, 1}};
        if (e.iteration == invalid_iteration) o.invalid = "a backup ran";
      }
      return o;
    };
    const auto written = WriteFixture(run, dir_);
    EXPECT_TRUE(written.ok()) << written.error().message;
    const auto suspects = FindSuspects(dir_);
    EXPECT_TRUE(suspects.ok()) << suspects.error().message;
    return suspects.ok() ? *suspects : std::vector<Suspect>{};
  }

  const std::string dir_ = ::testing::TempDir() + "lg_suspects." + std::to_string(getpid());
};

TEST_F(SuspectsTest, SteadyQueriesAreNone) { EXPECT_THAT(Of({1, 1.02, 0.99}), IsEmpty()); }

TEST_F(SuspectsTest, AQueryThatWasDisturbedIs) {
  const auto suspects = Of({1, 1, 1}, "steal");
  ASSERT_EQ(suspects.size(), 1u);
  EXPECT_EQ(suspects[0].query, "q02");
  EXPECT_EQ(suspects[0].cell, "duckdb.local.unlimited.tpcds");
  EXPECT_THAT(suspects[0].reasons, ElementsAre("disturbed: steal"));
}

TEST_F(SuspectsTest, AQueryWhoseTimesVaryIs) {
  const auto suspects = Of({1, 1.5, 1});
  ASSERT_EQ(suspects.size(), 1u);
  EXPECT_THAT(suspects[0].reasons, ElementsAre("times vary by 25%"));
}

TEST_F(SuspectsTest, AQueryWhoseTimesOnlyEverRiseIs) {
  const auto suspects = Of({1, 1.04, 1.08, 1.12});
  ASSERT_EQ(suspects.size(), 1u);
  EXPECT_THAT(suspects[0].reasons[0], HasSubstr("rise from 1 s to 1.12 s"));
  EXPECT_THAT(Of({1, 1.04, 1.03, 1.12}), IsEmpty());
  EXPECT_THAT(Of({1, 1.02, 1.04, 1.06}), IsEmpty());
}

TEST_F(SuspectsTest, WhatAPersonMarkedInvalidMakesNoSuspect) {
  EXPECT_THAT(Of({5, 1, 1}, "steal", 1), IsEmpty());
  EXPECT_THAT(Of({1, 1.04, 1.08, 1.12}, "", 4), IsEmpty());
}

TEST_F(SuspectsTest, TheFileForTheRunnerNamesThem) {
  EXPECT_EQ(SuspectsFile({{"c", "q1", {"why"}}}, 3).dump(),
            R"({"suspects":[{"cell":"c","query":"q1","reasons":["why"]}],"times":3,"v":1})");
}

}  // namespace
}  // namespace lakegauge::analyze
