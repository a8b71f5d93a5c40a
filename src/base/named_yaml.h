#pragma once
// YAML that a user names: one that the program carries by its name, or a file by its path.
//
// Threads: pure but for reading the file. Errors: kNotFound with the names there are and the
// nearest; those of reading the file.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakegauge {

struct BuiltIn {
  std::string_view name;
  std::string_view text;
};

struct NamedYaml {
  std::string text;
  std::string origin;  // what problems call it
};

// The names, in order.
std::vector<std::string> NamesOf(std::span<const BuiltIn> built_in);

// `what` and `names` are for the error: "price sheet", those to offer in their order.
Result<NamedYaml> ReadNamedYaml(std::string_view what, std::string_view name_or_path,
                                std::span<const BuiltIn> built_in,
                                const std::vector<std::string>& names);

}  // namespace lakegauge
