#include "import/query_name.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace lakegauge::imports {
namespace {

TEST(QueryName, ManyNamesOfOneQueryAreOne) {
  for (const char* name :
       {"q14a-v2.4",     "query14_1",      "query14_part1", "q14a",      "q14a-v1.4",
        "q14a_v2.4",     "Q14A",           "query14a",      "query14_a", "q14_1",
        "q14-1",         "query14_part_1", "query14-part1", "query_14a", "query14a.sql",
        "query14_1.sql", "  q14a\t",       "14a",           "q014a",     "Query14_Part1"}) {
    EXPECT_EQ(NormalQueryName(name), "q14a") << name;
  }
  for (const char* name : {"query14_2", "query14_part2", "q14b-v2.4"}) {
    EXPECT_EQ(NormalQueryName(name), "q14b") << name;
  }
  for (const char* name : {"q3", "q03", "Q3", "query3", "3", "query3.sql", "q3-v2.4", "query 3"}) {
    EXPECT_EQ(NormalQueryName(name), "q03") << name;
  }
}

TEST(QueryName, WhatIsNotPlainlyTheSameStaysApart) {
  const std::vector<std::pair<const char*, const char*>> names = {
      {"q99", "q99"},
      {"q100", "q100"},
      {"ss_max-v2.4", "ss_max"},
      {"ss_max", "ss_max"},
      {"rdd", "rdd"},
      {"query72_1", "query72_1"},  // one part only: what _1 means is not known
      {"q14e", "q14e"},
      {"q14_5", "q14_5"},
      {"q14a warm", "q14a warm"},
      {"q1234", "q1234"},
      {"q", "q"},
      {"query", "query"},
      {"quick", "quick"},
      {"Read orders", "Read orders"},
      {"v2.4", "v2.4"},
      {"q-v2.4", "q"},
      {"-v2.4", "-v2.4"},
      {".sql", ".sql"},
      {"", ""},
      {"\xC3\xA9t\xC3\xA9", "\xC3\xA9t\xC3\xA9"},
      {"1.5", "1.5"},
  };
  for (const auto& [name, wanted] : names) EXPECT_EQ(NormalQueryName(name), wanted) << name;
}

TEST(QueryName, TwiceIsOnce) {
  for (const char* name : {"q14a-v2.4", "query14_part1", "3", "ss_max-v2.4", "Read orders"}) {
    EXPECT_EQ(NormalQueryName(NormalQueryName(name)), NormalQueryName(name));
  }
}

}  // namespace
}  // namespace lakegauge::imports
