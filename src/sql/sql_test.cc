#include "sql/sql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace lakegauge::sql {
namespace {

Connection OpenConnection(DatabaseOptions options = {}) {
  auto database = Database::Open(options);
  EXPECT_TRUE(database.ok());
  return std::move(*database->Connect());
}

TEST(Sql, ValuesComeTyped) {
  Connection c = OpenConnection();
  const auto rows = c.Query(
      "SELECT 1::INT, 2.5::DOUBLE, 'x''y', NULL, true, 12.30::DECIMAL(7,2), DATE '2001-02-03', "
      "TIMESTAMP '2001-02-03 04:05:06.5', [1,2], {'a': 1}, sum(3)::HUGEINT, -0.05::DECIMAL(18,2)");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  std::vector<std::string> text;
  for (const auto& v : rows->rows.at(0)) text.push_back(ToText(v));
  EXPECT_THAT(text,
              testing::ElementsAre("1", "2.5", "x'y", "", "true", "12.30", "2001-02-03",
                                   "2001-02-03 04:05:06.5", "[1, 2]", "{'a': 1}", "3", "-0.05"));
  EXPECT_EQ(rows->columns[5].type, "DECIMAL(7,2)");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(rows->rows[0][3]));
  EXPECT_EQ(ToInt(rows->rows[0][10]), 3);
  EXPECT_DOUBLE_EQ(ToDouble(rows->rows[0][5]), 12.3);
}

TEST(Sql, SeveralStatementsGiveTheLastResult) {
  Connection c = OpenConnection();
  const auto rows = c.Query("CREATE TABLE t(a INT); INSERT INTO t VALUES (1),(2); FROM t");
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->rows.size(), 2u);
}

TEST(Sql, WrongSqlIsAnInvalidArgumentInOneLine) {
  Connection c = OpenConnection();
  for (const char* bad : {"SELEC 1", "SELECT nope", "FROM nowhere", "", "SELECT 'x'::INT"}) {
    const auto rows = c.Query(bad);
    ASSERT_FALSE(rows.ok()) << bad;
    EXPECT_EQ(rows.error().code, ErrorCode::kInvalidArgument) << bad << rows.error().message;
    EXPECT_EQ(rows.error().message.find('\n'), std::string::npos);
    EXPECT_THAT(rows.error().message, testing::Not(testing::HasSubstr("LINE 1")))
        << "the engine's words, not a piece of the SQL";
  }
  EXPECT_TRUE(c.Query("SELECT 1").ok()) << "the connection stays usable";
}

TEST(Sql, AMessageEndsWhereSqlOrAdviceBegins) {
  EXPECT_EQ(MessageLine("Catalog Error: no table x!\nDid you mean \"y\"?\n\nLINE 1: ...ROM x\n  ^"),
            "Catalog Error: no table x! Did you mean \"y\"?");
  EXPECT_EQ(MessageLine("Binder Error: no column a\nLINE 3: a +\n  ^"),
            "Binder Error: no column a");
  EXPECT_EQ(MessageLine("Out of Memory Error: no room\n\nPossible solutions:\n* more"),
            "Out of Memory Error: no room");
  EXPECT_EQ(MessageLine("IO Error: gone"), "IO Error: gone");
}

TEST(Sql, AWrongSettingIsNamed) {
  DatabaseOptions options;
  options.settings["no_such_setting"] = "1";
  const auto database = Database::Open(options);
  ASSERT_FALSE(database.ok());
  EXPECT_THAT(database.error().message, testing::HasSubstr("no_such_setting"));
}

TEST(Sql, InterruptCancelsAndTheConnectionStaysUsable) {
  Connection c = OpenConnection();
  std::atomic<bool> done{false};
  std::thread interrupter([&] {
    while (!done) {
      c.Interrupt();
      std::this_thread::yield();
    }
  });
  const auto rows =
      c.Query("SELECT count(*) FROM range(100000) a, range(1000000) b WHERE a.range + b.range = 7");
  done = true;
  interrupter.join();
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.error().code, ErrorCode::kCancelled) << rows.error().message;
  EXPECT_TRUE(c.Query("SELECT 1").ok());
}

TEST(Sql, ExtensionsLoadWithoutANetwork) {
  DatabaseOptions options;
  options.extensions = {"tpcds"};
  Connection c = OpenConnection(options);
  const auto rows = c.Query("SELECT count(*) FROM tpcds_queries()");
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(ToInt(rows->rows[0][0]), 99);
}

TEST(Sql, QuotingSurvivesQuotes) {
  EXPECT_EQ(QuoteLiteral("it's"), "'it''s'");
  EXPECT_EQ(QuoteName("a\"b"), "\"a\"\"b\"");
}

}  // namespace
}  // namespace lakegauge::sql
