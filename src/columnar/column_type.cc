#include "columnar/column_type.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace lakegauge::columnar {
namespace {

struct Known {
  const char* sql;
  Physical physical;
  Logical logical;
  int bits = 0;
  bool is_signed = true;
  bool utc = false;
};

constexpr std::array<Known, 18> kKnown{{
    {"BOOLEAN", Physical::kBool, Logical::kNone},
    {"TINYINT", Physical::kInt32, Logical::kInteger, 8},
    {"SMALLINT", Physical::kInt32, Logical::kInteger, 16},
    {"INTEGER", Physical::kInt32, Logical::kInteger, 32},
    {"BIGINT", Physical::kInt64, Logical::kInteger, 64},
    {"UTINYINT", Physical::kInt32, Logical::kInteger, 8, false},
    {"USMALLINT", Physical::kInt32, Logical::kInteger, 16, false},
    {"UINTEGER", Physical::kInt32, Logical::kInteger, 32, false},
    {"UBIGINT", Physical::kInt64, Logical::kInteger, 64, false},
    {"FLOAT", Physical::kFloat, Logical::kNone},
    {"DOUBLE", Physical::kDouble, Logical::kNone},
    {"VARCHAR", Physical::kBytes, Logical::kString},
    {"BLOB", Physical::kBytes, Logical::kNone},
    {"DATE", Physical::kInt32, Logical::kDate},
    {"TIME", Physical::kInt64, Logical::kTimeMicros},
    {"TIMESTAMP", Physical::kInt64, Logical::kTimestampMicros},
    {"TIMESTAMP WITH TIME ZONE", Physical::kInt64, Logical::kTimestampMicros, 0, true, true},
    {"TIMESTAMP_NS", Physical::kInt64, Logical::kTimestampNanos},
}};

// "DECIMAL(7,2)".
bool ParseDecimal(const std::string& sql, int* precision, int* scale) {
  constexpr std::string_view kPrefix = "DECIMAL(";
  if (!sql.starts_with(kPrefix) || !sql.ends_with(")")) return false;
  const char* end = sql.data() + sql.size() - 1;
  const auto first = std::from_chars(sql.data() + kPrefix.size(), end, *precision);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ',') return false;
  const auto second = std::from_chars(first.ptr + 1, end, *scale);
  return second.ec == std::errc() && second.ptr == end;
}

// Bytes that hold any number of so many decimal digits, two's complement.
int BytesForPrecision(int precision) {
  static constexpr std::array<int, 39> kBytes{0,  1,  1,  2,  2,  3,  3,  4,  4,  4,  5,  5,  6,
                                              6,  6,  7,  7,  8,  8,  9,  9,  9,  10, 10, 11, 11,
                                              11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 16, 16, 16};
  return kBytes[static_cast<size_t>(precision)];
}

}  // namespace

Result<ColumnType> ColumnType::FromSql(const std::string& name, const std::string& sql) {
  ColumnType type;
  type.name = name;
  type.sql = sql;
  for (const auto& known : kKnown) {
    if (sql != known.sql) continue;
    type.physical = known.physical;
    type.logical = known.logical;
    type.bits = known.bits;
    type.is_signed = known.is_signed;
    type.utc = known.utc;
    return type;
  }
  if (ParseDecimal(sql, &type.precision, &type.scale) && type.precision >= 1 &&
      type.precision <= 38) {
    type.logical = Logical::kDecimal;
    if (type.precision <= 9) {
      type.physical = Physical::kInt32;
    } else if (type.precision <= 18) {
      type.physical = Physical::kInt64;
    } else {
      type.physical = Physical::kFixed;
      type.fixed_length = BytesForPrecision(type.precision);
    }
    return type;
  }
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("column {} has type {}, which layouts cannot hold", name, sql));
}

}  // namespace lakegauge::columnar
