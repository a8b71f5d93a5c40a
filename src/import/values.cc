#include "import/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <optional>

#include "base/letters.h"
#include "base/units.h"

namespace lakegauge::imports {
namespace {

constexpr double kMostNs = 30.0 * 366 * 86'400 * 1e9;
constexpr size_t kLongestName = 256;

std::string_view Trimmed(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

Error Bad(std::string message) {
  return MakeError(ErrorCode::kInvalidArgument, std::move(message));
}

// What stands in an error: short, and printable.
std::string Shown(std::string_view text) {
  constexpr size_t kMost = 60;
  std::string shown;
  for (const char c : text.substr(0, kMost)) {
    const auto u = static_cast<unsigned char>(c);
    shown += u < 0x20 || u >= 0x7F ? '?' : c;
  }
  return text.size() > kMost ? shown + "..." : shown;
}

std::optional<int> Digits(std::string_view text, size_t at, size_t n) {
  if (at + n > text.size()) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, n)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t n = lead < 0x80             ? 1
                     : lead < 0xC2           ? 0
                     : (lead & 0xE0) == 0xC0 ? 2
                     : (lead & 0xF0) == 0xE0 ? 3
                     : lead < 0xF5           ? 4
                                             : 0;
    if (n == 0 || i + n > text.size()) return false;
    uint32_t point = n == 1 ? lead : lead & (0xFFU >> (n + 1));
    for (size_t k = 1; k < n; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) return false;
      point = (point << 6) | (next & 0x3F);
    }
    if ((n == 3 && point < 0x800) || (n == 4 && point < 0x10000) || point > 0x10FFFF ||
        (point >= 0xD800 && point < 0xE000)) {
      return false;
    }
    i += n;
  }
  return true;
}

Result<int64_t> ReadTime(std::string_view text, double ns_per_unit) {
  const std::string_view trimmed = Trimmed(text);
  auto number = NumberIn<double>(trimmed);
  if (!number && std::count(trimmed.begin(), trimmed.end(), ',') == 1 &&
      trimmed.find('.') == std::string_view::npos) {
    std::string point(trimmed);
    std::replace(point.begin(), point.end(), ',', '.');
    number = NumberIn<double>(point);
  }
  if (!number) {
    if (const auto with_unit = ParseDuration(trimmed); with_unit.ok()) return *with_unit;
    return Bad(fmt::format("'{}' is no time", Shown(trimmed)));
  }
  const double ns = *number * ns_per_unit;
  if (!(ns >= 0 && ns <= kMostNs)) {
    return Bad(fmt::format("'{}' is no time from 0 to 30 years", Shown(trimmed)));
  }
  return static_cast<int64_t>(std::llround(ns));
}

Result<int64_t> ReadInteger(std::string_view text) {
  const std::string_view trimmed = Trimmed(text);
  auto number = NumberIn<int64_t>(trimmed);
  // Spreadsheets write 3 as 3.0.
  if (const auto wide = NumberIn<double>(trimmed);
      !number && wide && *wide == std::floor(*wide) && std::abs(*wide) < 1e15) {
    number = static_cast<int64_t>(*wide);
  }
  if (!number || *number < 0) {
    return Bad(fmt::format("'{}' is no integer from 0", Shown(trimmed)));
  }
  return *number;
}

Result<bool> ReadBool(std::string_view text) {
  const std::string lower = Lower(Trimmed(text));
  if (lower == "true" || lower == "yes" || lower == "1") return true;
  if (lower.empty() || lower == "false" || lower == "no" || lower == "0") return false;
  return Bad(fmt::format("'{}' is neither true nor false", Shown(text)));
}

