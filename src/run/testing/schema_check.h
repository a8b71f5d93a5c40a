#pragma once
// Whether a JSON value fits a JSON Schema, as far as DescribeYaml's schemas go: type, enum,
// properties, additionalProperties, required, items, minItems, maxItems, minimum, maximum, anyOf.
//
// Threads: pure.

#include <string>

#include "base/json.h"

namespace lakegauge::run {

// Empty when it fits; else where and why not.
std::string SchemaProblem(const Json& schema, const Json& value, const std::string& where = "");

}  // namespace lakegauge::run
