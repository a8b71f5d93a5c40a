#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/bottleneck_text.h"
#include "report/cost_text.h"
#include "report/figures.h"
#include "report/markdown_table.h"

namespace lakegauge::report {
namespace {

std::string Text(const Json& object, std::string_view key) {
  const Json value = Member(object, key);
  return value.is_string() ? EscapeMarkdown(value.get<std::string>()) : "";
}

std::string Label(const Json& summary, const Json& row, std::string_view key = "store") {
  const Json store = Member(row, key);
  return store.is_string() ? EscapeMarkdown(StoreLabel(summary, store.get<std::string>())) : "";
}

std::string Light(const std::string& state) {
  if (state == "good") return "ok";
  if (state == "bad") return "**BAD**";
  return state;
}

std::string Trust(const Json& s) {
  MarkdownTable table({"light", "state", "what was found"}, 3);
  for (const Json& light : Member(s, "trust")) {
    std::string text = Text(light, "text");
    if (const std::string detail = Text(light, "detail"); !detail.empty()) text += " " + detail;
    table.Row({Text(light, "id"), Light(JsonOr<std::string>(light, "state", "")), text});
  }
  std::string lights = table.Under("Can it be trusted?");
  if (lights.empty()) return lights;
  return lights + "\nHow each is known, with figures: docs/measurement.md of lakegauge.\n";
}

std::string Suite(const Json& s) {
  MarkdownTable table({"store", "layout", "engine", "dataset", "passes", "average s", "deviation s",
                       "min s", "max s", "stability", "requests a pass", "read a pass", "failed"},
                      4);
  for (const Json& cell : Member(s, "cells")) {
    const Json suite = Member(cell, "suite");
    const Json stability = Member(suite, "stability_pct");
    table.Row({Label(s, cell), Text(cell, "layout"), Text(cell, "engine"), Text(cell, "dataset"),
               Count(Member(suite, "n")), Seconds(Member(suite, "avg_s")),
               Seconds(Member(suite, "stddev_s")), Seconds(Member(suite, "min_s")),
               Seconds(Member(suite, "max_s")),
               stability.is_number() ? fmt::format("{:.1f}%", stability.get<double>()) : "-",
               Count(Member(cell, "requests_per_pass")), Bytes(Member(cell, "bytes_per_pass")),
               Count(Member(cell, "failures"))});
  }
  return table.Under("A pass through the workload");
}

std::string Comparisons(const Json& s, const char* key, const char* heading) {
  MarkdownTable table({"store", "layout", "engine", "dataset", "against", "delta s", "ratio (95%)",
                       "p", "mark", "found from", "queries"},
                      5);
  for (const Json& cell : Member(s, "cells")) {
    const Json v = Member(cell, key);
    if (!v.is_object()) continue;
    table.Row({Label(s, cell), Text(cell, "layout"), Text(cell, "engine"), Text(cell, "dataset"),
               Text(v, "baseline"), Seconds(Member(v, "delta_s")), RatioWithInterval(v),
               Probability(Member(v, "p")), MarkText(v), SmallestEffect(Member(v, "smallest")),
               Count(Member(v, "queries"))});
  }
  return table.Under(heading);
}

std::string CostOfQueries(const Json& s, const Json& queries) {
  std::map<std::string, Json> cells;
  for (const Json& cell : Member(s, "cells")) {
    cells[JsonOr<std::string>(cell, "id", "")] = cell;
  }
  MarkdownTable table({"query", "store", "layout", "engine", "dataset", "column", "a run of it"},
                      6);
  for (const Json& query : queries) {
    const Json& cell = cells[JsonOr<std::string>(query, "cell", "")];
    table.Row({Text(query, "query"), Label(s, cell), Text(cell, "layout"), Text(cell, "engine"),
               Text(cell, "dataset"), Text(query, "column"), MoneyAmount(Member(query, "total"))});
  }
  return table.Under("What each query costs");
}

std::string Cost(const Json& s) {
  const Json cost = Member(s, "cost");
  if (!cost.is_object()) return "";
  if (cost.contains("problem")) {
    return fmt::format("\n## Cost\n\nThe price sheet could not be used: {}\n",
                       Text(cost, "problem"));
  }
  MarkdownTable table({"store", "layout", "engine", "dataset", "column", "a query", "a pass",
                       "the run", "kept", "loading", "a month"},
                      5);
  for (const Json& cell : Member(cost, "cells")) {
    for (const Json& column : Member(cell, "columns")) {
      table.Row({Label(s, cell), Text(cell, "layout"), Text(cell, "engine"), Text(cell, "dataset"),
                 Text(column, "column"), MoneyAmount(Member(column, "query")),
                 BillTotal(Member(column, "pass")), BillTotal(Member(column, "run")),
                 BillTotal(Member(column, "keeping")), BillTotal(Member(column, "loading")),
                 BillTotal(Member(column, "month"))});
    }
  }
  std::string out = table.Under("Cost");
  if (out.empty()) return "";
  const Json prices = Member(cost, "prices");
  out += fmt::format("\nPrices: {}{}, in {}; kept for {} days. ", Text(prices, "name"),
                     Text(prices, "date").empty() ? "" : " of " + Text(prices, "date"),
                     Text(prices, "currency"), Text(cost, "retention_days"));
  out += fmt::format("A month has {} days and {} passes, and the data are kept all of it.\n\n",
                     Count(Member(cost, "month_days")), Text(cost, "passes_a_month"));
  for (const Json& even : Member(cost, "break_even")) {
    out += fmt::format("- {}\n", Text(even, "text"));
  }
  return out + CostOfQueries(s, Member(cost, "queries"));
}

std::string Sizes(const Json& s) {
  MarkdownTable table({"layout", "dataset", "files", "bytes", "target", "median", "within 10%"}, 2);
  std::vector<std::string> seen;
  for (const Json& cell : Member(s, "cells")) {
    const std::string id = Text(cell, "layout") + "/" + Text(cell, "dataset");
    bool told = false;
    for (const auto& other : seen) told = told || other == id;
    const Json files = Member(cell, "files");
    if (told || !IsNumber(files, "count")) continue;
    seen.push_back(id);
    const Json target = Member(files, "target_bytes");
    table.Row({Text(cell, "layout"), Text(cell, "dataset"), Count(Member(files, "count")),
               Bytes(Member(files, "bytes")),
               target.is_number() && target.get<double>() > 0 ? Bytes(target) : "unlimited",
               Bytes(Member(files, "median_bytes")), Percent(Member(files, "within_10pct"))});
  }
  return table.Under("Achieved file sizes");
}

std::string Latency(const Json& s) {
  MarkdownTable table({"store", "layout", "operation", "requests", "mean ms", "p50 ms", "p90 ms",
                       "p99 ms", "max ms", "asked mean ms", "asked p50 ms", "asked p99 ms"},
                      3);
  for (const Json& row : Member(s, "latency")) {
    table.Row({Label(s, row), Text(row, "layout"), Text(row, "op"), Count(Member(row, "count")),
               Milliseconds(Member(row, "mean_ms")), Milliseconds(Member(row, "p50_ms")),
               Milliseconds(Member(row, "p90_ms")), Milliseconds(Member(row, "p99_ms")),
               Milliseconds(Member(row, "max_ms")), Milliseconds(Member(row, "asked_mean_ms")),
               Milliseconds(Member(row, "asked_p50_ms")),
               Milliseconds(Member(row, "asked_p99_ms"))});
  }
  return table.Under("Storage requests");
}

std::string Resources(const Json& s) {
  MarkdownTable table({"cell", "peak GB/s", "sustained GB/s", "average GB/s", "GET mean ms",
                       "GET p99 ms", "CPU", "CPU peak", "engine CPU", "iowait", "stolen"},
                      1);
  for (const Json& r : Member(Member(s, "resources"), "cells")) {
    if (!IsNumber(r, "query_s")) continue;
    const Json user = Member(r, "cpu_user");
    const Json system = Member(r, "cpu_system");
    const Json busy = user.is_number() && system.is_number()
                          ? Json(user.get<double>() + system.get<double>())
                          : Json();
    table.Row({Text(r, "cell"), Seconds(Member(r, "peak_gb_s")),
               Seconds(Member(r, "sustained_gb_s")), Seconds(Member(r, "average_gb_s")),
               Milliseconds(Member(r, "get_mean_ms")), Milliseconds(Member(r, "get_p99_ms")),
               Percent(busy), Percent(Member(r, "cpu_peak")), Percent(Member(r, "engine_cpu")),
               Percent(Member(r, "cpu_iowait")), Percent(Member(r, "cpu_steal"))});
  }
  return table.Under("Throughput, latency and CPU");
}

std::string Delivered(const Json& s) {
  MarkdownTable latencies({"store", "operation", "requests", "mean ms", "asked", "p50 ms", "asked",
                           "p99 ms", "asked", "late mean ms", "late p99 ms", "profile"},
                          2);
  MarkdownTable limits(
      {"store", "limit", "of the profile", "asked", "delivered", "refused", "profile"}, 2);
  const auto verdict = [](const Json& row) {
    return std::string(JsonOr<bool>(row, "kept", false) ? "kept" : "**MISSED**");
  };
  for (const Json& d : Member(s, "delivered")) {
    for (const Json& row : Member(d, "latencies")) {
      latencies.Row({Label(s, d), Text(row, "op"), Count(Member(row, "count")),
                     Milliseconds(Member(row, "mean_ms")),
                     Milliseconds(Member(row, "asked_mean_ms")),
                     Milliseconds(Member(row, "p50_ms")), Milliseconds(Member(row, "asked_p50_ms")),
                     Milliseconds(Member(row, "p99_ms")), Milliseconds(Member(row, "asked_p99_ms")),
                     Milliseconds(Member(row, "late_mean_ms")),
                     Milliseconds(Member(row, "late_p99_ms")), verdict(row)});
    }
    for (const Json& row : Member(d, "limits")) {
      const bool bytes = JsonOr<std::string>(row, "unit", "") == "bytes/s";
      const auto figure = [&](const char* key) {
        const double value = JsonOr<double>(row, key, 0);
        return bytes ? fmt::format("{:.4g} MB/s", value / 1e6) : fmt::format("{:.4g}/s", value);
      };
      limits.Row({Label(s, d), Text(row, "what"), figure("limit"), figure("asked"),
                  figure("delivered"), Count(Member(row, "refused")), verdict(row)});
    }
  }
  return latencies.Under("Delivered against asked of emulated stores") +
         limits.Under("Bandwidth and rate of emulated stores");
}

std::string Queries(const Json& s) {
  MarkdownTable table(
      {"query", "cell", "n", "average s", "deviation s", "requests", "against layout", "mark",
       "found from", "against store", "mark", "found from", "to best"},
      2);
  for (const Json& q : Member(s, "queries")) {
    table.Row(
        {Text(q, "query"), Text(q, "cell"),
         Count(Member(q, "n")) + (JsonOr<int64_t>(q, "failed", 0) > 0
                                      ? fmt::format(" ({} failed)", JsonOr<int64_t>(q, "failed", 0))
                                      : ""),
         Seconds(Member(q, "avg_s")), Seconds(Member(q, "stddev_s")), Count(Member(q, "requests")),
         Ratio(Member(q, "ratio_layout")), MarkText(q, "layout"),
         SmallestEffect(Member(q, "smallest_layout")), Ratio(Member(q, "ratio_store")),
         MarkText(q, "store"), SmallestEffect(Member(q, "smallest_store")),
         Ratio(Member(q, "ratio_to_best"))});
  }
  return table.Under("Queries");
}

// An error in one line that a table can hold.
std::string Short(std::string error) {
  constexpr size_t kMost = 240;
  if (error.size() <= kMost) return error;
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(error[end]) & 0xC0) == 0x80) --end;
  return error.substr(0, end) + "...";
}

