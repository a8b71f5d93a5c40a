#include "report/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
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

// How many characters, up to a dot, all cells begin (end) with: the engine and the dataset where
// there is one.
struct Shared {
  size_t front = 0, back = 0;
};

Shared SharedEnds(const Json& rows) {
  const std::string first = rows.empty() ? "" : Text(rows.front(), "cell");
  Shared shared{first.find('.') + 1, first.size() - std::min(first.rfind('.'), first.size())};
  for (const Json& row : rows) {
    const std::string cell = Text(row, "cell");
    if (!cell.starts_with(first.substr(0, shared.front))) shared.front = 0;
    if (!cell.ends_with(first.substr(first.size() - shared.back))) shared.back = 0;
  }
  return shared;
}

// The mark in few letters, so that cells keep their names.
std::string ShortMark(const Json& row) {
  return Text(row, "mark") == "within noise" && !IsUncertain(row) ? "noise" : MarkText(row);
}

std::string Table(const Json& rows, const char* name) {
  if (rows.empty()) return "";
  const Shared shared = SharedEnds(rows);
  std::vector<std::vector<std::string>> lines;
  const bool with_cell = std::string_view(name) == "query";
  lines.push_back(with_cell ? std::vector<std::string>{"query", "cell"}
                            : std::vector<std::string>{"cell"});
  const size_t left = lines[0].size();
  for (const char* title : {"before s", "after s", "ratio (95%)", "from", "mark"}) {
    lines[0].push_back(title);
  }
  for (const Json& row : rows) {
    auto& line = lines.emplace_back();
    if (with_cell) line.push_back(Text(row, "query"));
    const std::string cell = Text(row, "cell");
    line.push_back((JsonOr<bool>(row, "emulated", false) ? "*" : "") +
                   cell.substr(shared.front, cell.size() - shared.front - shared.back));
    line.push_back(Seconds(Member(row, "before_s")));
    line.push_back(Seconds(Member(row, "after_s")));
    line.push_back(RatioWithInterval(row));
    line.push_back(SmallestEffect(Member(row, "smallest")));
    line.push_back(ShortMark(row));
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
  if (const auto text = Text(Member(c, "detectable"), "text"); !text.empty()) {
    out +=
        Paragraph("from: as small a slowdown of that row would have been marked 9 times in 10.", 0);
    out += Paragraph(text, 0);
  }
  for (const Json& row : Member(c, "queries")) {
    const auto outliers = JsonOr<int64_t>(row, "outliers", 0);
    if (outliers == 0) continue;
    out +=
        Paragraph(fmt::format("- {} in {}: {}; ratio {} with {}, {} without", Text(row, "query"),
                              Text(row, "cell"),
                              outliers == 1 ? "one of its times is an outlier"
                                            : fmt::format("{} of its times are outliers", outliers),
                              Ratio(Member(row, "ratio")), outliers == 1 ? "it" : "them",
                              Ratio(Member(row, "ratio_without"))),
                  2);
  }
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
