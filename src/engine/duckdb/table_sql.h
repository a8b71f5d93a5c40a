#pragma once
// The SQL that makes a table of a store visible to DuckDB as a view.
//
// Threads: pure. Errors: kUnsupported for a format, kInvalidArgument for an option nobody knows.

#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/engine.h"

namespace lakegauge::engine {

// Formats DuckDB reads.
inline constexpr std::string_view kDuckDbFormats[] = {"parquet", "csv"};

// "CREATE VIEW <schema>.<table> AS ..." over all files of the table: those below `root` + prefix
// when the prefix is a folder (empty, or ends with '/'), else the one whose key it is. Options:
// hive_partitioning, partition_by (comma-separated columns that stand in the paths). CSV: header,
// delimiter, quote, escape, nullstr, allow_quoted_nulls, compression; without them it is read as
// our own layouts are written, with the table's columns and nothing guessed. detect=true lets
// DuckDB find all of it out from the files, which it then reads in part twice.
Result<std::string> CreateViewSql(const TableLocation& table, std::string_view schema,
                                  std::string_view root);

}  // namespace lakegauge::engine
