#include "columnar/column_values.h"

#include <arrow/c/abi.h>
#include <fmt/format.h>

#include <algorithm>

namespace lakegauge::columnar {
namespace {

// A unit is far smaller; only rows of giant strings come near.
constexpr size_t kMaxUnitBytes = size_t{1} << 30;

bool Bit(const uint8_t* bits, int64_t i) { return (bits[i >> 3] >> (i & 7) & 1) != 0; }

// A 128-bit integer as it lies in Arrow's buffers, which need not be aligned to 16 bytes.
struct Wide {
  int64_t low;
  int64_t high;
  explicit operator int32_t() const { return static_cast<int32_t>(low); }
  explicit operator int64_t() const { return low; }
};

// Marks n rows as valid or not, by the bitmap (null: all valid).
void TakeValidity(const uint8_t* bits, int64_t first, int64_t n, ColumnValues* out) {
  const size_t before = out->valid.size();
  out->valid.resize(before + static_cast<size_t>(n), 1);
  out->rows += n;
  if (bits == nullptr) return;
  int64_t valid = 0;
  uint8_t* to = out->valid.data() + before;
  for (int64_t i = 0; i < n; ++i) {
    to[i] = Bit(bits, first + i);
    valid += to[i];
  }
  out->nulls += n - valid;
}

template <typename From, typename To>
void TakeFixed(const ArrowArray& array, const uint8_t* bits, int64_t first, int64_t n,
               ColumnValues* out) {
  const auto* from = static_cast<const From*>(array.buffers[1]) + first;
  auto* to = reinterpret_cast<To*>(out->fixed.Extend(static_cast<size_t>(n) * sizeof(To)));
  if (bits == nullptr) {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
    return;
  }
  // Branchless: a null's slot is written and then overwritten by the next value.
  const uint8_t* valid = out->valid.data() + out->valid.size() - static_cast<size_t>(n);
  int64_t kept = 0;
  for (int64_t i = 0; i < n; ++i) {
    to[kept] = static_cast<To>(from[i]);
    kept += valid[i];
  }
  out->fixed.Truncate(out->fixed.size() - static_cast<size_t>(n - kept) * sizeof(To));
}

void TakeBits(const ArrowArray& array, int64_t first, int64_t n, ColumnValues* out) {
  const auto* from = static_cast<const uint8_t*>(array.buffers[1]);
  const uint8_t* valid = out->valid.data() + out->valid.size() - static_cast<size_t>(n);
  for (int64_t i = 0; i < n; ++i) {
    if (valid[i] != 0) *out->fixed.Extend(1) = Bit(from, first + i) ? 1 : 0;
  }
}

template <typename Offset>
void TakeOffsets(const ArrowArray& array, const uint8_t* bits, int64_t first, int64_t n,
                 ColumnValues* out) {
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + first;
  const auto* data = static_cast<const char*>(array.buffers[2]);
  auto end = static_cast<uint32_t>(out->bytes.size());
  if (n > 0) {
    out->bytes.Append(data + offsets[0], static_cast<size_t>(offsets[n] - offsets[0]));
  }
  if (bits == nullptr) {
    for (int64_t i = 0; i < n; ++i) {
      end += static_cast<uint32_t>(offsets[i + 1] - offsets[i]);
      out->ends.push_back(end);
    }
    return;
  }
  // A null's bytes, were there any, are left out.
  out->bytes.Truncate(end);
  const uint8_t* valid = out->valid.data() + out->valid.size() - static_cast<size_t>(n);
  for (int64_t i = 0; i < n; ++i) {
    if (valid[i] == 0) continue;
    const auto length = static_cast<size_t>(offsets[i + 1] - offsets[i]);
    if (length > 0) out->bytes.Append(data + offsets[i], length);
    end += static_cast<uint32_t>(length);
    out->ends.push_back(end);
  }
}

// Arrow's string view: length, then either 12 bytes inline or prefix, buffer and offset.
struct ViewReference {
  char prefix[4];
  int32_t buffer;
  int32_t offset;
};
struct View {
  int32_t length;
  union {
    char inlined[12];
    ViewReference ref;
  };
};

void TakeViews(const ArrowArray& array, int64_t first, int64_t n, ColumnValues* out) {
  const auto* views = static_cast<const View*>(array.buffers[1]) + first;
  const uint8_t* valid = out->valid.data() + out->valid.size() - static_cast<size_t>(n);
  auto end = static_cast<uint32_t>(out->bytes.size());
  for (int64_t i = 0; i < n; ++i) {
    if (valid[i] == 0) continue;
    const View& view = views[i];
    const char* from =
        view.length <= 12
            ? view.inlined
            : static_cast<const char*>(array.buffers[2 + view.ref.buffer]) + view.ref.offset;
    const auto length = static_cast<size_t>(view.length);
    out->bytes.Append(from, length);
    end += static_cast<uint32_t>(length);
    out->ends.push_back(end);
  }
}

}  // namespace

int ValueWidth(Physical physical) {
  switch (physical) {
    case Physical::kBool:
      return 1;
    case Physical::kInt32:
    case Physical::kFloat:
      return 4;
    case Physical::kInt64:
    case Physical::kDouble:
      return 8;
    case Physical::kFixed:
      return 16;
    case Physical::kBytes:
      return 0;
  }
  return 0;
}

void ColumnValues::Clear() {
  rows = 0;
  nulls = 0;
  valid.clear();
  fixed.clear();
  bytes.clear();
  ends.clear();
}

ColumnValues ColumnValues::Slice(Physical physical, int64_t begin, int64_t n) const {
  const auto count_valid = [&](int64_t from, int64_t to) {
    return std::count(valid.begin() + from, valid.begin() + to, uint8_t{1});
  };
  const auto first = static_cast<size_t>(count_valid(0, begin));
  const auto kept = static_cast<size_t>(count_valid(begin, begin + n));
  ColumnValues out;
  out.rows = n;
  out.nulls = n - static_cast<int64_t>(kept);
  out.valid.assign(valid.begin() + begin, valid.begin() + begin + n);
  if (kept == 0) return out;
  if (physical != Physical::kBytes) {
    const auto width = static_cast<size_t>(ValueWidth(physical));
    out.fixed.Append(fixed.data() + first * width, kept * width);
    return out;
  }
  const uint32_t from = first == 0 ? 0 : ends[first - 1];
  out.bytes.Append(bytes.data() + from, ends[first + kept - 1] - from);
  for (size_t i = first; i < first + kept; ++i) out.ends.push_back(ends[i] - from);
  return out;
}

Result<ColumnTaker> ColumnTaker::Make(const ColumnType& type, const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  const auto make = [&](From from) { return ColumnTaker(from, type.physical); };
  if (format == "b") return make(From::kBit);
  if (format == "c") return make(From::kI8);
  if (format == "C") return make(From::kU8);
  if (format == "s") return make(From::kI16);
  if (format == "S") return make(From::kU16);
  if (format == "i" || format == "I" || format == "f" || format == "tdD") return make(From::kI32);
  if (format == "l" || format == "L" || format == "g" || format.starts_with("ts") ||
      format == "ttu" || format == "ttn") {
    return make(From::kI64);
  }
  if (format == "u" || format == "z") return make(From::kOffsets32);
  if (format == "U" || format == "Z") return make(From::kOffsets64);
  if (format == "vu" || format == "vz") return make(From::kViews);
  if (format.starts_with("d:")) {
    const auto commas = std::count(format.begin(), format.end(), ',');
    if (commas == 2 && format.ends_with(",32")) return make(From::kI32);
    if (commas == 2 && format.ends_with(",64")) return make(From::kI64);
    if (commas == 1 || format.ends_with(",128")) return make(From::kI128);
  }
  return MakeError(
      ErrorCode::kUnsupported,
      fmt::format("column {} comes as Arrow format '{}', which is not taken", type.name, format));
}

Status ColumnTaker::Take(const ArrowArray& array, int64_t offset, int64_t n,
                         ColumnValues* out) const {
  const int64_t first = array.offset + offset;
  const auto* bits = array.null_count == 0 || array.n_buffers == 0
                         ? nullptr
                         : static_cast<const uint8_t*>(array.buffers[0]);
  TakeValidity(bits, first, n, out);
  switch (from_) {
    case From::kBit:
      TakeBits(array, first, n, out);
      break;
    case From::kI8:
      TakeFixed<int8_t, int32_t>(array, bits, first, n, out);
      break;
    case From::kU8:
      TakeFixed<uint8_t, int32_t>(array, bits, first, n, out);
      break;
    case From::kI16:
      TakeFixed<int16_t, int32_t>(array, bits, first, n, out);
      break;
    case From::kU16:
      TakeFixed<uint16_t, int32_t>(array, bits, first, n, out);
      break;
    case From::kI32:  // floats too: only their bits are moved
      if (to_ == Physical::kInt64) {
        TakeFixed<int32_t, int64_t>(array, bits, first, n, out);
      } else {
        TakeFixed<int32_t, int32_t>(array, bits, first, n, out);
      }
      break;
    case From::kI64:
      if (to_ == Physical::kInt32) {
        TakeFixed<int64_t, int32_t>(array, bits, first, n, out);
      } else {
        TakeFixed<int64_t, int64_t>(array, bits, first, n, out);
      }
      break;
    case From::kI128:
      if (to_ == Physical::kInt32) {
        TakeFixed<Wide, int32_t>(array, bits, first, n, out);
      } else if (to_ == Physical::kInt64) {
        TakeFixed<Wide, int64_t>(array, bits, first, n, out);
      } else {
        TakeFixed<Wide, Wide>(array, bits, first, n, out);
      }
      break;
    case From::kOffsets32:
      TakeOffsets<int32_t>(array, bits, first, n, out);
      break;
    case From::kOffsets64:
      TakeOffsets<int64_t>(array, bits, first, n, out);
      break;
    case From::kViews:
      TakeViews(array, first, n, out);
      break;
  }
  if (out->bytes.size() > kMaxUnitBytes) {
    return MakeError(ErrorCode::kUnsupported, "a unit of rows holds over 1 GiB of text");
  }
  return {};
}

}  // namespace lakegauge::columnar
