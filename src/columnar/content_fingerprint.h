#pragma once
// Fingerprint of a table's rows that does not depend on their order, and that Java, Spark and Trino
// can compute as well: docs/formats.md defines it.
//
// Threads: one object, one thread at a time; Merge joins what threads found.

#include <cstdint>
#include <string>
#include <vector>

#include "columnar/column_type.h"
#include "columnar/column_values.h"

namespace lakegauge::columnar {

class ContentFingerprint {
 public:
  // A unit of rows, all columns in the table's order.
  void Add(const std::vector<ColumnType>& types, const std::vector<ColumnValues>& columns);
  void Merge(const ContentFingerprint& other);
  int64_t rows() const { return rows_; }
  // "xxh64:<sum, 16 hex digits>:<xor, 16 hex digits>:<rows>".
  std::string Text() const;

 private:
  uint64_t sum_ = 0;
  uint64_t xor_ = 0;
  int64_t rows_ = 0;
  RawBuffer row_bytes_;
  std::vector<uint32_t> at_;
};

}  // namespace lakegauge::columnar
