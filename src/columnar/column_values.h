#pragma once
// One column's values for a unit of rows, taken out of Arrow arrays: which rows are null, and the
// others' values without gaps, in the width that Parquet stores.
//
// Threads: one at a time. Errors: kUnsupported for an Arrow format that no base column has.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "columnar/column_type.h"

struct ArrowArray;
struct ArrowSchema;

namespace lakegauge::columnar {

// Memory that grows without being zeroed first and keeps its room when cleared.
class RawBuffer {
 public:
  RawBuffer() = default;
  RawBuffer(const RawBuffer& other) { Append(other.data(), other.size()); }
  RawBuffer(RawBuffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  RawBuffer& operator=(RawBuffer other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  size_t size() const { return size_; }
  void clear() { size_ = 0; }
  // Room for n more bytes, counted as filled; where to write them.
  char* Extend(size_t n) {
    if (size_ + n > capacity_) Grow(size_ + n);
    char* at = data_.get() + size_;
    size_ += n;
    return at;
  }
  void Append(const void* from, size_t n) {
    if (n > 0) std::memcpy(Extend(n), from, n);
  }
  void Truncate(size_t n) { size_ = n; }

 private:
  void Grow(size_t needed) {
    const size_t capacity = std::max(needed, capacity_ * 2);
    std::unique_ptr<char[]> grown(new char[capacity]);
    if (size_ > 0) std::memcpy(grown.get(), data_.get(), size_);
    data_ = std::move(grown);
    capacity_ = capacity;
  }
  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// Bytes of one value in ColumnValues::fixed: kBool 1, kInt32 and kFloat 4, kInt64 and kDouble 8,
// kFixed 16 (a little-endian 128-bit integer), kBytes 0.
int ValueWidth(Physical physical);

struct ColumnValues {
  int64_t rows = 0;
  int64_t nulls = 0;
  std::vector<uint8_t> valid;  // a byte a row, 1: not null
  RawBuffer fixed;             // all but kBytes
  RawBuffer bytes;             // kBytes: the values end to end ...
  std::vector<uint32_t> ends;  // ... and where each ends

  int64_t count() const { return rows - nulls; }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(fixed.data());
  }
  std::string_view text(size_t i) const {
    const uint32_t begin = i == 0 ? 0 : ends[i - 1];
    return {bytes.data() + begin, ends[i] - begin};
  }
  void Clear();
  // Rows [begin, begin + n), copied.
  ColumnValues Slice(Physical physical, int64_t begin, int64_t n) const;
  int64_t bytes_held() const {
    return static_cast<int64_t>(valid.size() + fixed.size() + bytes.size() + 4 * ends.size());
  }
};

// Takes rows of one column out of Arrow arrays of a stream.
class ColumnTaker {
 public:
  static Result<ColumnTaker> Make(const ColumnType& type, const ArrowSchema& schema);
  // Appends rows [offset, offset + n) of `array`.
  Status Take(const ArrowArray& array, int64_t offset, int64_t n, ColumnValues* out) const;

 private:
  enum class From { kBit, kI8, kU8, kI16, kU16, kI32, kI64, kI128, kOffsets32, kOffsets64, kViews };
  ColumnTaker(From from, Physical to) : from_(from), to_(to) {}
  From from_;
  Physical to_;
};

}  // namespace lakegauge::columnar
