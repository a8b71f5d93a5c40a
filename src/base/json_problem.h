#pragma once
// What the JSON library says is wrong, without its own names: "key 'run' not found".
//
// Threads: values.

#include <string>
#include <string_view>

#include "base/json.h"

namespace lakegauge {

inline std::string JsonProblem(const Json::exception& thrown) {
  const std::string_view text = thrown.what();  // "[json.exception.out_of_range.403] key ..."
  const size_t end = text.starts_with('[') ? text.find("] ") : std::string_view::npos;
  return std::string(end == std::string_view::npos ? text : text.substr(end + 2));
}

}  // namespace lakegauge
