#pragma once
// One stream of queries on an embedded DuckDB.
//
// Threads, Owns, Errors: as engine.h says of Session.

#include <memory>

#include "engine/duckdb/duckdb_core.h"
#include "engine/engine.h"

namespace lakegauge::engine {

Result<std::unique_ptr<Session>> OpenDuckDbSession(std::shared_ptr<DuckDbCore> core,
                                                   int32_t stream);

}  // namespace lakegauge::engine