// The executions of one query in one cell that ended the same way are one row.
std::string Failures(const Json& s) {
  constexpr size_t kMostRows = 20;
  struct Row {
    std::string query, cell, status, error;
    std::vector<int64_t> iterations;
  };
  std::vector<Row> rows;
  for (const Json& f : Member(s, "failures")) {
    Row row{Text(f, "query"),
            Text(f, "cell"),
            Text(f, "status"),
            EscapeMarkdown(Short(JsonOr<std::string>(f, "error", ""))),
            {}};
    auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
      return std::tie(r.query, r.cell, r.status, r.error) ==
             std::tie(row.query, row.cell, row.status, row.error);
    });
    if (at == rows.end()) at = rows.insert(rows.end(), std::move(row));
    at->iterations.push_back(JsonOr<int64_t>(f, "iteration", 0));
  }
  MarkdownTable table({"query", "cell", "iterations", "status", "error"}, 5);
  size_t more = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i >= kMostRows) {
      more += rows[i].iterations.size();
      continue;
    }
    table.Row({rows[i].query, rows[i].cell, fmt::format("{}", fmt::join(rows[i].iterations, ", ")),
               rows[i].status, rows[i].error});
  }
  return table.Under("What was not ok") + (more == 0 ? "" : fmt::format("\nand {} more\n", more));
}

