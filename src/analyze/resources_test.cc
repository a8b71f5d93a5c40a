#include "analyze/resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "analyze/analyze.h"
#include "analyze/testing/run_fixture.h"
#include "record/samples.h"

namespace lakegauge::analyze {
namespace {

using record::Sample;
using record::SampleKind;
using testing::FixtureExecution;
using testing::FixtureOutcome;
using testing::FixtureRun;

constexpr int64_t kSecond = 1'000'000'000;
constexpr const char* kCell = "duckdb.local.unlimited.tpcds";

// One cell with two passes of a query of 12 seconds; the first begins at second 1.
class ResourcesTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(dir_); }

  void Write(double seconds = 12, int invalid_iteration = 0) {
    FixtureRun run;
    run.iterations = 2;
    run.outcome = [=](const FixtureExecution& e) {
      FixtureOutcome o;
      o.seconds = seconds;
      if (e.iteration == invalid_iteration) o.invalid = "a backup ran";
      return o;
    };
    const auto written = WriteFixture(run, dir_);
    ASSERT_TRUE(written.ok()) << written.error().message;
  }
  // Counters of a machine of two cores that grow by `a_second` each second, from second `from`.
  void Samples(const std::vector<std::tuple<const char*, const char*, const char*, double>>& growth,
               int64_t from, int64_t to) {
    auto writer = record::SampleWriter::Open(dir_ + "/spool", 0);
    ASSERT_TRUE(writer.ok());
    for (int64_t second = from; second <= to; ++second) {
      std::vector<Sample> rows = {
          {0, second * kSecond, "machine", "cores", "", SampleKind::kGauge, 2}};
      for (const auto& [source, metric, labels, a_second] : growth) {
        rows.push_back({0, second * kSecond, source, metric, labels, SampleKind::kCounter,
                        a_second * static_cast<double>(second)});
      }
      ASSERT_TRUE((*writer)->Append(rows).ok());
    }
    ASSERT_TRUE((*writer)->Close().ok());
    ASSERT_TRUE(record::CompactSamples(dir_ + "/spool", dir_ + "/samples.parquet").ok());
  }
  Json Resources() {
    const auto summary = Analyze(dir_);
    EXPECT_TRUE(summary.ok()) << summary.error().message;
    return summary.ok() ? Json(summary->json)["resources"] : Json();
  }

  const std::string dir_ = ::testing::TempDir() + "lg_resources." + std::to_string(getpid());
};

TEST_F(ResourcesTest, SharesAreOfAllCoresWhileQueriesRan) {
  Write();
  Samples({{"machine", "cpu_user_s", "", 1.0},
           {"machine", "cpu_system_s", "", 0.2},
           {"machine", "cpu_iowait_s", "", 0.1},
           {"machine", "cpu_steal_s", "", 0.02},
           {"machine", "disk_read_bytes", "device=vda", 1000},
           {"machine", "disk_read_bytes", "device=vdb", 500},
           {"machine", "network_received_bytes", "device=eth0", 70},
           {"machine", "network_received_bytes", "device=lo", 9000}},
          0, 26);
  const Json cell = Resources()["cells"][0];
  EXPECT_EQ(cell["cell"], kCell);
  EXPECT_NEAR(cell["query_s"].get<double>(), 24, 1e-9);
  EXPECT_NEAR(cell["cpu_user"].get<double>(), 0.5, 1e-9);
  EXPECT_NEAR(cell["cpu_system"].get<double>(), 0.1, 1e-9);
  EXPECT_NEAR(cell["cpu_iowait"].get<double>(), 0.05, 1e-9);
  EXPECT_NEAR(cell["cpu_steal"].get<double>(), 0.01, 1e-9);
  EXPECT_NEAR(cell["cpu_peak"].get<double>(), 0.6, 1e-9);
  EXPECT_NEAR(cell["engine_cpu"].get<double>(), 0.25, 1e-9);
  EXPECT_NEAR(cell["disk_read_bytes_s"].get<double>(), 1500, 1e-6);
  EXPECT_NEAR(cell["received_bytes_s"].get<double>(), 70, 1e-6);
}

TEST_F(ResourcesTest, WhatHappenedBetweenQueriesDoesNotCount) {
  Write();
  // Busy in the second before the first query only.
  auto writer = record::SampleWriter::Open(dir_ + "/spool", 0);
  ASSERT_TRUE(writer.ok());
  for (const auto& [second, user] : {std::pair(0, 0.0), std::pair(1, 2.0), std::pair(13, 2.0)}) {
    ASSERT_TRUE((*writer)
                    ->Append({{0, second * kSecond, "machine", "cores", "", SampleKind::kGauge, 2},
                              {0, second * kSecond, "machine", "cpu_user_s", "",
                               SampleKind::kCounter, user}})
                    .ok());
  }
  ASSERT_TRUE((*writer)->Close().ok());
  ASSERT_TRUE(record::CompactSamples(dir_ + "/spool", dir_ + "/samples.parquet").ok());
  EXPECT_NEAR(Resources()["cells"][0]["cpu_user"].get<double>(), 0, 1e-9);
}

