#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/clock.h"
#include "base/letters.h"
#include "base/units.h"
#include "columnar/parquet_facts.h"
#include "dataset/generators.h"

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kEndBytes = 64 * kKiB;  // of a CSV file, in which its last line is looked for

Error Bad(std::string text) { return MakeError(ErrorCode::kInvalidArgument, std::move(text)); }

// What a source is read as, by how its path or pattern ends; empty where it is neither.
std::string FormatOf(const std::string& path) {
  const std::string lower = Lower(path);
  if (lower.ends_with(".parquet")) return "parquet";
  for (const char* ending : {".csv", ".csv.gz", ".csv.zst", ".tsv"}) {
    if (lower.ends_with(ending)) return "csv";
  }
  return "";
}

Result<sql::Connection> Connect() {
  LG_ASSIGN_OR_RETURN(auto database, sql::Database::Open(BaseDatabase("", 1, 0)));
  return database.Connect();
}

struct Source {
  std::string path;
  int64_t size = 0;
  int64_t mtime_ns = 0;
};

// A path that is there is meant as it stands, whatever characters it has; else it is a pattern.
Result<std::vector<Source>> FindSources(sql::Connection& connection, const std::string& table,
                                        const std::string& pattern) {
  std::error_code failed;
  std::vector<Source> sources;
  if (fs::is_regular_file(pattern, failed)) {
    sources.push_back({pattern});
  } else {
    LG_ASSIGN_OR_RETURN(
        const auto files,
        connection.Query("SELECT file FROM glob(" + sql::QuoteLiteral(pattern) + ") ORDER BY 1"));
    for (const auto& row : files.rows) sources.push_back({sql::ToText(row[0])});
  }
  if (sources.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("table {}: no file matches '{}'", table, pattern));
  }
  for (auto& source : sources) {
    struct stat info {};
    if (stat(source.path.c_str(), &info) != 0) return ErrnoError(source.path, errno);
    source.size = info.st_size;
    source.mtime_ns = info.st_mtim.tv_sec * kNsPerS + info.st_mtim.tv_nsec;
    if (source.size == 0) {
      return Bad(fmt::format("table {}: {} is empty (0 bytes)", table, source.path));
    }
  }
  return sources;
}

// What DuckDB says of a file that it cannot read, without its page of advice.
Error Shortened(Error error) {
  for (const char* advice : {" The search space used was", " Possible fixes:", " LINE 1:"}) {
    error.message.resize(std::min(error.message.find(advice), error.message.size()));
  }
  return error;
}

Result<std::vector<ColumnDef>> Describe(sql::Connection& connection, const std::string& reader) {
  const auto described = connection.Query("DESCRIBE SELECT * FROM " + reader);
  if (!described.ok()) return Shortened(described.error());
  std::vector<ColumnDef> columns;
  for (const auto& row : described->rows) {
    columns.push_back({sql::ToText(row[0]), sql::ToText(row[1])});
  }
  return columns;
}

// The file's bytes from `offset`, at most `most`.
std::string Piece(const std::string& path, int64_t offset, int64_t most) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(offset);
  std::string text(static_cast<size_t>(most), '\0');
  file.read(text.data(), most);
  text.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
  return text;
}

// What shows that a CSV file was cut short, without reading it whole: where that is in its first
// rows DuckDB finds a single column, else the last line lacks fields and its end.
Status CheckCsv(sql::Connection& connection, const std::string& table,
                const std::vector<Source>& sources) {
  const std::string& first = sources.front().path;
  LG_ASSIGN_OR_RETURN(const auto columns,
                      Describe(connection, fmt::format("read_csv({}, hive_partitioning = false)",
                                                       sql::QuoteFiles({first}))));
  const bool plain = Lower(first).ends_with("csv") || Lower(first).ends_with(".tsv");
  if (!plain) return {};
  if (columns.size() == 1) {
    const std::string line = Piece(first, 0, kEndBytes);
    if (columns[0].name.find_first_of(",;|\t") != std::string::npos &&
        line.substr(0, line.find('\n')).find('"') == std::string::npos) {
      return Bad(
          fmt::format("table {}: {} reads as one column '{}': its lines do not have as many "
                      "fields as the first, or it was cut short",
                      table, first, columns[0].name));
    }
    return {};
  }
  LG_ASSIGN_OR_RETURN(const auto sniffed,
                      connection.Query(fmt::format("SELECT \"Delimiter\" FROM sniff_csv({})",
                                                   sql::QuoteLiteral(sql::EscapeGlob(first)))));
  const std::string delimiter = sniffed.rows.empty() ? "" : sql::ToText(sniffed.rows[0][0]);
  if (delimiter.size() != 1) return {};
  for (const auto& source : sources) {
    std::string line = Piece(source.path, std::max<int64_t>(0, source.size - kEndBytes), kEndBytes);
    if (line.empty() || line.back() == '\n' || line.back() == '\r') continue;
    line.erase(0, line.rfind('\n') + 1);
    if (line.find('"') != std::string::npos) continue;
    const auto fields = 1 + std::count(line.begin(), line.end(), delimiter[0]);
    if (fields < static_cast<int64_t>(columns.size())) {
      return Bad(fmt::format("table {}: {} was cut short: its last line has {} of {} fields", table,
                             source.path, fields, columns.size()));
    }
  }
  return {};
}

