#pragma once
// What holds for every engine. An engine's own test includes this once, says in a Subject how the
// engine is made and how its tables and requests are reached, and instantiates the suite:
//
//   INSTANTIATE_TEST_SUITE_P(DuckDb, EngineConformance, ::testing::Values(&MakeDuckDbSubject));
//
// Threads: tests run one after another; a Subject belongs to one test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/testing/small_tables.h"
#include "workload/answer.h"

namespace lakegauge::engine::testing {

struct TaggedRequest {
  int64_t execution = -1;
  int32_t lane = 0;
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual Result<std::unique_ptr<Engine>> MakeEngine() = 0;
  // Where the engine reads the files put under "<table>/" as Parquet.
  virtual TableLocation Locate(const std::string& table) = 0;
  virtual void PutFile(const std::string& key, std::string content) = 0;
  virtual std::string FileContent(const std::string& key) = 0;
  virtual void RemoveFile(const std::string& key) = 0;
  // SQL that reads no table and would take minutes.
  virtual std::string LongQuery() = 0;
  // Requests seen since the last call; nullopt where the engine's cannot be seen here.
  virtual std::optional<std::vector<TaggedRequest>> TakeRequests() { return std::nullopt; }
  // Makes all reads fail (nullopt: work again); false where that cannot be done here.
  virtual bool FailReads(const std::optional<Error>& /*error*/) { return false; }
};

using SubjectFactory = std::unique_ptr<Subject> (*)();

class EngineConformance : public ::testing::TestWithParam<SubjectFactory> {
 protected:
  void SetUp() override {
    subject_ = GetParam()();
    for (const auto& [key, content] : SmallTableFiles()) subject_->PutFile(key, content);
    auto engine = subject_->MakeEngine();
    ASSERT_TRUE(engine.ok()) << engine.error().message;
    engine_ = std::move(*engine);
    const auto started = engine_->Start();
    ASSERT_TRUE(started.ok()) << started.error().message;
    session_ = Open(0);
  }
  void TearDown() override {
    session_.reset();
    if (engine_) engine_->Stop();
  }

  std::unique_ptr<Session> Open(int32_t stream) {
    auto session = engine_->OpenSession(stream);
    EXPECT_TRUE(session.ok()) << session.error().message;
    const auto bound = (*session)->Bind({subject_->Locate("numbers"), subject_->Locate("names")});
    EXPECT_TRUE(bound.ok()) << bound.error().message;
    return std::move(*session);
  }

  Outcome Run(Session& session, const std::string& sql, int64_t execution = 1, int32_t stream = 0,
              int64_t deadline_ns = 0) {
    auto outcome = session.Execute({execution, stream, "test", sql, deadline_ns});
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return std::move(*outcome);
  }
  Outcome Run(const std::string& sql) { return Run(*session_, sql); }

  void ExpectUsable(Session& session) {
    const Outcome outcome = Run(session, "SELECT count(*) AS n FROM names");
    EXPECT_EQ(outcome.status, record::ExecutionStatus::kOk) << outcome.error;
    ASSERT_EQ(outcome.answer.rows.size(), 1u);
    EXPECT_EQ(outcome.answer.rows[0][0], std::to_string(kNamesRows));
  }

  void ExpectFailedInOneLine(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, record::ExecutionStatus::kFailed);
    EXPECT_FALSE(outcome.error.empty());
    EXPECT_EQ(outcome.error.find('\n'), std::string::npos) << outcome.error;
    EXPECT_TRUE(outcome.answer.rows.empty());
    EXPECT_LE(outcome.start_ns, outcome.end_ns);
  }

  std::unique_ptr<Subject> subject_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Session> session_;
};

TEST_P(EngineConformance, SaysWhatItIs) {
  const EngineDescription description = engine_->Describe();
  EXPECT_FALSE(description.name.empty());
  EXPECT_FALSE(description.version.empty());
  EXPECT_THAT(description.formats, ::testing::Contains("parquet"));
  EXPECT_FALSE(description.configuration.empty());
}

TEST_P(EngineConformance, AnswersSql) {
  const int64_t before = RealClock().NowNs();
  const Outcome outcome = Run(
      "SELECT name, sum(value) AS total FROM numbers JOIN names ON kind = names.id GROUP BY name "
      "ORDER BY name");
  ASSERT_EQ(outcome.status, record::ExecutionStatus::kOk) << outcome.error;
  EXPECT_EQ(workload::Difference(SumsByName(), outcome.answer,
                                 workload::OrderOfSql("SELECT a, b FROM t ORDER BY a")),
            "");
  EXPECT_EQ(outcome.rows, static_cast<int64_t>(outcome.answer.rows.size()));
  EXPECT_LE(before, outcome.start_ns);
  EXPECT_LE(outcome.start_ns, outcome.end_ns);
  EXPECT_LE(outcome.end_ns, RealClock().NowNs());
  EXPECT_TRUE(outcome.error.empty());
}

