#include "report/comparison_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "report/figures.h"
#include "report/html.h"
#include "report/html_assets.h"

namespace lakegauge::report {
namespace {

constexpr double kWide = 250;  // of the axis, in SVG units
constexpr double kHigh = 22;   // of a row

constexpr std::string_view kStyle = R"css(
main { padding-block: 22px 48px; }
.comparison td, .comparison tbody th { padding: 3px 10px; vertical-align: middle; }
.comparison svg { display: block; }
.table, .comparison-notes { margin-top: 16px; }
)css";

// The page has no script that could follow the reader's theme: its style does.
std::string DarkStyle(const std::string& style) {
  constexpr std::string_view kDark = ":root[data-theme=\"dark\"] {";
  const size_t at = style.find(kDark);
  const size_t end = at == std::string::npos ? at : style.find('}', at);
  if (end == std::string::npos) return "";
  return fmt::format("@media screen and (prefers-color-scheme: dark) {{ :root {{{}}} }}\n",
                     style.substr(at + kDark.size(), end - at - kDark.size()));
}

std::string Text(const Json& object, const char* key) {
  return EscapeHtml(JsonOr<std::string>(object, key, ""));
}

// The axis that all rows share: logarithms of ratios, wide enough for every interval there is, but
// not for one from end to end.
struct Axis {
  double low = -0.05, high = 0.05;
  double At(double ratio) const {
    const double at = std::clamp(std::log(ratio), low, high);
    return (at - low) / (high - low) * kWide;
  }
};

Axis AxisOf(const Json& c) {
  constexpr double kFarthest = 4;  // e^4: a ratio of 55
  Axis axis;
  for (const char* rows : {"cells", "queries"}) {
    for (const Json& row : Member(c, rows)) {
      for (const char* key : {"ratio", "ci_low", "ci_high"}) {
        const auto value = JsonOr<double>(row, key, 0);
        if (!(value > 0)) continue;
        axis.low = std::max(std::min(axis.low, 1.05 * std::log(value)), -kFarthest);
        axis.high = std::min(std::max(axis.high, 1.05 * std::log(value)), kFarthest);
      }
    }
  }
  return axis;
}

const char* Colour(const std::string& mark) {
  return mark == "slower" ? "var(--bad)" : mark == "faster" ? "var(--good)" : "var(--muted)";
}

std::string Drawn(const Json& row, const Axis& axis) {
  const auto ratio = JsonOr<double>(row, "ratio", 0);
  if (!(ratio > 0)) return "";
  const double middle = kHigh / 2;
  const char* colour = Colour(JsonOr<std::string>(row, "mark", ""));
  std::string svg = fmt::format(
      R"svg(<svg width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" aria-label="{2}">)svg"
      R"svg(<line x1="{3:.1f}" x2="{3:.1f}" y1="0" y2="{1}" stroke="var(--rule)"/>)svg",
      kWide, kHigh, EscapeHtml(RatioWithInterval(row)), axis.At(1));
  if (IsNumber(row, "ci_low") && IsNumber(row, "ci_high")) {
    svg += fmt::format(
        R"svg(<line x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}" stroke="{}" stroke-width="2"/>)svg",
        axis.At(std::max(row["ci_low"].get<double>(), 1e-9)), axis.At(row["ci_high"].get<double>()),
        middle, middle, colour);
  }
  return svg + fmt::format(R"(<circle cx="{:.1f}" cy="{}" r="4" fill="{}"/></svg>)", axis.At(ratio),
                           middle, colour);
}

std::string Row(const Json& row, const Axis& axis) {
  const std::string cell =
      Text(row, "cell") + (JsonOr<bool>(row, "emulated", false)
                               ? " <span class=\"stamp stamp-small\">Emulated</span>"
                               : "");
  std::string kind = Text(row, "mark");
  std::replace(kind.begin(), kind.end(), ' ', '-');
  return fmt::format(
      "<tr><th scope=\"row\" class=\"text\">{0}<span class=\"cell-note phone-only\">{1}</span></th>"
      "<td class=\"text aside\">{1}</td><td>{2}</td>"
      "<td class=\"text\"><span class=\"mark mark-{3}\">{4}</span></td><td class=\"aside\">{5}</td>"
      "<td class=\"aside\">{6}</td><td class=\"aside\">{7}</td><td class=\"aside\">{8}</td>"
      "<td class=\"aside\">{9}</td></tr>\n",
      row.contains("query") ? Text(row, "query") : "whole pass", cell,
      EscapeHtml(RatioWithInterval(row)), kind, EscapeHtml(MarkText(row)), Drawn(row, axis),
      Seconds(Member(row, "before_s")), Seconds(Member(row, "after_s")),
      EscapeHtml(Probability(Member(row, "p"))),
      EscapeHtml(SmallestEffect(Member(row, "smallest"))));
}

}  // namespace

std::string ComparisonToHtml(const Json& c) {
  const Axis axis = AxisOf(c);
  const std::string title =
      fmt::format("{} against {}", Text(Member(c, "after"), "id"), Text(Member(c, "before"), "id"));
  const std::string style = html_assets::Style();
  std::string rows;
  for (const Json& row : Member(c, "cells")) rows += Row(row, axis);
  for (const Json& row : Member(c, "queries")) rows += Row(row, axis);
  std::string notes;
  for (const Json& note : Member(c, "notes")) {
    if (note.is_string()) notes += "<li>" + EscapeHtml(note.get<std::string>()) + "</li>\n";
  }
  for (const Json& item : Member(c, "left_out")) {
    notes += fmt::format("<li>left out: {}: {}</li>\n", Text(item, "cell"), Text(item, "why"));
  }
  for (const Json& item : Member(c, "environment")) {
    if (item.is_string()) {
      notes += "<li>differs: " + EscapeHtml(item.get<std::string>()) + "</li>\n";
    }
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src data:\">\n"
      "<title>{0}</title>\n<style>{1}{9}{2}</style></head>\n"
      "<body><main class=\"page\">\n<h1>{0}</h1>\n<p class=\"lead\">{3}</p>\n<p>{4}</p>\n"
      "<div class=\"table scroll\" role=\"region\" aria-label=\"Ratios with 95% intervals\" "
      "tabindex=\"0\"><table class=\"comparison narrowing\"><caption "
      "class=\"visually-hidden\">Ratios "
      "with 95% intervals</caption>\n<thead><tr><th scope=\"col\" class=\"text\">What</th><th "
      "scope=\"col\" class=\"text aside\">Cell</th><th scope=\"col\">ratio (95%)</th><th "
      "scope=\"col\" class=\"text\">mark</th><th scope=\"col\" class=\"text aside\">{5:.2g}&times; "
      "to "
      "{6:.2g}&times;, line at 1&times;</th><th scope=\"col\" class=\"aside\">before s</th><th "
      "scope=\"col\" class=\"aside\">after s</th><th scope=\"col\" class=\"aside\">p</th><th "
      "scope=\"col\" class=\"aside\">found from</th></tr></thead>\n"
      "<tbody>\n{7}</tbody></table></div>\n<ul class=\"notes comparison-notes\">\n{8}</ul>\n"
      "</main></body></html>\n",
      title, style, kStyle, Text(c, "sentence"), Text(Member(c, "detectable"), "text"),
      std::exp(axis.low), std::exp(axis.high), rows, notes, DarkStyle(style));
}

}  // namespace lakegauge::report
