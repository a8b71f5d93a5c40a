#include "columnar/page_encoder.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace lakegauge::columnar {
namespace {

constexpr int64_t kBlock = 128;     // values a block of DELTA_BINARY_PACKED
constexpr int64_t kMiniblock = 32;  // values a miniblock
constexpr size_t kLongestBound = 64;

void PutVarInt(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}

// Packs n values (a multiple of 8) of `width` bits, least significant bit first.
template <typename U>
void PackBits(const U* values, int64_t n, int width, std::string* out) {
  if (width == 0) return;
  const size_t before = out->size();
  const auto bytes = static_cast<size_t>(n * width / 8);
  out->resize(before + bytes + 8);
  char* to = out->data() + before;
  uint64_t held = 0;
  int bits = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto value = static_cast<uint64_t>(values[i]);
    held |= value << bits;
    bits += width;
    if (bits >= 64) {
      std::memcpy(to, &held, 8);
      to += 8;
      bits -= 64;
      held = bits == 0 ? 0 : value >> (width - bits);
    }
  }
  std::memcpy(to, &held, 8);
  out->resize(before + bytes);
}

template <typename T>
void EncodeDeltaOf(const T* values, int64_t n, std::string* out) {
  using U = std::make_unsigned_t<T>;
  PutVarInt(kBlock, out);
  PutVarInt(kBlock / kMiniblock, out);
  PutVarInt(static_cast<uint64_t>(n), out);
  PutVarInt(ZigZag(n == 0 ? 0 : values[0]), out);
  U deltas[kBlock];
  for (int64_t at = 1; at < n; at += kBlock) {
    const int64_t m = std::min(kBlock, n - at);
    T least = std::numeric_limits<T>::max();
    for (int64_t i = 0; i < m; ++i) {
      deltas[i] = static_cast<U>(values[at + i]) - static_cast<U>(values[at + i - 1]);
      least = std::min(least, static_cast<T>(deltas[i]));
    }
    for (int64_t i = 0; i < m; ++i) deltas[i] -= static_cast<U>(least);
    std::fill(deltas + m, deltas + kBlock, U{0});
    PutVarInt(ZigZag(least), out);
    int widths[kBlock / kMiniblock] = {};
    for (int64_t b = 0; b * kMiniblock < m; ++b) {
      U all = 0;
      for (int64_t i = 0; i < kMiniblock; ++i) all |= deltas[b * kMiniblock + i];
      widths[b] = static_cast<int>(std::bit_width(all));
    }
    for (const int width : widths) out->push_back(static_cast<char>(width));
    for (int64_t b = 0; b * kMiniblock < m; ++b) {
      PackBits(deltas + b * kMiniblock, kMiniblock, widths[b], out);
    }
  }
}

void PutLength(size_t length, std::string* out) {
  const auto n = static_cast<uint32_t>(length);
  out->append(reinterpret_cast<const char*>(&n), 4);
}

// Definition levels of a nullable column: a length, then runs of 0 and 1.
void EncodeLevels(const ColumnValues& values, std::string* out) {
  const size_t before = out->size();
  out->append(4, '\0');
  if (values.nulls == 0 || values.nulls == values.rows) {
    PutVarInt(static_cast<uint64_t>(values.rows) << 1, out);
    out->push_back(values.nulls == 0 ? 1 : 0);
  } else {
    // Bit-packed in one run: at most an eighth of a byte a row, and nothing to search for.
    const auto groups = (values.rows + 7) / 8;
    PutVarInt(static_cast<uint64_t>(groups) << 1 | 1, out);
    const size_t at = out->size();
    out->resize(at + static_cast<size_t>(groups));
    for (int64_t i = 0; i < values.rows; i += 8) {
      unsigned byte = 0;
      const int64_t m = std::min<int64_t>(8, values.rows - i);
      for (int64_t j = 0; j < m; ++j)
        byte |= unsigned{values.valid[static_cast<size_t>(i + j)]} << j;
      (*out)[at + static_cast<size_t>(i / 8)] = static_cast<char>(byte);
    }
  }
  const auto length = static_cast<uint32_t>(out->size() - before - 4);
  std::memcpy(out->data() + before, &length, 4);
}

// Big-endian two's complement in so many bytes.
void PutFixed(const char* little_endian, int bytes, std::string* out) {
  for (int b = bytes - 1; b >= 0; --b) out->push_back(little_endian[b]);
}

int64_t NumberAt(Physical physical, const ColumnValues& values, int64_t i) {
  if (physical == Physical::kInt32) return values.as<int32_t>()[i];
  return values.as<int64_t>()[i];
}