// Average and deviation with the same decimals: "46.35 (2.61)".
std::string AverageWithDeviation(const Json& store) {
  if (!IsNumber(store, "avg_s")) return "-";
  const double average = Member(store, "avg_s").get<double>();
  const int decimals = average >= 0.995 ? 2 : average >= 0.0995 ? 3 : 4;
  std::string text = fmt::format("{:.{}f}", average, decimals);
  if (IsNumber(store, "stddev_s")) {
    text += fmt::format(" ({:.{}f})", Member(store, "stddev_s").get<double>(), decimals);
  }
  if (IsNumber(store, "avg_without_s")) {
    text += fmt::format("; {:.{}f} without outliers", Member(store, "avg_without_s").get<double>(),
                        decimals);
  }
  return text;
}

// Three or more stores, each against each that stands before it.
std::string SideBySide(const Json& s) {
  const Json rows = Member(s, "side_by_side");
  if (rows.empty()) return "";
  std::string head = "| query | dataset | layout | engine |";
  std::string rule = "| --- | --- | --- | --- |";
  std::vector<std::string> stores;
  for (const Json& store : Member(Member(s, "axes"), "stores")) {
    if (store.is_string()) stores.push_back(store.get<std::string>());
  }
  std::vector<std::pair<std::string, std::string>> pairs;
  for (size_t k = 0; k < stores.size(); ++k) {
    for (size_t i = k + 1; i < stores.size(); ++i) pairs.emplace_back(stores[i], stores[k]);
  }
  for (const std::string& store : stores) {
    head += fmt::format(" {} s |", EscapeMarkdown(StoreLabel(s, store)));
    rule += " ---: |";
  }
  for (const auto& [store, baseline] : pairs) {
    head += fmt::format(" {} / {} |", EscapeMarkdown(store), EscapeMarkdown(baseline));
    rule += " ---: |";
  }
  std::string text = head + "\n" + rule + "\n";
  for (const Json& row : rows) {
    text += fmt::format("| {} | {} | {} | {} |", Text(row, "query"), Text(row, "dataset"),
                        Text(row, "layout"), Text(row, "engine"));
    for (const std::string& store : stores) {
      Json found;
      for (const Json& one : Member(row, "stores")) {
        if (JsonOr<std::string>(one, "store", "") == store) found = one;
      }
      text += fmt::format(" {} |", AverageWithDeviation(found));
    }
    for (const auto& [store, baseline] : pairs) {
      Json found;
      for (const Json& one : Member(row, "ratios")) {
        if (JsonOr<std::string>(one, "store", "") == store &&
            JsonOr<std::string>(one, "baseline", "") == baseline) {
          found = one;
        }
      }
      text += fmt::format(
          " {}{} |", Ratio(Member(found, "value")),
          IsNumber(found, "value_without") ? "; " + Ratio(Member(found, "value_without")) : "");
    }
    text += "\n";
  }
  return "\n## Stores side by side: average seconds (sample standard deviation), and ratios\n\n" +
         text;
}

