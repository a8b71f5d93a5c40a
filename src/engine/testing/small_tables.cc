#include "engine/testing/small_tables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/temporary_folder.h"
#include "sql/sql.h"

namespace lakegauge::engine::testing {
namespace {

constexpr const char* kParquet = "FORMAT parquet, ROW_GROUP_SIZE 2048";

std::string NumbersSelect(int file) {
  constexpr int kRows = kNumbersRows / kNumbersFiles;
  return fmt::format(
      "SELECT i::BIGINT AS id, (i % {})::INTEGER AS kind, (i / 4.0)::DECIMAL(9,2) AS value "
      "FROM range({}, {}) t(i)",
      kNamesRows, file * kRows, (file + 1) * kRows);
}

std::string NamesSelect(const std::string& first) {
  return fmt::format(
      "SELECT i::INTEGER AS id, CASE i WHEN 0 THEN '{}' ELSE 'name ' || i END AS name, "
      "CASE i WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'note' END AS note FROM range({}) t(i)",
      first, kNamesRows);
}

}  // namespace

std::string WrittenByDuckDb(const std::string& select, const std::string& options) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  std::string content;
  if (auto database = sql::Database::Open({}); database.ok()) {
    if (auto connection = database->Connect(); connection.ok()) {
      const auto written = connection->Execute(
          fmt::format("COPY ({}) TO {} ({})", select, sql::QuoteLiteral(path), options));
      EXPECT_TRUE(written.ok()) << written.error().message;
      content = ReadFile(path).value_or("");
    }
  }
  EXPECT_FALSE(content.empty());
  return content;
}

std::vector<std::pair<std::string, std::string>> SmallTableFiles() {
  static const auto files = [] {
    std::vector<std::pair<std::string, std::string>> made;
    for (int file = 0; file < kNumbersFiles; ++file) {
      made.emplace_back(fmt::format("numbers/part-{}.parquet", file),
                        WrittenByDuckDb(NumbersSelect(file), kParquet));
    }
    made.emplace_back("names/part-0.parquet", WrittenByDuckDb(NamesSelect("name 0"), kParquet));
    return made;
  }();
  return files;
}

std::string NamesFileWithOneNameChanged() {
  return WrittenByDuckDb(NamesSelect("other"), kParquet);
}

std::vector<std::pair<std::string, std::string>> ColumnsOf(const std::string& table) {
  if (table == "numbers") {
    return {{"id", "BIGINT"}, {"kind", "INTEGER"}, {"value", "DECIMAL(9,2)"}};
  }
  return {{"id", "INTEGER"}, {"name", "VARCHAR"}, {"note", "VARCHAR"}};
}

workload::Answer SumsByName() {
  workload::Answer answer;
  answer.columns = {{"name", "VARCHAR"}, {"total", "DECIMAL(38,2)"}};
  for (int kind = 0; kind < kNamesRows; ++kind) {
    int64_t hundredths = 0;
    for (int i = kind; i < kNumbersRows; i += kNamesRows) hundredths += i * 25;
    answer.rows.push_back({fmt::format("name {}", kind),
                           fmt::format("{}.{:02}", hundredths / 100, hundredths % 100)});
  }
  return answer;
}

}  // namespace lakegauge::engine::testing