bool EncodeCodes(const ColumnPlan& plan, const ColumnValues& values, std::string* out) {
  const Dictionary& dictionary = *plan.dictionary;
  const int64_t n = values.count();
  std::vector<uint32_t> codes(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const int32_t code = plan.type.physical == Physical::kBytes
                             ? dictionary.CodeOf(values.text(static_cast<size_t>(i)))
                             : dictionary.CodeOf(NumberAt(plan.type.physical, values, i));
    if (code < 0) return false;
    codes[static_cast<size_t>(i)] = static_cast<uint32_t>(code);
  }
  out->push_back(static_cast<char>(dictionary.bit_width()));
  EncodeRle(codes.data(), n, dictionary.bit_width(), out);
  return true;
}

template <typename T>
std::string Raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <typename T>
T Unraw(const std::string& raw) {
  T value;
  std::memcpy(&value, raw.data(), sizeof value);
  return value;
}

template <typename T>
void NumberBounds(const ColumnValues& values, Bounds* out) {
  const T* v = values.as<T>();
  const int64_t n = values.count();
  T least = v[0];
  T greatest = v[0];
  if constexpr (std::is_floating_point_v<T>) {
    for (int64_t i = 0; i < n; ++i) {
      if (std::isnan(v[i])) return;
    }
  }
  for (int64_t i = 1; i < n; ++i) {
    least = std::min(least, v[i]);
    greatest = std::max(greatest, v[i]);
  }
  if constexpr (std::is_floating_point_v<T>) {
    // The format asks for -0 below and +0 above, since the two compare equal.
    if (least == 0) least = T{-0.0};
    if (greatest == 0) greatest = T{0.0};
  }
  out->min = Raw(least);
  out->max = Raw(greatest);
  out->known = true;
}

// Big-endian two's complement compares as bytes once its sign bit is flipped.
bool FixedLess(const std::string& a, const std::string& b) {
  const auto flip = [](std::string text) {
    text[0] = static_cast<char>(text[0] ^ 0x80);
    return text;
  };
  return flip(a) < flip(b);
}

bool Less(const ColumnType& type, const std::string& a, const std::string& b) {
  switch (type.physical) {
    case Physical::kBool:
      return a[0] < b[0];
    case Physical::kInt32:
      return type.is_signed ? Unraw<int32_t>(a) < Unraw<int32_t>(b)
                            : Unraw<uint32_t>(a) < Unraw<uint32_t>(b);
    case Physical::kInt64:
      return type.is_signed ? Unraw<int64_t>(a) < Unraw<int64_t>(b)
                            : Unraw<uint64_t>(a) < Unraw<uint64_t>(b);
    case Physical::kFloat:
      return Unraw<float>(a) < Unraw<float>(b);
    case Physical::kDouble:
      return Unraw<double>(a) < Unraw<double>(b);
    case Physical::kFixed:
      return FixedLess(a, b);
    case Physical::kBytes:
      return a < b;  // std::string compares its bytes as unsigned
  }
  return false;
}

void TextBounds(const ColumnValues& values, Bounds* out) {
  std::string_view least = values.text(0);
  std::string_view greatest = least;
  for (size_t i = 1; i < values.ends.size(); ++i) {
    const auto text = values.text(i);
    if (text < least) least = text;
    if (text > greatest) greatest = text;
  }
  if (least.size() > kLongestBound || greatest.size() > kLongestBound) return;
  out->min = least;
  out->max = greatest;
  out->known = true;
}

void FixedBounds(const ColumnType& type, const ColumnValues& values, Bounds* out) {
  for (int64_t i = 0; i < values.count(); ++i) {
    std::string value;
    PutFixed(values.fixed.data() + i * 16, type.fixed_length, &value);
    if (i == 0 || FixedLess(value, out->min)) out->min = value;
    if (i == 0 || FixedLess(out->max, value)) out->max = value;
  }
  out->known = true;
}

uint64_t HashText(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace

Dictionary::Dictionary(Physical physical, ColumnValues values) : values_(std::move(values)) {
  EncodePlain(physical, 0, values_, &page_);
  const int64_t n = values_.count();
  bit_width_ = std::max(
      1, static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(n, 1) - 1))));
  if (physical != Physical::kBytes) {
    for (int64_t i = 0; i < n; ++i) {
      numbers_[NumberAt(physical, values_, i)] = static_cast<int32_t>(i);
    }
    return;
  }
  slots_.assign(std::bit_ceil(static_cast<size_t>(n) * 2 + 2), -1);
  for (int64_t i = 0; i < n; ++i) {
    size_t slot = HashText(values_.text(static_cast<size_t>(i))) & (slots_.size() - 1);
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<int32_t>(i);
  }
}

int32_t Dictionary::CodeOf(int64_t value) const {
  const auto it = numbers_.find(value);
  return it == numbers_.end() ? -1 : it->second;
}

