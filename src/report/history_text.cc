#include "report/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "report/figures.h"
#include "report/text_columns.h"

namespace lakegauge::report {
namespace {

std::string Text(const Json& object, const char* key) {
  return JsonOr<std::string>(object, key, "");
}

}  // namespace

std::string Sparkline(const Json& values) {
  constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const Json& value : values) {
    if (!value.is_number()) continue;
    least = std::min(least, value.get<double>());
    most = std::max(most, value.get<double>());
  }
  std::string line;
  for (const Json& value : values) {
    if (!value.is_number()) {
      line += ' ';
      continue;
    }
    const double share = most > least ? (value.get<double>() - least) / (most - least) : 0;
    line += kBars[std::min<size_t>(static_cast<size_t>(share * std::size(kBars)),
                                   std::size(kBars) - 1)];
  }
  return line;
}

std::string HistoryToText(const Json& history) {
  const std::string what = Text(history, "query").empty() ? "a pass" : Text(history, "query");
  std::string out;
  for (const Json& cell : Member(history, "cells")) {
    Json averages = Json::array();
    std::vector<std::vector<std::string>> lines = {
        {"run", "started", "n", "seconds", "to the one before (95%)", "mark"}};
    for (const Json& point : Member(cell, "points")) {
      averages.push_back(Member(point, "avg_s"));
      const Json change = Member(point, "change");
      lines.push_back({Text(point, "run"), Text(point, "started_utc").substr(0, 16),
                       Count(Member(point, "n")), Seconds(Member(point, "avg_s")),
                       change.is_object() ? RatioWithInterval(change) : "-",
                       change.is_object() ? Text(change, "mark") : Text(point, "remark")});
    }
    out += fmt::format("{}{}, seconds of {}\n{}\n{}\n", Text(cell, "cell"),
                       JsonOr<bool>(cell, "emulated", false) ? " (EMULATED)" : "", what,
                       Sparkline(averages), AlignColumns(lines, 2));
  }
  for (const Json& item : Member(history, "left_out")) {
    out += Paragraph(fmt::format("- left out: {}: {}", Text(item, "run"), Text(item, "why")), 2);
  }
  return out;
}

}  // namespace lakegauge::report
