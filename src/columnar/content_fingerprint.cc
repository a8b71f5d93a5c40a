#include "columnar/content_fingerprint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace lakegauge::columnar {
namespace {

void PutBigEndian(uint64_t value, char* to) {
  const uint64_t swapped = __builtin_bswap64(value);
  std::memcpy(to, &swapped, 8);
}

uint64_t BitsOf(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  if (value == 0) value = 0.0;  // -0 as +0
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

// A column's bytes in each row: 0 for null, else 1 and what `put` writes of its next value, which
// tells how much that is.
template <typename PutFn>
void PutEach(const ColumnValues& column, std::vector<uint32_t>& at, char* rows, PutFn put) {
  int64_t next = 0;
  for (size_t r = 0; r < at.size(); ++r) {
    char* to = rows + at[r];
    if (column.valid[r] == 0) {
      *to = 0;
      at[r] += 1;
      continue;
    }
    *to = 1;
    at[r] += 1 + put(next++, to + 1);
  }
}

void PutColumn(const ColumnType& type, const ColumnValues& column, std::vector<uint32_t>& at,
               char* rows) {
  const auto put_words = [&](const auto* values, auto word_of) {
    PutEach(column, at, rows, [values, word_of](int64_t i, char* to) {
      PutBigEndian(word_of(values[i]), to);
      return 8u;
    });
  };
  const auto widened = [](auto value) { return static_cast<uint64_t>(int64_t{value}); };
  switch (type.physical) {
    case Physical::kBool:
      return put_words(column.as<uint8_t>(), widened);
    case Physical::kInt32:
      if (type.is_signed) return put_words(column.as<int32_t>(), widened);
      return put_words(column.as<uint32_t>(), widened);
    case Physical::kInt64:
      return put_words(column.as<uint64_t>(), [](uint64_t value) { return value; });
    case Physical::kFloat:
      return put_words(column.as<float>(), BitsOf);
    case Physical::kDouble:
      return put_words(column.as<double>(), BitsOf);
    case Physical::kFixed:
      return PutEach(column, at, rows, [&](int64_t i, char* to) {
        const auto* words = column.as<uint64_t>() + 2 * i;
        PutBigEndian(words[1], to);
        PutBigEndian(words[0], to + 8);
        return 16u;
      });
    case Physical::kBytes:
      return PutEach(column, at, rows, [&](int64_t i, char* to) {
        const auto text = column.text(static_cast<size_t>(i));
        PutBigEndian(text.size(), to);
        if (!text.empty()) std::memcpy(to + 8, text.data(), text.size());
        return static_cast<uint32_t>(8 + text.size());
      });
  }
}

}  // namespace

void ContentFingerprint::Add(const std::vector<ColumnType>& types,
                             const std::vector<ColumnValues>& columns) {
  if (columns.empty() || columns[0].rows == 0) return;
  const auto rows = static_cast<size_t>(columns[0].rows);
  // Where each row's bytes begin: room for every value, a null's included.
  std::vector<uint32_t> ends(rows, 0);
  size_t fixed = 0;
  for (size_t c = 0; c < types.size(); ++c) fixed += types[c].physical == Physical::kFixed ? 17 : 9;
  for (size_t r = 0; r < rows; ++r) ends[r] = static_cast<uint32_t>(fixed);
  for (size_t c = 0; c < types.size(); ++c) {
    if (types[c].physical != Physical::kBytes) continue;
    size_t next = 0;
    for (size_t r = 0; r < rows; ++r) {
      if (columns[c].valid[r] != 0) {
        ends[r] += static_cast<uint32_t>(columns[c].text(next++).size());
      }
    }
  }
  std::vector<uint32_t> begins(rows);
  uint32_t total = 0;
  for (size_t r = 0; r < rows; ++r) {
    begins[r] = total;
    total += ends[r];
  }
  at_ = begins;
  row_bytes_.clear();
  char* bytes = row_bytes_.Extend(total);
  for (size_t c = 0; c < types.size(); ++c) PutColumn(types[c], columns[c], at_, bytes);
  for (size_t r = 0; r < rows; ++r) {
    const uint64_t hash = XXH64(bytes + begins[r], at_[r] - begins[r], 0);
    sum_ += hash;
    xor_ ^= hash;
  }
  rows_ += static_cast<int64_t>(rows);
}

void ContentFingerprint::Merge(const ContentFingerprint& other) {
  sum_ += other.sum_;
  xor_ ^= other.xor_;
  rows_ += other.rows_;
}

std::string ContentFingerprint::Text() const {
  return fmt::format("xxh64:{:016x}:{:016x}:{}", sum_, xor_, rows_);
}

}  // namespace lakegauge::columnar
