#pragma once
// Files of one JSON object a line that only ever grow: what stands after the last newline was torn
// by a kill and is not read.
//
// Threads: pure functions. Errors: those of `take` and of the JSON, with "origin:line" before them.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge::record {

// Bytes up to and with the last newline.
inline size_t WholeLines(std::string_view text) {
  const size_t last = text.rfind('\n');
  return last == std::string_view::npos ? 0 : last + 1;
}

// Hands the JSON of each whole line to `take` (Status of const Json&), in their order.
template <typename Take>
Status EachJsonLine(std::string_view text, const std::string& origin, const Take& take) {
  const size_t whole = WholeLines(text);
  int64_t number = 0;
  for (size_t begin = 0; begin < whole;) {
    const size_t end = text.find('\n', begin);
    ++number;
    const auto line = ParseJson(text.substr(begin, end - begin));
    const Status taken = line.ok() ? take(*line) : Status(line.error());
    if (!taken.ok()) return taken.error().WithContext(fmt::format("{}:{}", origin, number));
    begin = end + 1;
  }
  return {};
}

}  // namespace lakegauge::record
