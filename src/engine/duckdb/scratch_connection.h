#pragma once
// A DuckDB in memory, of one thread, to ask or try something on and throw away.
//
// Threads: one. Owns: the connection keeps its database alive.

#include "sql/sql.h"

namespace lakegauge::engine {

inline Result<sql::Connection> ScratchConnection() {
  sql::DatabaseOptions options;
  options.settings = {{"threads", "1"}};
  LG_ASSIGN_OR_RETURN(auto database, sql::Database::Open(options));
  return database.Connect();
}

}  // namespace lakegauge::engine
