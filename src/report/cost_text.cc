#include "report/cost_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "analyze/cost_table.h"
#include "base/money.h"
#include "report/figures.h"
#include "report/text_columns.h"

namespace lakegauge::report {
namespace {

using analyze::MoneyText;

std::string Text(const Json& object, const char* key) {
  return JsonOr<std::string>(object, key, "");
}

// The sum of a bill's lines of some kinds; nothing where it has none of them.
std::optional<Money> SumOf(const Json& bill, const std::set<std::string>& kinds) {
  if (!bill.is_object()) return std::nullopt;
  std::optional<Money> sum;
  for (const Json& line : Member(bill, "lines")) {
    if (!kinds.contains(Text(line, "kind"))) continue;
    const auto amount = Money::Parse(Text(line, "amount"));
    if (!amount.ok()) continue;
    const auto more = sum.value_or(Money()).Plus(*amount);
    if (more.ok()) sum = *more;
  }
  return sum;
}

// A paragraph that begins `indent` from the left; later lines two further.
std::string Indented(std::string_view text, size_t indent) {
  std::string out;
  for (const std::string& line : Wrapped(text, indent + 2, std::string(indent, ' '))) {
    out += line + "\n";
  }
  return out;
}

struct Row {
  std::string what;
  std::vector<std::string> cells;
  bool any = false;
};

// Cells of one engine, layout and dataset stand side by side.
std::vector<std::vector<Json>> Groups(const Json& cells) {
  std::vector<std::vector<Json>> groups;
  for (const Json& cell : cells) {
    if (Member(cell, "columns").empty()) continue;
    const auto same = [&](const std::vector<Json>& group) {
      for (const char* key : {"engine", "layout", "dataset"}) {
        if (Text(group.front(), key) != Text(cell, key)) return false;
      }
      return true;
    };
    const auto at = std::find_if(groups.begin(), groups.end(), same);
    (at == groups.end() ? groups.emplace_back() : *at).push_back(cell);
  }
  return groups;
}

std::string GroupTitle(const Json& cell) {
  std::string title;
  for (const char* key : {"engine", "layout", "dataset"}) {
    const std::string part = Text(cell, key);
    if (!part.empty()) title += (title.empty() ? "" : ", ") + part;
  }
  return title;
}

class SideBySide {
 public:
  SideBySide(const Json& cost, const std::vector<Json>& group) : cost_(cost) {
    for (const Json& cell : group) {
      for (const Json& column : Member(cell, "columns")) {
        stores_.push_back(Text(cell, "store") +
                          (JsonOr<bool>(cell, "emulated", false) ? " EMULATED" : ""));
        columns_.push_back(column);
      }
    }
  }

  std::string ToText() {
    const std::string days = Days(Text(cost_, "retention_days"));
    AddTotals("a query", "query");
    AddKinds("a pass: compute", "pass", {"compute"});
    AddKinds("        requests", "pass", {"requests"});
    AddKinds("        upload, retrieval", "pass", {"upload", "retrieval"});
    AddKinds("        transfer", "pass", {"transfer"});
    AddTotals("a pass", "pass");
    AddTotals("the run, warm-up too", "run");
    AddTotals(fmt::format("{} kept", days), "keeping");
    AddTotals("loading it once", "loading");
    if (Member(cost_, "passes_a_month").is_string()) {
      AddTotals(fmt::format("{} days, {} passes", JsonOr<int>(cost_, "month_days", 30),
                            Text(cost_, "passes_a_month")),
                "month");
    }
    return Rendered();
  }

 private:
  static std::string Days(const std::string& days) {
    return days == "1" ? "1 day" : days + " days";
  }

  void AddTotals(std::string what, const char* key) {
    Row row{std::move(what), {}, false};
    for (const Json& column : columns_) {
      const Json value = Member(column, key);
      row.cells.push_back(value.is_object() ? BillTotal(value) : MoneyAmount(value));
      row.any = row.any || row.cells.back() != "-";
    }
    if (row.any) rows_.push_back(std::move(row));
  }

