#include "report/html.h"

#include <map>
#include <utility>

#include "base/files.h"
#include "report/html_assets.h"

namespace lakegauge::report {
namespace {

constexpr int kModelVersion = 1;

std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0;;) {
    const size_t hit = text.find(from, at);
    out.append(text.substr(at, hit - at));
    if (hit == std::string_view::npos) return out;
    out.append(to);
    at = hit + from.size();
  }
}

// A member, or null where there is none.
const Json& Member(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto it = object.find(key);
  return it == object.end() ? kNothing : *it;
}

// The page's title, and the paragraph for readers without scripts.
std::string Title(const Json& summary) {
  const std::string title = JsonOr<std::string>(Member(summary, "run"), "title", "");
  return title.empty() ? "lakegauge report" : title + " - lakegauge report";
}

std::string WithoutScripts(const Json& summary) {
  const Json& run = Member(summary, "run");
  std::string out;
  const auto paragraph = [&out](const std::string& text) {
    if (!text.empty()) out += "<p>" + EscapeHtml(text) + "</p>\n";
  };
  paragraph(JsonOr<std::string>(run, "title", ""));
  paragraph(JsonOr<std::string>(run, "question", ""));
  paragraph(JsonOr<std::string>(Member(summary, "headline"), "sentence", ""));
  for (const Json& note : Member(Member(summary, "headline"), "notes")) {
    if (note.is_string()) paragraph(note.get<std::string>());
  }
  if (JsonOr<bool>(run, "emulated", false)) {
    paragraph("EMULATED: figures of emulated stores follow from their profiles.");
  }
  return out;
}

// Fills {{name}} in one pass, so that nothing inserted is ever read as a placeholder.
Result<std::string> Fill(std::string_view page, const std::map<std::string_view, std::string>& by) {
  std::string out;
  for (size_t at = 0;;) {
    const size_t open = page.find("{{", at);
    out.append(page.substr(at, open - at));
    if (open == std::string_view::npos) return out;
    const size_t close = page.find("}}", open);
    if (close == std::string_view::npos) {
      return MakeError(ErrorCode::kInternal, "page.html: a placeholder is not closed");
    }
    const auto it = by.find(page.substr(open + 2, close - open - 2));
    if (it == by.end()) {
      return MakeError(ErrorCode::kInternal, "page.html: unknown placeholder " +
                                                 std::string(page.substr(open, close + 2 - open)));
    }
    out.append(it->second);
    at = close + 2;
  }
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string EscapeScript(std::string_view script) {
  // Inside a script only these two end or nest it; both stand in string literals, where a
  // backslash before the character changes nothing.
  return ReplaceAll(ReplaceAll(script, "</script", "<\\/script"), "<!--", "<\\!--");
}

std::string JsonForScript(const Json& value) {
  std::string out;
  for (const char c : value.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Result<std::string> RenderHtml(const Json& summary) {
  if (!summary.is_object()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "summary.json: expected an object, found " + std::string(summary.type_name()));
  }
  const int version = JsonOr<int>(summary, "v", 0);
  if (version < 1) {
    return MakeError(ErrorCode::kInvalidArgument, "summary.json: no version \"v\"");
  }
  if (version > kModelVersion) {
    return MakeError(ErrorCode::kUnsupported, "summary.json: version " + std::to_string(version) +
                                                  " is newer than this lakegauge reads (" +
                                                  std::to_string(kModelVersion) + ")");
  }
  return Fill(html_assets::Page(), {{"title", EscapeHtml(Title(summary))},
                                    {"style", html_assets::Style()},
                                    {"noscript", WithoutScripts(summary)},
                                    {"summary", JsonForScript(summary)},
                                    {"echarts", EscapeScript(html_assets::Echarts())},
                                    {"script", EscapeScript(html_assets::Script())}});
}

Status WriteHtml(const Json& summary, const std::string& path) {
  LG_ASSIGN_OR_RETURN(const std::string page, RenderHtml(summary));
  return WriteFileAtomically(path, page);
}

}  // namespace lakegauge::report
