#include "record/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/files.h"

namespace lakegauge::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Execution Sample(int64_t id) {
  Execution e;
  e.id = id;
  e.cell = "duckdb/s3/1MiB";
  e.stream = 1;
  e.iteration = 2;
  e.position = 3;
  e.query = "q9";
  e.cache = "cold";
  e.session = 0;
  e.start_ns = 1000;
  e.start_utc_ns = 1'700'000'000'000'000'000;
  e.end_ns = 3000;
  e.elapsed_ns = 2000;
  e.rows = 7;
  e.result_fingerprint = "abc";
  e.answer_check = "official";
  e.requests = 12;
  e.bytes_read = 4096;
  e.blocked_ns = 5;
  e.wait_lane_ns = 6;
  e.main_thread = 42;
  e.threads = {{42, 1, 2}, {43, 3, 4}};
  e.machine_busy_s = 0.25;
  e.metrics = {{"peak_memory", 1.5, "bytes"}};
  return e;
}

class JournalFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  void Write(int first, int count) {
    auto writer = JournalWriter::Open(path_);
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    for (int id = first; id < first + count; ++id) {
      ASSERT_TRUE((*writer)->Begin(Sample(id)).ok());
      ASSERT_TRUE((*writer)->End(Sample(id)).ok());
    }
  }
  const std::string dir_ = ::testing::TempDir() + "lg_journal." + std::to_string(getpid());
  const std::string path_ = dir_ + "/journal.jsonl";
};

TEST_F(JournalFile, WhatIsNotKnownIsNullOnDiskAndMinusOneInMemory) {
  Execution e = Sample(0);
  e.start_ns = e.start_utc_ns = e.end_ns = e.elapsed_ns = e.cpu_ns = e.rows = -1;
  e.requests = e.bytes_read = e.blocked_ns = e.wait_lane_ns = -1;
  e.machine_busy_s = std::nan("");
  {
    auto writer = *JournalWriter::Open(path_, JournalWriter::Sync::kWhenAsked);
    ASSERT_TRUE(writer->Begin(e).ok());
    ASSERT_TRUE(writer->End(e).ok());
    ASSERT_TRUE(writer->SyncNow().ok());
  }
  EXPECT_THAT(*ReadFile(path_), HasSubstr("\"requests\":null"));
  const auto journal = ReadJournal(path_);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  const Execution& back = journal->finished.at(0);
  for (const int64_t unknown :
       {back.start_ns, back.start_utc_ns, back.end_ns, back.elapsed_ns, back.cpu_ns, back.rows,
        back.requests, back.bytes_read, back.blocked_ns, back.wait_lane_ns}) {
    EXPECT_EQ(unknown, -1);
  }
  EXPECT_TRUE(std::isnan(back.machine_busy_s));
}

TEST_F(JournalFile, ReadsBackEverythingThatWasWritten) {
  {
    auto writer = *JournalWriter::Open(path_);
    ASSERT_TRUE(writer->SessionStart(0, 10, 20, {{"build", "release"}}).ok());
    ASSERT_TRUE(writer->CellStart("c", {{"cache_proof", "dropped"}}).ok());
    ASSERT_TRUE(writer->Begin(Sample(0)).ok());
    ASSERT_TRUE(writer->End(Sample(0)).ok());
    ASSERT_TRUE(writer->CellEnd("c").ok());
    ASSERT_TRUE(writer->Event("note", {{"x", 1}}).ok());
    ASSERT_TRUE(writer->Begin(Sample(1)).ok());
  }
  const auto journal = ReadJournal(path_);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  EXPECT_EQ(journal->sessions, 1);
  EXPECT_EQ(journal->session_infos[0].utc_ns, 20);
  EXPECT_EQ(journal->session_infos[0].facts, (Json{{"build", "release"}}));
  EXPECT_EQ(journal->cell_facts.at("c"), (Json{{"cache_proof", "dropped"}}));
  EXPECT_THAT(journal->cells_ended, ElementsAre("c"));
  EXPECT_THAT(journal->begun_only, ElementsAre(1));
  EXPECT_EQ(journal->events[0].first, "note");
  EXPECT_FALSE(journal->truncated_tail);
  ASSERT_EQ(journal->finished.size(), 1u);
  const Execution& e = journal->finished[0];
  EXPECT_EQ(e.cell, "duckdb/s3/1MiB");
  EXPECT_EQ(e.position, 3);
  EXPECT_EQ(e.status, ExecutionStatus::kOk);
  EXPECT_EQ(e.cpu_ns, -1);
  EXPECT_EQ(e.elapsed_ns, 2000);
  EXPECT_EQ(e.threads[1].thread, 43);
  EXPECT_EQ(e.threads[1].end_ns, 4);
  EXPECT_EQ(e.metrics[0].unit, "bytes");
  EXPECT_EQ(e.machine_busy_s, 0.25);
}

