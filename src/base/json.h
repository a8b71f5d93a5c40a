#pragma once
// The one JSON type of lakegauge (nlohmann::json), and reading it without exceptions.
//
// Threads: values. Errors: kCorrupt with the byte offset where parsing stopped.

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"

namespace lakegauge {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;  // keeps the order in which keys were added

Result<Json> ParseJson(std::string_view text);
// Whole file, which must hold an object; `path` stands in the error.
Result<Json> ReadJsonFile(const std::string& path);

// A member by key, or the default where it is missing, null, of another type, or a number that T
// cannot hold.
template <typename T>
T JsonOr(const Json& object, const char* key, T fallback) {
  if (!object.is_object()) return fallback;
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return fallback;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (it->is_number_float()) {
      const double value = *it->template get_ptr<const double*>();
      const bool fits = value > static_cast<double>(std::numeric_limits<T>::min()) - 1 &&
                        value < static_cast<double>(std::numeric_limits<T>::max()) + 1;
      if (!fits) return fallback;
    }
  }
  try {
    return it->template get<T>();
  } catch (const Json::exception&) {
    return fallback;
  }
}

}  // namespace lakegauge
