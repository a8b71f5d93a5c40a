#include "run/testing/schema_check.h"

#include <algorithm>

namespace lakegauge::run {
namespace {

bool HasType(const Json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return type == "null" && value.is_null();
}

std::string ObjectProblem(const Json& schema, const Json& value, const std::string& where) {
  for (const Json& key : schema.value("required", Json::array())) {
    if (!value.contains(key.get<std::string>())) return where + ": lacks " + key.dump();
  }
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [key, item] : value.items()) {
    std::string problem;
    if (properties.contains(key)) {
      problem = SchemaProblem(properties[key], item, where + "." + key);
    } else if (schema.contains("additionalProperties")) {
      const Json& more = schema["additionalProperties"];
      if (more == Json(false)) return where + ": may not have " + key;
      if (more.is_object()) problem = SchemaProblem(more, item, where + "." + key);
    }
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string ArrayProblem(const Json& schema, const Json& value, const std::string& where) {
  if (value.size() < schema.value("minItems", size_t{0})) return where + ": too short";
  if (schema.contains("maxItems") && value.size() > schema["maxItems"]) return where + ": too long";
  for (const Json& item : value) {
    const std::string problem =
        SchemaProblem(schema.value("items", Json::object()), item, where + "[]");
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace

std::string SchemaProblem(const Json& schema, const Json& value, const std::string& where) {
  if (schema.contains("anyOf")) {
    std::string first;
    for (const Json& alternative : schema["anyOf"]) {
      const std::string problem = SchemaProblem(alternative, value, where);
      if (problem.empty()) return "";
      if (first.empty()) first = problem;
    }
    return first;
  }
  if (schema.contains("type")) {
    const Json& type = schema["type"];
    const Json types = type.is_array() ? type : Json::array({type});
    if (std::none_of(types.begin(), types.end(),
                     [&](const Json& t) { return HasType(value, t.get<std::string>()); })) {
      return where + ": " + value.dump() + " is not of type " + type.dump();
    }
  }
  if (schema.contains("enum")) {
    const Json& names = schema["enum"];
    if (std::find(names.begin(), names.end(), value) == names.end()) {
      return where + ": " + value.dump() + " is none of " + names.dump();
    }
  }
  if (value.is_number()) {
    if (schema.contains("minimum") && value < schema["minimum"]) return where + ": too small";
    if (schema.contains("maximum") && value > schema["maximum"]) return where + ": too large";
  }
  if (value.is_object()) return ObjectProblem(schema, value, where);
  if (value.is_array()) return ArrayProblem(schema, value, where);
  return "";
}

}  // namespace lakegauge::run
