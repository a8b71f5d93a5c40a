#include "run/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

workload::Answer OneNumber(const std::string& value) { return {{{"n", "INTEGER"}}, {{value}}}; }

class AnswerBookTest : public testing::Test {
 protected:
  AnswerBookTest() {
    cell_.id = "duckdb.local.a.own";
    cell_.dataset_name = "files-1";
    cell_.dataset_spec.kind = "files";
    query_.name = "count";
    plan_.cells.push_back(cell_);
  }
  TemporaryFolder home_;
  PlanCell cell_;
  PlanQuery query_;
  Plan plan_;
};

TEST_F(AnswerBookTest, AFirstAnswerWithoutAnOfficialOneIsNotCalledChecked) {
  AnswerBook book(home_.path());
  const auto verdict = book.Check(cell_, query_, OneNumber("1"));
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->check, "");
  EXPECT_EQ(verdict->difference, "");
}

TEST_F(AnswerBookTest, LaterAnswersAreComparedWithTheFirst) {
  AnswerBook book(home_.path());
  ASSERT_TRUE(book.Check(cell_, query_, OneNumber("1")).ok());
  const auto same = book.Check(cell_, query_, OneNumber("1"));
  EXPECT_EQ(same->check, "cells");
  EXPECT_EQ(same->difference, "");
  const auto other = book.Check(cell_, query_, OneNumber("2"));
  EXPECT_EQ(other->check, "cells");
  EXPECT_NE(other->difference, "");
  const auto files = std::distance(std::filesystem::directory_iterator(home_.path()), {});
  EXPECT_EQ(files, 2) << "each distinct answer is kept";
}

// A fingerprint is of rows in any order, so it alone cannot find this.
TEST_F(AnswerBookTest, TheSameRowsInTheWrongOrderAreAnotherAnswer) {
  query_.order = workload::OrderOfSql("SELECT n FROM t ORDER BY n");
  AnswerBook book(home_.path());
  const workload::Answer sorted{{{"n", "INTEGER"}}, {{"1"}, {"2"}}};
  const workload::Answer shuffled{{{"n", "INTEGER"}}, {{"2"}, {"1"}}};
  ASSERT_TRUE(book.Check(cell_, query_, sorted).ok());
  EXPECT_EQ(book.Check(cell_, query_, sorted)->difference, "");
  EXPECT_NE(book.Check(cell_, query_, shuffled)->difference, "");
}

TEST_F(AnswerBookTest, AnotherDatasetHasAnswersOfItsOwn) {
  AnswerBook book(home_.path());
  ASSERT_TRUE(book.Check(cell_, query_, OneNumber("1")).ok());
  PlanCell other = cell_;
  other.dataset_name = "files-2";
  const auto verdict = book.Check(other, query_, OneNumber("2"));
  EXPECT_EQ(verdict->check, "");
  EXPECT_EQ(verdict->difference, "");
}

TEST_F(AnswerBookTest, ALaterSessionStillComparesWithTheFirstAnswer) {
  record::Journal journal;
  {
    AnswerBook book(home_.path());
    record::Execution e;
    e.cell = cell_.id;
    e.query = query_.name;
    e.result_fingerprint = book.Check(cell_, query_, OneNumber("1"))->fingerprint;
    journal.finished.push_back(e);
  }
  AnswerBook book(home_.path());
  ASSERT_TRUE(book.Restore(plan_, journal).ok());
  EXPECT_NE(book.Check(cell_, query_, OneNumber("2"))->difference, "");
}

}  // namespace
}  // namespace lakegauge::run
