#pragma once
// Encodes one column's values of a unit of rows as the body of a Parquet data page (version 1: the
// definition levels, then the values), and knows their bounds.
//
// Threads: plans and dictionaries are shared, read only; a call uses nothing else.
// Source: Parquet format, Encodings.md.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "columnar/column_type.h"
#include "columnar/column_values.h"

namespace lakegauge::columnar {

enum class Encoding {
  kPlain = 0,
  kDelta = 5,       // DELTA_BINARY_PACKED: INT32, INT64
  kDictionary = 8,  // RLE_DICTIONARY
};

// The values a whole table's column takes, in a fixed order, and the code of each.
class Dictionary {
 public:
  // `values`: distinct, not null, in the order of their codes.
  Dictionary(Physical physical, ColumnValues values);
  int64_t size() const { return values_.count(); }
  int bit_width() const { return bit_width_; }
  // Body of the dictionary page, PLAIN.
  const std::string& page() const { return page_; }
  // Code of a value, or -1.
  int32_t CodeOf(int64_t value) const;
  int32_t CodeOf(std::string_view value) const;

 private:
  ColumnValues values_;
  std::string page_;
  int bit_width_ = 1;
  std::unordered_map<int64_t, int32_t> numbers_;
  std::vector<int32_t> slots_;  // open addressing over the hash of a text
};

// How a column of a table is stored, in every layout.
struct ColumnPlan {
  ColumnType type;
  Encoding encoding = Encoding::kPlain;
  std::shared_ptr<const Dictionary> dictionary;  // kDictionary
};

// Appends the page's body. False: a value is not in the dictionary (the plan is not this table's).
bool EncodePage(const ColumnPlan& plan, const ColumnValues& values, std::string* out);

// Least and greatest value, as Parquet's statistics hold them (PLAIN, no length before text).
struct Bounds {
  int64_t nulls = 0;
  bool known = false;     // false: no value, a NaN, or a text too long to be worth its bytes
  bool unusable = false;  // some part had values but no bounds
  std::string min;
  std::string max;
};
Bounds BoundsOf(const ColumnType& type, const ColumnValues& values);
// Widens `into` by `more`.
void Merge(const ColumnType& type, const Bounds& more, Bounds* into);

// Pieces, for tests and the dictionary's page.
void EncodePlain(Physical physical, int fixed_length, const ColumnValues& values, std::string* out);
void EncodeDelta(const int32_t* values, int64_t n, std::string* out);
void EncodeDelta(const int64_t* values, int64_t n, std::string* out);
void EncodeRle(const uint32_t* values, int64_t n, int bit_width, std::string* out);

}  // namespace lakegauge::columnar
