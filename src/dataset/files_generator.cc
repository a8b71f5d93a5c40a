#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/clock.h"
#include "base/units.h"
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

Result<std::string> Reader(const std::string& table, const std::string& path) {
  std::string lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (lower.ends_with(".parquet")) {
    return fmt::format("read_parquet({}, hive_partitioning = true)", sql::QuoteLiteral(path));
  }
  for (const char* ending : {".csv", ".csv.gz", ".csv.zst", ".tsv"}) {
    if (lower.ends_with(ending)) {
      return fmt::format("read_csv({}, hive_partitioning = true)", sql::QuoteLiteral(path));
    }
  }
  return MakeError(ErrorCode::kInvalidArgument,
                   fmt::format("table {}: '{}' must name .parquet or .csv files", table, path));
}

Result<std::vector<ColumnDef>> Describe(sql::Connection& connection, const std::string& reader) {
  LG_ASSIGN_OR_RETURN(const auto described, connection.Query("DESCRIBE SELECT * FROM " + reader));
  std::vector<ColumnDef> columns;
  for (const auto& row : described.rows) {
    columns.push_back({sql::ToText(row[0]), sql::ToText(row[1])});
  }
  return columns;
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

Result<Json> DescribeSources(const DatasetSpec& spec) {
  LG_ASSIGN_OR_RETURN(auto database, sql::Database::Open(BaseDatabase("", 1, 0)));
  LG_ASSIGN_OR_RETURN(auto connection, database.Connect());
  Json sources = Json::array();
  for (const auto& [table, path] : spec.tables) {
    LG_ASSIGN_OR_RETURN(
        const auto files,
        connection.Query("SELECT file FROM glob(" + sql::QuoteLiteral(path) + ") ORDER BY 1"));
    if (files.rows.empty()) {
      return MakeError(ErrorCode::kNotFound,
                       fmt::format("table {}: no file matches '{}'", table, path));
    }
    for (const auto& row : files.rows) {
      const std::string file = sql::ToText(row[0]);
      struct stat info {};
      if (stat(file.c_str(), &info) != 0) return ErrnoError(file, errno);
      if (info.st_size == 0) {
        return MakeError(ErrorCode::kInvalidArgument,
                         fmt::format("table {}: {} is empty (0 bytes)", table, file));
      }
      sources.push_back({{"table", table},
                         {"path", file},
                         {"size", static_cast<int64_t>(info.st_size)},
                         {"mtime_ns", info.st_mtim.tv_sec * kNsPerS + info.st_mtim.tv_nsec}});
    }
  }
  return sources;
}

Result<std::vector<ColumnDef>> DescribeColumns(const std::string& table, const std::string& path) {
  LG_ASSIGN_OR_RETURN(auto database, sql::Database::Open(BaseDatabase("", 1, 0)));
  LG_ASSIGN_OR_RETURN(auto connection, database.Connect());
  LG_ASSIGN_OR_RETURN(const std::string reader, Reader(table, path));
  auto columns = Describe(connection, reader);
  if (!columns.ok()) return columns.error().WithContext("table " + table);
  return columns;
}

Result<std::vector<ColumnDef>> SniffColumns(const std::string& path) {
  LG_ASSIGN_OR_RETURN(auto database, sql::Database::Open(BaseDatabase("", 1, 0)));
  LG_ASSIGN_OR_RETURN(auto connection, database.Connect());
  return Describe(connection,
                  fmt::format("read_csv({}, hive_partitioning = false)", sql::QuoteLiteral(path)))
      .value_or(std::vector<ColumnDef>());
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
    LG_ASSIGN_OR_RETURN(const std::string reader, Reader(table, path));
    const auto described = Describe(connection, reader);
    if (!described.ok()) return described.error().WithContext("table " + table);
    std::string columns;
    for (const auto& column : *described) {
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