TEST_F(ResourcesTest, WhatAPersonMarkedInvalidDoesNotCount) {
  Write(12, /*invalid_iteration=*/1);
  Samples({{"machine", "cpu_user_s", "", 1.0}}, 14, 26);  // the second query, of the two
  const Json cell = Resources()["cells"][0];
  EXPECT_NEAR(cell["query_s"].get<double>(), 12, 1e-9);
  EXPECT_NEAR(cell["cpu_user"].get<double>(), 0.5, 1e-9);
  EXPECT_NEAR(cell["engine_cpu"].get<double>(), 0.25, 1e-9);
  const double gb = cell["average_gb_s"].get<double>() * 12;
  EXPECT_NEAR(gb, cell["peak_gb_s"].get<double>(), 1e-12) << "of one query's GETs";
}

TEST_F(ResourcesTest, PeakIsTheBestSecondAndSustainedTheBestTen) {
  Write();
  // Each execution's 4 GETs come in its first microseconds.
  const Json cell = Resources()["cells"][0];
  const double pass_gb = cell["average_gb_s"].get<double>() * 24 / 2;
  EXPECT_GT(pass_gb, 0);
  EXPECT_NEAR(cell["peak_gb_s"].get<double>(), pass_gb, 1e-12);
  EXPECT_NEAR(cell["sustained_gb_s"].get<double>(), pass_gb / 10, 1e-12);
}

TEST_F(ResourcesTest, QueriesTooShortHaveNoPeak) {
  Write(0.2);
  const Json cell = Resources()["cells"][0];
  EXPECT_TRUE(cell["peak_gb_s"].is_null());
  EXPECT_TRUE(cell["sustained_gb_s"].is_null());
  EXPECT_GT(cell["average_gb_s"].get<double>(), 0);
}

TEST_F(ResourcesTest, WithoutSamplesThereIsNoTimeline) {
  Write();
  const Json resources = Resources();
  EXPECT_TRUE(resources["timeline"].is_null());
  EXPECT_TRUE(resources["cells"][0]["cpu_user"].is_null());
}

TEST_F(ResourcesTest, TheTimelineHoldsTheRunByTheClock) {
  Write();
  Samples({{"machine", "cpu_user_s", "", 1.0}, {"machine", "cpu_system_s", "", 0.2}}, 0, 26);
  const Json timeline = Resources()["timeline"];
  EXPECT_EQ(timeline["step_s"], 1);
  ASSERT_EQ(timeline["at_s"].size(), 26u);
  EXPECT_EQ(timeline["at_s"][25], 25);
  EXPECT_NEAR(timeline["cpu_user"][3].get<double>(), 0.5, 1e-9);
  EXPECT_GT(timeline["delivered_bytes_s"][1].get<double>(), 0);
  ASSERT_EQ(timeline["bands"].size(), 2u);
  EXPECT_NEAR(timeline["bands"][0]["from_s"].get<double>(), 1, 1e-6);
  EXPECT_NEAR(timeline["bands"][0]["to_s"].get<double>(), 13, 1e-6);
}

TEST_F(ResourcesTest, WatchedServersAreToldByCellAndMetric) {
  Write();
  auto writer = record::SampleWriter::Open(dir_ + "/spool", 0);
  ASSERT_TRUE(writer.ok());
  for (int64_t second = 0; second <= 26; ++second) {
    const double s = static_cast<double>(second);
    const auto row = [&](const char* metric, const char* labels, SampleKind kind, double value) {
      return Sample{0, second * kSecond, "w1", metric, labels, kind, value};
    };
    std::vector<Sample> rows = {row("up", "", SampleKind::kGauge, second == 5 ? 0 : 1)};
    if (second != 5) {
      rows.push_back(row("node_cpu_seconds_total", "cpu=0,mode=idle", SampleKind::kCounter, s / 4));
      rows.push_back(
          row("node_cpu_seconds_total", "cpu=0,mode=user", SampleKind::kCounter, 3 * s / 4));
      rows.push_back(row("node_load1", "", SampleKind::kGauge, 2));
    }
    ASSERT_TRUE((*writer)->Append(rows).ok());
  }
  ASSERT_TRUE((*writer)->Close().ok());
  ASSERT_TRUE(record::CompactSamples(dir_ + "/spool", dir_ + "/samples.parquet").ok());
  const Json servers = Resources()["servers"];
  ASSERT_EQ(servers.size(), 1u);
  EXPECT_EQ(servers[0]["source"], "w1");
  EXPECT_EQ(servers[0]["gaps"], 1);
  EXPECT_NEAR(servers[0]["cpu"].get<double>(), 0.75, 1e-9);
  EXPECT_EQ(servers[0]["metrics"][0]["metric"], "node_cpu_seconds_total");
  EXPECT_NEAR(servers[0]["metrics"][0]["average"].get<double>(), 1, 1e-9);
  EXPECT_EQ(servers[0]["metrics"][1]["metric"], "node_load1");
  EXPECT_NEAR(servers[0]["metrics"][1]["average"].get<double>(), 2, 1e-9);
}

}  // namespace
}  // namespace lakegauge::analyze
