#include "analyze/bottleneck.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "analyze/analyze.h"
#include "analyze/bottleneck_best_case.h"
#include "analyze/bottleneck_bound.h"
#include "analyze/bottleneck_division.h"
#include "analyze/testing/mini_run.h"
#include "analyze/testing/trace.h"

namespace lakegauge::analyze {
namespace {

using ::testing::HasSubstr;
using testing::Trace;

class BottleneckTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() /
           ("lakegauge-bottleneck-" + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  Json Of(const testing::FixtureRun& run) {
    const auto written = testing::WriteFixture(run, dir_.string());
    EXPECT_TRUE(written.ok()) << written.error().message;
    const auto summary = Analyze(dir_.string());
    EXPECT_TRUE(summary.ok()) << summary.error().message;
    return summary.ok() ? Json(summary->json.at("bottleneck")) : Json();
  }
  std::filesystem::path dir_;
};

TEST_F(BottleneckTest, PartsAddUpToTheTimeOfEachQueryAndOfAPass) {
  const Json b = Of(testing::MiniRun());
  ASSERT_EQ(b["cells"].size(), 4u);
  ASSERT_EQ(b["queries"].size(), 12u);
  for (const char* rows : {"cells", "queries"}) {
    for (const Json& row : b[rows]) {
      const double parts = row["compute_s"].get<double>() + row["storage_s"].get<double>() +
                           row["idle_s"].get<double>();
      EXPECT_NEAR(parts, row["elapsed_s"], 1e-9) << row;
      EXPECT_LE(row["best_case_s"].get<double>(), row["elapsed_s"].get<double>() + 1e-9) << row;
      EXPECT_NEAR(row["speedup"].get<double>() * row["best_case_s"].get<double>(), row["elapsed_s"],
                  1e-9);
      const Json& lanes = row["lanes"];
      EXPECT_NEAR(lanes["compute"].get<double>() + lanes["storage"].get<double>() +
                      lanes["idle"].get<double>(),
                  1, 1e-9);
    }
  }
  EXPECT_NEAR(b["cells"][0]["elapsed_s"], 0.37, 1e-9) << "the queries' averages, added up";
}

TEST_F(BottleneckTest, AQueryThatReadsOtherwiseFromAnotherStoreIsFlagged) {
  testing::FixtureRun run;
  run.stores = {{"local"}, {"slow", true, 5}};
  run.queries = {"q01", "q02"};
  run.outcome = [](const testing::FixtureExecution& e) {
    testing::FixtureOutcome o;
    if (e.query == "q02" && e.store == "slow") o.requests = 5;
    return o;
  };
  const Json queries = Of(run)["queries"];
  ASSERT_EQ(queries.size(), 4u);
  for (const Json& row : queries) {
    const bool timed = row["query"] == "q02";
    EXPECT_EQ(row["timed_reads"], timed) << row;
    EXPECT_NEAR(row["reads_vary"].get<double>(), timed ? 0.2 : 0, 1e-12) << "4 GETs of 5";
  }
  run.stores.pop_back();
  EXPECT_TRUE(Of(run)["queries"][0]["timed_reads"].is_null()) << "one store tells nothing";
}

TEST_F(BottleneckTest, WhereStreamsShareThreadsOnlyBlockedTimeIsKnown) {
  testing::FixtureRun run;
  run.streams = 2;
  const Json b = Of(run);
  for (const Json& row : {b["cells"][0], b["queries"][0]}) {
    EXPECT_TRUE(row["storage_s"].is_number());
    for (const char* key :
         {"compute_s", "idle_s", "lanes", "best_case_s", "speedup", "confidence"}) {
      EXPECT_TRUE(row[key].is_null()) << key;
    }
  }
  EXPECT_TRUE(b["cells"][0]["bound"].is_string());
}

TEST_F(BottleneckTest, WhatIsNotThereYetIsNull) {
  testing::FixtureRun run;
  run.outcome = [](const testing::FixtureExecution&) {
    testing::FixtureOutcome o;
    o.finished = false;
    return o;
  };
  const Json b = Of(run);
  EXPECT_TRUE(b["cells"][0]["elapsed_s"].is_null());
  EXPECT_TRUE(b["cells"][0]["bound"].is_null());
  EXPECT_TRUE(b["queries"].empty());
}

TEST(DivisionTest, IdleIsWhenNobodyComputesAndNobodyWaits) {
  // 10 ms of waiting, 10 of computing, then 20 in which nothing is known of the one thread.
  const Trace ended(
      40, {{.start_ms = 0, .ms = 10}, {.start_ms = 20, .ms = 0, .compute_ms = 10, .handle = 2}});
  Trace trace = ended;
  EXPECT_NEAR(IdleSeconds(trace.execution(), trace.requests(), 2), 0.020, 1e-9);
  Trace busy(40, {{.start_ms = 0, .ms = 10}}, {{1, 30}});
  EXPECT_NEAR(IdleSeconds(busy.execution(), busy.requests(), 2), 0, 1e-9);
  Trace half(20, {}, {{1, 10}, {2, 10}});
  EXPECT_NEAR(IdleSeconds(half.execution(), half.requests(), 0), 0.005, 1e-9)
      << "two threads that compute half of the time: none does in a quarter of it";
}

TEST(DivisionTest, WaitsOfAShapedRequestAreItsProfilesParts) {
  record::Request r;
  r.start_ns = 1'000'000'000;
  r.first_byte_ns = r.start_ns + 30'000'000;  // refused for 20 ms, then 10 ms to the first byte
  r.asked_first_ns = 10'000'000;
  r.asked_ns = 100'000'000;
  r.lateness_ns = 3'000'000;
  r.end_ns = r.start_ns + 103'000'000;
  r.bytes = 1'000'000;
  const Waits w = WaitsOf(r, 20e6);  // 50 ms for 1 MB
  EXPECT_NEAR(w.first_byte_s, 0.010, 1e-9);
  EXPECT_NEAR(w.refused_s, 0.020, 1e-9);
  EXPECT_NEAR(w.stream_s, 0.050, 1e-9);
  EXPECT_NEAR(w.pipe_s, 0.020, 1e-9);
  EXPECT_NEAR(w.late_s, 0.003, 1e-9);
  EXPECT_NEAR(w.all(), 0.103, 1e-9);
  r.asked_ns = -1;
  r.cpu_end_ns = r.cpu_start_ns + 1'000'000;
  EXPECT_NEAR(WaitsOf(r, 0).unknown_s, 0.102, 1e-9) << "what it computed is no waiting";
}

TEST(DivisionTest, ALineTellsLatencyFromBytes) {
  WaitLine line;  // 10 ms and 1 ms a kB
  line.Add(1000, 0.011);
  line.Add(9000, 0.019);
  EXPECT_NEAR(line.request_part(), 0.020 / 0.030, 1e-9);
  WaitLine equal;
  equal.Add(1000, 0.010);
  equal.Add(1000, 0.012);
  EXPECT_EQ(equal.request_part(), 1) << "one size tells nothing: latency";
  EXPECT_EQ(WaitLine().request_part(), 1);
}

CellFigures Waiting(const Waits& waits) {
  CellFigures f;
  f.elapsed_s = 10;
  f.storage_s = 8;
  f.best_s = 2;
  f.busy_s = 4;
  f.cores = 2;
  f.request_wall_s = 40;
  f.requests = 1000;
  f.bytes = 5'000'000'000;
  f.waits = waits;
  return f;
}

TEST(BoundTest, EachBoundIsNamedWithItsEvidence) {
  const Bound latency = NameBound(Waiting({.first_byte_s = 30, .stream_s = 10}));
  EXPECT_EQ(latency.name, "latency-bound");
  EXPECT_EQ(latency.evidence,
            "Of the waiting for storage 75% went to first bytes; a request took 40 ms and 4.0 "
            "were under way on average; a free store would save 80% of the time (5.0x as fast); "
            "0.40 of 2 cores were busy.");
  EXPECT_EQ(NameBound(Waiting({.first_byte_s = 10, .stream_s = 30})).name, "network-bound");
  const Bound pipe = NameBound(Waiting({.first_byte_s = 10, .pipe_s = 30}));
  EXPECT_EQ(pipe.name, "store-bandwidth-bound");
  EXPECT_THAT(pipe.evidence, HasSubstr("500 MB/s came"));
  const Bound rate = NameBound(Waiting({.first_byte_s = 10, .refused_s = 30}));
  EXPECT_EQ(rate.name, "request-rate-bound");
  EXPECT_THAT(rate.evidence, HasSubstr("100 requests a second"));
  CellFigures computing = Waiting({.first_byte_s = 30});
  computing.best_s = 9;
  computing.storage_s = 1;
  EXPECT_EQ(NameBound(computing).name, "CPU-bound");
  EXPECT_EQ(NameBound(computing).evidence,
            "0.40 of 2 cores were busy; a free store would save 10% of the time (1.11x as fast).");
}

TEST(BoundTest, OtherWorkOnTheCoresIsTold) {
  CellFigures f = Waiting({.first_byte_s = 30});
  f.best_s = 9;
  f.storage_s = 1;
  f.others = 0.25;
  EXPECT_THAT(NameBound(f).evidence,
              HasSubstr("0.40 of 2 cores were busy, 0.25 of them with other work"));
}

TEST(BoundTest, ABestCaseThatTheBlockedTimeContradictsNamesNothing) {
  CellFigures f = Waiting({.first_byte_s = 30});
  f.best_s = 9;
  f.others = 1.8;
  EXPECT_EQ(NameBound(f).name, "uncertain");
  EXPECT_THAT(NameBound(f).evidence, HasSubstr("80% of the time no lane computed"));
  EXPECT_THAT(NameBound(f).evidence, HasSubstr("1.80 of them with other work"));
}

TEST(BoundTest, WithoutABestCaseTheJournalsBlockedTimeDecides) {
  CellFigures f = Waiting({.first_byte_s = 30});
  f.best_s.reset();
  EXPECT_EQ(NameBound(f).name, "latency-bound");
  EXPECT_THAT(NameBound(f).evidence, HasSubstr("80% of the time no lane computed"));
  f.storage_s = 1;
  EXPECT_EQ(NameBound(f).name, "CPU-bound");
}

TEST(BestCaseTest, ConfidenceFallsWhereTheEstimatesPart) {
  EXPECT_EQ(ConfidenceOf({2, 2.5, 10}, 10), Confidence::kHigh);
  EXPECT_EQ(ConfidenceOf({2, 4, 10}, 10), Confidence::kMedium);
  EXPECT_EQ(ConfidenceOf({2, 6, 10}, 10), Confidence::kLow);
  EXPECT_EQ(ConfidenceOf({2, 2, 14}, 10), Confidence::kLow) << "the recording is not given back";
}

}  // namespace
}  // namespace lakegauge::analyze
