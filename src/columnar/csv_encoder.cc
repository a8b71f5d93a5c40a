#include "columnar/csv_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace lakegauge::columnar {
namespace {

constexpr int64_t kMicrosADay = 86'400'000'000;
constexpr int64_t kNanosADay = 86'400'000'000'000;

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

void PutText(std::string_view text, std::string* out) {
  const bool plain = !text.empty() && text.find_first_of("\",\n\r") == std::string_view::npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) {
    out->append(text);
    return;
  }
  out->push_back('"');
  for (const char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

void PutBlob(std::string_view bytes, std::string* out) {
  for (const char c : bytes)
    fmt::format_to(std::back_inserter(*out), "\\x{:02X}", static_cast<uint8_t>(c));
}

// Days since 1970-01-01 as a proleptic Gregorian date (Howard Hinnant, "chrono-Compatible Low-Level
// Date Algorithms", civil_from_days).
void PutDate(int64_t days, std::string* out) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t doe = days - era * 146097;
  const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const int64_t mp = (5 * doy + 2) / 153;
  const int64_t month = mp < 10 ? mp + 3 : mp - 9;
  const int64_t year = yoe + era * 400 + (month <= 2 ? 1 : 0);
  fmt::format_to(std::back_inserter(*out), "{:04}-{:02}-{:02}", year, month,
                 doy - (153 * mp + 2) / 5 + 1);
}

void PutTime(int64_t in_day, int64_t a_second, int digits, std::string* out) {
  const int64_t seconds = in_day / a_second;
  fmt::format_to(std::back_inserter(*out), "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60,
                 seconds % 60);
  if (in_day % a_second != 0) {
    fmt::format_to(std::back_inserter(*out), ".{:0{}}", in_day % a_second, digits);
  }
}

void PutTimestamp(int64_t value, int64_t a_day, int digits, bool utc, std::string* out) {
  const int64_t days = value >= 0 ? value / a_day : -((-(value + 1)) / a_day) - 1;
  PutDate(days, out);
  out->push_back(' ');
  PutTime(value - days * a_day, a_day / 86400, digits, out);
  if (utc) out->append("+00");
}

void PutDecimal(Int128 value, int scale, std::string* out) {
  const bool negative = value < 0;
  auto rest = negative ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  while (static_cast<int>(digits.size()) <= scale) digits.push_back('0');
  if (negative) out->push_back('-');
  for (size_t i = digits.size(); i-- > 0;) {
    out->push_back(digits[i]);
    if (scale > 0 && i == static_cast<size_t>(scale)) out->push_back('.');
  }
}

Int128 IntegerAt(const ColumnType& type, const ColumnValues& column, int64_t i) {
  switch (type.physical) {
    case Physical::kInt32:
      return type.is_signed ? Int128{column.as<int32_t>()[i]} : Int128{column.as<uint32_t>()[i]};
    case Physical::kInt64:
      return type.is_signed ? Int128{column.as<int64_t>()[i]} : Int128{column.as<uint64_t>()[i]};
    default: {
      const auto* words = column.as<uint64_t>() + 2 * i;
      return static_cast<Int128>(static_cast<UInt128>(words[1]) << 64 | words[0]);
    }
  }
}

void PutValue(const ColumnType& type, const ColumnValues& column, int64_t i, std::string* out) {
  switch (type.logical) {
    case Logical::kDate:
      return PutDate(column.as<int32_t>()[i], out);
    case Logical::kTimeMicros:
      return PutTime(column.as<int64_t>()[i], kMicrosADay / 86400, 6, out);
    case Logical::kTimestampMicros:
      return PutTimestamp(column.as<int64_t>()[i], kMicrosADay, 6, type.utc, out);
    case Logical::kTimestampNanos:
      return PutTimestamp(column.as<int64_t>()[i], kNanosADay, 9, type.utc, out);
    case Logical::kDecimal:
      return PutDecimal(IntegerAt(type, column, i), type.scale, out);
    case Logical::kInteger:
      return PutDecimal(IntegerAt(type, column, i), 0, out);
    case Logical::kString:
      return PutText(column.text(static_cast<size_t>(i)), out);
    case Logical::kNone:
      break;
  }
  switch (type.physical) {
    case Physical::kBool:
      out->append(column.as<uint8_t>()[i] != 0 ? "true" : "false");
      return;
    case Physical::kFloat:
      fmt::format_to(std::back_inserter(*out), "{}", column.as<float>()[i]);
      return;
    case Physical::kDouble:
      fmt::format_to(std::back_inserter(*out), "{}", column.as<double>()[i]);
      return;
    default:
      PutBlob(column.text(static_cast<size_t>(i)), out);
  }
}

}  // namespace

std::string CsvHeader(const std::vector<ColumnType>& types) {
  std::string out;
  for (size_t c = 0; c < types.size(); ++c) {
    if (c > 0) out.push_back(',');
    PutText(types[c].name, &out);
  }
  out.push_back('\n');
  return out;
}

void EncodeCsv(const std::vector<ColumnType>& types,
               const std::vector<const ColumnValues*>& columns, std::string* out) {
  if (columns.empty()) return;
  std::vector<int64_t> next(columns.size(), 0);
  const auto rows = static_cast<size_t>(columns[0]->rows);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) out->push_back(',');
      if (columns[c]->valid[r] == 0) continue;
      PutValue(types[c], *columns[c], next[c]++, out);
    }
    out->push_back('\n');
  }
}

}  // namespace lakegauge::columnar
