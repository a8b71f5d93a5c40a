#pragma once
// What a Parquet file's footer says of it.
//
// Threads: independent calls. Errors: kCorrupt with the path for what is not Parquet.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lakegauge::columnar {

struct ParquetFacts {
  struct Column {
    std::string name;
    std::string type;   // SQL-like: "INTEGER", "DECIMAL(7,2)", else the physical type's name
    int64_t bytes = 0;  // compressed, in all row groups
  };
  int64_t rows = 0;
  std::vector<int64_t> row_group_offsets;
  std::vector<int64_t> row_group_rows;
  std::vector<int64_t> row_group_bytes;  // compressed
  std::vector<Column> columns;
};

Result<ParquetFacts> ReadParquetFacts(const std::string& path);

}  // namespace lakegauge::columnar