TEST_P(EngineConformance, KeepsNullsAndEmptyTextApart) {
  const Outcome outcome = Run("SELECT note FROM names ORDER BY id");
  ASSERT_EQ(outcome.status, record::ExecutionStatus::kOk) << outcome.error;
  ASSERT_EQ(outcome.answer.rows.size(), static_cast<size_t>(kNamesRows));
  EXPECT_EQ(outcome.answer.rows[0][0], std::nullopt);
  EXPECT_EQ(outcome.answer.rows[1][0], "");
}

TEST_P(EngineConformance, AnAnswerOfOtherDataIsNoticed) {
  const std::string sql = "SELECT name FROM names";
  const Outcome right = Run(sql);
  subject_->PutFile("names/part-0.parquet", NamesFileWithOneNameChanged());
  auto session = Open(0);
  const Outcome wrong = Run(*session, sql);
  ASSERT_EQ(wrong.status, record::ExecutionStatus::kOk) << wrong.error;
  EXPECT_EQ(workload::Difference(right.answer, right.answer), "");
  EXPECT_NE(workload::Difference(right.answer, wrong.answer), "");
  EXPECT_NE(workload::Fingerprint(right.answer), workload::Fingerprint(wrong.answer));
}

TEST_P(EngineConformance, WrongSqlIsAFailedOutcomeAndTheSessionGoesOn) {
  for (const char* sql : {"SELEC 1", "SELECT nothing FROM names", "SELECT 1 FROM nowhere", "",
                          "SELECT CAST('x' AS INTEGER)"}) {
    ExpectFailedInOneLine(Run(sql));
    ExpectUsable(*session_);
  }
}

TEST_P(EngineConformance, ADeadlineEndsAQueryAndTheSessionGoesOn) {
  const Outcome outcome =
      Run(*session_, subject_->LongQuery(), 1, 0, RealClock().NowNs() + 30'000'000);
  EXPECT_EQ(outcome.status, record::ExecutionStatus::kTimeout) << outcome.error;
  EXPECT_FALSE(outcome.error.empty());
  EXPECT_TRUE(outcome.answer.rows.empty());
  ExpectUsable(*session_);
}

TEST_P(EngineConformance, ADeadlineThatIsNotReachedChangesNothing) {
  const Outcome outcome = Run(*session_, "SELECT count(*) AS n FROM names", 1, 0,
                              RealClock().NowNs() + 3'600'000'000'000);
  EXPECT_EQ(outcome.status, record::ExecutionStatus::kOk) << outcome.error;
}

TEST_P(EngineConformance, CancelEndsAQueryAndTheSessionGoesOn) {
  std::atomic<bool> ended{false};
  std::thread canceller([&] {
    while (!ended) {
      session_->Cancel();
      std::this_thread::yield();
    }
  });
  const Outcome outcome = Run(subject_->LongQuery());
  ended = true;
  canceller.join();
  EXPECT_EQ(outcome.status, record::ExecutionStatus::kCancelled) << outcome.error;
  ExpectUsable(*session_);
}

TEST_P(EngineConformance, CancelWithoutAQueryDoesNothing) {
  session_->Cancel();
  ExpectUsable(*session_);
}

TEST_P(EngineConformance, RequestsCarryTheExecutionThatCausedThem) {
  if (!subject_->TakeRequests()) GTEST_SKIP() << "requests are not seen here";
  for (const int64_t execution : {7, 8}) {
    Run(*session_, "SELECT sum(value) AS s FROM numbers", execution, 0);
    const auto requests = *subject_->TakeRequests();
    ASSERT_FALSE(requests.empty());
    for (const auto& request : requests) EXPECT_EQ(request.execution, execution);
  }
}

