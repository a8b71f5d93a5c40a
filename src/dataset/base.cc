#include <fmt/format.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "base/json_problem.h"
#include "base/units.h"
#include "columnar/column_type.h"
#include "dataset/dataset.h"
#include "dataset/generators.h"
#include "dataset/hashed_file.h"
#include "dataset/prepared_base.h"
#include "dataset/workplace.h"

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;

constexpr char kBaseFolder[] = "base";
constexpr char kDatabaseName[] = "base.duckdb";
constexpr char kBaseManifest[] = "base.json";
constexpr int kBaseVersion = 1;
constexpr auto kProgressInterval = std::chrono::milliseconds(200);

Result<std::vector<TableDef>> ReadTables(sql::Connection& connection) {
  LG_ASSIGN_OR_RETURN(const auto rows,
                      connection.Query("SELECT table_name, column_name, data_type FROM "
                                       "duckdb_columns() WHERE NOT internal AND schema_name = "
                                       "'main' ORDER BY table_name, column_index"));
  std::vector<TableDef> tables;
  for (const auto& row : rows.rows) {
    const auto name = sql::ToText(row[0]);
    if (tables.empty() || tables.back().name != name) tables.push_back({name, {}});
    tables.back().columns.push_back({sql::ToText(row[1]), sql::ToText(row[2])});
  }
  return tables;
}

Json TablesToJson(const std::vector<TableDef>& tables) {
  Json list = Json::array();
  for (const auto& table : tables) {
    Json columns = Json::array();
    for (const auto& c : table.columns) columns.push_back({{"name", c.name}, {"type", c.type}});
    list.push_back({{"name", table.name}, {"columns", columns}});
  }
  return list;
}

Result<Base> ReadBase(const std::string& folder, Json* manifest) {
  const std::string path = folder + "/" + kBaseManifest;
  LG_ASSIGN_OR_RETURN(*manifest, ReadJsonFile(path));
  Base base;
  try {
    if (manifest->at("version") != kBaseVersion) {
      return MakeError(ErrorCode::kUnsupported, path + ": unknown version");
    }
    base.path = folder + "/" + kDatabaseName;
    base.generator = manifest->at("generator");
    base.generator_version = manifest->at("generator_version");
    base.bytes = manifest->at("bytes");
    for (const auto& table : manifest->at("tables")) {
      TableDef def{table.at("name"), {}};
      for (const auto& c : table.at("columns")) def.columns.push_back({c.at("name"), c.at("type")});
      base.tables.push_back(std::move(def));
    }
  } catch (const Json::exception& e) {
    return MakeError(ErrorCode::kCorrupt, path + ": " + JsonProblem(e));
  }
  return base;
}

// A base is reused when it is whole and, for the user's own files, when those did not change.
Result<bool> IsUsable(const DatasetSpec& spec, const Base& base, const Json& manifest, bool deep) {
  std::error_code failed;
  if (static_cast<int64_t>(fs::file_size(base.path, failed)) != base.bytes || failed) return false;
  if (manifest.at("spec") != spec.ToJson()) return false;
  if (spec.kind == "files") {
    LG_ASSIGN_OR_RETURN(const Json sources, DescribeSources(spec));
    if (sources != manifest.at("sources")) return false;
  }
  if (deep) {
    LG_ASSIGN_OR_RETURN(const auto hashes, HashFile(base.path));
    if (hashes.xxh3 != JsonOr<std::string>(manifest, "xxh3", "")) return false;
  }
  return true;
}

