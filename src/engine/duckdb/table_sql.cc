#include "engine/duckdb/table_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/duckdb/store_paths.h"
#include "sql/sql.h"

namespace lakegauge::engine {
namespace {

constexpr std::string_view kPartitioning = "hive_partitioning";
constexpr std::string_view kPartitionBy = "partition_by";
constexpr std::string_view kDetect = "detect";
// Our option, DuckDB's parameter of read_csv, and what holds where nothing is said: RFC 4180 with a
// header, a bare empty field for NULL and a quoted one for empty text, as our own layouts are.
struct CsvOption {
  std::string_view name;
  std::string_view parameter;
  std::string_view value;
};
constexpr CsvOption kCsvOptions[] = {{"header", "header", "true"},
                                     {"delimiter", "delim", ","},
                                     {"quote", "quote", "\""},
                                     {"escape", "escape", "\""},
                                     {"nullstr", "nullstr", ""},
                                     {"compression", "compression", "auto"},
                                     {"allow_quoted_nulls", "allow_quoted_nulls", "false"}};

bool IsFlag(std::string_view option) {
  return option == kPartitioning || option == kDetect || option == "header" ||
         option == "allow_quoted_nulls";
}

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string name(text.substr(0, comma));
    std::erase(name, ' ');
    if (!name.empty()) names.push_back(name);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return names;
}

std::string Struct(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string out;
  for (const auto& [name, type] : fields) {
    out += fmt::format("{}{}: {}", out.empty() ? "{" : ", ", sql::QuoteLiteral(name),
                       sql::QuoteLiteral(type));
  }
  return out + "}";
}

bool SameNameIn(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<std::string> CsvParameters(const TableLocation& table,
                                  const std::vector<std::pair<std::string, std::string>>& columns) {
  const auto given = [&](std::string_view name) {
    const auto found = table.options.find(std::string(name));
    return found == table.options.end() ? nullptr : &found->second;
  };
  if (const auto* detect = given(kDetect); detect != nullptr && *detect == "true") {
    return std::string(", auto_detect=true");
  }
  if (columns.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("table {}: CSV needs its columns and their types", table.name));
  }
  std::string out = fmt::format(", auto_detect=false, columns={}", Struct(columns));
  for (const auto& option : kCsvOptions) {
    const auto* value = given(option.name);
    const std::string text(value != nullptr ? *value : std::string(option.value));
    out += fmt::format(", {}={}", option.parameter,
                       IsFlag(option.name) ? text : sql::QuoteLiteral(text));
  }
  return out;
}

Status CheckOptions(const TableLocation& table) {
  for (const auto& [name, value] : table.options) {
    bool known = name == kPartitioning || name == kPartitionBy || name == kDetect;
    for (const auto& option : kCsvOptions) known = known || name == option.name;
    if (!known) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("table {}: unknown option '{}'", table.name, name));
    }
    if (IsFlag(name) && value != "true" && value != "false") {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("table {}: option {} is '{}'; allowed: true, false", table.name,
                                   name, value));
    }
  }
  return {};
}

}  // namespace

Result<std::string> CreateViewSql(const TableLocation& table, std::string_view schema,
                                  std::string_view root) {
  if (std::find(std::begin(kDuckDbFormats), std::end(kDuckDbFormats), table.format) ==
      std::end(kDuckDbFormats)) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("table {}: DuckDB does not read {}; it reads parquet and csv",
                                 table.name, table.format));
  }
  LG_RETURN_IF_ERROR(CheckOptions(table));
  const auto option = [&](std::string_view name) {
    const auto found = table.options.find(std::string(name));
    return found == table.options.end() ? std::string() : found->second;
  };

  const bool folder = table.prefix.empty() || table.prefix.ends_with('/');
  const std::string pattern =
      std::string(root) + sql::EscapeGlob(table.prefix) +
      (folder ? "**/*." + table.format + (table.format == "csv" ? "*" : "") : "");

  const auto partition_names = SplitNames(option(kPartitionBy));
  std::vector<std::pair<std::string, std::string>> in_files;
  std::vector<std::pair<std::string, std::string>> in_paths;
  std::string select;
  for (const auto& column : table.columns) {
    (SameNameIn(partition_names, column.first) ? in_paths : in_files).push_back(column);
    select += (select.empty() ? "" : ", ") + sql::QuoteName(column.first);
  }
  const bool partitioned = option(kPartitioning) == "true" || !partition_names.empty();
  std::string parameters = fmt::format(", hive_partitioning={}", partitioned);
  if (!in_paths.empty()) parameters += fmt::format(", hive_types={}", Struct(in_paths));
  if (table.format == "csv") {
    LG_ASSIGN_OR_RETURN(const std::string csv, CsvParameters(table, in_files));
    parameters += csv;
  }
  return fmt::format("CREATE VIEW {}.{} AS SELECT {} FROM read_{}({}{})", sql::QuoteName(schema),
                     sql::QuoteName(table.name), select.empty() ? "*" : select, table.format,
                     sql::QuoteLiteral(pattern), parameters);
}

}  // namespace lakegauge::engine
