#include "analyze/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>

#include "analyze/table_sql.h"

namespace lakegauge::analyze {
namespace {

namespace fs = std::filesystem;

constexpr int kPlanVersion = 1;
constexpr int kManifestVersion = 1;
constexpr int kFewestDegrees = 4;

bool HasFile(const fs::path& folder, const char* extension, int depth) {
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (depth == 0 && at->path().extension() == extension) return true;
    if (depth > 0 && at->is_directory() && HasFile(at->path(), extension, depth - 1)) return true;
  }
  return false;
}

Status CheckVersion(const Json& json, const std::string& path, const char* key, int ours) {
  const auto version = JsonOr<int64_t>(json, key, -1);
  if (version < 0) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("{}: '{}' is missing", path, key));
  }
  if (version > ours) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("{}: version {}; this lakegauge reads up to {}", path, version, ours));
  }
  return {};
}

// What all that reads a plan or a manifest takes for granted of it: lists of objects that have a
// name each.
struct Listed {
  const char* list;
  const char* name;
};
Status CheckLists(const Json& json, const std::string& path, std::initializer_list<Listed> wanted) {
  for (const auto& [key, name] : wanted) {
    const auto list = json.find(key);
    const bool fits =
        list != json.end() && list->is_array() &&
        std::all_of(list->begin(), list->end(), [&, member = name](const Json& item) {
          return item.is_object() && item.contains(member) && item.at(member).is_string();
        });
    if (fits) continue;
    return MakeError(ErrorCode::kCorrupt,
                     fmt::format("{}: '{}' is no list of objects with a '{}'", path, key, name));
  }
  return {};
}

// The largest number of measurements of one query in one cell, less one.
int MostDegrees(const Json& plan) {
  std::map<std::pair<std::string, std::string>, int> counts;
  int most = kFewestDegrees + 1;
  for (const Json& e : plan.value("executions", Json::array())) {
    most = std::max(
        most, ++counts[{JsonOr<std::string>(e, "cell", ""), JsonOr<std::string>(e, "query", "")}]);
  }
  return most - 1;
}

Json ToJson(const sql::Value& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b;
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  return nullptr;
}

Status CheckManifests(const std::string& run_dir, std::vector<std::string>* notes,
                      const Json& plan) {
  if (plan.contains("imported")) return {};  // it never has manifests, and says where it is from
  for (const Json& cell : plan.value("cells", Json::array())) {
    const auto relative = JsonOr<std::string>(cell, "manifest", "");
    const std::string path = run_dir + "/" + relative;
    if (relative.empty() || !fs::exists(path)) {
      const std::string note = fmt::format(
          "No manifest of layout {} of {}: its file sizes are unknown.",
          JsonOr<std::string>(cell, "layout", "?"), JsonOr<std::string>(cell, "dataset", "?"));
      if (std::find(notes->begin(), notes->end(), note) == notes->end()) notes->push_back(note);
      continue;
    }
    LG_ASSIGN_OR_RETURN(const Json manifest, ReadJsonFile(path));
    const char* key = manifest.contains("v") ? "v" : "version";
    LG_RETURN_IF_ERROR(CheckVersion(manifest, path, key, kManifestVersion));
    LG_RETURN_IF_ERROR(CheckLists(manifest, path, {{"tables", "name"}, {"files", "key"}}));
  }
  return {};
}

}  // namespace

