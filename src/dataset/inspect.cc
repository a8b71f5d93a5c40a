#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "columnar/orc_file.h"
#include "columnar/parquet_facts.h"
#include "dataset/dataset.h"
#include "dataset/generators.h"
#include "dataset/hive_path.h"

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFoldersSaid = 12;

std::string FormatOf(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  for (const auto& [ending, format] :
       {std::pair{".parquet", "parquet"}, std::pair{".orc", "orc"}, std::pair{".csv", "csv"},
        std::pair{".csv.zst", "csv"}, std::pair{".csv.gz", "csv"}}) {
    if (name.ends_with(ending)) return format;
  }
  return "";
}

// Files of one folder, Hive partitions below it included, are one table: the name of the first
// folder on the way down that is not "column=value".
std::string TableOf(const fs::path& root, const fs::path& file) {
  const fs::path below = file.lexically_relative(root);
  std::vector<std::string> folders;
  for (const auto& part : below.parent_path()) {
    if (part.string().find('=') != std::string::npos) break;
    if (part != ".") folders.push_back(part.string());
  }
  if (!folders.empty()) return folders.back();
  return file.parent_path() == root && !root.filename().empty() ? root.filename().string()
                                                                : file.stem().string();
}

// The folder that all files of a table are below, its Hive partitions left out.
fs::path TableFolder(const fs::path& file) {
  fs::path folder;
  for (const auto& part : file.parent_path()) {
    if (part.string().find('=') != std::string::npos) break;
    folder /= part;
  }
  return folder;
}

// One level too high the layouts of a dataset, which hold the same tables, would be taken for one.
Status CheckOneLayout(const std::string& path,
                      const std::vector<std::pair<std::string, std::string>>& files) {
  std::map<std::string, std::set<fs::path>> folders;  // by table
  for (const auto& [table, file] : files) folders[table].insert(TableFolder(file));
  for (const auto& [table, of] : folders) {
    if (of.size() < 2) continue;
    std::string choices;
    size_t said = 0;
    for (const auto& folder : of) {
      if (++said > kMostFoldersSaid) break;
      choices += (choices.empty() ? "" : ", ") + folder.parent_path().string();
    }
    if (of.size() > kMostFoldersSaid) {
      choices += fmt::format(" and {} more", of.size() - kMostFoldersSaid);
    }
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{} holds table {} in {} folders, as several layouts do; inspect "
                                 "one of {}",
                                 path, table, of.size(), choices));
  }
  return {};
}

// Columns that no footer tells: those of CSV, guessed from the beginning of a file, and those that
// Hive's folders hold.
Status CompleteColumns(const std::string& root, InspectedTable* table) {
  const std::string& first = table->files.front().path;
  if (table->format == "csv") {
    LG_ASSIGN_OR_RETURN(table->columns, SniffColumns(first));
  }
  for (const auto& [name, value] :
       PartitionValues(fs::path(first).lexically_relative(root).string())) {
    if (std::none_of(table->columns.begin(), table->columns.end(),
                     [&](const ColumnDef& c) { return c.name == name; })) {
      table->columns.push_back({name, "VARCHAR"});
    }
  }
  return {};
}

}  // namespace

Result<std::vector<InspectedTable>> Inspect(const std::string& path) {
  std::error_code failed;
  std::vector<std::pair<std::string, std::string>> files;  // table, path
  if (fs::is_regular_file(path, failed)) {
    files.emplace_back(fs::path(path).stem().string(), path);
  } else if (fs::is_directory(path, failed)) {
    const fs::path root = fs::path(path).lexically_normal() / "";
    const fs::path base = root.parent_path();
    for (auto it = fs::recursive_directory_iterator(path, failed);
         it != fs::recursive_directory_iterator(); it.increment(failed)) {
      if (!it->is_regular_file()) continue;
      const fs::path file = it->path().lexically_normal();
      if (!FormatOf(file.string()).empty()) files.emplace_back(TableOf(base, file), file.string());
    }
  } else {
    return MakeError(ErrorCode::kNotFound, path + " is neither a file nor a folder");
  }
  std::sort(files.begin(), files.end());
  LG_RETURN_IF_ERROR(CheckOneLayout(path, files));
  std::map<std::pair<std::string, std::string>, InspectedTable> tables;
  for (const auto& [table, file] : files) {
    const std::string format = FormatOf(file);
    if (format.empty()) continue;
    auto& entry = tables[{table, format}];
    entry.name = table;
    entry.format = format;
    InspectedFile inspected;
    inspected.path = file;
    inspected.size = static_cast<int64_t>(fs::file_size(file, failed));
    if (inspected.size == 0) {
      return MakeError(ErrorCode::kInvalidArgument, file + " is empty (0 bytes)");
    }
    if (format == "parquet") {
      LG_ASSIGN_OR_RETURN(const auto facts, columnar::ReadParquetFacts(file));
      inspected.rows = facts.rows;
      inspected.row_group_bytes = facts.row_group_bytes;
      if (entry.columns.empty()) {
        for (const auto& c : facts.columns) entry.columns.push_back({c.name, c.type});
      }
    } else if (format == "orc") {
      LG_ASSIGN_OR_RETURN(const auto reader, columnar::OrcReader::Open(file));
      inspected.rows = reader->rows();
      if (entry.columns.empty()) {
        for (const auto& c : reader->columns()) entry.columns.push_back({c.name, c.type});
      }
    }
    entry.files.push_back(std::move(inspected));
  }
  for (auto& [key, table] : tables) LG_RETURN_IF_ERROR(CompleteColumns(path, &table));
  if (tables.empty()) {
    return MakeError(ErrorCode::kNotFound, path + " holds no .parquet, .orc or .csv file");
  }
  std::vector<InspectedTable> out;
  for (auto& [key, table] : tables) out.push_back(std::move(table));
  return out;
}

}  // namespace lakegauge::dataset