TEST_F(JournalFile, CutAtAnyByteItKeepsTheWholeLinesAndGoesOn) {
  Write(0, 2);
  const std::string text = *ReadFile(path_);
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string head = text.substr(0, cut);
    const auto journal = ParseJournal(head, "j");
    ASSERT_TRUE(journal.ok()) << cut << ": " << journal.error().message;
    const auto lines = static_cast<size_t>(std::count(head.begin(), head.end(), '\n'));
    EXPECT_EQ(journal->finished.size(), lines / 2) << cut;
    EXPECT_EQ(journal->begun_only.size(), lines % 2) << cut;
    EXPECT_EQ(journal->truncated_tail, !head.empty() && head.back() != '\n') << cut;
  }
}

TEST_F(JournalFile, AppendingAfterAKillCutsTheHalfLine) {
  Write(0, 1);
  {
    std::ofstream out(path_, std::ios::app);
    out << R"({"v":1,"type":"beg)";
  }
  Write(1, 1);
  const auto journal = ReadJournal(path_);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  EXPECT_EQ(journal->finished.size(), 2u);
}

TEST_F(JournalFile, AKilledExecutionMayBeginAgain) {
  auto writer = *JournalWriter::Open(path_);
  ASSERT_TRUE(writer->Begin(Sample(5)).ok());
  ASSERT_TRUE(writer->Begin(Sample(5)).ok());
  ASSERT_TRUE(writer->End(Sample(5)).ok());
  const auto journal = ReadJournal(path_);
  EXPECT_EQ(journal->finished.size(), 1u);
  EXPECT_TRUE(journal->begun_only.empty());
}

// A stop by Ctrl-C writes a cancelled end; the resumed run does that execution again.
TEST_F(JournalFile, AnExecutionThatWasCalledOffMayRunAgain) {
  auto writer = JournalWriter::Open(path_);
  ASSERT_TRUE(writer.ok());
  Execution cancelled = Sample(3);
  cancelled.status = ExecutionStatus::kCancelled;
  ASSERT_TRUE((*writer)->Begin(cancelled).ok());
  ASSERT_TRUE((*writer)->End(cancelled).ok());
  EXPECT_TRUE(ReadJournal(path_)->begun_only.empty());
  ASSERT_TRUE((*writer)->Begin(Sample(3)).ok());
  ASSERT_TRUE((*writer)->End(Sample(3)).ok());
  const auto journal = ReadJournal(path_);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  ASSERT_EQ(journal->finished.size(), 2u);
  EXPECT_EQ(journal->finished[0].status, ExecutionStatus::kCancelled);
  EXPECT_EQ(journal->finished[1].status, ExecutionStatus::kOk);
}

// resume --retry-failed: what failed runs once more in a later session, and its last end counts.
TEST_F(JournalFile, AFailureMayRunOnceMoreInALaterSessionAndBothEndsAreKept) {
  auto writer = *JournalWriter::Open(path_);
  Execution failed = Sample(3);
  failed.status = ExecutionStatus::kFailed;
  Execution again = Sample(3);
  again.session = failed.session + 1;
  for (const Execution& e : {failed, again}) {
    ASSERT_TRUE(writer->Begin(e).ok());
    ASSERT_TRUE(writer->End(e).ok());
  }
  const auto journal = ReadJournal(path_);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  ASSERT_EQ(journal->finished.size(), 1u);
  EXPECT_EQ(journal->finished[0].status, ExecutionStatus::kOk);
  ASSERT_EQ(journal->retried.size(), 1u);
  EXPECT_EQ(journal->retried[0].status, ExecutionStatus::kFailed);
}

