#pragma once
// Byte sizes and durations as people write them, parsed and printed.
//
// Errors: kInvalidArgument with the text that was found and an example of what is allowed.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/result.h"

namespace lakegauge {

inline constexpr int64_t kKiB = 1024;
inline constexpr int64_t kMiB = 1024 * kKiB;
inline constexpr int64_t kGiB = 1024 * kMiB;
inline constexpr int64_t kNsPerUs = 1'000;
inline constexpr int64_t kNsPerMs = 1'000'000;
inline constexpr int64_t kNsPerS = 1'000'000'000;

// "8MiB", "8 MiB", "512KiB", "1.5GB", "100" (bytes). KB, MB, GB, TB are powers of 1000, KiB ... TiB
// of 1024; case does not matter. Bytes, never negative.
Result<int64_t> ParseBytes(std::string_view text);
// Shortest exact-looking form with binary units and at most one decimal: "8 MiB", "1.5 KiB", "17
// B".
std::string FormatBytes(int64_t bytes);

// "7ms", "1.5s", "250us", "2min", "3h", "100ns". Nanoseconds, never negative.
Result<int64_t> ParseDuration(std::string_view text);
// "7 ms", "1.50 s", "2 min 5 s", "3 h 20 min": for people, three significant digits below a minute.
std::string FormatDuration(int64_t ns);

// Bytes a second: "100MB/s", "1.5 GiB/s" or a plain number.
Result<double> ParseBandwidth(std::string_view text);

// The number that the whole text is, as std::from_chars reads it; nullopt where it is anything more
// or else.
template <typename Number>
std::optional<Number> NumberIn(std::string_view text) {
  Number number{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "1,234,567".
std::string FormatCount(int64_t n);

}  // namespace lakegauge