Result<record::ExecutionStatus> ReadStatus(std::string_view text) {
  using record::ExecutionStatus;
  static constexpr std::pair<std::string_view, ExecutionStatus> kKnown[] = {
      {"", ExecutionStatus::kOk},
      {"ok", ExecutionStatus::kOk},
      {"true", ExecutionStatus::kOk},
      {"success", ExecutionStatus::kOk},
      {"successful", ExecutionStatus::kOk},
      {"succeeded", ExecutionStatus::kOk},
      {"pass", ExecutionStatus::kOk},
      {"passed", ExecutionStatus::kOk},
      {"completed", ExecutionStatus::kOk},
      {"finished", ExecutionStatus::kOk},
      {"false", ExecutionStatus::kFailed},
      {"fail", ExecutionStatus::kFailed},
      {"failed", ExecutionStatus::kFailed},
      {"failure", ExecutionStatus::kFailed},
      {"error", ExecutionStatus::kFailed},
      {"timeout", ExecutionStatus::kTimeout},
      {"timed_out", ExecutionStatus::kTimeout},
      {"wrong_result", ExecutionStatus::kWrongResult},
      {"cancelled", ExecutionStatus::kCancelled},
      {"canceled", ExecutionStatus::kCancelled},
      {"aborted", ExecutionStatus::kCancelled},
  };
  std::string lower(Trimmed(text));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
    return c == ' ' || c == '-' ? '_' : static_cast<char>(std::tolower(c));
  });
  for (const auto& [name, status] : kKnown) {
    if (name == lower) return status;
  }
  return Bad(fmt::format("'{}' is no known status (ok, failed, timeout, wrong_result, cancelled)",
                         Shown(text)));
}

Result<int64_t> ReadMoment(std::string_view text) {
  const std::string_view trimmed = Trimmed(text);
  if (const auto ms = NumberIn<int64_t>(trimmed)) {
    if (*ms < 0 || *ms > INT64_MAX / kNsPerMs) {
      return Bad(fmt::format("'{}' is no number of milliseconds since 1970", Shown(trimmed)));
    }
    return *ms * kNsPerMs;
  }
  const auto wrong = [&] {
    return Bad(
        fmt::format("'{}' is no moment: milliseconds since 1970, or "
                    "2026-01-31T12:00:00.123Z",
                    Shown(trimmed)));
  };
  const auto year = Digits(trimmed, 0, 4), month = Digits(trimmed, 5, 2),
             day = Digits(trimmed, 8, 2), hour = Digits(trimmed, 11, 2),
             minute = Digits(trimmed, 14, 2), second = Digits(trimmed, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second || trimmed.back() != 'Z' ||
      trimmed[4] != '-' || trimmed[7] != '-' || (trimmed[10] != 'T' && trimmed[10] != ' ') ||
      trimmed[13] != ':' || trimmed[16] != ':' || *year < 1970 || *year > 2200 || *month < 1 ||
      *month > 12 || *day < 1 || *day > 31 || *hour > 23 || *minute > 59 || *second > 60) {
    return wrong();
  }
  int64_t nanoseconds = 0;
  const std::string_view fraction = trimmed.substr(19, trimmed.size() - 20);
  if (!fraction.empty()) {
    if (fraction[0] != '.' || fraction.size() > 10) return wrong();
    std::string digits(fraction.substr(1));
    digits.resize(9, '0');
    const auto parsed = NumberIn<int64_t>(digits);
    if (!parsed || *parsed < 0) return wrong();
    nanoseconds = *parsed;
  }
  tm parts{};
  parts.tm_year = *year - 1900;
  parts.tm_mon = *month - 1;
  parts.tm_mday = *day;
  parts.tm_hour = *hour;
  parts.tm_min = *minute;
  parts.tm_sec = *second;
  return static_cast<int64_t>(timegm(&parts)) * kNsPerS + nanoseconds;
}

Result<std::string> ReadName(std::string_view text) {
  const std::string_view trimmed = Trimmed(text);
  if (trimmed.empty()) return Bad("it is empty");
  if (trimmed.size() > kLongestName) {
    return Bad(fmt::format("it has {} bytes; allowed {}", trimmed.size(), kLongestName));
  }
  if (!IsUtf8(trimmed)) return Bad(fmt::format("'{}' is not UTF-8", Shown(trimmed)));
  if (std::any_of(trimmed.begin(), trimmed.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
    return Bad(fmt::format("'{}' holds control characters", Shown(trimmed)));
  }
  return std::string(trimmed);
}

}  // namespace lakegauge::imports
