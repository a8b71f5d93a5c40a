#include "report/comparison_markdown.h"

#include <fmt/format.h>

#include "report/figures.h"
#include "report/markdown.h"
#include "report/markdown_table.h"

namespace lakegauge::report {
namespace {

std::string Text(const Json& object, const char* key) {
  return EscapeMarkdown(JsonOr<std::string>(object, key, ""));
}

std::string CellName(const Json& row) {
  return Text(row, "cell") + (JsonOr<bool>(row, "emulated", false) ? " (EMULATED)" : "");
}

std::string Marked(const Json& row) {
  const std::string mark = MarkText(row);
  return mark == "slower" || mark == "faster" ? "**" + mark + "**" : mark;
}

bool IsMarked(const Json& row) {
  const auto mark = JsonOr<std::string>(row, "mark", "");
  return mark == "slower" || mark == "faster";
}

MarkdownTable QueryTable() {
  return MarkdownTable(
      {"query", "cell", "before s", "after s", "ratio (95%)", "p", "found from", "mark"}, 2);
}

void AddQuery(const Json& row, MarkdownTable* table) {
  table->Row({Text(row, "query"), CellName(row), Seconds(Member(row, "before_s")),
              Seconds(Member(row, "after_s")), RatioWithInterval(row),
              Probability(Member(row, "p")), SmallestEffect(Member(row, "smallest")), Marked(row)});
}

}  // namespace

std::string ComparisonToMarkdown(const Json& c) {
  std::string out = fmt::format("## {} against {}\n\n{}\n", Text(Member(c, "after"), "id"),
                                Text(Member(c, "before"), "id"), Text(c, "sentence"));
  if (const auto text = Text(Member(c, "detectable"), "text"); !text.empty()) {
    out += fmt::format("\n{}\n", text);
  }
  MarkdownTable cells({"pass of", "before s", "after s", "ratio (95%)", "p", "found from", "mark"},
                      1);
  for (const Json& row : Member(c, "cells")) {
    cells.Row({CellName(row), Seconds(Member(row, "before_s")), Seconds(Member(row, "after_s")),
               RatioWithInterval(row), Probability(Member(row, "p")),
               SmallestEffect(Member(row, "smallest")), Marked(row)});
  }
  MarkdownTable marked = QueryTable();
  MarkdownTable others = QueryTable();
  for (const Json& row : Member(c, "queries")) AddQuery(row, IsMarked(row) ? &marked : &others);
  out += cells.Under("Passes") + marked.Under("Queries that changed");
  if (others.rows() > 0) {
    out +=
        fmt::format("\n<details><summary>{} other {}</summary>\n\n{}\n</details>\n", others.rows(),
                    others.rows() == 1 ? "query time" : "query times", others.text());
  }
  std::string remarks;
  for (const Json& note : Member(c, "notes")) {
    if (note.is_string()) remarks += fmt::format("- {}\n", EscapeMarkdown(note.get<std::string>()));
  }
  for (const Json& item : Member(c, "left_out")) {
    remarks += fmt::format("- left out: {}: {}\n", Text(item, "cell"), Text(item, "why"));
  }
  for (const Json& item : Member(c, "environment")) {
    if (item.is_string()) {
      remarks += fmt::format("- differs: {}\n", EscapeMarkdown(item.get<std::string>()));
    }
  }
  if (!remarks.empty()) out += "\n" + remarks;
  return out;
}

}  // namespace lakegauge::report
