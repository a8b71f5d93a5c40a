#include "engine/engine.h"

#include <fmt/format.h>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/table_sql.h"

namespace lakegauge::engine {

std::vector<std::string> EngineNames() { return {"duckdb"}; }

Result<std::unique_ptr<Engine>> MakeEngine(const std::string& engine,
                                           const std::map<std::string, std::string>& settings) {
  if (engine == "duckdb") return MakeDuckDbEngine(settings);
  std::string allowed;
  for (const auto& name : EngineNames()) allowed += (allowed.empty() ? "" : ", ") + name;
  return MakeError(ErrorCode::kInvalidArgument,
                   fmt::format("there is no engine '{}'; allowed: {}", engine, allowed));
}

std::vector<std::string> FormatsOf(const std::string& engine) {
  if (engine == "duckdb") return {std::begin(kDuckDbFormats), std::end(kDuckDbFormats)};
  return {};
}

}  // namespace lakegauge::engine
