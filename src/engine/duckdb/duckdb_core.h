#pragma once
// What the sessions of one DuckDB engine share: the database, the stores it knows, its threads, and
// whether two queries run at once. Private to this folder.
//
// Threads: all but `database` and `workers` (set before the first session) from any thread.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/duckdb/store_paths.h"
#include "sql/sql.h"

namespace lakegauge::engine {

struct DuckDbCore {
  std::optional<sql::Database> database;
  std::shared_ptr<StorePaths> paths = std::make_shared<StorePaths>();
  std::map<std::string, std::string> settings;        // global ones, effective
  std::map<std::string, std::string> local_settings;  // set again in each connection
  std::vector<int32_t> workers;                       // kernel ids of DuckDB's threads

  std::atomic<int64_t> schemas{0};  // made so far, one for each Bind
  // Executions under way and begun, to see whether one had the threads for itself.
  std::atomic<int64_t> running{0};
  std::atomic<int64_t> begun{0};
};

}  // namespace lakegauge::engine
