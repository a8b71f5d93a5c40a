#include "report/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/figures.h"
#include "report/text_columns.h"

namespace lakegauge::report {
namespace {

std::string Text(const Json& object, const char* key) {
  return JsonOr<std::string>(object, key, "");
}

bool AnyEmulated(const Json& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const Json& row) { return JsonOr<bool>(row, "emulated", false); });
}

std::string Table(const Json& rows, const char* name) {
  if (rows.empty()) return "";
  std::vector<std::vector<std::string>> lines;
  const bool with_cell = std::string_view(name) == "query";
  lines.push_back(with_cell ? std::vector<std::string>{"query", "cell"}
                            : std::vector<std::string>{"cell"});
  const size_t left = lines[0].size();
  for (const char* title : {"before s", "after s", "ratio (95%)", "mark"}) {
    lines[0].push_back(title);
  }
  for (const Json& row : rows) {
    auto& line = lines.emplace_back();
    if (with_cell) line.push_back(Text(row, "query"));
    line.push_back((JsonOr<bool>(row, "emulated", false) ? "*" : "") + Text(row, "cell"));
    line.push_back(Seconds(Member(row, "before_s")));
    line.push_back(Seconds(Member(row, "after_s")));
    line.push_back(RatioWithInterval(row));
    line.push_back(Text(row, "mark"));
  }
  return AlignColumns(lines, left) + "\n";
}

}  // namespace

std::string ComparisonToText(const Json& c) {
  std::string out =
      fmt::format("{} -> {}\n\n", Text(Member(c, "before"), "id"), Text(Member(c, "after"), "id"));
  out += Paragraph(Text(c, "sentence"), 0) + "\n";
  out += Table(Member(c, "cells"), "cell") + Table(Member(c, "queries"), "query");
  if (AnyEmulated(Member(c, "queries"))) out += "* EMULATED\n";
  const Json counts = Member(c, "counts");
  out += fmt::format("Queries: {} faster, {} slower, {} within noise, {} too few samples.\n",
                     JsonOr<int64_t>(counts, "faster", 0), JsonOr<int64_t>(counts, "slower", 0),
                     JsonOr<int64_t>(counts, "within noise", 0),
                     JsonOr<int64_t>(counts, "too few samples", 0));
  for (const Json& note : Member(c, "notes")) {
    if (note.is_string()) out += Paragraph("- " + note.get<std::string>(), 2);
  }
  for (const Json& item : Member(c, "left_out")) {
    out += Paragraph(fmt::format("- left out: {}: {}", Text(item, "cell"), Text(item, "why")), 2);
  }
  for (const Json& item : Member(c, "environment")) {
    if (item.is_string()) out += Paragraph("- differs: " + item.get<std::string>(), 2);
  }
  return out;
}

}  // namespace lakegauge::report
