#include "import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "import/matching.h"

namespace lakegauge::imports {
namespace {

namespace fs = std::filesystem;
using record::ExecutionStatus;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kUtcNs = 1'767'225'600'000'000'000;

Sample Took(const std::string& query, std::optional<int64_t> iteration, const std::string& store,
            int64_t line) {
  Sample s;
  s.query = query;
  s.iteration = iteration;
  s.store = store;
  s.elapsed_ns = 1'000'000'000;
  s.line = line;
  return s;
}

TEST(Matching, AQueryThatIsMissingInAPassIsPlannedThere) {
  const Matched m = Match({Took("q1", 1, "s3", 2), Took("q2", 1, "s3", 3), Took("q1", 2, "s3", 4),
                           Took("q1", 1, "file", 5)},
                          {"f"});
  EXPECT_THAT(m.cells, SizeIs(2));
  EXPECT_EQ(m.cells[0].id, "unknown.s3.unknown.unknown");
  EXPECT_THAT(m.executions, SizeIs(4));
  ASSERT_THAT(m.missing, SizeIs(1)) << "q2 of iteration 2 on s3; file was never asked q2";
  EXPECT_EQ(m.missing[0].query, "q02");
  EXPECT_EQ(m.missing[0].iteration, 2);
  EXPECT_EQ(m.missing[0].id, 4);
}

TEST(Matching, WithoutIterationsTheNthTimeIsIterationN) {
  auto other = Took("q1", std::nullopt, "s3", 5);
  other.stream = "user 2";
  const Matched m = Match({Took("q1", std::nullopt, "s3", 2), Took("q2", std::nullopt, "s3", 3),
                           Took("query1", std::nullopt, "s3", 4), other},
                          {"f"});
  EXPECT_EQ(m.executions[2].iteration, 2);
  EXPECT_EQ(m.executions[2].query, "q01");
  EXPECT_EQ(m.executions[3].iteration, 1);
  EXPECT_EQ(m.executions[3].stream, 1);
  EXPECT_THAT(m.queries[0].called, ::testing::ElementsAre("q1", "query1"));
}

TEST(Matching, TwiceInAnIterationIsABadLine) {
  const Matched m = Match({Took("q14a", 1, "s3", 2), Took("query14_1", 1, "s3", 9)}, {"f.csv"});
  EXPECT_THAT(m.executions, SizeIs(1));
  ASSERT_THAT(m.bad, SizeIs(1));
  EXPECT_EQ(m.bad[0].line, 9);
  EXPECT_EQ(m.bad[0].why,
            "q14a stands twice in iteration 1 of unknown.s3.unknown.unknown (first on f.csv:2)");
}

TEST(Matching, IterationsOfSeveralFilesGoOn) {
  auto a = Took("q1", 1, "s3", 2), b = Took("q1", 1, "s3", 2), c = Took("q1", 0, "zero", 3);
  b.batch = 1;
  b.file = 1;
  const Matched m = Match({a, b, c}, {"f", "g"});
  EXPECT_EQ(m.executions[0].iteration, 1);
  EXPECT_EQ(m.executions[1].iteration, 2);
  EXPECT_EQ(m.executions[2].iteration, 1) << "iterations count from 1";
  EXPECT_THAT(m.bad, IsEmpty());
}

TEST(Matching, CellsKeepNamesThatFilesCanHave) {
  const Matched m = Match({Took("q1", 1, "s3 a/b", 2), Took("q1", 1, "s3_a:b", 3)}, {"f"});
  EXPECT_EQ(m.cells[0].id, "unknown.s3_a_b.unknown.unknown");
  EXPECT_EQ(m.cells[1].id, "unknown.s3_a_b.unknown.unknown_2");
  EXPECT_EQ(m.cells[0].store, "s3 a/b");
}

TEST(Matching, NamesOfTheirOwnForEachExecutionDoNotMakeAHugePlan) {
  std::vector<Sample> samples;
  for (int i = 0; i < 300; ++i) samples.push_back(Took("same", std::nullopt, "s", i));
  for (int i = 0; i < 300; ++i) samples.push_back(Took("r" + std::to_string(i), {}, "s", i));
  EXPECT_THAT(Match(samples, {"f"}).missing, IsEmpty());
}

class ImportedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string File(const std::string& name, const std::string& text) {
    const std::string path = dir_ + "/" + name;
    EXPECT_TRUE(WriteFileAtomically(path, text).ok());
    return path;
  }
  std::string ErrorOf(const Options& options) {
    const auto read = Read(options, "lakegauge", kUtcNs);
    return read.ok() ? "ok" : read.error().message;
  }
  const std::string dir_ = ::testing::TempDir() + "lg_import." + std::to_string(getpid());
};

TEST_F(ImportedRun, WhatIsNotKnownIsAbsentAndNotZero) {
  Options options;
  options.files = {File("a.csv", "query,store,seconds\nq1,s3,1.5\nq1,s3,2.5\nq1,,1\n")};
  const auto import = Read(options, "lakegauge 1", kUtcNs);
  ASSERT_TRUE(import.ok()) << import.error().message;
  EXPECT_THAT(import->bad, SizeIs(1));
  fs::create_directories(dir_ + "/r");
  ASSERT_TRUE(Write(*import, dir_ + "/r", {"lakegauge", "import", "a.csv"}, kUtcNs).ok());
  const auto journal = record::ReadJournal(dir_ + "/r/journal.jsonl");
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  ASSERT_THAT(journal->finished, SizeIs(2));
  const record::Execution& e = journal->finished[1];
  EXPECT_EQ(e.elapsed_ns, 2'500'000'000);
  EXPECT_EQ(e.iteration, 2);
  EXPECT_EQ(e.cache, "unknown");
  for (const int64_t unknown : {e.requests, e.bytes_read, e.blocked_ns, e.wait_lane_ns, e.cpu_ns,
                                e.rows, e.start_ns, e.start_utc_ns, e.end_ns}) {
    EXPECT_EQ(unknown, -1);
  }
  const auto text = ReadFile(dir_ + "/r/journal.jsonl");
  EXPECT_THAT(*text, HasSubstr("\"requests\":null"));
  EXPECT_THAT(*text, HasSubstr("\"machine_busy_s\":null"));
  const auto plan = ReadJsonFile(dir_ + "/r/plan.json");
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ((*plan)["run"], "r");
  EXPECT_EQ((*plan)["experiment"], "a");
  const Json& imported = (*plan)["imported"];
  EXPECT_EQ(imported["files"][0]["name"], "a.csv");
  EXPECT_EQ(imported["files"][0]["executions"], 2);
  EXPECT_EQ(imported["files"][0]["sha256"].get<std::string>().size(), 64u);
  EXPECT_EQ(imported["bad_lines"][0]["line"], 4);
  EXPECT_TRUE(ReadJsonFile(dir_ + "/r/environment.json")->at("machine").is_null())
      << "this machine is not the one that was measured";
  EXPECT_FALSE(fs::exists(dir_ + "/r/requests"));
}

TEST_F(ImportedRun, FilesThatCannotBeRightAreAnErrorAndWriteNothing) {
  Options options;
  options.files = {dir_ + "/none.csv"};
  EXPECT_THAT(ErrorOf(options), HasSubstr("no such file"));
  options.files = {File("empty.csv", "\n \n")};
  EXPECT_THAT(ErrorOf(options), HasSubstr("it is empty"));
  options.files = {File("wide.csv", std::string("\xFF\xFEq\0", 4))};
  EXPECT_THAT(ErrorOf(options), HasSubstr("UTF-16"));
  options.files = {File("packed.csv", "\x1F\x8B\x08rest")};
  EXPECT_THAT(ErrorOf(options), HasSubstr("compressed"));
  options.files = {File("bad.csv", "query,seconds\nq1,x\nq1,y\n")};
  EXPECT_THAT(ErrorOf(options), HasSubstr("bad.csv:2: time: 'x' is no time; no execution could be "
                                          "read (2 bad lines)"));
  options.files = {File("header.csv", "query,seconds\n")};
  EXPECT_THAT(ErrorOf(options), HasSubstr("holds no execution"));
  options.files = {File("good.csv", "\xEF\xBB\xBFquery,seconds\nq1,1\n")};
  EXPECT_EQ(ErrorOf(options), "ok") << "with a byte order mark";
  options.format = "xls";
  EXPECT_THAT(ErrorOf(options), HasSubstr("allowed spark-sql-perf, jmeter, csv"));
  options.format = "jmeter";
  EXPECT_THAT(ErrorOf(options), HasSubstr("2 fields where the header names 17"));
  options.format = "";
  options.compare = {"store=s4"};
  EXPECT_THAT(ErrorOf(options), HasSubstr("no store 's4'; there are unknown"));
  options.compare = {"engine=x"};
  EXPECT_THAT(ErrorOf(options), HasSubstr("allowed store=ID, layout=ID"));
  options.compare = {};
  options.files = {dir_ + "/folder"};
  fs::create_directories(dir_ + "/folder");
  EXPECT_THAT(ErrorOf(options), HasSubstr("a folder without .json files"));
}

TEST_F(ImportedRun, SparksFolderAndSeveralLogsAsStores) {
  Options options;
  File("results/timestamp=1767225600000/part-0.json",
       "{\"iteration\":1,\"results\":[{\"name\":\"q1-v2.4\",\"executionTime\":5}]}\n");
  File("results/timestamp=1767225600000/_SUCCESS", "");
  File("results/timestamp=1767225700000/part-0.json",
       "{\"iteration\":1,\"results\":[{\"name\":\"q1-v2.4\",\"executionTime\":6}]}\n");
  options.files = {dir_ + "/results"};
  auto import = Read(options, "lakegauge", kUtcNs);
  ASSERT_TRUE(import.ok()) << import.error().message;
  ASSERT_THAT(import->executions, SizeIs(2));
  EXPECT_EQ(import->executions[1].iteration, 2);
  EXPECT_EQ(import->plan["imported"]["started_utc"], "2026-01-01T00:00:00.000000Z");

  const std::string log =
      "timeStamp,elapsed,label,success,threadName\n1767225600000,100,q1,true,u\n";
  options.files = {File("fast.jtl", log), File("slow.jtl", log)};
  options.sets = {"store={file}"};
  import = Read(options, "lakegauge", kUtcNs);
  ASSERT_TRUE(import.ok()) << import.error().message;
  EXPECT_EQ(import->executions[1].cell, "unknown.slow.unknown.unknown");
  EXPECT_EQ(import->plan["compare"]["store"], "fast");
}

TEST_F(ImportedRun, AHundredThousandLinesAreRead) {
  std::string text = "query,stream,elapsed_ms\n";
  for (int i = 0; i < 100'000; ++i) {
    text += "q" + std::to_string(i % 10 + 1) + "," + std::to_string(i / 10 % 8) + ",1\n";
  }
  Options options;
  options.files = {File("huge.csv", text)};
  const auto import = Read(options, "lakegauge", kUtcNs);
  ASSERT_TRUE(import.ok()) << import.error().message;
  EXPECT_THAT(import->executions, SizeIs(100'000));
  EXPECT_THAT(import->bad, IsEmpty());
}

}  // namespace
}  // namespace lakegauge::imports
