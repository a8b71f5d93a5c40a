#pragma once
// The one JSON type of lakegauge (nlohmann::json), and reading it without exceptions.
//
// Threads: values. Errors: kCorrupt with the byte offset where parsing stopped.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lakegauge {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;  // keeps the order in which keys were added

Result<Json> ParseJson(std::string_view text);
// Whole file, which must hold an object; `path` stands in the error.
Result<Json> ReadJsonFile(const std::string& path);

// A member by key, or the default where it is missing, null or of another type.
template <typename T>
T JsonOr(const Json& object, const char* key, T fallback) {
  if (!object.is_object()) return fallback;
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return fallback;
  try {
    return it->template get<T>();
  } catch (const Json::exception&) {
    return fallback;
  }
}

}  // namespace lakegauge
