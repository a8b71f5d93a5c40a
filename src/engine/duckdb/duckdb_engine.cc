#include "engine/duckdb/duckdb_engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/yaml.h"
#include "engine/duckdb/duckdb_core.h"
#include "engine/duckdb/duckdb_session.h"
#include "engine/duckdb/native_query.h"
#include "engine/duckdb/scratch_connection.h"
#include "engine/duckdb/table_sql.h"
#include "engine/threads.h"

namespace lakegauge::engine {
namespace {

// DuckDB starts its threads when a database is opened; which of a process's threads they are shows
// only in what is there afterwards and was not before, so two engines must not open at once.
std::mutex opening;

struct KnownSetting {
  bool local = false;
};

using Known = std::map<std::string, KnownSetting>;

// Every setting of this DuckDB, extensions that are linked in included.
Result<Known> KnownSettings(sql::Connection& connection) {
  LG_ASSIGN_OR_RETURN(const auto rows,
                      connection.Query("SELECT name, scope FROM duckdb_settings()"));
  Known known;
  for (const auto& row : rows.rows) {
    known[sql::ToText(row[0])] = {sql::ToText(row[1]) == "LOCAL"};
  }
  return known;
}

// The same from a DuckDB that is closed again before an engine opens.
Result<Known> KnownSettings() {
  LG_ASSIGN_OR_RETURN(auto scratch, ScratchConnection());
  return KnownSettings(scratch);
}

std::string NoSuchSetting(const std::string& name, const Known& known) {
  std::vector<std::string> names;
  for (const auto& [candidate, setting] : known) names.push_back(candidate);
  return fmt::format("DuckDB has no setting '{}'{}", name, DidYouMean(name, names));
}

Status Set(sql::Connection& connection, const std::string& name, const std::string& value,
           bool local) {
  return connection.Execute(
      fmt::format("SET {} {} = {}", local ? "" : "GLOBAL", name, sql::QuoteLiteral(value)));
}

bool IsSecret(std::string_view name) {
  for (const std::string_view part : {"password", "secret", "token", "access_key"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::string TemporaryFolder() {
  std::error_code error;
  auto folder = std::filesystem::temp_directory_path(error);
  if (error) folder = "/tmp";
  return (folder / fmt::format("lakegauge-duckdb-{}", getpid())).string();
}

// Secrets, and our own folder for spilling: it is named after the process, not asked for.
void LeaveOutWhatIsNoSetting(Json& configuration) {
  for (auto at = configuration.begin(); at != configuration.end();) {
    const bool ours = at.key() == "temp_directory" && *at == TemporaryFolder();
    at = ours || IsSecret(at.key()) ? configuration.erase(at) : std::next(at);
  }
}

class DuckDbEngine : public Engine {
 public:
  DuckDbEngine(std::map<std::string, std::string> global, std::map<std::string, std::string> local)
      : core_(std::make_shared<DuckDbCore>()) {
    core_->settings = std::move(global);
    core_->local_settings = std::move(local);
  }

  EngineDescription Describe() const override {
    EngineDescription description;
    description.name = "duckdb";
    description.version = sql::DuckDbVersion();
    if (description.version.starts_with('v')) description.version.erase(0, 1);
    description.formats.assign(std::begin(kDuckDbFormats), std::end(kDuckDbFormats));
    description.embedded = true;
    description.configuration = effective_;
    if (effective_.is_null()) {
      description.configuration = core_->settings;
      description.configuration.update(core_->local_settings);
      LeaveOutWhatIsNoSetting(description.configuration);
    }
    return description;
  }

  Status Start() override {
    if (core_->database) return {};
    LG_RETURN_IF_ERROR(CheckLibrary());
    {
      std::lock_guard lock(opening);
      const auto before = ThreadIds();
      sql::DatabaseOptions options;
      for (const char* at_open : {"threads", "memory_limit", "temp_directory"}) {
        const auto given = core_->settings.find(at_open);
        if (given != core_->settings.end()) options.settings[at_open] = given->second;
      }
      LG_ASSIGN_OR_RETURN(core_->database, sql::Database::Open(options));
      const auto after = ThreadIds();
      std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                          std::back_inserter(core_->workers));
    }
    LG_ASSIGN_OR_RETURN(auto connection, core_->database->Connect());
    LG_RETURN_IF_ERROR(InstallStores(connection.raw(), core_->paths));
    for (const auto& [name, value] : core_->settings) {
      LG_RETURN_IF_ERROR(Set(connection, name, value, false));
    }
    for (const auto& [name, value] : core_->local_settings) {
      LG_RETURN_IF_ERROR(Set(connection, name, value, true));
    }
    LG_ASSIGN_OR_RETURN(const auto rows,
                        connection.Query("SELECT name, value FROM duckdb_settings()"));
    effective_ = Json::object();
    for (const auto& row : rows.rows) {
      const std::string name = sql::ToText(row[0]);
      effective_[name] = sql::ToText(row[1]);
    }
    LeaveOutWhatIsNoSetting(effective_);
    return {};
  }

  Result<std::unique_ptr<Session>> OpenSession(int32_t stream) override {
    if (!core_->database) {
      return MakeError(ErrorCode::kInternal,
                       "a session was asked of an engine that is not started");
    }
    return OpenDuckDbSession(core_, stream);
  }

  void Stop() override {
    core_->database.reset();
    core_->workers.clear();
  }

 private:
  const std::shared_ptr<DuckDbCore> core_;
  Json effective_;
};

}  // namespace

Result<std::unique_ptr<Engine>> MakeDuckDbEngine(
    const std::map<std::string, std::string>& settings) {
  LG_ASSIGN_OR_RETURN(const auto known, KnownSettings());
  std::map<std::string, std::string> global = {
      {"threads", std::to_string(std::max(1U, std::thread::hardware_concurrency()))},
      {"temp_directory", TemporaryFolder()},
      {"enable_external_file_cache", "false"},
      {"parquet_metadata_cache", "false"},
      {"disable_parquet_prefetching", "false"},
  };
  std::map<std::string, std::string> local = {{"enable_progress_bar", "false"}};
  for (const auto& [name, value] : settings) {
    const auto found = known.find(name);
    if (found == known.end()) {
      return MakeError(ErrorCode::kInvalidArgument, NoSuchSetting(name, known));
    }
    (found->second.local ? local : global)[name] = value;
  }
  std::unique_ptr<Engine> engine =
      std::make_unique<DuckDbEngine>(std::move(global), std::move(local));
  return engine;
}

Result<std::map<std::string, std::string>> DuckDbSettingProblems(
    const std::map<std::string, std::string>& settings) {
  std::map<std::string, std::string> problems;
  if (settings.empty()) return problems;
  LG_ASSIGN_OR_RETURN(auto connection, ScratchConnection());
  LG_ASSIGN_OR_RETURN(const auto known, KnownSettings(connection));
  for (const auto& [name, value] : settings) {
    const auto found = known.find(name);
    if (found == known.end()) {
      problems[name] = NoSuchSetting(name, known);
    } else if (const auto set = Set(connection, name, value, found->second.local); !set.ok()) {
      problems[name] = set.error().message;
    }
  }
  return problems;
}

}  // namespace lakegauge::engine
