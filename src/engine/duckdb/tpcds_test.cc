// All TPC-DS queries, through the file-system adapter, against the official answers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/temporary_folder.h"
#include "engine/engine.h"
#include "engine/testing/spy_store.h"
#include "sql/sql.h"
#include "workload/official.h"
#include "workload/workload.h"

namespace lakegauge::engine {
namespace {

constexpr double kScale = 0.01;

// Fills the store with all tables at kScale as Parquet, `files` for each table.
std::vector<TableLocation> FillWithTpcds(testing::SpyStore& store) {
  std::vector<TableLocation> tables;
  const TemporaryFolder folder;
  sql::DatabaseOptions options;
  options.extensions = {"tpcds"};
  auto database = sql::Database::Open(options);
  EXPECT_TRUE(database.ok());
  auto connection = database->Connect();
  EXPECT_TRUE(connection->Execute(fmt::format("CALL dsdgen(sf={})", kScale)).ok());
  const auto names = connection->Query("SELECT table_name FROM duckdb_tables()");
  for (const auto& row : names->rows) {
    const std::string name = sql::ToText(row[0]);
    const std::string path = folder.path() + "/" + name;
    EXPECT_TRUE(
        connection->Execute(fmt::format("COPY {} TO '{}' (FORMAT parquet)", name, path)).ok());
    store.Put(name + "/part-0.parquet", ReadFile(path).value_or(""));
    TableLocation table;
    table.name = name;
    table.format = "parquet";
    table.store = &store;
    table.prefix = name + "/";
    tables.push_back(std::move(table));
  }
  return tables;
}

TEST(Tpcds, AllQueriesGiveTheOfficialAnswers) {
  testing::SpyStore store;
  const auto tables = FillWithTpcds(store);
  ASSERT_EQ(tables.size(), 24u);
  auto engine = MakeEngine("duckdb", {{"threads", "8"}});
  ASSERT_TRUE(engine.ok());
  ASSERT_TRUE((*engine)->Start().ok());
  auto session = std::move(*(*engine)->OpenSession(0));
  ASSERT_TRUE(session->Bind(tables).ok());
  workload::QuerySelection selection;
  selection.all_tpcds = true;
  const auto queries = workload::Resolve(selection, "/");
  ASSERT_TRUE(queries.ok());
  int checked = 0;
  for (const auto& query : *queries) {
    const auto outcome = session->Execute({1, 0, query.name, query.sql, 0});
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->status, record::ExecutionStatus::kOk) << query.name << outcome->error;
    const auto official = workload::OfficialAnswer(query.name, kScale);
    ASSERT_TRUE(official.ok() && official->has_value()) << query.name;
    EXPECT_EQ(workload::OfficialDifference(**official, outcome->answer, query.order), "")
        << query.name;
    ++checked;
  }
  EXPECT_EQ(checked, 99);
  session.reset();
  (*engine)->Stop();
}

}  // namespace
}  // namespace lakegauge::engine
