#include "engine/duckdb/store_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sql/sql.h"

namespace lakegauge::engine {
namespace {

TEST(Glob, MatchesLikeAShell) {
  for (const auto& [pattern, key] : std::vector<std::pair<const char*, const char*>>{
           {"a/**/*.parquet", "a/x.parquet"},
           {"a/**/*.parquet", "a/b/c/x.parquet"},
           {"a/**", "a/b/c"},
           {"*.csv", "x.csv"},
           {"a?c", "abc"},
           {"[ab]c", "bc"},
           {"[a-c]1", "b1"},
           {"[!a]c", "bc"},
           {"x[*]y", "x*y"},
           {"x[[]y", "x[y"},
           {"[", "["},
           {"", ""},
       }) {
    EXPECT_TRUE(GlobMatches(pattern, key)) << pattern << " " << key;
  }
  for (const auto& [pattern, key] : std::vector<std::pair<const char*, const char*>>{
           {"*.csv", "a/x.csv"},
           {"a/**/*.parquet", "b/x.parquet"},
           {"a/**/*.parquet", "a/x.parquet.tmp"},
           {"a?c", "a/c"},
           {"x[*]y", "xzy"},
           {"[!a]c", "ac"},
           {"a", ""},
           {"", "a"},
       }) {
    EXPECT_FALSE(GlobMatches(pattern, key)) << pattern << " " << key;
  }
}

TEST(Glob, AnEscapedKeyMatchesItselfOnlyAndIsItsOwnPrefix) {
  for (const char* key : {"plain/x", "odd[1]*?/y", "a]b", "[", "*"}) {
    const std::string pattern = sql::EscapeGlob(key);
    EXPECT_TRUE(GlobMatches(pattern, key)) << key;
    EXPECT_EQ(LiteralPrefix(pattern), key);
    EXPECT_EQ(LiteralPrefix(pattern + "/**/*.parquet"), std::string(key) + "/");
  }
  EXPECT_EQ(LiteralPrefix("a/[bc]/*.x"), "a/");
}

}  // namespace
}  // namespace lakegauge::engine