  void AddKinds(std::string what, const char* key, const std::set<std::string>& kinds) {
    Row row{std::move(what), {}, false};
    for (const Json& column : columns_) {
      const auto sum = SumOf(Member(column, key), kinds);
      row.cells.push_back(sum ? MoneyText(*sum) : "-");
      row.any = row.any || sum.has_value();
    }
    if (row.any) rows_.push_back(std::move(row));
  }

  std::string Rendered() const {
    size_t left = 0;
    for (const Row& row : rows_) left = std::max(left, row.what.size());
    std::vector<size_t> widths;
    for (size_t i = 0; i < columns_.size(); ++i) {
      size_t width = Text(columns_[i], "column").size();
      for (const Row& row : rows_) width = std::max(width, row.cells[i].size());
      widths.push_back(width);
    }
    std::string stores = fmt::format("  {:<{}}", "", left);
    for (size_t from = 0, to = 0; from < columns_.size(); from = to) {  // a store over its columns
      size_t span = 0;
      for (to = from; to < columns_.size() && stores_[to] == stores_[from]; ++to) {
        span += 2 + widths[to];
      }
      if (span < 2 + stores_[from].size()) {
        widths[to - 1] += 2 + stores_[from].size() - span;
        span = 2 + stores_[from].size();
      }
      stores += fmt::format("{:>{}}", stores_[from], span);
    }
    std::string titles = fmt::format("  {:<{}}", "", left);
    for (size_t i = 0; i < columns_.size(); ++i) {
      titles += fmt::format("  {:>{}}", Text(columns_[i], "column"), widths[i]);
    }
    std::string out = stores + "\n" + titles + "\n";
    for (const Row& row : rows_) {
      out += fmt::format("  {:<{}}", row.what, left);
      for (size_t i = 0; i < row.cells.size(); ++i) {
        out += fmt::format("  {:>{}}", row.cells[i], widths[i]);
      }
      out += "\n";
    }
    return out;
  }

