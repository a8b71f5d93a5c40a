#include "engine/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/table_sql.h"

namespace lakegauge::engine {

std::vector<std::string> EngineNames() { return {"duckdb"}; }

namespace {

Error NoSuchEngine(const std::string& engine) {
  return MakeError(
      ErrorCode::kInvalidArgument,
      fmt::format("there is no engine '{}'; allowed: {}", engine, fmt::join(EngineNames(), ", ")));
}

}  // namespace

Result<std::unique_ptr<Engine>> MakeEngine(const std::string& engine,
                                           const std::map<std::string, std::string>& settings) {
  if (engine == "duckdb") return MakeDuckDbEngine(settings);
  return NoSuchEngine(engine);
}

Result<std::map<std::string, std::string>> SettingProblems(
    const std::string& engine, const std::map<std::string, std::string>& settings) {
  if (engine == "duckdb") return DuckDbSettingProblems(settings);
  return NoSuchEngine(engine);
}

Result<std::vector<std::string>> MissingTables(const std::string& engine,
                                               const std::vector<dataset::TableDef>& tables,
                                               const std::vector<std::string>& queries) {
  if (engine == "duckdb") return DuckDbMissingTables(tables, queries);
  return NoSuchEngine(engine);
}

std::vector<std::string> FormatsOf(const std::string& engine) {
  if (engine == "duckdb") return {std::begin(kDuckDbFormats), std::end(kDuckDbFormats)};
  return {};
}

}  // namespace lakegauge::engine
