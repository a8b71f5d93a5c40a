#include "base/yaml_parse.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "base/units.h"

namespace lakegauge {
namespace {

constexpr size_t kMaxTextBytes = size_t{4} << 20;
constexpr int kMaxDepth = 64;
constexpr size_t kMaxNodes = 200'000;

// Thrown by the builder to stop the library's parser; never leaves ParseYaml.
struct StopParsing {};

// Builds entries from the library's events, so that duplicates, aliases and depth are ours to
// judge.
class Builder : public YAML::EventHandler {
 public:
  Builder(YamlState& state, const std::string* origin) : state_(state), origin_(origin) {}

  YamlEntry* root() const { return root_; }
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(Make(YamlKind::kNull, mark, "", anchor), mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end() || IsOpen(known->second)) {
      Stop(mark, "found an alias to itself; allowed only to what came before");
    }
    Add(known->second, mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlEntry* e = Make(YamlKind::kScalar, mark, tag, anchor);
    e->text = value;
    e->plain = tag == "?";
    Add(e, mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(Make(YamlKind::kList, mark, tag, anchor), mark);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(Make(YamlKind::kMap, mark, tag, anchor), mark);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Level {
    YamlEntry* entry;
    YamlEntry* key = nullptr;  // of a map, when its value comes next
    YAML::Mark mark;           // where it stands in its parent
  };

  [[noreturn]] void Stop(const YAML::Mark& mark, std::string message) {
    state_.Note(*origin_, mark.line + 1, mark.column + 1, std::move(message));
    throw StopParsing();
  }
  YamlEntry* Make(YamlKind kind, const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t anchor) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      state_.Note(
          *origin_, mark.line + 1, mark.column + 1,
          fmt::format("found the tag {}; allowed are values without tags", YamlQuoted(tag)));
    }
    YamlEntry* e = state_.New(kind, origin_, mark.line + 1, mark.column + 1);
    if (anchor != 0) anchors_[anchor] = e;
    return e;
  }
  bool IsOpen(const YamlEntry* e) const {
    return std::any_of(open_.begin(), open_.end(), [&](const Level& l) { return l.entry == e; });
  }
  void Open(YamlEntry* e, const YAML::Mark& mark) {
    if (open_.size() >= static_cast<size_t>(kMaxDepth)) TooDeep(mark);
    open_.push_back({e, nullptr, mark});
  }
  [[noreturn]] void TooDeep(const YAML::Mark& mark) {
    Stop(mark, fmt::format("found more than {} levels; allowed at most that", kMaxDepth));
  }
  void Close() {
    const Level done = open_.back();
    open_.pop_back();
    Add(done.entry, done.mark);
  }
  void Add(YamlEntry* e, const YAML::Mark& mark) {
    total_ += 1;
    if (e->size > kMaxNodes || total_ > kMaxNodes) {
      Stop(mark,
           fmt::format("found more than {} values with aliases expanded; allowed at most that",
                       kMaxNodes));
    }
    if (open_.empty()) {
      root_ = e;
      return;
    }
    Level& parent = open_.back();
    parent.entry->size += e->size;
    parent.entry->depth = std::max(parent.entry->depth, e->depth + 1);
    if (parent.entry->size > kMaxNodes) {
      Stop(mark,
           fmt::format("found more than {} values with aliases expanded; allowed at most that",
                       kMaxNodes));
    }
    if (parent.entry->depth > kMaxDepth) TooDeep(mark);
    if (parent.entry->kind == YamlKind::kList) {
      parent.entry->items.push_back(e);
    } else if (parent.key == nullptr) {
      parent.key = e;
    } else {
      AddKey(*parent.entry, parent.key, e);
      parent.key = nullptr;
    }
  }
  void AddKey(YamlEntry& map, YamlEntry* key, YamlEntry* value) {
    if (key->kind != YamlKind::kScalar) {
      state_.Note(*key, fmt::format("found {} as a key; allowed are texts", YamlFound(*key)));
      return;
    }
    auto& seen = seen_[&map];
    const auto [first, is_new] = seen.emplace(key->text, key);
    if (!is_new) {
      state_.Note(*key,
                  fmt::format("found key {} again; allowed once (first at {}:{})",
                              YamlQuoted(key->text), first->second->line, first->second->column));
      return;
    }
    map.keys.emplace_back(key, value);
  }