  const Json& cost_;
  std::vector<std::string> stores_;
  std::vector<Json> columns_;
  std::vector<Row> rows_;
};

std::string Lines(const Json& cell) {
  std::string out;
  for (const Json& column : Member(cell, "columns")) {
    for (const char* what : {"pass", "keeping", "loading"}) {
      const Json bill = Member(column, what);
      if (!bill.is_object() || Member(bill, "lines").empty()) continue;
      out += fmt::format("\n{}, {}, {}: {}\n", Text(cell, "cell"), Text(column, "column"), what,
                         Text(bill, "total"));
      for (const Json& line : Member(bill, "lines")) {
        const std::string per = Text(line, "per");
        out += per.empty() ? fmt::format("  {} = {}\n", Text(line, "name"), Text(line, "amount"))
                           : fmt::format("  {}: {} {} at {} {} = {}\n", Text(line, "name"),
                                         Text(line, "quantity"), Text(line, "unit"),
                                         Text(line, "price"), per, Text(line, "amount"));
        out += Indented(Text(line, "source"), 4);
      }
    }
  }
  return out;
}

// What was used and has no price, once a store and column.
std::vector<std::string> Unpriced(const Json& cells) {
  std::vector<std::string> notes;
  for (const Json& cell : cells) {
    for (const Json& column : Member(cell, "columns")) {
      std::set<std::string> told;
      for (const char* what : {"pass", "keeping", "loading"}) {
        const Json bill = Member(column, what);
        if (!bill.is_object()) continue;
        for (const Json& item : Member(bill, "unpriced")) {
          if (!item.is_string() || !told.insert(item.get<std::string>()).second) continue;
          notes.push_back(fmt::format("{}, {}: no price, left out of {}: {}", Text(cell, "cell"),
                                      Text(column, "column"), what, item.get<std::string>()));
        }
      }
    }
  }
  return notes;
}

std::string Queries(const Json& queries) {
  std::vector<std::vector<std::string>> lines = {{"query", "cell", "column", "a run of it"}};
  for (const Json& query : queries) {
    lines.push_back({Text(query, "query"), Text(query, "cell"), Text(query, "column"),
                     MoneyAmount(Member(query, "total"))});
  }
  return lines.size() == 1 ? "" : "\n" + AlignColumns(lines, 3);
}

std::string Header(const Json& prices) {
  return fmt::format("prices: {} of {}, {}; a GB is {} bytes\n", Text(prices, "name"),
                     Text(prices, "date"), Text(prices, "currency"),
                     Count(Member(prices, "gigabyte_bytes")));
}

}  // namespace

std::string MoneyAmount(const Json& value) {
  if (!value.is_string()) return "-";
  const auto money = Money::Parse(value.get<std::string>());
  return money.ok() ? MoneyText(*money) : "-";
}

// A bill that holds only what has no price is not a bill of nothing.
std::string BillTotal(const Json& bill) {
  if (!bill.is_object()) return "-";
  if (Member(bill, "lines").empty() && !Member(bill, "unpriced").empty()) return "-";
  return MoneyAmount(Member(bill, "total"));
}

std::string CostText(const Json& cost, const CostTextOptions& options) {
  const Json prices = Member(cost, "prices");
  const Json cells = Member(cost, "cells");
  std::string out;
  if (const std::string title = Text(cost, "title"); !title.empty()) out += title + "\n";
  out += Header(prices);
  out += fmt::format("a month of {} days\n", JsonOr<int>(cost, "month_days", 30));
  for (const auto& group : Groups(cells)) {
    const std::string title = GroupTitle(group.front());
    out += "\n" + (title.empty() ? "" : title + "\n");
    out += SideBySide(cost, group).ToText();
    for (const Json& even : Member(cost, "break_even")) {
      const bool here = std::any_of(group.begin(), group.end(), [&](const Json& cell) {
        return Text(cell, "cell") == Text(even, "cell");
      });
      if (here) out += Paragraph("- " + Text(even, "text"), 2);
    }
  }
  if (options.queries) out += Queries(Member(cost, "queries"));
  if (options.lines) {
    for (const Json& cell : cells) out += Lines(cell);
  }
  std::vector<std::string> notes;
  for (const Json& cell : cells) {
    for (const Json& note : Member(cell, "notes")) {
      if (note.is_string()) notes.push_back(Text(cell, "cell") + ": " + note.get<std::string>());
    }
  }
  for (std::string& note : Unpriced(cells)) notes.push_back(std::move(note));
  const Json whole = Member(cost, "notes");
  for (const Json& note : whole.is_array() ? whole : Json::array()) {
    if (note.is_string()) notes.push_back(note.get<std::string>());
  }
  if (!notes.empty()) out += "\n";
  for (const std::string& note : notes) out += Paragraph("- " + note, 2);
  return out;
}

std::string ClaimText(const Json& finding) {
  std::string out = Paragraph("\"" + Text(finding, "claim") + "\"", 0);
  out += Indented("said by: " + Text(finding, "source"), 0);
  out += fmt::format("prices: {} of {}, {}, {}\n", Text(finding, "prices"), Text(finding, "date"),
                     Text(finding, "column"), Text(finding, "currency"));
  for (const Json& step : Member(finding, "steps")) {
    if (step.is_string()) out += Indented(step.get<std::string>(), 2);
  }
  out += Paragraph(Text(finding, "verdict"), 0);
  for (const Json& note : Member(finding, "notes")) {
    if (note.is_string()) out += Paragraph("- " + note.get<std::string>(), 2);
  }
  return out;
}

std::string PriceSheetText(const Json& sheet) {
  std::string out = fmt::format("{} ({}, {})\n", Text(sheet, "name"), Text(sheet, "date"),
                                Text(sheet, "currency"));
  out += Indented(Text(sheet, "description"), 2);
  const auto charges = [&](const std::string& of, const Json& list) {
    for (const Json& charge : list) {
      const auto count = JsonOr<int64_t>(charge, "count", 1);
      std::string columns;
      for (const Json& column : Member(charge, "columns")) {
        columns += (columns.empty() ? "" : ", ") + column.get<std::string>();
      }
      out += fmt::format("  {}: {}{} {} {}  [{}]\n", of, Text(charge, "name"),
                         count == 1 ? "" : fmt::format(", {} x", count), Text(charge, "price"),
                         Text(charge, "unit"), columns);
    }
  };
  charges("compute", Member(sheet, "compute"));
  for (const Json& store : Member(sheet, "stores")) {
    charges(Text(store, "name"), Member(store, "charges"));
  }
  return out;
}

}  // namespace lakegauge::report
