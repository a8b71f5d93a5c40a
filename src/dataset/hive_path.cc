#include "dataset/hive_path.h"

#include <fmt/format.h>

namespace lakegauge::dataset {

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

}  // namespace lakegauge::dataset
