#include <fmt/format.h>

#include <set>

#include "base/units.h"
#include "columnar/column_type.h"
#include "dataset/generators.h"

namespace lakegauge::dataset {
namespace {

// Types that Parquet has no exact counterpart for, and what holds their values without loss.
std::string HeldAs(const std::string& type) {
  static const std::set<std::string> kAsText = {"UUID", "INTERVAL", "BIT", "JSON",
                                                "TIME WITH TIME ZONE"};
  if (kAsText.contains(type) || type.starts_with("ENUM(")) return "VARCHAR";
  if (type == "HUGEINT" || type == "UHUGEINT") return "DECIMAL(38,0)";
  if (type == "TIMESTAMP_S" || type == "TIMESTAMP_MS") return "TIMESTAMP";
  return type;
}

// The same options, with one phase for all tables.
PrepareOptions Reading(const DatasetSpec& spec, const std::string& table, PrepareOptions options) {
  if (!options.progress) return options;
  options.progress =
      [outer = std::move(options.progress),
       what = fmt::format("reading the tables of {}: {}", spec.Name(), table)](Progress p) {
        p.what = what;
        outer(p);
      };
  return options;
}

}  // namespace

Status CheckColumns(const InspectedTable& table) {
  for (const auto& column : table.columns) {
    const auto type = columnar::ColumnType::FromSql(column.name, HeldAs(column.type));
    if (!type.ok()) return type.error().WithContext("table " + table.name);
  }
  return {};
}

Result<Generated> GenerateFromFiles(const DatasetSpec& spec, const PrepareOptions& options,
                                    const std::string& database) {
  if (spec.tables.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "a dataset of files names no table");
  }
  LG_ASSIGN_OR_RETURN(Json sources, DescribeSources(spec));
  const int64_t memory = options.memory_limit_bytes > 0 ? options.memory_limit_bytes : kGiB;
  LG_ASSIGN_OR_RETURN(auto opened,
                      sql::Database::Open(BaseDatabase(database, WorkerCount(options), memory)));
  LG_ASSIGN_OR_RETURN(auto connection, opened.Connect());
  for (const auto& [table, path] : spec.tables) {
    std::vector<std::string> files;
    for (const auto& source : sources) {
      if (source.at("table") == table) files.push_back(source.at("path"));
    }
    LG_ASSIGN_OR_RETURN(const std::string reader, SourceReader(table, path, files));
    LG_ASSIGN_OR_RETURN(const auto described, DescribeColumns(connection, table, reader));
    std::string columns;
    for (const auto& column : described) {
      const std::string name = sql::QuoteName(column.name);
      if (!columns.empty()) columns += ", ";
      columns += fmt::format("CAST({} AS {}) AS {}", name, HeldAs(column.type), name);
    }
    if (columns.empty()) {
      return MakeError(ErrorCode::kInvalidArgument, fmt::format("table {} has no columns", table));
    }
    LG_RETURN_IF_ERROR(RunLong(
        connection,
        fmt::format("CREATE TABLE {} AS SELECT {} FROM {}", sql::QuoteName(table), columns, reader),
        "read " + table, database, 0, Reading(spec, table, options)));
  }
  LG_RETURN_IF_ERROR(connection.Execute("CHECKPOINT"));
  return Generated{"files", sql::DuckDbVersion(), std::move(sources)};
}

}  // namespace lakegauge::dataset
