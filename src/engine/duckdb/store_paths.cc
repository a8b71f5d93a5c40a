#include "engine/duckdb/store_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>

#include "sql/sql.h"

namespace lakegauge::engine {
namespace {

// The characters of "[...]" at the pattern's beginning: consumes it and says whether `c` is among
// them; nullopt where it is no class.
std::optional<bool> MatchClass(std::string_view& pattern, char c) {
  const size_t close = pattern.find(']', 2);
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view members = pattern.substr(1, close - 1);
  pattern.remove_prefix(close + 1);
  const bool negated = members.front() == '!';
  if (negated) members.remove_prefix(1);
  bool found = false;
  for (size_t i = 0; i < members.size(); ++i) {
    if (i + 2 < members.size() && members[i + 1] == '-') {
      found = found || (members[i] <= c && c <= members[i + 2]);
      i += 2;
    } else {
      found = found || members[i] == c;
    }
  }
  return found != negated;
}

}  // namespace

std::string StorePaths::RootOf(store::Store* store) {
  std::unique_lock lock(mutex_);
  auto at = std::find(stores_.begin(), stores_.end(), store);
  if (at == stores_.end()) at = stores_.insert(stores_.end(), store);
  return fmt::format("{}{}/", kStoreScheme, at - stores_.begin());
}

std::optional<StorePaths::Place> StorePaths::Find(std::string_view path) const {
  if (!path.starts_with(kStoreScheme)) return std::nullopt;
  const std::string_view rest = path.substr(kStoreScheme.size());
  size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const auto digits = static_cast<size_t>(end - rest.data());
  std::shared_lock lock(mutex_);
  if (error != std::errc() || digits >= rest.size() || rest[digits] != '/' ||
      number >= stores_.size()) {
    return std::nullopt;
  }
  return Place{stores_[number], std::string(path.substr(0, kStoreScheme.size() + digits + 1)),
               std::string(rest.substr(digits + 1))};
}

std::string StorePaths::ForPeople(std::string text) const {
  for (size_t at = text.find(kStoreScheme); at != std::string::npos;
       at = text.find(kStoreScheme, at + 1)) {
    const auto place = Find(std::string_view(text).substr(at));
    if (!place) continue;
    std::string uri = place->store->Describe().uri;
    if (!uri.ends_with('/') && !uri.ends_with(':')) uri += '/';
    text.replace(at, place->root.size(), uri);
  }
  return text;
}

std::string LiteralPrefix(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '[' && i + 2 < pattern.size() && pattern[i + 2] == ']') {
      out += pattern[i + 1];
      i += 2;
    } else if (sql::HasGlob(pattern.substr(i, 1))) {
      break;
    } else {
      out += pattern[i];
    }
  }
  return out;
}

bool GlobMatches(std::string_view pattern, std::string_view key) {
  while (!pattern.empty()) {
    if (pattern.starts_with("**")) {
      std::string_view rest = pattern;
      while (rest.starts_with('*')) rest.remove_prefix(1);
      if (rest.starts_with('/') && GlobMatches(rest.substr(1), key)) return true;
      for (size_t skip = 0; skip <= key.size(); ++skip) {
        if (GlobMatches(rest, key.substr(skip))) return true;
      }
      return false;
    }
    if (pattern.front() == '*') {
      const std::string_view rest = pattern.substr(1);
      for (size_t skip = 0; skip <= key.size(); ++skip) {
        if (GlobMatches(rest, key.substr(skip))) return true;
        if (skip < key.size() && key[skip] == '/') return false;
      }
      return false;
    }
    if (key.empty()) return false;
    if (pattern.front() == '[') {
      std::string_view after = pattern;
      if (const auto matched = MatchClass(after, key.front())) {
        if (!*matched) return false;
        pattern = after;
        key.remove_prefix(1);
        continue;
      }
    }
    const bool any = pattern.front() == '?' && key.front() != '/';
    if (!any && pattern.front() != key.front()) return false;
    pattern.remove_prefix(1);
    key.remove_prefix(1);
  }
  return key.empty();
}

}  // namespace lakegauge::engine
