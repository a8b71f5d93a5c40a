#include "report/bottleneck_text.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "analyze/model.h"
#include "report/figures.h"
#include "report/markdown.h"

namespace lakegauge::report {
namespace {

// The row of summary's cells that a row of the block speaks of.
Json CellOf(const Json& summary, const Json& row) {
  for (const Json& cell : Member(summary, "cells")) {
    if (Member(cell, "id") == Member(row, "cell")) return cell;
  }
  return Json::object();
}

std::string Text(const Json& object, const char* key) {
  return JsonOr<std::string>(object, key, "");
}

// What sets the cell apart from others of the run; its store where nothing does.
std::string Name(const Json& summary, const Json& cell) {
  static const std::vector<std::pair<const char*, const char*>> axes = {
      {"engines", "engine"}, {"stores", "store"}, {"layouts", "layout"}, {"datasets", "dataset"}};
  std::string name;
  for (const auto& [list, key] : axes) {
    if (Member(Member(summary, "axes"), list).size() < 2) continue;
    const std::string value = std::string_view(key) == "store"
                                  ? StoreLabel(summary, Text(cell, "store"))
                                  : Text(cell, key);
    name += (name.empty() ? "" : ", ") + value;
  }
  return name.empty() ? StoreLabel(summary, Text(cell, "store")) : name;
}

// Queries that read more or less on one store than on another.
std::string TimedReads(const Json& summary) {
  constexpr size_t kMostNamed = 12;
  std::vector<std::string> named;
  size_t more = 0;
  for (const Json& row : Member(Member(summary, "bottleneck"), "queries")) {
    if (!JsonOr<bool>(row, "timed_reads", false)) continue;
    if (named.size() == kMostNamed) {
      ++more;
      continue;
    }
    named.push_back(fmt::format("{} in {} ({:.0f}%)", EscapeMarkdown(Text(row, "query")),
                                EscapeMarkdown(Name(summary, CellOf(summary, row))),
                                100 * JsonOr<double>(row, "reads_vary", 0)));
  }
  if (named.empty()) return "";
  if (more > 0) named.push_back(analyze::Counted(static_cast<int64_t>(more), "more", "more"));
  return fmt::format(
      "\nReads depend on timing: from one store to another these queries read the same layout with "
      "other requests or bytes, so a free store might read other things too, and the best case "
      "need "
      "not hold: {}.\n",
      analyze::Joined(named));
}

}  // namespace

std::string BottleneckMarkdown(const Json& summary) {
  std::string rows;
  std::string evidence;
  for (const Json& row : Member(Member(summary, "bottleneck"), "cells")) {
    if (!IsNumber(row, "elapsed_s")) continue;
    const std::string name = EscapeMarkdown(Name(summary, CellOf(summary, row)));
    rows +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, Text(row, "bound"),
                    Seconds(Member(row, "elapsed_s")), Seconds(Member(row, "compute_s")),
                    Seconds(Member(row, "storage_s")), Seconds(Member(row, "idle_s")),
                    Seconds(Member(row, "best_case_s")), Ratio(Member(row, "speedup")),
                    Text(row, "confidence").empty() ? "-" : Text(row, "confidence"));
    evidence += fmt::format("- {}: {}: {}\n", name, Text(row, "bound"),
                            EscapeMarkdown(Text(row, "evidence")));
  }
  if (rows.empty()) return "";
  return "\n## What holds each cell up\n\n"
         "| cell | bound | a pass s | computing s | storage s | idle s | with a free store s | "
         "speed-up | confidence |\n"
         "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n" +
         rows + "\n" + evidence + TimedReads(summary);
}

std::string BottleneckSentence(const Json& summary) {
  std::vector<std::pair<std::string, std::string>> bounds;  // bound, cells; as they come
  for (const Json& row : Member(Member(summary, "bottleneck"), "cells")) {
    const std::string bound = Text(row, "bound");
    if (bound.empty()) continue;
    std::string* cells = nullptr;
    for (auto& [name, list] : bounds) {
      if (name == bound) cells = &list;
    }
    if (cells == nullptr) cells = &bounds.emplace_back(bound, "").second;
    if (!cells->empty()) *cells += "; ";
    *cells += Name(summary, CellOf(summary, row));
    if (IsNumber(row, "speedup")) *cells += fmt::format(" ({})", Ratio(Member(row, "speedup")));
  }
  std::string text;
  for (const auto& [bound, cells] : bounds) text += fmt::format(" {}: {}.", bound, cells);
  if (text.empty()) return "";
  return "Bottleneck, and how much faster each cell would be if storage took no time:" + text;
}

}  // namespace lakegauge::report
