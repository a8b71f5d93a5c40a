#include <fmt/format.h>

#include <optional>
#include <utility>

#include "columnar/content_fingerprint.h"
#include "columnar/orc_file.h"
#include "columnar/unit_reader.h"
#include "dataset/dataset.h"
#include "dataset/generators.h"
#include "dataset/hive_path.h"
#include "dataset/layout_use.h"
#include "sql/sql.h"

namespace lakegauge::dataset {
namespace {

constexpr int64_t kRowsAtOnce = 8192;

using columnar::ColumnType;
using columnar::ColumnValues;

// Rows as they come and, in every row alike, what the file's folders say: the table's columns.
struct Constant {
  size_t column;  // its place in the table
  ColumnValues row;
};

// n rows of one row's value.
void Repeat(const ColumnValues& row, int64_t n, ColumnValues* out) {
  out->Clear();
  out->rows = n;
  out->valid.assign(static_cast<size_t>(n), row.valid[0]);
  if (row.nulls > 0) {
    out->nulls = n;
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    out->fixed.Append(row.fixed.data(), row.fixed.size());
    out->bytes.Append(row.bytes.data(), row.bytes.size());
    if (!row.ends.empty()) out->ends.push_back(static_cast<uint32_t>(out->bytes.size()));
  }
}

Status AddAll(columnar::UnitReader reader, const std::vector<ColumnType>& types,
              const std::vector<Constant>& constants, columnar::ContentFingerprint* into) {
  std::vector<ColumnValues> stored;
  std::vector<ColumnValues> all;
  for (;;) {
    LG_ASSIGN_OR_RETURN(const int64_t n, reader.Next(kRowsAtOnce, &stored));
    if (n == 0) return {};
    if (constants.empty()) {
      into->Add(types, stored);
      continue;
    }
    all.resize(types.size());
    size_t next_stored = 0;
    size_t next_constant = 0;
    for (size_t c = 0; c < types.size(); ++c) {
      if (next_constant < constants.size() && constants[next_constant].column == c) {
        Repeat(constants[next_constant++].row, n, &all[c]);
      } else {
        std::swap(all[c], stored[next_stored++]);
      }
    }
    into->Add(types, all);
  }
}

// The table's files as SQL reads them, every column as the text or type the file has.
std::string Reading(const std::vector<std::string>& paths, const std::string& format) {
  const std::string list = sql::QuoteFiles(paths);
  if (format == "csv") {
    return fmt::format(
        "read_csv({}, header = true, all_varchar = true, delim = ',', quote = '\"', escape = "
        "'\"', "
        "allow_quoted_nulls = false, hive_partitioning = true, hive_types_autocast = false)",
        list);
  }
  return fmt::format("read_parquet({}, hive_partitioning = true, hive_types_autocast = false)",
                     list);
}

Result<std::string> FingerprintBySql(sql::Connection& connection, const TableEntry& table,
                                     const std::vector<ColumnType>& types,
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
  LG_RETURN_IF_ERROR(AddAll(std::move(reader), types, {}, &fingerprint));
  return fingerprint.Text();
}

// A partition's value, which its folder holds as text, as one row of the column's type.
Result<ColumnValues> ReadConstant(sql::Connection& connection, const ColumnType& type,
                                  const std::optional<std::string>& text) {
  LG_ASSIGN_OR_RETURN(auto stream, connection.Stream(fmt::format(
                                       "SELECT CAST({} AS {})",
                                       text ? sql::QuoteLiteral(*text) : "NULL", type.sql)));
  LG_ASSIGN_OR_RETURN(auto reader, columnar::UnitReader::Open({type}, stream.schema, stream.next));
  std::vector<ColumnValues> row;
  LG_ASSIGN_OR_RETURN(const int64_t n, reader.Next(1, &row));
  if (n != 1) return MakeError(ErrorCode::kInternal, "a constant has no row");
  return std::move(row[0]);
}

Status AddOrcFile(sql::Connection& connection, const std::vector<ColumnType>& types,
                  const std::string& path, const std::string& key,
                  columnar::ContentFingerprint* into) {
  const auto partition = PartitionValues(key);
  std::vector<std::string> names;
  std::vector<ColumnType> stored;
  std::vector<Constant> constants;
  for (size_t c = 0; c < types.size(); ++c) {
    const auto value = partition.find(types[c].name);
    if (value == partition.end()) {
      names.push_back(types[c].name);
      stored.push_back(types[c]);
    } else {
      LG_ASSIGN_OR_RETURN(auto row, ReadConstant(connection, types[c], value->second));
      constants.push_back({c, std::move(row)});
    }
  }
  LG_ASSIGN_OR_RETURN(const auto file, columnar::OrcReader::Open(path));
  LG_ASSIGN_OR_RETURN(auto reader,
                      columnar::UnitReader::Open(
                          stored, [&](ArrowSchema* out) { return file->Schema(names, out); },
                          [&](ArrowArray* out) { return file->Next(names, out); }));
  return AddAll(std::move(reader), types, constants, into);
}

}  // namespace

Result<std::map<std::string, std::string>> ReadContentFingerprints(const Manifest& manifest,
                                                                   const std::string& layout_dir) {
  LG_ASSIGN_OR_RETURN(auto database, sql::Database::Open(BaseDatabase("", 1, 0)));
  LG_ASSIGN_OR_RETURN(auto connection, database.Connect());
  const auto format = JsonOr<std::string>(manifest.layout_spec, "format", "parquet");
  std::map<std::string, std::string> out;
  for (const auto& table : manifest.tables) {
    std::vector<ColumnType> types;
    for (const auto& c : table.columns) {
      LG_ASSIGN_OR_RETURN(auto type, ColumnType::FromSql(c.name, c.type));
      types.push_back(std::move(type));
    }
    const auto fingerprint = [&]() -> Result<std::string> {
      if (format == "orc") {
        columnar::ContentFingerprint of_rows;
        for (const auto& file : manifest.files) {
          if (file.table != table.name) continue;
          LG_RETURN_IF_ERROR(
              AddOrcFile(connection, types, layout_dir + "/" + file.key, file.key, &of_rows));
        }
        return of_rows.Text();
      }
      std::vector<std::string> paths;
      for (const auto& file : manifest.files) {
        if (file.table == table.name) paths.push_back(layout_dir + "/" + file.key);
      }
      return FingerprintBySql(connection, table, types, paths, format);
    }();
    if (!fingerprint.ok()) return fingerprint.error().WithContext("table " + table.name);
    out[table.name] = *fingerprint;
  }
  return out;
}

Status VerifyContent(const Manifest& manifest, const std::string& layout_dir) {
  LG_ASSIGN_OR_RETURN(const auto read, ReadContentFingerprints(manifest, layout_dir));
  for (const auto& table : manifest.tables) {
    if (read.at(table.name) == table.content_fingerprint) continue;
    return MakeError(ErrorCode::kCorrupt,
                     fmt::format("the files of table {} in {} do not hold the rows that its "
                                 "manifest says",
                                 table.name, ShortLayoutName(layout_dir)));
  }
  return {};
}

}  // namespace lakegauge::dataset
