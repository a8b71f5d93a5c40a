#include "analyze/disturbances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "analyze/analyze.h"
#include "analyze/testing/run_fixture.h"

namespace lakegauge::analyze {
namespace {

using testing::FixtureDisturbance;
using testing::FixtureExecution;
using testing::FixtureOutcome;
using testing::FixtureRun;
using ::testing::HasSubstr;

class DisturbancesTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(dir_); }

  // Six executions, of which the second has these disturbances.
  Json Disturbed(std::vector<FixtureDisturbance> disturbances, bool watched = true,
                 const std::string& invalid = "") {
    FixtureRun run;
    run.watched = watched;
    run.queries = {"q01", "q02"};
    run.outcome = [&](const FixtureExecution& e) {
      FixtureOutcome o;
      if (e.query == "q02" && e.iteration == 1) {
        o.disturbances = disturbances;
        o.invalid = invalid;
      }
      return o;
    };
    return Block(run);
  }
  Json Block(const FixtureRun& run) {
    const auto written = WriteFixture(run, dir_);
    EXPECT_TRUE(written.ok()) << written.error().message;
    const auto summary = Analyze(dir_);
    EXPECT_TRUE(summary.ok()) << summary.error().message;
    summary_ = Json(summary->json);
    return summary_["disturbances"];
  }
  Json Light() const {
    for (const Json& light : summary_["trust"]) {
      if (light["id"] == "disturbed") return light;
    }
    return {};
  }

  const std::string dir_ = ::testing::TempDir() + "lg_disturbances." + std::to_string(getpid());
  Json summary_;
};

TEST_F(DisturbancesTest, AnExecutionIsHitByWhatTookItsTime) {
  const Json block = Disturbed({{"load", 0.25, 1}});
  ASSERT_EQ(block["rows"].size(), 1u);
  const Json& row = block["rows"][0];
  EXPECT_EQ(row["execution"], 1);
  EXPECT_EQ(row["query"], "q02");
  EXPECT_EQ(row["reason"], "load");
  EXPECT_NEAR(row["share"].get<double>(), 0.25, 1e-9);
  EXPECT_EQ(row["text"], "what load did");
  EXPECT_EQ(block["by_reason"]["load"], 1);
  EXPECT_EQ(block["by_cell"]["duckdb.local.unlimited.tpcds"], 1);
}

TEST_F(DisturbancesTest, WhatTookLittleOfTheExecutionDoesNotCount) {
  EXPECT_EQ(Disturbed({{"load", 0.25, 0.1}})["disturbed"], 0);
  EXPECT_EQ(Disturbed({{"load", 0.25, 0.13}})["disturbed"], 1);
}

TEST_F(DisturbancesTest, SmallStretchesOfOneReasonAddUp) {
  const Json block = Disturbed({{"steal", 0.2, 0.1}, {"steal", 0.2, 0.1}});
  ASSERT_EQ(block["rows"].size(), 1u);
  EXPECT_NEAR(block["rows"][0]["share"].get<double>(), 0.04, 1e-9);
}

TEST_F(DisturbancesTest, AStepOfTheClockHitsWhateverItFellInto) {
  EXPECT_EQ(Disturbed({{"clock", 1, 0.001}})["by_reason"]["clock"], 1);
}

TEST_F(DisturbancesTest, AnExecutionHitForTwoReasonsIsOneExecution) {
  const Json block = Disturbed({{"load", 0.5, 1}, {"swap", 1, 1}});
  EXPECT_EQ(block["rows"].size(), 2u);
  EXPECT_EQ(block["disturbed"], 1);
  EXPECT_EQ(Light()["state"], "warn");
  EXPECT_EQ(Light()["text"], "1 of 6 executions was disturbed from outside: load 1 and swap 1.");
}

TEST_F(DisturbancesTest, AnExecutionMarkedInvalidIsNoLongerCountedAsDisturbed) {
  const Json block = Disturbed({{"load", 0.5, 1}}, /*watched=*/true, "a backup ran");
  EXPECT_EQ(block["rows"], Json::array());
  EXPECT_EQ(block["executions"], 5);
  EXPECT_EQ(Light()["text"], "None of 5 executions was disturbed from outside.");
  EXPECT_EQ(summary_["annotations"][0]["reason"], "a backup ran");
}

TEST_F(DisturbancesTest, AQuietRunSaysThatItWasWatched) {
  Disturbed({});
  EXPECT_EQ(Light()["state"], "good");
  EXPECT_EQ(Light()["text"], "None of 6 executions was disturbed from outside.");
}

// Each of ten executions bears load by itself: most a little under half of the machine.
TEST_F(DisturbancesTest, OnABusyMachineOnlyWhatDiffersFromItsUsualStateIsMarked) {
  const auto borne = [](std::vector<double> shares) {
    FixtureRun run;
    run.watched = true;
    run.iterations = static_cast<int>(shares.size());
    run.outcome = [=](const FixtureExecution& e) {
      FixtureOutcome o;
      o.disturbances = {{"load", shares[static_cast<size_t>(e.iteration - 1)], 1}};
      return o;
    };
    return run;
  };
  const Json block = Block(borne({.40, .41, .42, .40, .41, .42, .40, .41, .42, .90}));
  ASSERT_EQ(block["rows"].size(), 1u);
  EXPECT_EQ(block["rows"][0]["iteration"], 10);
  ASSERT_EQ(block["usual"].size(), 1u);
  EXPECT_NEAR(block["usual"][0]["share"].get<double>(), 0.41, 1e-9);
  EXPECT_NEAR(block["usual"][0]["hit_from"].get<double>(),
              1 - 0.59 * std::pow(0.59 / 0.60, 3 * 1.4826), 1e-9)
      << "of what was left: 59%, most often 60% or 58%";
  EXPECT_EQ(Light()["state"], "bad") << "the whole run was disturbed";
  EXPECT_EQ(Light()["text"],
            "The machine was disturbed from outside throughout: load 41% of it in the median "
            "execution. 1 of 10 executions was hit harder: load 1.");

  EXPECT_EQ(Block(borne({.40, .40, .40, .40, .41}))["rows"], Json::array());
  EXPECT_EQ(Block(borne({.40, .40, .40, .40, .42}))["rows"].size(), 1u) << "3% of what was left";
  EXPECT_EQ(Block(borne({.40, .40, .40, .40, .40}))["rows"], Json::array());
  EXPECT_THAT(Light()["text"].get<std::string>(), HasSubstr("No execution stands out by it."));
}

TEST_F(DisturbancesTest, ARunThatNobodyWatchedIsNotCalledQuiet) {
  Disturbed({}, /*watched=*/false);
  EXPECT_EQ(Light()["state"], "unknown");
  EXPECT_THAT(Light()["text"].get<std::string>(), HasSubstr("Nobody looked"));
}

}  // namespace
}  // namespace lakegauge::analyze