Status CheckSpec(const DatasetSpec& spec) {
  if (spec.kind == "tpcds") {
    if (!(spec.scale >= kMinTpcdsScale && spec.scale <= kMaxTpcdsScale)) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("scale {} of a tpcds dataset: must be from {} to {}", spec.scale,
                                   kMinTpcdsScale, kMaxTpcdsScale));
    }
    if (!spec.generator.empty() && spec.generator != "duckdb" && spec.generator != "tpcgen") {
      return MakeError(
          ErrorCode::kInvalidArgument,
          fmt::format("unknown generator '{}'; there are duckdb and tpcgen", spec.generator));
    }
    return {};
  }
  if (spec.kind == "bulk" || spec.kind == "files") return {};
  return MakeError(
      ErrorCode::kInvalidArgument,
      fmt::format("unknown kind of dataset '{}'; there are tpcds, bulk and files", spec.kind));
}

Result<Generated> Generate(const DatasetSpec& spec, const PrepareOptions& options,
                           const std::string& database) {
  if (spec.kind == "bulk") return GenerateBulk(spec, options, database);
  if (spec.kind == "files") return GenerateFromFiles(spec, options, database);
  if (spec.generator == "tpcgen") return GenerateTpcdsByTpcgen(spec, options, database);
  return GenerateTpcds(spec, options, database);
}

Status CheckTables(const std::vector<TableDef>& tables) {
  if (tables.empty()) return MakeError(ErrorCode::kInvalidArgument, "the dataset has no tables");
  for (const auto& table : tables) {
    for (const auto& c : table.columns) {
      const auto type = columnar::ColumnType::FromSql(c.name, c.type);
      if (!type.ok()) return type.error().WithContext("table " + table.name);
    }
  }
  return {};
}

Status MakeBase(const DatasetSpec& spec, const PrepareOptions& options, const Workplace& place) {
  LG_ASSIGN_OR_RETURN(const std::string folder, place.Begin(kBaseFolder));
  const std::string database = folder + "/" + kDatabaseName;
  LG_ASSIGN_OR_RETURN(const Generated generated, Generate(spec, options, database));
  std::vector<TableDef> tables;
  {
    auto read = BaseDatabase(database, 1, 0);
    read.read_only = true;
    LG_ASSIGN_OR_RETURN(auto opened, sql::Database::Open(read));
    LG_ASSIGN_OR_RETURN(auto connection, opened.Connect());
    LG_ASSIGN_OR_RETURN(tables, ReadTables(connection));
  }
  LG_RETURN_IF_ERROR(CheckTables(tables));
  LG_ASSIGN_OR_RETURN(const auto hashes, HashFile(database));
  const Json manifest{{"version", kBaseVersion},
                      {"spec", spec.ToJson()},
                      {"generator", generated.generator},
                      {"generator_version", generated.version},
                      {"bytes", hashes.size},
                      {"xxh3", hashes.xxh3},
                      {"sources", generated.sources},
                      {"tables", TablesToJson(tables)}};
  LG_RETURN_IF_ERROR(WriteFileAtomically(folder + "/" + kBaseManifest, manifest.dump(1)));
  return place.Publish(kBaseFolder);
}

}  // namespace

Result<std::vector<TableDef>> TablesOf(const DatasetSpec& spec) {
  if (spec.kind == "bulk") return std::vector<TableDef>{BulkTable(spec)};
  // At scale 0 the generator makes its tables and no row.
  auto empty = BaseDatabase("", 1, 0);
  empty.extensions = {"tpcds"};
  LG_ASSIGN_OR_RETURN(auto database, sql::Database::Open(empty));
  LG_ASSIGN_OR_RETURN(auto connection, database.Connect());
  LG_RETURN_IF_ERROR(connection.Execute("CALL dsdgen(sf=0)"));
  return ReadTables(connection);
}

