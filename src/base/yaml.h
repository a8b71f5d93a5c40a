#pragma once
// A strict reader of YAML: what a file may hold is said by the code that reads it, and everything
// wrong with the file is reported at once, each problem with its place. Hides the YAML library.
//
//   YamlDocument doc = YamlDocument::Parse(text, "quickstart.yaml");
//   YamlMap root = doc.root().Map();
//   spec.name = root.Required("name").String();
//   spec.threads = root.Optional("threads").Integer(1, 1024, 64);
//   LG_RETURN_IF_ERROR(doc.status());
//
// A reader that cannot read what it found notes a problem and gives its fallback, so reading goes
// on. Keys nobody asked for, duplicate keys, tags, recursive or exploding aliases, a second
// document and an empty one are problems too. Problems read "file:line:column: found X; allowed Y;
// did you mean 'Z'?"; lines and columns count from 1.
//
// Threads: a document and all its nodes belong to one thread.
// Owns: nodes and maps share the document; they stay good after the YamlDocument is gone.
// Errors: collected; status() gives them as one kInvalidArgument, a line each. Nothing throws.
// Limits: 4 MiB of text, 64 levels, 200,000 nodes with aliases expanded.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge {

struct YamlProblem {
  std::string origin;
  int line = 0;
  int column = 0;
  std::string message;
  std::string ToString() const;  // "origin:line:column: message"
};

class YamlMap;
struct YamlEntry;
struct YamlState;
class YamlProbe;

// A place in a document, perhaps an absent one (an optional key that is not there): every reader of
// an absent node gives its fallback and notes nothing.
class YamlNode {
 public:
  YamlNode() = default;

  bool present() const { return entry_ != nullptr; }
  bool is_null() const;
  bool is_scalar() const;
  bool is_list() const;
  bool is_map() const;

  const std::string& origin() const;
  int line() const;
  int column() const;
  std::string where() const;  // "file:3:5"

  // Any scalar, as it is written. Not empty unless `may_be_empty`.
  std::string String(std::string_view fallback = "", bool may_be_empty = false) const;
  int64_t Integer(int64_t min, int64_t max, int64_t fallback = 0) const;
  double Real(double min, double max, double fallback = 0) const;
  bool Bool(bool fallback = false) const;
  // One of `names`; gives its index.
  size_t Choice(const std::vector<std::string_view>& names, size_t fallback = 0) const;
  template <typename E>
  E Enum(const std::vector<std::pair<std::string_view, E>>& names, E fallback) const {
    std::vector<std::string_view> texts;
    for (const auto& [name, value] : names) texts.push_back(name);
    const size_t chosen = Choice(texts, names.size());
    return chosen < names.size() ? names[chosen].second : fallback;
  }
  // "8MiB" (base/units.h), bytes.
  int64_t Bytes(int64_t min, int64_t max, int64_t fallback = 0) const;
  // "7ms", nanoseconds.
  int64_t Duration(int64_t min_ns, int64_t max_ns, int64_t fallback_ns = 0) const;
  // "100MB/s", bytes a second, above 0.
  double Bandwidth(double fallback = 0) const;
  // The elements; `min` to `max` of them.
  std::vector<YamlNode> List(size_t min = 0, size_t max = std::numeric_limits<size_t>::max()) const;
  YamlMap Map() const;
  // Whatever is there, as JSON: plain true/false, null and numbers by YAML's core schema, else
  // text.
  Json ToJson() const;

  // Notes a problem here. Found() is how the node is called in one: "'snapy'", "a list", "nothing".
  void Problem(std::string message) const;
  std::string Found() const;

 private:
  friend class YamlMap;
  friend class YamlDocument;
  YamlNode(std::shared_ptr<YamlState> state, const YamlEntry* entry)
      : state_(std::move(state)), entry_(entry) {}
  YamlNode Probe(const std::string& path) const;
  YamlProbe* probe() const;
  // The scalar's text, or nullptr after noting what is allowed.
  const std::string* Scalar(std::string_view allowed) const;

  std::shared_ptr<YamlState> state_;
  const YamlEntry* entry_ = nullptr;
};

// A map being read. The keys asked for are the keys it may have: the rest are problems of status().
class YamlMap {
 public:
  YamlNode Required(std::string_view key) const;
  YamlNode Optional(std::string_view key) const;
  // Whether the key is there; also makes it a known one.
  bool Has(std::string_view key) const { return Optional(key).present(); }
  // All keys and values in file order, for maps whose keys are the user's: none is unknown then.
  std::vector<std::pair<std::string, YamlNode>> Entries() const;
  // The keys asked for so far, in that order.
  std::vector<std::string> known_keys() const;
  // The place of a key itself (its value's is Optional(key)).
  YamlNode node() const { return node_; }
  YamlNode KeyNode(std::string_view key) const;

 private:
  friend class YamlNode;
  explicit YamlMap(YamlNode node) : node_(std::move(node)) {}
  YamlNode Ask(std::string_view key, bool required) const;
  YamlNode node_;
};

class YamlDocument {
 public:
  // `origin` is what problems call the text: a path, as the user wrote it. Never fails: what does
  // not parse is a problem of status(), and its root is absent.
  static YamlDocument Parse(std::string_view text, std::string_view origin);
  static Result<YamlDocument> ParseFile(const std::string& path);

  YamlNode root() const;
  // Puts `value` (YAML) at a dotted path ("workload.iterations", "stores.0.profile"; a list element
  // that is a map with that `name` also answers to its name), making keys as needed. Its origin is
  // `origin`, e.g. "--set workload.iterations=3".
  Status Set(std::string_view path, std::string_view value, std::string_view origin);

  // Everything found wrong so far, by place; includes unknown keys of the maps read.
  std::vector<YamlProblem> problems() const;
  Status status() const;

 private:
  friend Json DescribeYaml(const std::function<void(YamlNode)>& reader);
  explicit YamlDocument(std::shared_ptr<YamlState> state) : state_(std::move(state)) {}
  std::shared_ptr<YamlState> state_;
};

// What a reader accepts, as a JSON Schema: runs it against a probe that has every key it asks for,
// once for each alternative it looks at (is_map, is_list, Choice).
Json DescribeYaml(const std::function<void(YamlNode)>& reader);

// The candidate nearest to `found` by edit distance (letter case ignored), or "" where none is
// near.
std::string NearestName(std::string_view found, const std::vector<std::string>& candidates);
// The same for the end of a message: "; did you mean 'threads'?", or "".
std::string DidYouMean(std::string_view found, const std::vector<std::string>& candidates);

}  // namespace lakegauge
