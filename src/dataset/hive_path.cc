#include "dataset/hive_path.h"

#include <fmt/format.h>

#include <charconv>

namespace lakegauge::dataset {
namespace {

std::string UnescapePathPart(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string EscapePathPart(std::string_view text) {
  static constexpr std::string_view kEscaped = "\"#%'*/:=?\\{[]^";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || kEscaped.find(c) != std::string_view::npos) {
      out += fmt::format("%{:02X}", byte);
    } else {
      out += c;
    }
  }
  // A leading dot or underscore would hide the folder from engines.
  if (!out.empty() && (out[0] == '.' || out[0] == '_') && out != kHiveNull) {
    out = fmt::format("%{:02X}", static_cast<unsigned char>(out[0])) + out.substr(1);
  }
  return out;
}

std::map<std::string, std::optional<std::string>> PartitionValues(std::string_view path) {
  std::map<std::string, std::optional<std::string>> values;
  for (size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
    const std::string_view folder = path.substr(0, slash);
    path.remove_prefix(slash + 1);
    const size_t equals = folder.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string_view value = folder.substr(equals + 1);
    auto& held = values[UnescapePathPart(folder.substr(0, equals))];
    held.reset();
    if (value != kHiveNull) held = UnescapePathPart(value);
  }
  return values;
}

}  // namespace lakegauge::dataset
