#pragma once
// DuckDB inside this process, reading tables from Stores.
//
// Settings: any of DuckDB's own by its name. Ours differ from DuckDB's defaults where they would
// keep something between queries: enable_external_file_cache and parquet_metadata_cache are off.
// threads is the number of lanes (ranges are fetched one after another in each), apart from cores.
//
// Threads, Owns, Errors: as engine.h says.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace lakegauge::engine {

// Errors: kInvalidArgument for a setting DuckDB does not have.
Result<std::unique_ptr<Engine>> MakeDuckDbEngine(
    const std::map<std::string, std::string>& settings);

// As engine.h says of SettingProblems and MissingTables.
Result<std::map<std::string, std::string>> DuckDbSettingProblems(
    const std::map<std::string, std::string>& settings);
Result<std::vector<std::string>> DuckDbMissingTables(const std::vector<dataset::TableDef>& tables,
                                                     const std::vector<std::string>& queries);

}  // namespace lakegauge::engine