std::string Annotated(const Json& s) {
  MarkdownTable table({"query", "cell", "iteration", "seconds", "status", "reason", "marked"}, 2);
  for (const Json& a : Member(s, "annotations")) {
    table.Row({Text(a, "query"), Text(a, "cell"), Count(Member(a, "iteration")),
               Seconds(Member(a, "seconds")), Text(a, "status"), Text(a, "reason"),
               Text(a, "at_utc")});
  }
  return table.Under("Marked invalid: in no statistic");
}

// "55.9 (34.0)": average and standard deviation.
std::string AverageAndDeviation(const Json& figures) {
  return fmt::format("{} ({})", Seconds(Member(figures, "avg_s")),
                     Seconds(Member(figures, "stddev_s")));
}

std::string Outliers(const Json& s) {
  MarkdownTable table(
      {"query", "cell", "iteration", "seconds", "others' median", "with", "without", "cause"}, 2);
  for (const Json& o : Member(s, "outliers")) {
    table.Row({Text(o, "query"), Text(o, "cell"), Count(Member(o, "iteration")),
               Seconds(Member(o, "seconds")), Seconds(Member(o, "others_median_s")),
               AverageAndDeviation(Member(o, "with")), AverageAndDeviation(Member(o, "without")),
               Text(o, "reason")});
  }
  return table.Under("Outliers, kept in every other figure");
}

