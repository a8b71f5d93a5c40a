#include <fmt/format.h>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/scratch_connection.h"

namespace lakegauge::engine {
namespace {

// The table in DuckDB 1.5.5's words for one that it does not find; empty where it says else.
std::string TableIn(const std::string& message) {
  constexpr std::string_view kBefore = "Catalog Error: Table with name ";
  if (!message.starts_with(kBefore)) return "";
  std::string name =
      message.substr(kBefore.size(), message.find(" does not exist") - kBefore.size());
  std::erase(name, '"');
  return name;
}

Status MakeEmpty(sql::Connection& connection, const dataset::TableDef& table) {
  const auto make = [&](bool as_text) {
    std::string columns;
    for (const auto& column : table.columns) {
      columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", sql::QuoteName(column.name),
                             as_text ? "VARCHAR" : column.type);
    }
    return connection.Execute(
        fmt::format("CREATE TABLE {} ({})", sql::QuoteName(table.name), columns));
  };
  // A type that only its file makes known.
  if (auto made = make(false); made.ok()) return made;
  return make(true);
}

}  // namespace

Result<std::vector<std::string>> DuckDbMissingTables(const std::vector<dataset::TableDef>& tables,
                                                     const std::vector<std::string>& queries) {
  LG_ASSIGN_OR_RETURN(auto connection, ScratchConnection());
  for (const auto& table : tables) LG_RETURN_IF_ERROR(MakeEmpty(connection, table));
  std::vector<std::string> missing;
  for (const auto& query : queries) {
    const auto checked = connection.Check(query);
    missing.push_back(checked.ok() ? "" : TableIn(checked.error().message));
  }
  return missing;
}

}  // namespace lakegauge::engine
