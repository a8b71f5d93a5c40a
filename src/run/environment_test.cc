#include "run/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "run/doctor.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Environment, SaysWhatTheRunWasMadeOnAndWith) {
  const TemporaryFolder home;
  engine::EngineDescription engine;
  engine.name = "duckdb";
  engine.version = "1.5.5";
  engine.configuration = {{"threads", "4"}};
  const Json e =
      CaptureEnvironment({home.path(), home.path(), {engine}, {{"duckdb-tpcds", "1.5.5"}}});
  EXPECT_GT(e.at("machine").at("cores"), 0);
  EXPECT_GT(e.at("machine").at("memory_bytes"), 0);
  EXPECT_FALSE(e.at("os").at("kernel").get<std::string>().empty());
  EXPECT_TRUE(e.at("file_systems").at("data").at("file_system").is_string());
  EXPECT_EQ(e.at("engines")[0].at("configuration").at("threads"), "4");
  EXPECT_EQ(e.at("build").at("lakegauge"), LakegaugeVersion());
}

TEST(Environment, HoldsNoEnvironmentVariable) {
  setenv("LAKEGAUGE_TEST_SECRET", "hush-4711", 1);
  const TemporaryFolder home;
  const Json e = CaptureEnvironment({home.path(), home.path(), {}, {}});
  EXPECT_THAT(e.dump(), testing::Not(HasSubstr("hush-4711")));
}

TEST(Environment, TellsWhatDiffersAndNothingElse) {
  const TemporaryFolder home;
  const Json before = CaptureEnvironment({home.path(), home.path(), {}, {}});
  Json now = before;
  now["machine"]["load_average"] = {9, 9, 9};
  EXPECT_THAT(EnvironmentDifferences(before, now), IsEmpty());
  now["machine"]["cores"] = 4096;
  now["os"]["kernel"] = "0.1";
  EXPECT_THAT(EnvironmentDifferences(before, now), testing::SizeIs(2));
  EXPECT_THAT(EnvironmentDifferences(before, now), Contains(HasSubstr("is 4096")));
}

TEST(Doctor, EveryCheckSaysWhatItFoundAndHowToMendWhatIsBad) {
  const TemporaryFolder home;
  const auto checks = Diagnose(home.path() + "/data", home.path() + "/results");
  EXPECT_THAT(checks, Contains(testing::Field(&Check::id, "cache_drop")));
  EXPECT_THAT(checks, Contains(testing::Field(&Check::id, "engine_duckdb")));
  for (const Check& check : checks) {
    EXPECT_FALSE(check.text.empty()) << check.id;
    EXPECT_TRUE(check.health != Health::kBad || !check.mend.empty()) << check.id;
  }
}

}  // namespace
}  // namespace lakegauge::run