// Adds what the footers say, bytes by column in lower case; DuckDB reads of each file the columns
// that the first one has.
Status AddFooters(const std::string& table, const std::vector<Source>& sources,
                  std::vector<InspectedFile>* files, std::map<std::string, int64_t>* leaves) {
  std::vector<columnar::ParquetFacts::Column> first;
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto facts = columnar::ReadParquetFacts(sources[i].path);
    if (!facts.ok()) return facts.error().WithContext("table " + table);
    (*files)[i].rows = facts->rows;
    (*files)[i].row_group_bytes = facts->row_group_bytes;
    std::set<std::string> names;
    for (const auto& column : facts->columns) {
      names.insert(Lower(column.name));
      (*leaves)[Lower(column.name)] += column.bytes;
    }
    if (i == 0) first = facts->columns;
    for (const auto& column : first) {
      if (names.contains(Lower(column.name))) continue;
      return Bad(fmt::format("table {}: {} has no column '{}', which {} has", table,
                             sources[i].path, column.name, sources[0].path));
    }
  }
  return {};
}

}  // namespace

std::string PatternIn(const std::string& folder, const std::string& pattern) {
  if (pattern.starts_with('/')) return pattern;
  std::error_code failed;
  const auto whole = [&](const std::string& base) {
    return (fs::path(base) / pattern).lexically_normal().string();
  };
  const std::string base = fs::absolute(folder, failed).string();
  if (!sql::HasGlob(pattern) || fs::exists(whole(base), failed)) return whole(base);
  return whole(sql::EscapeGlob(base));
}

Result<std::string> SourceReader(const std::string& table, const std::string& pattern,
                                 const std::vector<std::string>& files) {
  const std::string format = FormatOf(pattern);
  if (format.empty()) {
    return Bad(fmt::format("table {}: '{}' must name .parquet or .csv files", table, pattern));
  }
  return fmt::format("read_{}({}, hive_partitioning = true)", format, sql::QuoteFiles(files));
}

Result<Json> DescribeSources(const DatasetSpec& spec) {
  LG_ASSIGN_OR_RETURN(auto connection, Connect());
  Json described = Json::array();
  for (const auto& [table, pattern] : spec.tables) {
    LG_ASSIGN_OR_RETURN(const auto sources, FindSources(connection, table, pattern));
    for (const auto& source : sources) {
      described.push_back({{"table", table},
                           {"path", source.path},
                           {"size", source.size},
                           {"mtime_ns", source.mtime_ns}});
    }
  }
  return described;
}

Result<std::vector<ColumnDef>> DescribeColumns(sql::Connection& connection,
                                               const std::string& table,
                                               const std::string& reader) {
  auto columns = Describe(connection, reader);
  if (!columns.ok()) return columns.error().WithContext("table " + table);
  return columns;
}

Result<std::vector<ColumnDef>> SniffColumns(const std::string& path) {
  LG_ASSIGN_OR_RETURN(auto connection, Connect());
  return Describe(connection,
                  fmt::format("read_csv({}, hive_partitioning = false)", sql::QuoteFiles({path})))
      .value_or(std::vector<ColumnDef>());
}

Result<InspectedTable> InspectSource(const std::string& table, const std::string& pattern) {
  LG_ASSIGN_OR_RETURN(auto connection, Connect());
  LG_ASSIGN_OR_RETURN(const auto sources, FindSources(connection, table, pattern));
  InspectedTable out;
  out.name = table;
  out.format = FormatOf(pattern);
  std::vector<std::string> paths;
  for (const auto& source : sources) {
    paths.push_back(source.path);
    out.files.push_back({source.path, source.size, -1, {}});
  }
  LG_ASSIGN_OR_RETURN(const std::string reader, SourceReader(table, pattern, paths));
  // Before DuckDB looks: of a Parquet file that is none, our reader says it in fewer words.
  std::map<std::string, int64_t> leaves;
  if (out.format == "parquet") {
    LG_RETURN_IF_ERROR(AddFooters(table, sources, &out.files, &leaves));
  } else {
    LG_RETURN_IF_ERROR(CheckCsv(connection, table, sources));
  }
  LG_ASSIGN_OR_RETURN(out.columns, DescribeColumns(connection, table, reader));
  for (const auto& column : out.columns) {
    const std::string name = Lower(column.name);
    for (const auto& [leaf, bytes] : leaves) {
      if (leaf == name || leaf.starts_with(name + ".")) out.column_bytes[column.name] += bytes;
    }
  }
  return out;
}

Status CheckAsIs(const std::vector<InspectedTable>& tables) {
  for (const auto& table : tables) {
    // As engines are told to look for files below a folder.
    const auto is_found = [&](const std::string& path) {
      const std::string name = fs::path(path).filename().string();
      return table.format == "csv" ? name.find(".csv") != std::string::npos
                                   : name.ends_with(".parquet");
    };
    const bool one = table.files.size() == 1;
    for (const auto& file : table.files) {
      if (is_found(file.path) || (one && table.format == "csv")) continue;
      return Bad(
          fmt::format("table {}: {} cannot be read as it is by its name; allowed .parquet "
                      "or .csv, in lower case",
                      table.name, file.path));
    }
    if (one) continue;
    std::set<std::string> own;
    std::string common = table.files.front().path;
    for (const auto& file : table.files) {
      own.insert(file.path);
      common.erase(
          std::mismatch(common.begin(), common.end(), file.path.begin(), file.path.end()).first,
          common.end());
    }
    common.resize(common.rfind('/') + 1);
    std::error_code failed;
    for (auto it = fs::recursive_directory_iterator(common, failed);
         !failed && it != fs::recursive_directory_iterator(); it.increment(failed)) {
      const std::string path = it->path().string();
      std::error_code gone;
      if (own.contains(path) || !is_found(path) || !it->is_regular_file(gone)) continue;
      return Bad(
          fmt::format("table {} read as it is cannot be told from {}, which is not one of its "
                      "files; give each table's files a folder of their own",
                      table.name, path));
    }
  }
  return {};
}

}  // namespace lakegauge::dataset
