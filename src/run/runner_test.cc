#include "run/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "base/files.h"
#include "record/journal.h"
#include "record/samples.h"
#include "record/spool.h"
#include "run/plan.h"
#include "run/runs.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

using record::ExecutionStatus;
using testing::HasSubstr;
using testing::IsEmpty;

class RunnerTest : public testing::Test {
 protected:
  RunnerTest() {
    options_.results_dir = home_.path() + "/results";
    options_.data_dir = SharedTinyData();
  }

  static Experiment Tiny(const std::string& changes = "") {
    auto experiment = ParseExperiment(TinyExperiment(changes), "tiny.yaml");
    EXPECT_TRUE(experiment.ok()) << experiment.error().message;
    return *experiment;
  }

  record::Journal JournalOf(const RunOutcome& outcome) {
    auto journal = record::ReadJournal(outcome.run_dir + "/journal.jsonl");
    EXPECT_TRUE(journal.ok()) << journal.error().message;
    return *journal;
  }

  TemporaryFolder home_;
  RunOptions options_;
};

TEST_F(RunnerTest, WritesAWholeRunDirectory) {
  const auto outcome = run::Run(Tiny(), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->clean()) << testing::PrintToString(outcome->failures);
  for (const char* name :
       {"experiment.yaml", "resolved.yaml", "plan.json", "environment.json", "journal.jsonl"}) {
    EXPECT_TRUE(std::filesystem::exists(outcome->run_dir + "/" + name)) << name;
  }
  const auto journal = JournalOf(*outcome);
  EXPECT_EQ(static_cast<int64_t>(journal.finished.size()), outcome->planned);
  EXPECT_THAT(journal.begun_only, IsEmpty());
  const auto plan = Plan::FromJson(*ReadJsonFile(outcome->run_dir + "/plan.json"));
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(journal.cells_ended.size(), plan->cells.size());
  for (const PlanCell& cell : plan->cells) {
    EXPECT_TRUE(std::filesystem::exists(outcome->run_dir + "/requests/" + cell.id + ".parquet"));
    EXPECT_TRUE(std::filesystem::exists(outcome->run_dir + "/manifests/" + cell.dataset_name + "/" +
                                        cell.layout_name + ".json"));
  }
}

