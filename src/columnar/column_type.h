#pragma once
// How a SQL type is held in Parquet: physical type, annotation, and how its values are compared.
//
// Threads: values. Errors: kUnsupported names the column and its type.
// Source: Parquet format, LogicalTypes.md; the choices are those of DuckDB's own COPY.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace lakegauge::columnar {

enum class Physical {
  kBool = 0,
  kInt32 = 1,
  kInt64 = 2,
  kFloat = 4,
  kDouble = 5,
  kBytes = 6,
  kFixed = 7
};

enum class Logical {
  kNone,     // physical type says all (bool, float, double, blob)
  kInteger,  // bits, is_signed
  kString,
  kDate,
  kTimeMicros,
  kTimestampMicros,
  kTimestampNanos,
  kDecimal,  // precision, scale
};

struct ColumnType {
  std::string name;
  std::string sql;  // as DuckDB prints it
  Physical physical = Physical::kInt32;
  Logical logical = Logical::kNone;
  int bits = 32;          // kInteger
  bool is_signed = true;  // kInteger
  bool utc = false;       // kTimestamp*, kTime*: adjusted to UTC
  int precision = 0;      // kDecimal
  int scale = 0;          // kDecimal
  int fixed_length = 0;   // kFixed: bytes

  static Result<ColumnType> FromSql(const std::string& name, const std::string& sql);
};

}  // namespace lakegauge::columnar