int32_t Dictionary::CodeOf(std::string_view value) const {
  size_t slot = HashText(value) & (slots_.size() - 1);
  while (slots_[slot] >= 0) {
    if (values_.text(static_cast<size_t>(slots_[slot])) == value) return slots_[slot];
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return -1;
}

void EncodePlain(Physical physical, int fixed_length, const ColumnValues& values,
                 std::string* out) {
  const int64_t n = values.count();
  switch (physical) {
    case Physical::kBool: {
      std::vector<uint8_t> padded(static_cast<size_t>((n + 7) / 8 * 8), 0);
      if (n > 0) std::memcpy(padded.data(), values.fixed.data(), static_cast<size_t>(n));
      PackBits(padded.data(), static_cast<int64_t>(padded.size()), 1, out);
      return;
    }
    case Physical::kBytes:
      for (size_t i = 0; i < values.ends.size(); ++i) {
        const auto text = values.text(i);
        PutLength(text.size(), out);
        out->append(text);
      }
      return;
    case Physical::kFixed:
      for (int64_t i = 0; i < n; ++i) PutFixed(values.fixed.data() + i * 16, fixed_length, out);
      return;
    default:
      out->append(values.fixed.data(), values.fixed.size());
  }
}

void EncodeDelta(const int32_t* values, int64_t n, std::string* out) {
  EncodeDeltaOf(values, n, out);
}
void EncodeDelta(const int64_t* values, int64_t n, std::string* out) {
  EncodeDeltaOf(values, n, out);
}

void EncodeRle(const uint32_t* values, int64_t n, int bit_width, std::string* out) {
  const int value_bytes = (bit_width + 7) / 8;
  int64_t packed_from = 0;  // first value not yet written; always so that packed runs are of eights
  const auto pack_until = [&](int64_t end) {
    if (end == packed_from) return;
    const int64_t groups = (end - packed_from + 7) / 8;
    PutVarInt(static_cast<uint64_t>(groups) << 1 | 1, out);
    std::vector<uint32_t> padded(values + packed_from, values + end);
    padded.resize(static_cast<size_t>(groups * 8), 0);
    PackBits(padded.data(), groups * 8, bit_width, out);
    packed_from = end;
  };
  int64_t i = 0;
  while (i < n) {
    int64_t end = i + 1;
    while (end < n && values[end] == values[i]) ++end;
    // A packed run before this one must be whole eights: it takes what it lacks from here.
    const int64_t lacking = (8 - (i - packed_from) % 8) % 8;
    const int64_t start = std::min(end, i + lacking);
    if (end - start >= 8) {
      pack_until(start);
      PutVarInt(static_cast<uint64_t>(end - start) << 1, out);
      for (int b = 0; b < value_bytes; ++b) {
        out->push_back(static_cast<char>(values[start] >> (8 * b)));
      }
      packed_from = end;
    }
    i = end;
  }
  pack_until(n);
}

bool EncodePage(const ColumnPlan& plan, const ColumnValues& values, std::string* out) {
  EncodeLevels(values, out);
  switch (plan.encoding) {
    case Encoding::kPlain:
      EncodePlain(plan.type.physical, plan.type.fixed_length, values, out);
      return true;
    case Encoding::kDelta:
      if (plan.type.physical == Physical::kInt32) {
        EncodeDelta(values.as<int32_t>(), values.count(), out);
      } else {
        EncodeDelta(values.as<int64_t>(), values.count(), out);
      }
      return true;
    case Encoding::kDictionary:
      return EncodeCodes(plan, values, out);
  }
  return false;
}

Bounds BoundsOf(const ColumnType& type, const ColumnValues& values) {
  Bounds out;
  out.nulls = values.nulls;
  if (values.count() == 0) return out;
  switch (type.physical) {
    case Physical::kBool:
      NumberBounds<uint8_t>(values, &out);
      break;
    case Physical::kInt32:
      type.is_signed ? NumberBounds<int32_t>(values, &out) : NumberBounds<uint32_t>(values, &out);
      break;
    case Physical::kInt64:
      type.is_signed ? NumberBounds<int64_t>(values, &out) : NumberBounds<uint64_t>(values, &out);
      break;
    case Physical::kFloat:
      NumberBounds<float>(values, &out);
      break;
    case Physical::kDouble:
      NumberBounds<double>(values, &out);
      break;
    case Physical::kFixed:
      FixedBounds(type, values, &out);
      break;
    case Physical::kBytes:
      TextBounds(values, &out);
      break;
  }
  out.unusable = !out.known;
  return out;
}

void Merge(const ColumnType& type, const Bounds& more, Bounds* into) {
  into->nulls += more.nulls;
  into->unusable = into->unusable || more.unusable;
  if (into->unusable) {
    into->known = false;
    into->min.clear();
    into->max.clear();
    return;
  }
  if (!more.known) return;
  if (!into->known) {
    into->known = true;
    into->min = more.min;
    into->max = more.max;
    return;
  }
  if (Less(type, more.min, into->min)) into->min = more.min;
  if (Less(type, into->max, more.max)) into->max = more.max;
}

}  // namespace lakegauge::columnar
