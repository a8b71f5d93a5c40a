#pragma once
// What a YAML reader asks of a document, gathered into a JSON Schema (DescribeYaml). Only yaml.cc
// and yaml_probe.cc include this.
//
// A probe stands in for a document that has every key. Where the reader looks at alternatives (is
// this a map or a text; which of these names), one run is made for each, all adding to one shape.
//
// Threads: one.

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace lakegauge {

class YamlProbe {
 public:
  // Prepares the next run; false when every alternative was seen.
  bool NextRun();

  bool Is(const std::string& path, std::string_view kind);  // "scalar", "list", "map", "null"
  size_t Choose(const std::string& path, const std::vector<std::string_view>& names);
  void SawScalar(const std::string& path, const Json& type);
  void SawList(const std::string& path, size_t min, size_t max);
  void SawMap(const std::string& path);
  void SawKey(const std::string& path, std::string_view key, bool required);
  void SawAnyKey(const std::string& path);

  Json Schema() const { return SchemaOf(""); }
  static std::string KeyPath(const std::string& path, std::string_view key);
  static std::string ItemPath(const std::string& path) { return path + "[]"; }
  static std::string AnyKeyPath(const std::string& path) { return path + ".*"; }

 private:
  struct Shape {
    std::vector<Json> scalars;  // distinct
    std::vector<std::string> names;
    bool list = false;
    size_t min = 0;
    size_t max = 0;
    int map_visits = 0;
    bool any_key = false;
    std::vector<std::pair<std::string, int>> keys;  // with how often it was required
  };
  using Choices = std::map<std::string, std::string>;  // path -> alternative
  void Offer(const std::string& path, std::string_view alternative);
  Json SchemaOf(const std::string& path) const;

  std::map<std::string, Shape> shapes_;
  Choices choices_;
  std::set<std::string> offered_;
  std::deque<Choices> waiting_;
  bool started_ = false;
};

}  // namespace lakegauge