TEST_F(JournalFile, ARetryThatIsCalledOffLeavesTheFailureAsItWas) {
  auto writer = *JournalWriter::Open(path_);
  Execution failed = Sample(3);
  failed.status = ExecutionStatus::kTimeout;
  Execution again = Sample(3);
  again.session = failed.session + 1;
  again.status = ExecutionStatus::kCancelled;
  for (const Execution& e : {failed, again}) {
    ASSERT_TRUE(writer->Begin(e).ok());
    ASSERT_TRUE(writer->End(e).ok());
  }
  const auto journal = ReadJournal(path_);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  EXPECT_EQ(journal->finished[0].status, ExecutionStatus::kTimeout);
  EXPECT_TRUE(journal->retried.empty());
}

TEST_F(JournalFile, WhatEndedWellOrInTheSameSessionNeverRunsAgain) {
  for (const auto& [status, later] :
       {std::pair(ExecutionStatus::kOk, 1), std::pair(ExecutionStatus::kWrongResult, 1),
        std::pair(ExecutionStatus::kFailed, 0)}) {
    std::filesystem::remove(path_);
    auto writer = *JournalWriter::Open(path_);
    Execution e = Sample(3);
    e.status = status;
    ASSERT_TRUE(writer->Begin(e).ok());
    ASSERT_TRUE(writer->End(e).ok());
    e.session += later;
    ASSERT_TRUE(writer->Begin(e).ok());
    const auto journal = ReadJournal(path_);
    ASSERT_FALSE(journal.ok());
    EXPECT_THAT(journal.error().message, HasSubstr("execution 3 begins after its end"));
  }
}

TEST_F(JournalFile, WhatNoJournalCanHoldIsNamedWithItsLine) {
  Write(0, 1);
  const std::string good = *ReadFile(path_);
  const auto message = [&](const std::string& line) {
    const auto journal = ParseJournal(good + line + "\n", "j");
    return journal.ok() ? "" : journal.error().message;
  };
  EXPECT_THAT(message("garbage"), HasSubstr("j:3: not valid JSON at byte"));
  EXPECT_THAT(message("[]"), HasSubstr("j:3: no JSON object"));
  EXPECT_THAT(message("{}"), HasSubstr("'v' is missing"));
  EXPECT_THAT(message(R"({"v":1,"type":"dance"})"),
              HasSubstr("'type' is 'dance'; allowed session"));
  EXPECT_THAT(message(R"({"v":1,"type":"cell_end","cell":3})"), HasSubstr("'cell' is no text"));
  EXPECT_THAT(message(good.substr(good.find('\n') + 1, good.rfind('\n') - good.find('\n') - 1)),
              HasSubstr("execution 0 ends twice"));
  EXPECT_EQ(ParseJournal(R"({"v":2,"type":"end"})"
                         "\n",
                         "j")
                .error()
                .code,
            ErrorCode::kUnsupported);
  EXPECT_EQ(ReadJournal(dir_ + "/none").error().code, ErrorCode::kNotFound);
}

TEST_F(JournalFile, TextThatIsNotUtf8AndNumbersThatAreNoneSurvive) {
  Execution e = Sample(0);
  e.error = "bad \xFF byte";
  e.metrics = {{"ratio", std::nan(""), "1"}};
  auto writer = *JournalWriter::Open(path_);
  ASSERT_TRUE(writer->Begin(e).ok());
  ASSERT_TRUE(writer->End(e).ok());
  const auto journal = ReadJournal(path_);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  EXPECT_EQ(journal->finished[0].error, "bad \xEF\xBF\xBD byte");
  EXPECT_TRUE(std::isnan(journal->finished[0].metrics[0].value));
}

}  // namespace
}  // namespace lakegauge::record
