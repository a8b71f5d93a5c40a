#pragma once
// How stores and their keys are named to DuckDB: "lgstore://<number>/<key>", and the glob patterns
// by which it lists them.
//
// Threads: StorePaths may be used from any thread. Owns: stores are the caller's and stay alive.

#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.h"

namespace lakegauge::engine {

inline constexpr std::string_view kStoreScheme = "lgstore://";

class StorePaths {
 public:
  // "lgstore://3/"; the same store always gets the same.
  std::string RootOf(store::Store* store);
  struct Place {
    store::Store* store = nullptr;
    std::string root;
    std::string key;
  };
  std::optional<Place> Find(std::string_view path) const;
  // `text` with our roots replaced by the stores' own URIs, for messages to people.
  std::string ForPeople(std::string text) const;

 private:
  mutable std::shared_mutex mutex_;
  std::vector<store::Store*> stores_;
};

// What every match of the pattern begins with, unescaped.
std::string LiteralPrefix(std::string_view pattern);
// `**` crosses folders ("a/**/b" also matches "a/b"), `*` and `?` stay within one, "[abc]" "[a-z]"
// "[!a]" stand for one character.
bool GlobMatches(std::string_view pattern, std::string_view key);

}  // namespace lakegauge::engine