  YamlState& state_;
  const std::string* origin_;
  YamlEntry* root_ = nullptr;
  std::vector<Level> open_;
  std::map<YAML::anchor_t, YamlEntry*> anchors_;
  std::map<const YamlEntry*, std::map<std::string, const YamlEntry*>> seen_;
  size_t total_ = 0;
};

}  // namespace

std::string YamlQuoted(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, kYamlShownBytes)) shown += c == '\n' ? ' ' : c;
  // Never half a UTF-8 sequence.
  if (text.size() > kYamlShownBytes) {
    while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0) == 0x80) {
      shown.pop_back();
    }
    if (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0x80) != 0) shown.pop_back();
    shown += "...";
  }
  return "'" + shown + "'";
}

std::string YamlFound(const YamlEntry& e) {
  switch (e.kind) {
    case YamlKind::kNull:
      return "nothing";
    case YamlKind::kScalar:
      return YamlQuoted(e.text);
    case YamlKind::kList:
      return "a list";
    case YamlKind::kMap:
      return "a map";
    case YamlKind::kProbe:
      return "a probe";
  }
  return "nothing";
}

namespace {

// Where a text stops being UTF-8, or its size.
size_t ValidUtf8Bytes(std::string_view text) {
  const auto is_tail = [&](size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t tails = lead < 0x80 ? 0 : lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead >= 0x80 && (lead < 0xC2 || lead > 0xF4)) return i;
    for (size_t t = 1; t <= tails; ++t) {
      if (!is_tail(i + t)) return i;
    }
    const auto second = tails > 0 ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool beyond = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
    if (overlong || beyond) return i;
    i += tails + 1;
  }
  return i;
}

// False, with a problem noted, where the text is not UTF-8 (nothing that is written could hold it).
bool CheckUtf8(YamlState& state, std::string_view text, const std::string& origin) {
  const size_t valid = ValidUtf8Bytes(text);
  if (valid == text.size()) return true;
  const std::string_view before = text.substr(0, valid);
  const size_t newline = before.rfind('\n');
  const size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  state.Note(origin, static_cast<int>(1 + std::count(before.begin(), before.end(), '\n')),
             static_cast<int>(valid - line_start + 1),
             fmt::format("found the byte 0x{:02x}, which is not UTF-8; allowed UTF-8",
                         static_cast<unsigned char>(text[valid])));
  return false;
}

}  // namespace

YamlEntry* ParseYaml(YamlState& state, std::string_view text, const std::string* origin) {
  if (text.size() > kMaxTextBytes) {
    state.Note(
        *origin, 1, 1,
        fmt::format("found {} of text; allowed at most {}",
                    FormatBytes(static_cast<int64_t>(text.size())), FormatBytes(kMaxTextBytes)));
    return nullptr;
  }
  if (!CheckUtf8(state, text, *origin)) return nullptr;
  Builder builder(state, origin);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || builder.root() == nullptr ||
        builder.root()->kind == YamlKind::kNull) {
      state.Note(*origin, 1, 1, "found an empty document; allowed is a YAML map");
      return nullptr;
    }
    YamlEntry* root = builder.root();
    if (parser) {
      Builder second(state, origin);
      if (parser.HandleNextDocument(second) && second.root() != nullptr) {
        state.Note(*second.root(), "found a second document; allowed is one a file");
      }
    }
    return root;
  } catch (const StopParsing&) {
    return nullptr;
  } catch (const YAML::Exception& e) {
    state.Note(*origin, std::max(e.mark.line, 0) + 1, std::max(e.mark.column, 0) + 1,
               fmt::format("found what is not YAML: {}", e.msg));
    return nullptr;
  } catch (const std::exception& e) {
    state.Note(*origin, 1, 1, fmt::format("found what is not YAML: {}", e.what()));
    return nullptr;
  }
}

}  // namespace lakegauge
