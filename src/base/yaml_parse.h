#pragma once
// The tree a YAML text becomes: entries with their place, built from the library's events. Only
// yaml.cc and yaml_parse.cc include this; only yaml_parse.cc includes the YAML library.
//
// Owns: YamlState owns every entry. Threads: one.
// Errors: noted in YamlState::problems.

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/yaml.h"
#include "base/yaml_probe.h"

namespace lakegauge {

inline constexpr size_t kYamlShownBytes = 60;  // of a found text, in a problem

enum class YamlKind { kNull, kScalar, kList, kMap, kProbe };

struct YamlEntry {
  YamlKind kind = YamlKind::kNull;
  std::string text;                                     // of a scalar; the path of a probe
  bool plain = false;                                   // a scalar without quotes
  std::vector<std::pair<YamlEntry*, YamlEntry*>> keys;  // of a map: key, value
  std::vector<YamlEntry*> items;                        // of a list
  const std::string* origin = nullptr;
  int line = 1;
  int column = 1;
  size_t size = 1;  // nodes, aliases expanded
  int depth = 1;
};

struct YamlState {
  std::deque<YamlEntry> entries;
  std::deque<std::string> origins;
  std::map<const YamlEntry*, std::vector<std::string>> asked;  // keys asked of each map read
  std::map<const YamlEntry*, bool> any_key;
  std::vector<YamlProblem> problems;
  YamlEntry* root = nullptr;
  std::unique_ptr<YamlProbe> probe;

  YamlEntry* New(YamlKind kind, const std::string* origin, int line, int column) {
    YamlEntry& e = entries.emplace_back();
    e.kind = kind;
    e.origin = origin;
    e.line = line;
    e.column = column;
    return &e;
  }
  void Note(const std::string& origin, int line, int column, std::string message) {
    problems.push_back({origin, line, column, std::move(message)});
  }
  void Note(const YamlEntry& at, std::string message) {
    Note(*at.origin, at.line, at.column, std::move(message));
  }
};

// 'text', short enough for one line.
std::string YamlQuoted(std::string_view text);
// How a problem calls an entry: "'snapy'", "a list", "nothing".
std::string YamlFound(const YamlEntry& e);

// The root of the one document in `text`, or nullptr after noting why there is none.
YamlEntry* ParseYaml(YamlState& state, std::string_view text, const std::string* origin);

}  // namespace lakegauge