TEST_P(EngineConformance, StreamsKeepTheirTagsApart) {
  if (!subject_->TakeRequests()) GTEST_SKIP() << "requests are not seen here";
  constexpr int kStreams = 2;
  constexpr int kQueries = 10;
  std::vector<std::unique_ptr<Session>> sessions;
  for (int s = 0; s < kStreams; ++s) sessions.push_back(Open(s));
  subject_->TakeRequests();
  std::vector<std::thread> users;
  for (int s = 0; s < kStreams; ++s) {
    users.emplace_back([&, s] {
      for (int q = 0; q < kQueries; ++q) {
        const Outcome outcome =
            Run(*sessions[static_cast<size_t>(s)],
                "SELECT count(*) AS n FROM numbers WHERE value >= 0", 100 * s + q, s);
        EXPECT_EQ(outcome.status, record::ExecutionStatus::kOk) << outcome.error;
        EXPECT_EQ(outcome.answer.rows.at(0).at(0), std::to_string(kNumbersRows));
      }
    });
  }
  for (auto& user : users) user.join();
  std::vector<int> seen(100 * kStreams, 0);
  const auto requests = subject_->TakeRequests();
  for (const auto& request : *requests) {
    ASSERT_GE(request.execution, 0);
    ASSERT_LT(request.execution, 100 * kStreams);
    EXPECT_EQ(request.execution / 100, request.lane);
    ++seen[static_cast<size_t>(request.execution)];
  }
  for (int s = 0; s < kStreams; ++s) {
    for (int q = 0; q < kQueries; ++q) {
      EXPECT_EQ(seen[static_cast<size_t>(100 * s + q)], seen[0])
          << "stream " << s << " query " << q;
    }
  }
}

TEST_P(EngineConformance, BindReplacesTheTablesThatWereThere) {
  ASSERT_TRUE(session_->Bind({subject_->Locate("names")}).ok());
  ExpectFailedInOneLine(Run("SELECT count(*) FROM numbers"));
  ExpectUsable(*session_);
}

TEST_P(EngineConformance, DamagedFilesAreFailedOutcomesThatNameTheFile) {
  const std::string key = "numbers/part-1.parquet";
  const std::string whole = subject_->FileContent(key);
  std::string zeroed = whole;
  for (size_t i = 4; i + 4 < zeroed.size() / 2; ++i) zeroed[i] = '\0';
  std::string footer = whole;
  for (size_t i = footer.size() - 40; i < footer.size() - 8; ++i) footer[i] = '\xFF';
  const std::string sql = "SELECT sum(value) AS s, max(kind) AS k FROM numbers";
  for (const auto& [what, damaged] : std::vector<std::pair<std::string, std::string>>{
           {"truncated", whole.substr(0, whole.size() / 2)},
           {"empty", ""},
           {"not Parquet", std::string(whole.size(), 'x')},
           {"zeroed pages", zeroed},
           {"broken footer", footer}}) {
    subject_->PutFile(key, damaged);
    const Outcome outcome = Run(sql);
    EXPECT_EQ(outcome.status, record::ExecutionStatus::kFailed) << what;
    ExpectFailedInOneLine(outcome);
    if (what != "zeroed pages" && what != "broken footer") {
      EXPECT_THAT(outcome.error, ::testing::HasSubstr("part-1.parquet")) << what;
    }
    ExpectUsable(*session_);
  }
  subject_->PutFile(key, whole);
  EXPECT_EQ(Run(sql).status, record::ExecutionStatus::kOk);
}

TEST_P(EngineConformance, StoreErrorsAreFailedOutcomes) {
  Error throttled = MakeError(ErrorCode::kThrottled, "503 Slow Down");
  throttled.http_status = 503;
  throttled.retryable = true;
  for (const Error& error : {throttled, MakeError(ErrorCode::kUnavailable, "connection reset"),
                             MakeError(ErrorCode::kPermissionDenied, "403 %s Forbidden {}")}) {
    if (!subject_->FailReads(error)) GTEST_SKIP() << "reads cannot be made to fail here";
    const Outcome outcome = Run("SELECT sum(value) AS s FROM numbers");
    ExpectFailedInOneLine(outcome);
    EXPECT_THAT(outcome.error, ::testing::HasSubstr(error.message));
    subject_->FailReads(std::nullopt);
    ExpectUsable(*session_);
  }
}

TEST_P(EngineConformance, TwoEnginesDoNotSeeEachOther) {
  auto other = subject_->MakeEngine();
  ASSERT_TRUE(other.ok()) << other.error().message;
  ASSERT_TRUE((*other)->Start().ok());
  auto session = (*other)->OpenSession(0);
  ASSERT_TRUE(session.ok());
  ExpectFailedInOneLine(Run(**session, "SELECT count(*) FROM names"));
  ExpectUsable(*session_);
  session->reset();
  (*other)->Stop();
}

}  // namespace lakegauge::engine::testing
