#include "import/xml_tags.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace lakegauge::imports {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool IsName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

void AppendUtf8(uint32_t point, std::string* out) {
  const auto put = [&](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | (point >> 6));
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | (point >> 12));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | (point >> 18));
    put(0x80 | ((point >> 12) & 0x3F));
    put(0x80 | ((point >> 6) & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

// What stands for "&name;"; an unknown one stays as it is written.
std::string Unescaped(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kNamed[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  constexpr size_t kLongest = 10;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t end = text[i] == '&' ? text.find(';', i) : std::string_view::npos;
    if (end == std::string_view::npos || end - i > kLongest) {
      out += text[i];
      continue;
    }
    std::string_view name = text.substr(i + 1, end - i - 1);
    bool known = false;
    for (const auto& [entity, c] : kNamed) {
      if (name == entity) {
        out += c;
        known = true;
      }
    }
    if (!known && name.size() > 1 && name[0] == '#') {
      const bool hex = name[1] == 'x' || name[1] == 'X';
      name.remove_prefix(hex ? 2 : 1);
      uint32_t point = 0;
      const auto [stop, failed] =
          std::from_chars(name.data(), name.data() + name.size(), point, hex ? 16 : 10);
      known = failed == std::errc() && stop == name.data() + name.size() && point > 0 &&
              point < 0x110000 && (point < 0xD800 || point > 0xDFFF);
      if (known) AppendUtf8(point, &out);
    }
    if (known) {
      i = end;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string XmlTag::Attribute(const std::string& name) const {
  const auto at = attributes.find(name);
  return at == attributes.end() ? "" : at->second;
}

void XmlTags::MoveTo(size_t at) {
  at = std::min(at, text_.size());
  line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                      text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  at_ = at;
}

// Past a comment, CDATA or the like that begins here; its text is kept where it is CDATA.
bool XmlTags::Skip(std::string_view opening, std::string_view closing, XmlTag* tag) {
  if (!text_.substr(at_).starts_with(opening)) return false;
  const size_t begin = at_ + opening.size();
  const size_t end = text_.find(closing, begin);
  if (opening == "<![CDATA[") {
    tag->text_before += text_.substr(begin, std::min(end, text_.size()) - begin);
  }
  MoveTo(end == std::string_view::npos ? text_.size() : end + closing.size());
  return true;
}

bool XmlTags::ReadAttribute(XmlTag* tag) {
  const size_t name_at = at_;
  while (at_ < text_.size() && IsName(text_[at_])) ++at_;
  const std::string name(text_.substr(name_at, at_ - name_at));
  while (at_ < text_.size() && IsSpace(text_[at_])) MoveTo(at_ + 1);
  if (name.empty() || at_ >= text_.size() || text_[at_] != '=') {
    tag->problem = "an attribute is written wrongly";
    return false;
  }
  ++at_;
  while (at_ < text_.size() && IsSpace(text_[at_])) MoveTo(at_ + 1);
  const char quote = at_ < text_.size() ? text_[at_] : '\0';
  const size_t end =
      quote == '"' || quote == '\'' ? text_.find(quote, at_ + 1) : std::string_view::npos;
  // A value never holds '<': a quote that is closed only after one was not closed at all.
  if (end == std::string_view::npos ||
      text_.substr(at_, end - at_).find('<') != std::string::npos) {
    tag->problem = "the value of attribute '" + name + "' is not in quotes that are closed";
    return false;
  }
  tag->attributes[name] = Unescaped(text_.substr(at_ + 1, end - at_ - 1));
  MoveTo(end + 1);
  return true;
}

void XmlTags::ReadTag(XmlTag* tag) {
  ++at_;  // '<'
  if (at_ < text_.size() && text_[at_] == '/') {
    tag->kind = XmlTag::Kind::kClose;
    ++at_;
  }
  const size_t name_at = at_;
  while (at_ < text_.size() && IsName(text_[at_])) ++at_;
  tag->name = std::string(text_.substr(name_at, at_ - name_at));
  if (tag->name.empty()) tag->problem = "a tag without a name";
  while (tag->problem.empty()) {
    while (at_ < text_.size() && IsSpace(text_[at_])) MoveTo(at_ + 1);
    if (at_ >= text_.size()) {
      tag->problem = "the file ends inside a tag";
    } else if (text_[at_] == '>') {
      ++at_;
      return;
    } else if (text_.substr(at_).starts_with("/>")) {
      tag->kind = XmlTag::Kind::kAlone;
      at_ += 2;
      return;
    } else {
      ReadAttribute(tag);
    }
  }
  tag->kind = XmlTag::Kind::kDamaged;
  MoveTo(text_.find('<', at_));
}

std::optional<XmlTag> XmlTags::Next() {
  XmlTag tag;
  while (at_ < text_.size()) {
    if (text_[at_] != '<') {
      const size_t end = std::min(text_.find('<', at_), text_.size());
      tag.text_before += Unescaped(text_.substr(at_, end - at_));
      MoveTo(end);
      continue;
    }
    if (Skip("<!--", "-->", &tag) || Skip("<![CDATA[", "]]>", &tag) || Skip("<?", "?>", &tag) ||
        Skip("<!", ">", &tag)) {
      continue;
    }
    tag.line = line_;
    ReadTag(&tag);
    return tag;
  }
  return std::nullopt;
}

}  // namespace lakegauge::imports
