#include <fmt/format.h>

#include "columnar/content_fingerprint.h"
#include "columnar/orc_file.h"
#include "columnar/unit_reader.h"
#include "dataset/dataset.h"
#include "dataset/generators.h"
#include "sql/sql.h"

namespace lakegauge::dataset {
namespace {

constexpr int64_t kRowsAtOnce = 8192;

Status AddAll(columnar::UnitReader reader, const std::vector<columnar::ColumnType>& types,
              columnar::ContentFingerprint* into) {
  std::vector<columnar::ColumnValues> values;
  for (;;) {
    LG_ASSIGN_OR_RETURN(const int64_t n, reader.Next(kRowsAtOnce, &values));
    if (n == 0) return {};
    into->Add(types, values);
  }
}

// The table's files as SQL reads them, every column as the text or type the file has.
std::string Reading(const std::vector<std::string>& paths, const std::string& format) {
  std::string list;
  for (const auto& path : paths) list += (list.empty() ? "" : ", ") + sql::QuoteLiteral(path);
  if (format == "csv") {
    return fmt::format(
        "read_csv([{}], header = true, all_varchar = true, delim = ',', quote = '\"', escape = "
        "'\"', "
        "allow_quoted_nulls = false, hive_partitioning = true, hive_types_autocast = false)",
        list);
  }
  return fmt::format("read_parquet([{}], hive_partitioning = true, hive_types_autocast = false)",
                     list);
}

Result<std::string> FingerprintBySql(sql::Connection& connection, const TableEntry& table,
                                     const std::vector<columnar::ColumnType>& types,
                                     const std::vector<std::string>& paths,
                                     const std::string& format) {
  std::string columns;
  for (const auto& c : table.columns) {
    columns += fmt::format("{}CAST({} AS {})", columns.empty() ? "" : ", ", sql::QuoteName(c.name),
                           c.type);
  }
  LG_ASSIGN_OR_RETURN(auto stream, connection.Stream(fmt::format("SELECT {} FROM {}", columns,
                                                                 Reading(paths, format))));
  LG_ASSIGN_OR_RETURN(auto reader, columnar::UnitReader::Open(types, stream.schema, stream.next));
  columnar::ContentFingerprint fingerprint;
  LG_RETURN_IF_ERROR(AddAll(std::move(reader), types, &fingerprint));
  return fingerprint.Text();
}

Result<std::string> FingerprintOfOrc(const TableEntry& table,
                                     const std::vector<columnar::ColumnType>& types,
                                     const std::vector<std::string>& paths) {
  columnar::ContentFingerprint fingerprint;
  std::vector<std::string> names;
  for (const auto& c : table.columns) names.push_back(c.name);
  for (const auto& path : paths) {
    LG_ASSIGN_OR_RETURN(const auto file, columnar::OrcReader::Open(path));
    LG_ASSIGN_OR_RETURN(auto reader,
                        columnar::UnitReader::Open(
                            types, [&](ArrowSchema* out) { return file->Schema(names, out); },
                            [&](ArrowArray* out) { return file->Next(names, out); }));
    LG_RETURN_IF_ERROR(AddAll(std::move(reader), types, &fingerprint));
  }
  return fingerprint.Text();
}

}  // namespace

Result<std::map<std::string, std::string>> ReadContentFingerprints(const Manifest& manifest,
                                                                   const std::string& layout_dir) {
  LG_ASSIGN_OR_RETURN(auto database, sql::Database::Open(BaseDatabase("", 1, 0)));
  LG_ASSIGN_OR_RETURN(auto connection, database.Connect());
  const auto format = JsonOr<std::string>(manifest.layout_spec, "format", "parquet");
  if (format == "orc" && manifest.layout_spec.contains("partition_by")) {
    return MakeError(ErrorCode::kUnsupported, "partitioned ORC is not read back");
  }
  std::map<std::string, std::string> out;
  for (const auto& table : manifest.tables) {
    std::vector<columnar::ColumnType> types;
    for (const auto& c : table.columns) {
      LG_ASSIGN_OR_RETURN(auto type, columnar::ColumnType::FromSql(c.name, c.type));
      types.push_back(std::move(type));
    }
    std::vector<std::string> paths;
    for (const auto& file : manifest.files) {
      if (file.table == table.name) paths.push_back(layout_dir + "/" + file.key);
    }
    auto fingerprint = format == "orc" ? FingerprintOfOrc(table, types, paths)
                                       : FingerprintBySql(connection, table, types, paths, format);
    if (!fingerprint.ok()) return fingerprint.error().WithContext("table " + table.name);
    out[table.name] = *fingerprint;
  }
  return out;
}

}  // namespace lakegauge::dataset