int WorkerCount(const PrepareOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

sql::DatabaseOptions BaseDatabase(const std::string& path, int threads, int64_t memory_bytes) {
  sql::DatabaseOptions options;
  options.path = path;
  options.settings = {{"threads", std::to_string(threads)},
                      {"arrow_output_version", "1.5"},
                      {"write_buffer_row_group_count", "1"}};
  if (memory_bytes > 0) {
    options.settings["memory_limit"] =
        fmt::format("{}MiB", std::max<int64_t>(1, memory_bytes / kMiB));
  }
  return options;
}

Status RunLong(sql::Connection& connection, const std::string& statement, const std::string& what,
               const std::string& database, int64_t expected_bytes, const PrepareOptions& options) {
  if (options.stop.stop_requested()) return MakeError(ErrorCode::kCancelled, what + " was stopped");
  std::stop_callback interrupt(options.stop, [&] { connection.Interrupt(); });
  std::jthread watcher;
  if (options.progress) {
    watcher = std::jthread([&](const std::stop_token& done) {
      std::mutex mutex;
      std::condition_variable_any wake;
      std::unique_lock lock(mutex);
      while (!wake.wait_for(lock, done, kProgressInterval, [] { return false; })) {
        if (done.stop_requested()) break;
        std::error_code ignored;
        const auto size = fs::file_size(database, ignored);
        const int64_t bytes = ignored ? 0 : static_cast<int64_t>(size);
        const double fraction =
            expected_bytes > 0
                ? std::min(0.99, static_cast<double>(bytes) / static_cast<double>(expected_bytes))
                : -1;
        options.progress({what, fraction, bytes});
      }
    });
  }
  const auto status = connection.Execute(statement);
  if (watcher.joinable()) {
    watcher.request_stop();
    watcher.join();
  }
  if (!status.ok() && options.stop.stop_requested()) {
    return MakeError(ErrorCode::kCancelled, what + " was stopped");
  }
  if (!status.ok()) return status.error().WithContext(what);
  return {};
}

Status CheckReplaceable(const std::string& layout_dir) {
  const auto alone = LayoutUse::Alone(layout_dir);
  if (alone.ok() || alone.error().code == ErrorCode::kNotFound) return {};
  return MakeError(alone.error().code, alone.error().message +
                                           " and would have to be written anew; prepare it again "
                                           "once that has ended");
}

Result<Base> PrepareBaseLocked(const DatasetSpec& spec, const PrepareOptions& options,
                               const Workplace& place) {
  const std::string folder = place.folder() + "/" + kBaseFolder;
  Json manifest;
  if (auto base = ReadBase(folder, &manifest); base.ok()) {
    LG_ASSIGN_OR_RETURN(const bool usable,
                        IsUsable(spec, *base, manifest, options.verify_existing));
    if (usable) return base;
  }
  // Layouts written from rows that are gone are gone too. Whether a user's files changed since can
  // only be told by the base: without it, layouts of theirs are stale.
  std::error_code failed;
  std::vector<fs::path> stale;
  for (const auto& entry : fs::directory_iterator(place.folder(), failed)) {
    if (entry.is_directory()) stale.push_back(entry.path());
  }
  if (fs::exists(folder, failed) || spec.kind == "files") {
    for (const auto& path : stale) LG_RETURN_IF_ERROR(CheckReplaceable(path.string()));
    for (const auto& path : stale) fs::remove_all(path, failed);
  }
  if (const auto made = MakeBase(spec, options, place); !made.ok()) {
    place.Discard(kBaseFolder);
    return made.error();
  }
  if (options.progress) options.progress({"generate " + spec.Name(), 1, 0});
  return ReadBase(folder, &manifest);
}

Result<Base> PrepareBase(const DatasetSpec& spec, const PrepareOptions& options) {
  LG_RETURN_IF_ERROR(CheckSpec(spec));
  LG_ASSIGN_OR_RETURN(const auto place,
                      Workplace::Enter(options.data_dir + "/" + spec.Name(), options.stop));
  return PrepareBaseLocked(spec, options, place);
}

bool HasBase(const DatasetSpec& spec, const std::string& data_dir) {
  Json manifest;
  const auto base = ReadBase(data_dir + "/" + spec.Name() + "/" + kBaseFolder, &manifest);
  return base.ok() && IsUsable(spec, *base, manifest, false).value_or(false);
}

}  // namespace lakegauge::dataset