TEST_F(RunnerTest, TheMachineIsSampledFromBeforeTheFirstQueryToAfterTheLast) {
  const auto outcome = run::Run(Tiny(), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  const auto stored = record::ReadSamples(outcome->run_dir + "/samples.parquet");
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  std::vector<int64_t> times;
  for (const record::Sample& s : stored->samples) {
    if (s.source == "machine" && s.metric == "cpu_user_s") times.push_back(s.time_ns);
  }
  ASSERT_GE(times.size(), 2u);
  const auto journal = JournalOf(*outcome);
  for (const record::Execution& e : journal.finished) {
    EXPECT_GT(e.start_ns, times.front());
    EXPECT_LT(e.end_ns, times.back());
  }
  std::vector<std::string> events;
  for (const auto& [name, facts] : journal.events) events.push_back(name);
  EXPECT_THAT(events, testing::IsSupersetOf({"sampling", "sampling_end"}));
}

TEST_F(RunnerTest, SamplesThatAKilledSessionLeftAreKeptByTheNext) {
  options_.limits.max_requests = 30;
  const auto stopped = run::Run(Tiny(), options_);
  ASSERT_TRUE(stopped.ok()) << stopped.error().message;
  const std::string samples = stopped->run_dir + "/samples.parquet";
  const size_t before = record::ReadSamples(samples)->samples.size();
  // As a kill leaves it: spooled, not compacted, its last second cut.
  {
    auto spool = record::SampleWriter::Open(stopped->run_dir + "/spool", 1);
    ASSERT_TRUE(spool.ok());
    for (const int64_t time : {5, 6}) {
      ASSERT_TRUE((*spool)
                      ->Append({{1, time, "machine", "cores", "", record::SampleKind::kGauge, 2}})
                      .ok());
    }
  }
  const std::string path = stopped->run_dir + "/spool/samples.1.arrows";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 16);
  options_.limits = {};
  const auto outcome = Resume(stopped->run_dir, options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  const auto stored = record::ReadSamples(samples);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_GT(stored->samples.size(), before + 1);
  EXPECT_THAT(stored->samples, testing::Contains(record::Sample{1, 5, "machine", "cores", "",
                                                                record::SampleKind::kGauge, 2}));
}

TEST_F(RunnerTest, RequestsOfAnExecutionAreThoseItsEndLineCounts) {
  const auto outcome = run::Run(Tiny(), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  std::map<int64_t, int64_t> recorded;
  for (const auto& file : std::filesystem::directory_iterator(outcome->run_dir + "/requests")) {
    const auto stored = record::ReadRequests(file.path().string());
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    for (const record::Request& r : stored->requests) ++recorded[r.execution];
  }
  for (const record::Execution& e : JournalOf(*outcome).finished) {
    EXPECT_GT(e.requests, 0) << e.query;
    EXPECT_GT(e.bytes_read, 0) << e.query;
    EXPECT_EQ(recorded[e.id], e.requests) << e.cell << " " << e.query;
  }
}

TEST_F(RunnerTest, EveryCellGivesTheSameAnswers) {
  const auto outcome = run::Run(Tiny(), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  std::map<std::string, std::set<std::string>> fingerprints;
  for (const record::Execution& e : JournalOf(*outcome).finished) {
    fingerprints[e.query].insert(e.result_fingerprint);
  }
  for (const auto& [query, distinct] : fingerprints) EXPECT_EQ(distinct.size(), 1u) << query;
}

TEST_F(RunnerTest, AFailingQueryIsARecordAndTheRunGoesOn) {
  std::filesystem::create_directories(home_.path() + "/sql");
  std::ofstream(home_.path() + "/sql/wrong.sql") << "SELECT nothing FROM nowhere";
  std::ofstream(home_.path() + "/sql/right.sql") << "SELECT count(*) FROM item";
  const auto outcome =
      run::Run(Tiny("workload: {queries: [" + home_.path() + "/sql/], iterations: 1}"), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunEnd::kComplete);
  EXPECT_FALSE(outcome->clean());
  EXPECT_EQ(outcome->ok, outcome->failed);
  EXPECT_THAT(outcome->failures.front(), HasSubstr("nowhere"));
}

TEST_F(RunnerTest, ALimitStopsCleanlyAndResumeFinishesWithoutRepeating) {
  options_.limits.max_requests = 30;
  const auto stopped = run::Run(Tiny(), options_);
  ASSERT_TRUE(stopped.ok()) << stopped.error().message;
  ASSERT_EQ(stopped->end, RunEnd::kLimit);
  EXPECT_LT(stopped->done, stopped->planned);
  EXPECT_THAT(stopped->why, HasSubstr("lakegauge resume"));

  options_.limits = {};
  options_.data_dir.clear();
  const auto outcome = Resume(stopped->run_dir, options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->clean());
  std::map<int64_t, int> ends;
  for (const record::Execution& e : JournalOf(*outcome).finished) {
    if (e.status != ExecutionStatus::kCancelled) ++ends[e.id];
  }
  EXPECT_EQ(static_cast<int64_t>(ends.size()), outcome->planned);
  for (const auto& [id, n] : ends) EXPECT_EQ(n, 1) << id;
}

TEST_F(RunnerTest, EveryResumeUnderATightLimitGetsFurther) {
  options_.limits.max_requests = 1;  // binding the tables takes more
  auto outcome = run::Run(Tiny("workload: {queries: [42], iterations: 2}"), options_);
  options_.data_dir.clear();
  for (int64_t done = 1; done < 4; ++done) {
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    EXPECT_EQ(outcome->end, RunEnd::kLimit);
    EXPECT_EQ(outcome->done, done);
    outcome = Resume(outcome->run_dir, options_);
  }
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->clean()) << testing::PrintToString(outcome->failures);
}

// Asks for a stop when the third query starts.
class StopsAtThird : public ProgressSink {
 public:
  void On(const ProgressEvent& event) override {
    if (event.kind == ProgressEvent::Kind::kQueryStarted && ++started_ == 3) stop_.request_stop();
  }
  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  int started_ = 0;
};

TEST_F(RunnerTest, AStopAmidAQueryFinishesTheRecordAndResumeDoesTheRest) {
  StopsAtThird sink;
  options_.progress = &sink;
  options_.stop = sink.token();
  const auto stopped = run::Run(Tiny(), options_);
  ASSERT_TRUE(stopped.ok()) << stopped.error().message;
  EXPECT_EQ(stopped->end, RunEnd::kStopped);
  EXPECT_LT(stopped->done, stopped->planned);
  EXPECT_THAT(JournalOf(*stopped).begun_only, IsEmpty());

  options_.stop = {};
  const auto outcome = Resume(stopped->run_dir, options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->clean()) << testing::PrintToString(outcome->failures);
}

// Tries to delete every layout while a query runs.
class DeletesLayouts : public ProgressSink {
 public:
  explicit DeletesLayouts(std::string data_dir) : data_dir_(std::move(data_dir)) {}
  void On(const ProgressEvent& event) override {
    if (event.kind != ProgressEvent::Kind::kQueryStarted) return;
    const auto found = FindDeletable("", data_dir_);
    ASSERT_TRUE(found.ok());
    for (const Deletable& item : *found) {
      if (item.kind != Deletable::Kind::kLayout) continue;
      const Status gone = Delete(item, "", data_dir_);
      refusals.push_back(gone.ok() ? "deleted" : gone.error().message);
    }
  }
  std::vector<std::string> refusals;

 private:
  const std::string data_dir_;
};

TEST_F(RunnerTest, WhatItReadsCannotBeDeletedUntilItEnds) {
  options_.data_dir = home_.path() + "/data";
  DeletesLayouts sink(options_.data_dir);
  options_.progress = &sink;
  const auto outcome = run::Run(
      Tiny("workload: {queries: [96], iterations: 1}\nlayouts: {unlimited: {}}"), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->clean()) << testing::PrintToString(outcome->failures);
  EXPECT_THAT(sink.refusals, testing::ElementsAre(HasSubstr("is in use")));
  EXPECT_TRUE(Delete({Deletable::Kind::kLayout, "",
                      options_.data_dir + "/tpcds-sf0.01/parquet-snappy-unlimited", 0},
                     "", options_.data_dir)
                  .ok());
}

TEST_F(RunnerTest, OwnTablesAreReadAsTheyLieAndWrittenAnew) {
  std::filesystem::create_directories(home_.path() + "/orders");
  for (const char* part : {"1", "2"}) {
    std::ofstream(home_.path() + "/orders/" + part + ".csv") << "id,amount\n" << part << ",2.5\n";
  }
  std::ofstream(home_.path() + "/customers.csv") << "id,name\n1,Ann\n2,Bob\n";
  std::ofstream(home_.path() + "/q.sql") << "SELECT name, sum(amount) FROM orders JOIN customers "
                                            "USING (id) GROUP BY name ORDER BY name";
  const std::string& home = home_.path();
  options_.data_dir = home + "/data";
  const auto outcome = run::Run(
      Tiny("datasets: {own: {kind: files, tables: {orders: " + home +
           "/orders/*.csv, customers: " + home + "/customers.csv}}}\n" +
           "layouts: {as-is: {as_is: true}, parquet: {}, by-id: {partition_by: {orders: id}}}\n" +
           "stores: {local: {uri: 'file:'}, memory: {uri: 'mem:'}, other: {uri: 'file:" + home +
           "/other'}}\n" + "workload: {queries: [" + home + "/q.sql], iterations: 1}"),
      options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->clean()) << testing::PrintToString(outcome->failures);
  EXPECT_EQ(outcome->ok, 9);
}

TEST_F(RunnerTest, AStopBeforeAnythingRanSaysHowToGoOn) {
  std::stop_source stop;
  stop.request_stop();
  options_.stop = stop.get_token();
  const auto outcome = run::Run(Tiny(), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunEnd::kStopped);
  EXPECT_EQ(outcome->done, 0);
  EXPECT_THAT(outcome->why, HasSubstr("lakegauge resume " + outcome->run_dir));
}

TEST_F(RunnerTest, StreamsRunSideBySideWithoutClaimingCpuTime) {
  const auto outcome = run::Run(
      Tiny("workload: {queries: [3, 42, 96], iterations: 1, streams: 3, order: random}"), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->clean()) << testing::PrintToString(outcome->failures);
  std::set<int32_t> streams;
  for (const record::Execution& e : JournalOf(*outcome).finished) {
    streams.insert(e.stream);
    EXPECT_EQ(e.cpu_ns, -1);
  }
  EXPECT_EQ(streams.size(), 3u);
}

TEST_F(RunnerTest, RefusesAFolderThatHoldsSomething) {
  std::filesystem::create_directories(home_.path() + "/mine");
  std::ofstream(home_.path() + "/mine/thesis.txt") << "x";
  options_.out = home_.path() + "/mine";
  const auto outcome = run::Run(Tiny(), options_);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::kAlreadyExists);
}

TEST_F(RunnerTest, MaxCostWithoutAPriceIsRefused) {
  options_.limits.max_cost = 1;
  const auto outcome = run::Run(Tiny(), options_);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("get_per_1000"));
}

TEST_F(RunnerTest, InterleavedCellsTakeTurns) {
  const auto outcome =
      run::Run(Tiny("workload: {queries: [42], iterations: 2, interleave: cells}"), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->clean());
  const auto finished = JournalOf(*outcome).finished;
  ASSERT_EQ(finished.size(), 4u);
  EXPECT_NE(finished[0].cell, finished[1].cell);
  EXPECT_EQ(finished[0].cell, finished[2].cell);
}

}  // namespace
}  // namespace lakegauge::run
