#pragma once
// DuckDB's view of our stores: a file system over "lgstore://" paths in which directories are made
// up from listings, each read is one request of exactly the bytes DuckDB asks for, and sizes that a
// listing gave are not asked for again. Private to the files that use DuckDB's C++ headers.
//
// Threads: as DuckDB wants of a file system. Errors: thrown, as DuckDB wants; they end as its
// message.

#include <duckdb.hpp>
#include <duckdb/common/file_system.hpp>
#include <memory>

#include "engine/duckdb/store_paths.h"

namespace lakegauge::engine {

duckdb::unique_ptr<duckdb::FileSystem> MakeStoreFileSystem(std::shared_ptr<const StorePaths> paths);

}  // namespace lakegauge::engine
