#include "report/text_columns.h"

#include <fmt/format.h>

#include <algorithm>

namespace lakegauge::report {
namespace {

std::string Clipped(std::string text, size_t width) {
  if (text.size() <= width) return text;
  return text.substr(0, width - 1) + "~";
}

}  // namespace

std::vector<std::string> Wrapped(std::string_view text, size_t indent, std::string line) {
  std::vector<std::string> lines;
  size_t from = 0;
  while (from < text.size()) {
    size_t end = text.find(' ', from);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(from, end - from);
    from = end + 1;
    if (word.empty()) continue;
    const bool empty = line.find_first_not_of(' ') == std::string::npos;
    if (!empty && line.size() + 1 + word.size() > kWidth) {
      lines.push_back(line);
      line = std::string(indent, ' ');
      line += word;
    } else {
      if (!empty) line += ' ';
      line += word;
    }
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string Paragraph(std::string_view text, size_t indent) {
  std::string out;
  for (const auto& line : Wrapped(text, indent)) out += line + "\n";
  return out;
}

std::string AlignColumns(const std::vector<std::vector<std::string>>& rows, size_t left) {
  std::vector<size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  size_t total = width.empty() ? 0 : 2 * (width.size() - 1);
  for (const size_t w : width) total += w;
  while (total > kWidth) {
    const auto widest = std::max_element(width.begin(), width.begin() + static_cast<int>(left));
    if (*widest <= 6) break;
    --*widest;
    --total;
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line += "  ";
      line += c < left ? fmt::format("{:<{}}", Clipped(row[c], width[c]), width[c])
                       : fmt::format("{:>{}}", row[c], width[c]);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  return out;
}

}  // namespace lakegauge::report
