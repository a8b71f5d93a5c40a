#pragma once
// Ways to fill a dataset's base: a DuckDB database with one table a table. Private to this room.
//
// Threads: each call runs its own database. Errors: kCancelled after a stop; nothing is cleaned up
//   here, the caller discards the folder.

#include <string>

#include "dataset/dataset.h"
#include "sql/sql.h"

namespace lakegauge::dataset {

struct Generated {
  std::string generator;
  std::string version;
  Json sources = Json::array();  // "files": path, size and mtime of every source
};

// Fills `database` (a path that does not exist yet).
Result<Generated> GenerateTpcds(const DatasetSpec& spec, const PrepareOptions& options,
                                const std::string& database);
Result<Generated> GenerateTpcdsByTpcgen(const DatasetSpec& spec, const PrepareOptions& options,
                                        const std::string& database);
Result<Generated> GenerateBulk(const DatasetSpec& spec, const PrepareOptions& options,
                               const std::string& database);
Result<Generated> GenerateFromFiles(const DatasetSpec& spec, const PrepareOptions& options,
                                    const std::string& database);
// The user's source files as they are now: [{table, path, size, mtime_ns}].
Result<Json> DescribeSources(const DatasetSpec& spec);

// What reads all files of a table of the user's, in SQL; `pattern`, as the user wrote it, says of
// which format they are.
Result<std::string> SourceReader(const std::string& table, const std::string& pattern,
                                 const std::vector<std::string>& files);
// Its columns.
Result<std::vector<ColumnDef>> DescribeColumns(sql::Connection& connection,
                                               const std::string& table, const std::string& reader);
// Columns of one CSV file; none where its beginning does not tell.
Result<std::vector<ColumnDef>> SniffColumns(const std::string& path);

// The one table of a bulk dataset.
TableDef BulkTable(const DatasetSpec& spec);

// options.threads, or the machine's.
int WorkerCount(const PrepareOptions& options);

// Settings of a database that lakegauge reads or writes bases with.
sql::DatabaseOptions BaseDatabase(const std::string& path, int threads, int64_t memory_bytes);

// Runs statements that take long: stoppable, with progress from the size of the database file
// against `expected_bytes` (0: unknown).
Status RunLong(sql::Connection& connection, const std::string& statement, const std::string& what,
               const std::string& database, int64_t expected_bytes, const PrepareOptions& options);

}  // namespace lakegauge::dataset
