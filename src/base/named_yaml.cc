#include "base/named_yaml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/yaml.h"

namespace lakegauge {

std::vector<std::string> NamesOf(std::span<const BuiltIn> built_in) {
  std::vector<std::string> names;
  for (const BuiltIn& b : built_in) names.emplace_back(b.name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<NamedYaml> ReadNamedYaml(std::string_view what, std::string_view name_or_path,
                                std::span<const BuiltIn> built_in,
                                const std::vector<std::string>& names) {
  for (const BuiltIn& b : built_in) {
    if (b.name == name_or_path) {
      return NamedYaml{std::string(b.text), fmt::format("built-in {}.yaml", b.name)};
    }
  }
  std::string path(name_or_path);
  std::error_code ignored;
  const bool looks_like_path =
      path.find('/') != std::string::npos || path.ends_with(".yaml") || path.ends_with(".yml");
  if (!looks_like_path && !std::filesystem::exists(path, ignored)) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("found the {} '{}'; allowed {} or the path of a file{}", what,
                                 path, fmt::join(names, ", "), DidYouMean(path, names)));
  }
  LG_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  return NamedYaml{std::move(text), std::move(path)};
}

}  // namespace lakegauge