// How small a difference would have been found; a paragraph, or nothing.
std::string Detectable(const Json& s) {
  const std::string text = Text(Member(s, "detectable"), "text");
  return text.empty() ? "" : fmt::format("\n{}\n", text);
}

std::string Stores(const Json& s) {
  MarkdownTable table({"store", "URI", "profile", "stated facts"}, 4);
  for (const Json& store : Member(s, "stores")) {
    std::string facts;
    const Json stated = Member(store, "facts");
    for (const auto& [name, value] : stated.items()) {
      facts +=
          fmt::format("{}{}: {}", facts.empty() ? "" : "; ", EscapeMarkdown(name),
                      EscapeMarkdown(value.is_string() ? value.get<std::string>() : value.dump()));
    }
    table.Row({Label(s, store, "id"), Text(store, "uri"), Text(store, "profile_text"), facts});
  }
  return table.Under("Stores");
}

}  // namespace

std::string EscapeMarkdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\`*_<>|[]~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string ToMarkdown(const Json& s) {
  const Json run = Member(s, "run");
  const Json headline = Member(s, "headline");
  std::string out = fmt::format(
      "# {}\n\n", Text(run, "title").empty() ? Text(run, "experiment") : Text(run, "title"));
  if (const auto question = Text(run, "question"); !question.empty()) {
    out += fmt::format("*{}*\n\n", question);
  }
  out += fmt::format("**{}**\n", Text(headline, "sentence"));
  if (const Json ratio = Member(headline, "ratio"); ratio.is_object()) {
    out += fmt::format("\nHeadline ratio: **{}**, {}.\n", RatioWithInterval(ratio),
                       Text(ratio, "what"));
  }
  const Json notes = Member(headline, "notes");
  if (!notes.empty()) out += "\n";
  for (const Json& note : notes) {
    if (note.is_string()) out += fmt::format("- {}\n", EscapeMarkdown(note.get<std::string>()));
  }
  const Json stands_in = Member(run, "stands_in_for");
  if (!stands_in.empty()) {
    out += "\nThis run stands in for:\n\n";
    for (const Json& part : stands_in) {
      if (part.is_string()) out += fmt::format("- {}\n", EscapeMarkdown(part.get<std::string>()));
    }
  }
  out += Trust(s) + Failures(s) + Annotated(s) + Suite(s) +
         Comparisons(s, "vs_layout", "Each layout against the baseline layout, in its own store") +
         Comparisons(s, "vs_store", "Each store against the baseline store, with the same layout") +
         Detectable(s) + Outliers(s);
  const Json doubling = Member(s, "doubling");
  if (!doubling.empty()) out += "\n## Where a store takes twice its own time\n\n";
  for (const Json& d : doubling) out += fmt::format("- {}\n", Text(d, "text"));
  out += SideBySide(s) + BottleneckMarkdown(s) + Cost(s) + Sizes(s) + Latency(s) + Delivered(s) +
         Resources(s) + Queries(s) + Stores(s);
  out += "\n## How each figure is made\n\n";
  const Json estimators = Member(s, "estimators");
  for (const auto& [name, text] : estimators.items()) {
    if (text.is_string()) {
      out +=
          fmt::format("- {}: {}\n", EscapeMarkdown(name), EscapeMarkdown(text.get<std::string>()));
    }
  }
  out += "\n## How to repeat it\n\n";
  int step = 0;
  for (const Json& text : Member(Member(s, "repeat"), "steps")) {
    if (text.is_string()) {
      out += fmt::format("{}. {}\n", ++step, EscapeMarkdown(text.get<std::string>()));
    }
  }
  if (const Json imported = Member(run, "imported"); imported.is_object()) {
    return out + fmt::format("\nRun {}, imported by {} at {}.\n", Text(run, "id"),
                             Text(imported, "by"), Text(imported, "imported_utc"));
  }
  out += fmt::format("\nRun {}, {} to {}, lakegauge {} ({}).\n", Text(run, "id"),
                     Text(run, "started_utc"), Text(run, "finished_utc"),
                     Text(run, "lakegauge_version"), Text(run, "build_type"));
  return out;
}

}  // namespace lakegauge::report
