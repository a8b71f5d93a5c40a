#include "report/terminal.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "report/bottleneck_text.h"
#include "report/figures.h"
#include "report/text_columns.h"

namespace lakegauge::report {
namespace {

constexpr size_t kTag = 8;  // of a light: its state and a space
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kPlain = "\033[0m";

std::string Painted(std::string_view text, std::string_view colour, bool on) {
  return on ? fmt::format("{}{}{}", colour, text, kPlain) : std::string(text);
}

std::string SuiteTable(const Json& s) {
  const Json axes = Member(s, "axes");
  const bool engines = Member(axes, "engines").size() > 1;
  const bool datasets = Member(axes, "datasets").size() > 1;
  const bool layouts = Member(axes, "layouts").size() > 1;
  const bool stores = Member(axes, "stores").size() > 1;
  const std::string layout = JsonOr<std::string>(Member(s, "compare"), "layout", "layout");
  const std::string store = JsonOr<std::string>(Member(s, "compare"), "store", "store");
  std::vector<std::vector<std::string>> rows = {{"store"}};
  if (layouts) rows[0].push_back("layout");
  if (engines) rows[0].push_back("engine");
  if (datasets) rows[0].push_back("dataset");
  const size_t left = rows[0].size();
  rows[0].insert(rows[0].end(), {"s a pass", "+/-"});
  if (layouts) rows[0].push_back("x " + layout);
  if (stores) rows[0].push_back("x " + store);
  rows[0].insert(rows[0].end(), {"requests", "failed"});
  for (const Json& cell : Member(s, "cells")) {
    const Json suite = Member(cell, "suite");
    const std::string id = JsonOr<std::string>(cell, "store", "");
    const bool emulated = IsEmulated(s, id);
    std::vector<std::string> row = {id + (emulated ? "*" : "")};
    if (layouts) row.push_back(JsonOr<std::string>(cell, "layout", ""));
    if (engines) row.push_back(JsonOr<std::string>(cell, "engine", ""));
    if (datasets) row.push_back(JsonOr<std::string>(cell, "dataset", ""));
    row.push_back(Seconds(Member(suite, "avg_s")));
    row.push_back(Seconds(Member(suite, "stddev_s")));
    if (layouts) row.push_back(Ratio(Member(Member(cell, "vs_layout"), "ratio")));
    if (stores) row.push_back(Ratio(Member(Member(cell, "vs_store"), "ratio")));
    row.push_back(Count(Member(cell, "requests_per_pass")));
    row.push_back(Count(Member(cell, "failures")));
    rows.push_back(std::move(row));
  }
  return AlignColumns(rows, left);
}

// The first outliers, and how many more there are.
std::string OutliersText(const Json& outliers) {
  constexpr size_t kMost = 3;
  std::string out;
  for (size_t i = 0; i < outliers.size() && i < kMost; ++i) {
    const Json& o = outliers[i];
    out += Paragraph(
        fmt::format(
            "- outlier, kept: {} in {}, iteration {}: {} s, {} s in the others' median ({}); "
            "average {} s, without it {} s",
            JsonOr<std::string>(o, "query", ""), JsonOr<std::string>(o, "cell", ""),
            Count(Member(o, "iteration")), Seconds(Member(o, "seconds")),
            Seconds(Member(o, "others_median_s")), JsonOr<std::string>(o, "reason", ""),
            Seconds(Member(Member(o, "with"), "avg_s")),
            Seconds(Member(Member(o, "without"), "avg_s"))),
        2);
  }
  if (outliers.size() > kMost) {
    out += fmt::format("- and {} more outliers, in the report\n", outliers.size() - kMost);
  }
  return out;
}

}  // namespace

std::string ToTerminal(const Json& s, bool colour) {
  const Json headline = Member(s, "headline");
  std::string out;
  for (const auto& line : Wrapped(JsonOr<std::string>(headline, "sentence", ""), 0)) {
    out += Painted(line, kBold, colour) + "\n";
  }
  if (const Json ratio = Member(headline, "ratio"); ratio.is_object()) {
    out += Paragraph(fmt::format("Headline ratio {}: {}.", RatioWithInterval(ratio),
                                 JsonOr<std::string>(ratio, "what", "")),
                     0);
  }
  out += "\n" + SuiteTable(s);
  if (JsonOr<bool>(Member(s, "run"), "emulated", false)) out += "* EMULATED\n";
  out += "\n";
  if (const auto text = JsonOr<std::string>(Member(s, "detectable"), "text", ""); !text.empty()) {
    out += Paragraph(text, 0) + "\n";
  }
  out += OutliersText(Member(s, "outliers"));
  for (const Json& note : Member(headline, "notes")) {
    if (note.is_string()) out += Paragraph("- " + note.get<std::string>(), 2);
  }
  if (const std::string held_up = BottleneckSentence(s); !held_up.empty()) {
    out += Paragraph("- " + held_up, 2);
  }
  out += "\n";
  for (const Json& light : Member(s, "trust")) {
    const auto state = JsonOr<std::string>(light, "state", "");
    const auto lines = Wrapped(fmt::format("{}: {}", JsonOr<std::string>(light, "id", ""),
                                           JsonOr<std::string>(light, "text", "")),
                               kTag, std::string(kTag, ' '));
    const auto paint = state == "good" ? kGreen : state == "bad" ? kRed : kYellow;
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string tag = fmt::format("{:<{}}", state, kTag);
      out += (i == 0 ? Painted(tag, paint, colour) + lines[i].substr(kTag) : lines[i]) + "\n";
    }
  }
  return out;
}

}  // namespace lakegauge::report
