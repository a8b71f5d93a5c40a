#include "sql/values.h"

#include <fmt/format.h>

#include <memory>

namespace lakegauge::sql {
namespace {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

struct TypeDeleter {
  void operator()(duckdb_logical_type type) const { duckdb_destroy_logical_type(&type); }
};
using OwnedType = std::unique_ptr<std::remove_pointer_t<duckdb_logical_type>, TypeDeleter>;

template <typename T>
T At(duckdb_vector vector, idx_t row) {
  return static_cast<const T*>(duckdb_vector_get_data(vector))[row];
}

std::string Digits128(UInt128 value) {
  std::string out;
  do {
    out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return out;
}

std::string Huge(Int128 value, int scale) {
  const bool negative = value < 0;
  const auto magnitude = negative ? ~static_cast<UInt128>(value) + 1 : static_cast<UInt128>(value);
  std::string digits = Digits128(magnitude);
  if (scale > 0) {
    const auto places = static_cast<size_t>(scale);
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    digits.insert(digits.size() - places, ".");
  }
  return negative ? "-" + digits : digits;
}

std::string Decimal(duckdb_vector vector, duckdb_logical_type type, idx_t row) {
  const int scale = duckdb_decimal_scale(type);
  switch (duckdb_decimal_internal_type(type)) {
    case DUCKDB_TYPE_SMALLINT:
      return Huge(At<int16_t>(vector, row), scale);
    case DUCKDB_TYPE_INTEGER:
      return Huge(At<int32_t>(vector, row), scale);
    case DUCKDB_TYPE_BIGINT:
      return Huge(At<int64_t>(vector, row), scale);
    default: {
      const auto huge = At<duckdb_hugeint>(vector, row);
      return Huge((static_cast<Int128>(huge.upper) << 64) | huge.lower, scale);
    }
  }
}

std::string Date(duckdb_date date) {
  const auto parts = duckdb_from_date(date);
  return fmt::format("{:04}-{:02}-{:02}", parts.year, parts.month, parts.day);
}

std::string Time(const duckdb_time_struct& t) {
  std::string out = fmt::format("{:02}:{:02}:{:02}", t.hour, t.min, t.sec);
  if (t.micros != 0) {
    out += fmt::format(".{:06}", t.micros);
    while (out.back() == '0') out.pop_back();
  }
  return out;
}

std::string Timestamp(int64_t micros) {
  const auto parts = duckdb_from_timestamp(duckdb_timestamp{micros});
  return fmt::format("{:04}-{:02}-{:02} {}", parts.date.year, parts.date.month, parts.date.day,
                     Time(parts.time));
}

std::string Text(duckdb_string_t& string) {
  return std::string(duckdb_string_t_data(&string), duckdb_string_t_length(string));
}

std::string Element(duckdb_vector vector, duckdb_logical_type type, idx_t row) {
  const Value value = ReadValue(vector, type, row);
  return std::holds_alternative<std::monostate>(value) ? "NULL" : ToText(value);
}

std::string Struct(duckdb_vector vector, duckdb_logical_type type, idx_t row) {
  std::string out = "{";
  for (idx_t i = 0; i < duckdb_struct_type_child_count(type); ++i) {
    char* name = duckdb_struct_type_child_name(type, i);
    const OwnedType child(duckdb_struct_type_child_type(type, i));
    out += fmt::format("{}'{}': {}", i == 0 ? "" : ", ", name,
                       Element(duckdb_struct_vector_get_child(vector, i), child.get(), row));
    duckdb_free(name);
  }
  return out + "}";
}

std::string List(duckdb_vector vector, duckdb_logical_type type, idx_t row) {
  const auto entry = At<duckdb_list_entry>(vector, row);
  const OwnedType child(duckdb_list_type_child_type(type));
  const duckdb_vector elements = duckdb_list_vector_get_child(vector);
  std::string out = "[";
  for (idx_t i = 0; i < entry.length; ++i) {
    if (i != 0) out += ", ";
    out += Element(elements, child.get(), entry.offset + i);
  }
  return out + "]";
}

}  // namespace

std::string TypeName(duckdb_logical_type type) {
  switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_BOOLEAN:
      return "BOOLEAN";
    case DUCKDB_TYPE_TINYINT:
      return "TINYINT";
    case DUCKDB_TYPE_SMALLINT:
      return "SMALLINT";
    case DUCKDB_TYPE_INTEGER:
      return "INTEGER";
    case DUCKDB_TYPE_BIGINT:
      return "BIGINT";
    case DUCKDB_TYPE_UTINYINT:
      return "UTINYINT";
    case DUCKDB_TYPE_USMALLINT:
      return "USMALLINT";
    case DUCKDB_TYPE_UINTEGER:
      return "UINTEGER";
    case DUCKDB_TYPE_UBIGINT:
      return "UBIGINT";
    case DUCKDB_TYPE_HUGEINT:
      return "HUGEINT";
    case DUCKDB_TYPE_UHUGEINT:
      return "UHUGEINT";
    case DUCKDB_TYPE_FLOAT:
      return "FLOAT";
    case DUCKDB_TYPE_DOUBLE:
      return "DOUBLE";
    case DUCKDB_TYPE_DECIMAL:
      return fmt::format("DECIMAL({},{})", duckdb_decimal_width(type), duckdb_decimal_scale(type));
    case DUCKDB_TYPE_DATE:
      return "DATE";
    case DUCKDB_TYPE_TIME:
      return "TIME";
    case DUCKDB_TYPE_TIMESTAMP:
      return "TIMESTAMP";
    case DUCKDB_TYPE_TIMESTAMP_S:
      return "TIMESTAMP_S";
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return "TIMESTAMP_MS";
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return "TIMESTAMP_NS";
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return "TIMESTAMP WITH TIME ZONE";
    case DUCKDB_TYPE_INTERVAL:
      return "INTERVAL";
    case DUCKDB_TYPE_VARCHAR:
      return "VARCHAR";
    case DUCKDB_TYPE_BLOB:
      return "BLOB";
    case DUCKDB_TYPE_UUID:
      return "UUID";
    case DUCKDB_TYPE_ENUM:
      return "ENUM";
    case DUCKDB_TYPE_STRUCT:
      return "STRUCT";
    case DUCKDB_TYPE_MAP:
      return "MAP";
    case DUCKDB_TYPE_LIST: {
      const OwnedType child(duckdb_list_type_child_type(type));
      return TypeName(child.get()) + "[]";
    }
    case DUCKDB_TYPE_SQLNULL:
      return "NULL";
    default:
      return fmt::format("TYPE{}", static_cast<int>(duckdb_get_type_id(type)));
  }
}

Value ReadValue(duckdb_vector vector, duckdb_logical_type type, idx_t row) {
  uint64_t* validity = duckdb_vector_get_validity(vector);
  if (validity != nullptr && !duckdb_validity_row_is_valid(validity, row)) return std::monostate{};
  switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_BOOLEAN:
      return At<bool>(vector, row);
    case DUCKDB_TYPE_TINYINT:
      return int64_t{At<int8_t>(vector, row)};
    case DUCKDB_TYPE_SMALLINT:
      return int64_t{At<int16_t>(vector, row)};
    case DUCKDB_TYPE_INTEGER:
      return int64_t{At<int32_t>(vector, row)};
    case DUCKDB_TYPE_BIGINT:
      return At<int64_t>(vector, row);
    case DUCKDB_TYPE_UTINYINT:
      return int64_t{At<uint8_t>(vector, row)};
    case DUCKDB_TYPE_USMALLINT:
      return int64_t{At<uint16_t>(vector, row)};
    case DUCKDB_TYPE_UINTEGER:
      return int64_t{At<uint32_t>(vector, row)};
    case DUCKDB_TYPE_FLOAT:
      return double{At<float>(vector, row)};
    case DUCKDB_TYPE_DOUBLE:
      return At<double>(vector, row);
    case DUCKDB_TYPE_UBIGINT:
      return std::to_string(At<uint64_t>(vector, row));
    case DUCKDB_TYPE_HUGEINT: {
      // A sum of integers is a HUGEINT in DuckDB; most fit, and callers want a number then.
      const auto huge = At<duckdb_hugeint>(vector, row);
      const auto wide = (static_cast<Int128>(huge.upper) << 64) | huge.lower;
      if (wide >= INT64_MIN && wide <= INT64_MAX) return static_cast<int64_t>(wide);
      return Huge(wide, 0);
    }
    case DUCKDB_TYPE_DECIMAL:
      return Decimal(vector, type, row);
    case DUCKDB_TYPE_DATE:
      return Date(At<duckdb_date>(vector, row));
    case DUCKDB_TYPE_TIME:
      return Time(duckdb_from_time(At<duckdb_time>(vector, row)));
    case DUCKDB_TYPE_TIMESTAMP:
      return Timestamp(At<int64_t>(vector, row));
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return Timestamp(At<int64_t>(vector, row)) + "+00";
    case DUCKDB_TYPE_TIMESTAMP_S:
      return Timestamp(At<int64_t>(vector, row) * 1'000'000);
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return Timestamp(At<int64_t>(vector, row) * 1'000);
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return Timestamp(At<int64_t>(vector, row) / 1'000);
    case DUCKDB_TYPE_INTERVAL: {
      const auto i = At<duckdb_interval>(vector, row);
      return fmt::format("{} months {} days {} us", i.months, i.days, i.micros);
    }
    case DUCKDB_TYPE_VARCHAR: {
      auto string = At<duckdb_string_t>(vector, row);
      return Text(string);
    }
    case DUCKDB_TYPE_BLOB: {
      auto string = At<duckdb_string_t>(vector, row);
      std::string out = "\\x";
      for (const unsigned char c : Text(string)) out += fmt::format("{:02X}", c);
      return out;
    }
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_MAP:
      return List(vector, type, row);
    case DUCKDB_TYPE_STRUCT:
      return Struct(vector, type, row);
    default:
      return "<" + TypeName(type) + ">";
  }
}

}  // namespace lakegauge::sql
