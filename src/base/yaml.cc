#include "base/yaml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <tuple>

#include "base/files.h"
#include "base/units.h"
#include "base/yaml_parse.h"

namespace lakegauge {
namespace {

const std::pair<YamlEntry*, YamlEntry*>* FindKey(const YamlEntry& map, std::string_view key) {
  const auto at = std::find_if(map.keys.begin(), map.keys.end(),
                               [&](const auto& k) { return k.first->text == key; });
  return at == map.keys.end() ? nullptr : &*at;
}

template <typename T>
std::optional<T> ParseNumber(const std::string& text) {
  T value{};
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  const auto [stop, ec] = std::from_chars(begin, end, value);
  if (ec != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string IntegerRange(int64_t min, int64_t max) {
  const bool low = min != std::numeric_limits<int64_t>::min();
  const bool high = max != std::numeric_limits<int64_t>::max();
  if (low && high) return fmt::format("an integer from {} to {}", min, max);
  if (low) return fmt::format("an integer of at least {}", min);
  if (high) return fmt::format("an integer of at most {}", max);
  return "an integer";
}

std::string RealRange(double min, double max) {
  const bool low = min > -std::numeric_limits<double>::max();
  const bool high = max < std::numeric_limits<double>::max();
  if (low && high) return fmt::format("a number from {} to {}", min, max);
  if (low) return fmt::format("a number of at least {}", min);
  if (high) return fmt::format("a number of at most {}", max);
  return "a number";
}

Json EntryToJson(const YamlEntry& e) {
  switch (e.kind) {
    case YamlKind::kNull:
    case YamlKind::kProbe:
      return nullptr;
    case YamlKind::kScalar: {
      if (!e.plain) return e.text;
      if (e.text == "true") return true;
      if (e.text == "false") return false;
      if (const auto n = ParseNumber<int64_t>(e.text)) return *n;
      const bool numeric =
          !e.text.empty() && e.text.find_first_not_of("0123456789+-.eE") == std::string::npos;
      if (const auto d = ParseNumber<double>(e.text); numeric && d && std::isfinite(*d)) return *d;
      return e.text;
    }
    case YamlKind::kList: {
      Json list = Json::array();
      for (const auto* item : e.items) list.push_back(EntryToJson(*item));
      return list;
    }
    case YamlKind::kMap: {
      Json map = Json::object();
      for (const auto& [key, value] : e.keys) map[key->text] = EntryToJson(*value);
      return map;
    }
  }
  return nullptr;
}

void NoteUnknownKeys(const YamlState& state, std::vector<YamlProblem>& problems) {
  for (const auto& [map, asked] : state.asked) {
    if (state.any_key.contains(map) || map->kind != YamlKind::kMap) continue;
    for (const auto& [key, value] : map->keys) {
      if (std::find(asked.begin(), asked.end(), key->text) != asked.end()) continue;
      // A key that is there already is no likely misspelling of this one.
      std::vector<std::string> free;
      for (const auto& name : asked) {
        if (FindKey(*map, name) == nullptr) free.push_back(name);
      }
      problems.push_back(
          {*key->origin, key->line, key->column,
           fmt::format("found key {}; allowed {}{}", YamlQuoted(key->text),
                       asked.empty() ? "none" : fmt::format("{}", fmt::join(asked, ", ")),
                       DidYouMean(key->text, free))});
    }
  }
}

}  // namespace

std::string YamlProblem::ToString() const {
  return fmt::format("{}:{}:{}: {}", origin, line, column, message);
}

std::string DidYouMean(std::string_view found, const std::vector<std::string>& candidates) {
  const std::string nearest = NearestName(found, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

std::string NearestName(std::string_view found, const std::vector<std::string>& candidates) {
  const auto lower = [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  // Optimal string alignment: insertions, deletions, changes and swaps of neighbours.
  const auto distance = [&](std::string_view a, std::string_view b) {
    std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      for (size_t j = 1; j <= b.size(); ++j) {
        const size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
        if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
            lower(a[i - 2]) == lower(b[j - 1])) {
          d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.size()][b.size()];
  };
  if (found.size() > kYamlShownBytes) return "";
  std::string best;
  size_t best_distance = std::max<size_t>(1, found.size() / 3) + 1;
  for (const std::string& name : candidates) {
    const size_t d = distance(found, name);
    if (d < best_distance) {
      best_distance = d;
      best = name;
    }
  }
  return best;
}

// ---- YamlNode

YamlProbe* YamlNode::probe() const {
  return entry_ != nullptr && entry_->kind == YamlKind::kProbe ? state_->probe.get() : nullptr;
}

YamlNode YamlNode::Probe(const std::string& path) const {
  YamlEntry* e = state_->New(YamlKind::kProbe, entry_->origin, 1, 1);
  e->text = path;
  return {state_, e};
}

bool YamlNode::is_null() const {
  if (auto* p = probe()) return p->Is(entry_->text, "null");
  return present() && entry_->kind == YamlKind::kNull;
}
bool YamlNode::is_scalar() const {
  if (auto* p = probe()) return p->Is(entry_->text, "scalar");
  return present() && entry_->kind == YamlKind::kScalar;
}
bool YamlNode::is_list() const {
  if (auto* p = probe()) return p->Is(entry_->text, "list");
  return present() && entry_->kind == YamlKind::kList;
}
bool YamlNode::is_map() const {
  if (auto* p = probe()) return p->Is(entry_->text, "map");
  return present() && entry_->kind == YamlKind::kMap;
}

const std::string& YamlNode::origin() const {
  static const std::string kNone;
  return present() ? *entry_->origin : kNone;
}
int YamlNode::line() const { return present() ? entry_->line : 0; }
int YamlNode::column() const { return present() ? entry_->column : 0; }
std::string YamlNode::where() const {
  return present() ? fmt::format("{}:{}:{}", origin(), line(), column()) : "";
}

void YamlNode::Problem(std::string message) const {
  if (present() && probe() == nullptr) state_->Note(*entry_, std::move(message));
}
std::string YamlNode::Found() const { return present() ? YamlFound(*entry_) : "nothing"; }

const std::string* YamlNode::Scalar(std::string_view allowed) const {
  if (!present() || probe() != nullptr) return nullptr;
  if (entry_->kind == YamlKind::kScalar) return &entry_->text;
  Problem(fmt::format("found {}; allowed {}", Found(), allowed));
  return nullptr;
}

std::string YamlNode::String(std::string_view fallback, bool may_be_empty) const {
  if (auto* p = probe()) p->SawScalar(entry_->text, {{"type", {"string", "number", "boolean"}}});
  const std::string* text = Scalar("a text");
  if (text == nullptr) return std::string(fallback);
  if (text->empty() && !may_be_empty) {
    Problem("found an empty text; allowed one that is not empty");
    return std::string(fallback);
  }
  return *text;
}

int64_t YamlNode::Integer(int64_t min, int64_t max, int64_t fallback) const {
  if (auto* p = probe()) {
    Json type = {{"type", "integer"}};
    if (min != std::numeric_limits<int64_t>::min()) type["minimum"] = min;
    if (max != std::numeric_limits<int64_t>::max()) type["maximum"] = max;
    p->SawScalar(entry_->text, type);
    return fallback;
  }
  const std::string allowed = IntegerRange(min, max);
  const std::string* text = Scalar(allowed);
  if (text == nullptr) return fallback;
  const auto value = ParseNumber<int64_t>(*text);
  if (!entry_->plain || !value || *value < min || *value > max) {
    Problem(fmt::format("found {}{}; allowed {}", entry_->plain ? "" : "the quoted text ", Found(),
                        allowed));
    return fallback;
  }
  return *value;
}

double YamlNode::Real(double min, double max, double fallback) const {
  if (auto* p = probe()) {
    Json type = {{"type", "number"}};
    if (min > -std::numeric_limits<double>::max()) type["minimum"] = min;
    if (max < std::numeric_limits<double>::max()) type["maximum"] = max;
    p->SawScalar(entry_->text, type);
    return fallback;
  }
  const std::string allowed = RealRange(min, max);
  const std::string* text = Scalar(allowed);
  if (text == nullptr) return fallback;
  const auto value = ParseNumber<double>(*text);
  if (!entry_->plain || !value || !std::isfinite(*value) || *value < min || *value > max) {
    Problem(fmt::format("found {}{}; allowed {}", entry_->plain ? "" : "the quoted text ", Found(),
                        allowed));
    return fallback;
  }
  return *value;
}

bool YamlNode::Bool(bool fallback) const {
  if (auto* p = probe()) p->SawScalar(entry_->text, {{"type", "boolean"}});
  const std::string* text = Scalar("true or false");
  if (text == nullptr) return fallback;
  if (entry_->plain && (*text == "true" || *text == "false")) return *text == "true";
  Problem(fmt::format("found {}; allowed true or false", Found()));
  return fallback;
}

size_t YamlNode::Choice(const std::vector<std::string_view>& names, size_t fallback) const {
  if (auto* p = probe()) return p->Choose(entry_->text, names);
  const std::string allowed = fmt::format("{}", fmt::join(names, ", "));
  const std::string* text = Scalar(allowed);
  if (text == nullptr) return fallback;
  const auto at = std::find(names.begin(), names.end(), *text);
  if (at != names.end()) return static_cast<size_t>(at - names.begin());
  Problem(fmt::format("found {}; allowed {}{}", Found(), allowed,
                      DidYouMean(*text, {names.begin(), names.end()})));
  return fallback;
}

int64_t YamlNode::Bytes(int64_t min, int64_t max, int64_t fallback) const {
  if (auto* p = probe()) p->SawScalar(entry_->text, {{"type", {"string", "integer"}}});
  const std::string allowed =
      max == std::numeric_limits<int64_t>::max()
          ? fmt::format("a size of at least {}, such as 8MiB", FormatBytes(min))
          : fmt::format("a size from {} to {}, such as 8MiB", FormatBytes(min), FormatBytes(max));
  const std::string* text = Scalar(allowed);
  if (text == nullptr) return fallback;
  const auto value = ParseBytes(*text);
  if (!value.ok() || *value < min || *value > max) {
    Problem(fmt::format("found {}; allowed {}", Found(), allowed));
    return fallback;
  }
  return *value;
}

int64_t YamlNode::Duration(int64_t min_ns, int64_t max_ns, int64_t fallback_ns) const {
  if (auto* p = probe()) p->SawScalar(entry_->text, {{"type", "string"}});
  const char* example = min_ns <= 7 * kNsPerMs && 7 * kNsPerMs <= max_ns ? "7ms" : "90s or 30min";
  const std::string allowed = fmt::format(
      "a number with ns, us, ms, s, min, h or d, such as {}, {} {}{}", example,
      max_ns == std::numeric_limits<int64_t>::max() ? "at least" : "from", FormatDuration(min_ns),
      max_ns == std::numeric_limits<int64_t>::max() ? "" : " to " + FormatDuration(max_ns));
  const std::string* text = Scalar(allowed);
  if (text == nullptr) return fallback_ns;
  const auto value = ParseDuration(*text);
  if (!value.ok() || *value < min_ns || *value > max_ns) {
    Problem(fmt::format("found {}; allowed {}", Found(), allowed));
    return fallback_ns;
  }
  return *value;
}

double YamlNode::Bandwidth(double fallback) const {
  if (auto* p = probe()) p->SawScalar(entry_->text, {{"type", {"string", "number"}}});
  constexpr std::string_view kAllowed = "a bandwidth above 0, such as 100MB/s";
  const std::string* text = Scalar(kAllowed);
  if (text == nullptr) return fallback;
  const auto value = ParseBandwidth(*text);
  if (!value.ok() || *value <= 0) {
    Problem(fmt::format("found {}; allowed {}", Found(), kAllowed));
    return fallback;
  }
  return *value;
}

std::vector<YamlNode> YamlNode::List(size_t min, size_t max) const {
  if (!present()) return {};
  if (auto* p = probe()) {
    p->SawList(entry_->text, min, max);
    return {Probe(YamlProbe::ItemPath(entry_->text))};
  }
  if (entry_->kind != YamlKind::kList) {
    Problem(fmt::format("found {}; allowed a list", Found()));
    return {};
  }
  const size_t n = entry_->items.size();
  if (n < min || n > max) {
    const std::string allowed = max == std::numeric_limits<size_t>::max()
                                    ? fmt::format("at least {}", min)
                                    : fmt::format("{} to {}", min, max);
    Problem(fmt::format("found a list of {}; allowed {} elements", n, allowed));
  }
  std::vector<YamlNode> nodes;
  nodes.reserve(n);
  for (const YamlEntry* item : entry_->items) nodes.push_back(YamlNode(state_, item));
  return nodes;
}

YamlMap YamlNode::Map() const {
  if (!present()) return YamlMap(YamlNode());
  if (auto* p = probe()) {
    p->SawMap(entry_->text);
    return YamlMap(*this);
  }
  if (entry_->kind != YamlKind::kMap) {
    Problem(fmt::format("found {}; allowed a map", Found()));
    return YamlMap(YamlNode());
  }
  state_->asked.try_emplace(entry_);
  return YamlMap(*this);
}

Json YamlNode::ToJson() const {
  if (auto* p = probe()) p->SawScalar(entry_->text, Json::object());
  return present() ? EntryToJson(*entry_) : Json();
}

// ---- YamlMap

YamlNode YamlMap::Ask(std::string_view key, bool required) const {
  if (!node_.present()) return {};
  const YamlEntry* e = node_.entry_;
  if (auto* p = node_.probe()) {
    p->SawKey(e->text, key, required);
    return node_.Probe(YamlProbe::KeyPath(e->text, key));
  }
  auto& asked = node_.state_->asked[e];
  const bool asked_before = std::find(asked.begin(), asked.end(), key) != asked.end();
  if (!asked_before) asked.emplace_back(key);
  const auto* found = FindKey(*e, key);
  if (found != nullptr) return {node_.state_, found->second};
  if (required && !asked_before) {
    node_.Problem(fmt::format("found a map without the key '{}'; allowed only with it", key));
  }
  return {};
}

YamlNode YamlMap::Required(std::string_view key) const { return Ask(key, true); }
YamlNode YamlMap::Optional(std::string_view key) const { return Ask(key, false); }

std::vector<std::pair<std::string, YamlNode>> YamlMap::Entries() const {
  std::vector<std::pair<std::string, YamlNode>> entries;
  if (!node_.present()) return entries;
  const YamlEntry* e = node_.entry_;
  if (auto* p = node_.probe()) {
    p->SawAnyKey(e->text);
    entries.emplace_back("name", node_.Probe(YamlProbe::AnyKeyPath(e->text)));
    return entries;
  }
  node_.state_->any_key[e] = true;
  for (const auto& [key, value] : e->keys) {
    entries.emplace_back(key->text, YamlNode(node_.state_, value));
  }
  return entries;
}

std::vector<std::string> YamlMap::known_keys() const {
  if (!node_.present() || node_.probe() != nullptr) return {};
  return node_.state_->asked[node_.entry_];
}

YamlNode YamlMap::KeyNode(std::string_view key) const {
  if (!node_.present() || node_.probe() != nullptr) return {};
  const auto* found = FindKey(*node_.entry_, key);
  return found == nullptr ? YamlNode() : YamlNode(node_.state_, found->first);
}

// ---- YamlDocument

YamlDocument YamlDocument::Parse(std::string_view text, std::string_view origin) {
  auto state = std::make_shared<YamlState>();
  const std::string* name = &state->origins.emplace_back(origin);
  state->root = ParseYaml(*state, text, name);
  return YamlDocument(std::move(state));
}

Result<YamlDocument> YamlDocument::ParseFile(const std::string& path) {
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return Parse(text, path);
}

YamlNode YamlDocument::root() const {
  return state_->root == nullptr ? YamlNode() : YamlNode(state_, state_->root);
}

Status YamlDocument::Set(std::string_view path, std::string_view value, std::string_view origin) {
  const auto refuse = [&](std::string message) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{}: {}", origin, std::move(message)));
  };
  if (state_->root == nullptr) return refuse("the file it changes did not parse");
  const std::string* name = &state_->origins.emplace_back(origin);
  const size_t problems_before = state_->problems.size();
  YamlEntry* replacement = ParseYaml(*state_, value, name);
  if (replacement == nullptr) {
    const std::string why = state_->problems.back().message;
    state_->problems.resize(problems_before);
    return refuse(why);
  }
  YamlEntry* at = state_->root;
  std::string_view rest = path;
  while (true) {
    const size_t dot = rest.find('.');
    const std::string_view step = rest.substr(0, dot);
    const bool last = dot == std::string_view::npos;
    if (step.empty()) return refuse(fmt::format("found the path '{}'; allowed a.b.c", path));
    YamlEntry** slot = nullptr;
    if (at->kind == YamlKind::kMap) {
      for (auto& [key, child] : at->keys) {
        if (key->text == step) slot = &child;
      }
      if (slot == nullptr) {
        YamlEntry* key = state_->New(YamlKind::kScalar, name, 1, 1);
        key->text = step;
        slot = &at->keys.emplace_back(key, state_->New(YamlKind::kMap, name, 1, 1)).second;
      }
    } else if (at->kind == YamlKind::kList) {
      for (size_t i = 0; i < at->items.size(); ++i) {
        const YamlEntry& item = *at->items[i];
        const auto* own = item.kind == YamlKind::kMap ? FindKey(item, "name") : nullptr;
        if (step == std::to_string(i) || (own != nullptr && own->second->text == step)) {
          slot = &at->items[i];
          break;
        }
      }
      if (slot == nullptr) {
        return refuse(fmt::format("found '{}' in '{}'; allowed 0 to {} or an element's name", step,
                                  path, static_cast<int64_t>(at->items.size()) - 1));
      }
    } else {
      return refuse(fmt::format("found '{}' below {} in '{}'; allowed below a map or a list", step,
                                YamlFound(*at), path));
    }
    if (last) {
      *slot = replacement;
      return {};
    }
    // An alias elsewhere to the same value keeps the old one.
    *slot = &state_->entries.emplace_back(**slot);
    at = *slot;
    rest.remove_prefix(dot + 1);
  }
}

std::vector<YamlProblem> YamlDocument::problems() const {
  std::vector<YamlProblem> all = state_->problems;
  NoteUnknownKeys(*state_, all);
  std::stable_sort(all.begin(), all.end(), [&](const YamlProblem& a, const YamlProblem& b) {
    const auto rank = [&](const std::string& origin) {
      return std::find(state_->origins.begin(), state_->origins.end(), origin) -
             state_->origins.begin();
    };
    return std::tuple(rank(a.origin), a.line, a.column) <
           std::tuple(rank(b.origin), b.line, b.column);
  });
  return all;
}

Status YamlDocument::status() const {
  const auto all = problems();
  if (all.empty()) return {};
  std::string text;
  for (const auto& problem : all) {
    if (!text.empty()) text += '\n';
    text += problem.ToString();
  }
  return MakeError(ErrorCode::kInvalidArgument, std::move(text));
}

Json DescribeYaml(const std::function<void(YamlNode)>& reader) {
  auto state = std::make_shared<YamlState>();
  const std::string* origin = &state->origins.emplace_back("schema");
  state->probe = std::make_unique<YamlProbe>();
  while (state->probe->NextRun()) {
    YamlDocument doc(state);
    state->root = state->New(YamlKind::kProbe, origin, 1, 1);
    reader(doc.root());
  }
  return state->probe->Schema();
}

}  // namespace lakegauge
