#include "report/csv.h"

#include <vector>

namespace lakegauge::report {
namespace {

void AddLine(const std::vector<std::string>& fields, std::string* out) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) *out += ',';
    *out += CsvField(fields[i]);
  }
  *out += '\n';
}

}  // namespace

std::string CsvField(std::string_view text) {
  const bool spaced = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!spaced && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string ToCsv(const analyze::TextTable& table) {
  std::string out;
  AddLine(table.columns, &out);
  for (const auto& row : table.rows) AddLine(row, &out);
  return out;
}

}  // namespace lakegauge::report
