#pragma once
// Reads one value out of a DuckDB vector. Private to this room.

#include <duckdb.h>

#include "sql/sql.h"

namespace lakegauge::sql {

// Value at `row`; numbers, booleans and text as themselves, all else (decimals, dates, timestamps,
// intervals, lists, structs, maps, blobs) as DuckDB would print it.
Value ReadValue(duckdb_vector vector, duckdb_logical_type type, idx_t row);

// "DECIMAL(7,2)", "INTEGER[]", ...
std::string TypeName(duckdb_logical_type type);

}  // namespace lakegauge::sql