Result<Records> Records::Open(const std::string& run_dir) {
  const std::string plan_path = run_dir + "/plan.json";
  if (!fs::exists(plan_path)) {
    return MakeError(ErrorCode::kNotFound, run_dir + " holds no plan.json: it is no run directory");
  }
  LG_ASSIGN_OR_RETURN(Json plan, ReadJsonFile(plan_path));
  LG_RETURN_IF_ERROR(CheckVersion(plan, plan_path, "v", kPlanVersion));
  LG_RETURN_IF_ERROR(
      CheckLists(plan, plan_path, {{"cells", "id"}, {"queries", "name"}, {"executions", "cell"}}));
  const std::string journal_path = run_dir + "/journal.jsonl";
  if (!fs::exists(journal_path)) {
    return MakeError(ErrorCode::kNotFound,
                     run_dir + " holds no journal.jsonl: nothing has run yet");
  }
  LG_ASSIGN_OR_RETURN(record::Journal journal, record::ReadJournal(journal_path));

  // One thread: sums of doubles come out the same on every machine, so the same records give the
  // same report byte for byte, and a run that is still going is left its cores.
  sql::DatabaseOptions options;
  options.settings = {{"threads", "1"}};
  LG_ASSIGN_OR_RETURN(sql::Database database, sql::Database::Open(options));
  LG_ASSIGN_OR_RETURN(sql::Connection connection, database.Connect());
  Records records(std::move(connection));
  records.run_dir_ = run_dir;
  records.plan_ = std::move(plan);
  records.journal_ = std::move(journal);
  if (records.journal_.truncated_tail) {
    records.notes_.push_back(
        "The journal's last line is cut off (killed while writing); it was left out.");
  }
  const std::string environment_path = run_dir + "/environment.json";
  if (fs::exists(environment_path)) {
    LG_ASSIGN_OR_RETURN(records.environment_, ReadJsonFile(environment_path));
  } else {
    records.notes_.push_back("No environment.json: machine and build are unknown.");
  }
  LG_RETURN_IF_ERROR(CheckManifests(run_dir, &records.notes_, records.plan_));

  const std::string annotations_path = run_dir + "/" + record::kAnnotationsFile;
  LG_ASSIGN_OR_RETURN(const record::Annotations annotations,
                      record::ReadAnnotations(annotations_path));
  records.invalid_ = annotations.Invalid();
  if (annotations.truncated_tail) {
    records.notes_.push_back(
        "The last line of annotations.jsonl is cut off (killed while writing); it was left out.");
  }

  SqlInputs inputs;
  inputs.has_annotations = fs::exists(annotations_path);
  inputs.has_requests = HasFile(run_dir + "/requests", ".parquet", 0);
  inputs.has_manifests = HasFile(run_dir + "/manifests", ".json", 1);
  inputs.has_samples = fs::exists(run_dir + "/samples.parquet");
  inputs.max_degrees = MostDegrees(records.plan_);
  for (auto& [name, sql] : BaseTables(inputs)) {
    const auto made = records.connection_.Execute(SqlFor(sql, run_dir));
    if (!made.ok()) return made.error().WithContext(run_dir + ": table " + name);
    records.base_sql_.emplace_back(name, SqlFor(sql, ""));
  }
  return records;
}

Result<Json> Records::Rows(std::string_view table) {
  const auto result = connection_.Query(ResultSql(table));
  if (!result.ok()) return result.error().WithContext(fmt::format("{}: table {}", run_dir_, table));
  Json rows = Json::array();
  for (const auto& row : result->rows) {
    Json object = Json::object();
    for (size_t c = 0; c < row.size(); ++c) {
      std::string name = result->columns[c].name;
      Json value = ToJson(row[c]);
      if (name.ends_with("_json")) {
        name.resize(name.size() - 5);
        if (value.is_string()) {
          LG_ASSIGN_OR_RETURN(value, ParseJson(value.get<std::string>()));
        }
      }
      object[name] = std::move(value);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

Result<TextTable> Records::Text(std::string_view table) {
  const auto result = connection_.Query(ResultSql(table));
  if (!result.ok()) return result.error().WithContext(fmt::format("{}: table {}", run_dir_, table));
  TextTable text;
  for (const auto& column : result->columns) text.columns.push_back(column.name);
  for (const auto& row : result->rows) {
    auto& out = text.rows.emplace_back();
    for (const auto& value : row) out.push_back(sql::ToText(value));
  }
  return text;
}

Json Records::SqlTexts() const {
  Json texts = Json::object();
  for (const auto& [name, sql] : base_sql_) texts[name] = sql;
  for (const auto& table : ResultTables()) texts[table.name] = table.sql;
  return texts;
}

std::string Records::SqlScript() const {
  std::string script =
      "-- Every table of this report from the run's records, in DuckDB. From the run's folder:\n"
      "--   duckdb -f report/summary.sql\n";
  for (const auto& [name, sql] : base_sql_) script += fmt::format("\n-- {}\n{}", name, sql);
  for (const auto& table : ResultTables()) {
    script += fmt::format("\n-- {}\n{}", table.name, table.sql);
  }
  return script;
}

}  // namespace lakegauge::analyze
