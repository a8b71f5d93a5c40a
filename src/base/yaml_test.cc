#include "base/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units.h"

namespace lakegauge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Messages(const YamlDocument& doc) {
  std::vector<std::string> texts;
  for (const auto& problem : doc.problems()) texts.push_back(problem.ToString());
  return texts;
}

TEST(Yaml, ReadsEachKindOfValue) {
  const auto doc = YamlDocument::Parse(R"(
name: quick start
threads: 64
ratio: 1.5
cold: true
size: 8MiB
wait: 7ms
speed: 100MB/s
format: zstd
queries: [1, 3, q9]
)",
                                       "x.yaml");
  const YamlMap map = doc.root().Map();
  EXPECT_EQ(map.Required("name").String(), "quick start");
  EXPECT_EQ(map.Required("threads").Integer(1, 1024), 64);
  EXPECT_EQ(map.Required("ratio").Real(0, 10), 1.5);
  EXPECT_TRUE(map.Required("cold").Bool());
  EXPECT_EQ(map.Required("size").Bytes(1, kGiB), 8 * kMiB);
  EXPECT_EQ(map.Required("wait").Duration(0, kNsPerS), 7 * kNsPerMs);
  EXPECT_EQ(map.Required("speed").Bandwidth(), 1e8);
  EXPECT_EQ((map.Required("format").Enum<int>({{"snappy", 5}, {"zstd", 6}}, 0)), 6);
  std::vector<std::string> queries;
  for (const auto& q : map.Required("queries").List(1)) queries.push_back(q.String());
  EXPECT_THAT(queries, ElementsAre("1", "3", "q9"));
  EXPECT_EQ(map.Optional("seed").Integer(0, 9, 7), 7);
  EXPECT_EQ(map.Required("threads").where(), "x.yaml:3:10");
  EXPECT_TRUE(doc.status().ok()) << doc.status().error().message;
}

TEST(Yaml, EveryProblemIsReportedOnceInFileOrder) {
  const auto doc = YamlDocument::Parse(
      "nmae: a\n"
      "threads: many\n"
      "format: snapy\n"
      "size: [1]\n"
      "cold: yes\n"
      "threads: 3\n",
      "e.yaml");
  const YamlMap map = doc.root().Map();
  map.Required("name").String();
  map.Required("name").String();
  map.Required("size").Bytes(1, kGiB);
  map.Optional("cold").Bool();
  map.Required("threads").Integer(1, 1024);
  map.Optional("format").Choice({"snappy", "zstd", "none"});
  EXPECT_THAT(
      Messages(doc),
      ElementsAre(
          "e.yaml:1:1: found a map without the key 'name'; allowed only with it",
          "e.yaml:1:1: found key 'nmae'; allowed name, size, cold, threads, format; did you mean "
          "'name'?",
          "e.yaml:2:10: found 'many'; allowed an integer from 1 to 1024",
          "e.yaml:3:9: found 'snapy'; allowed snappy, zstd, none; did you mean 'snappy'?",
          "e.yaml:4:7: found a list; allowed a size from 1 B to 1 GiB, such as 8MiB",
          "e.yaml:5:7: found 'yes'; allowed true or false",
          "e.yaml:6:1: found key 'threads' again; allowed once (first at 2:1)"));
  EXPECT_EQ(doc.status().error().code, ErrorCode::kInvalidArgument);
}

TEST(Yaml, AQuotedNumberIsAText) {
  const auto doc = YamlDocument::Parse("a: '8'\nb: \"1.5\"\nc: 'true'\n", "q.yaml");
  const YamlMap map = doc.root().Map();
  EXPECT_EQ(map.Required("a").Integer(0, 9, 3), 3);
  EXPECT_EQ(map.Required("b").Real(0, 9, 2.5), 2.5);
  EXPECT_TRUE(map.Required("c").Bool(true));
  EXPECT_THAT(Messages(doc),
              ElementsAre("q.yaml:1:4: found the quoted text '8'; allowed an integer from 0 to 9",
                          "q.yaml:2:4: found the quoted text '1.5'; allowed a number from 0 to 9",
                          "q.yaml:3:4: found 'true'; allowed true or false"));
}

TEST(Yaml, NumbersMustBeWholeAndInRange) {
  for (const char* bad : {"1.5", "9999999999999999999", "0x10", "1 2", "-1", "11", "~", ""}) {
    const auto doc = YamlDocument::Parse(std::string("n: ") + bad, "n.yaml");
    EXPECT_EQ(doc.root().Map().Required("n").Integer(0, 10, 4), 4) << bad;
    EXPECT_EQ(doc.problems().size(), 1u) << bad;
  }
  for (const char* bad : {"nan", ".inf", "inf", "1e999", "x"}) {
    const auto doc = YamlDocument::Parse(std::string("n: ") + bad, "n.yaml");
    EXPECT_EQ(doc.root().Map().Required("n").Real(0, 10, 4), 4) << bad;
    EXPECT_EQ(doc.problems().size(), 1u) << bad;
  }
}

TEST(Yaml, AnEmptyDocumentIsAProblem) {
  for (const char* empty : {"", "# only a comment\n", "---\n", "~\n"}) {
    const auto doc = YamlDocument::Parse(empty, "e.yaml");
    EXPECT_FALSE(doc.root().present());
    EXPECT_EQ(doc.root().Map().Required("x").Integer(0, 1, 1), 1);
    EXPECT_THAT(Messages(doc),
                ElementsAre("e.yaml:1:1: found an empty document; allowed is a YAML map"))
        << empty;
  }
}

TEST(Yaml, ASecondDocumentATagAndAMapAsKeyAreProblems) {
  EXPECT_THAT(YamlDocument::Parse("a: 1\n---\nb: 2\n", "x").status().error().message,
              HasSubstr("x:3:1: found a second document"));
  EXPECT_THAT(YamlDocument::Parse("a: !!python/object 1\n", "x").status().error().message,
              HasSubstr("found the tag"));
  EXPECT_THAT(YamlDocument::Parse("{a: 1}: 2\n", "x").status().error().message,
              HasSubstr("found a map as a key"));
}

TEST(Yaml, WhatDoesNotParseNamesThePlace) {
  const auto doc = YamlDocument::Parse("a: 1\nb: [1, 2\nc: 3\n", "bad.yaml");
  ASSERT_FALSE(doc.status().ok());
  EXPECT_THAT(doc.status().error().message, HasSubstr("bad.yaml:"));
  EXPECT_THAT(doc.status().error().message, HasSubstr("found what is not YAML"));
  EXPECT_FALSE(YamlDocument::Parse("\ta: 1", "t").status().ok());
  EXPECT_FALSE(YamlDocument::Parse("a: *nobody", "t").status().ok());
}

TEST(Yaml, TextThatIsNotUtf8IsRefusedWithItsPlace) {
  for (const char* bad : {"a: 1\nb: \xff", "a: 1\nb: \xc3(", "a: 1\nb: \xe2\x82"}) {
    EXPECT_THAT(YamlDocument::Parse(bad, "x").status().error().message,
                HasSubstr("x:2:4: found the byte 0x"))
        << bad;
  }
  EXPECT_TRUE(YamlDocument::Parse("a: \xe2\x82\xac", "x").status().ok());
}

TEST(Yaml, AliasesRepeatAValueButMayNotExplode) {
  const auto doc = YamlDocument::Parse("a: &x [1, 2]\nb: *x\n", "x");
  EXPECT_EQ(doc.root().Map().Required("b").List().size(), 2u);

  std::string bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j ? ",*a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(YamlDocument::Parse(bomb, "x").status().error().message,
              HasSubstr("with aliases expanded"));
  EXPECT_THAT(YamlDocument::Parse("a: &a [*a]\n", "x").status().error().message,
              HasSubstr("alias to itself"));
}

TEST(Yaml, DepthAndSizeAreBounded) {
  EXPECT_THAT(YamlDocument::Parse(std::string(100, '[') + std::string(100, ']'), "x")
                  .status()
                  .error()
                  .message,
              HasSubstr("64 levels"));
  EXPECT_FALSE(YamlDocument::Parse(std::string(100'000, '['), "x").status().ok());
  EXPECT_THAT(YamlDocument::Parse(std::string(5 * kMiB, 'a'), "x").status().error().message,
              HasSubstr("allowed at most 4 MiB"));
}

TEST(Yaml, AMapOfTheUsersKeysKeepsTheirOrder) {
  const auto doc = YamlDocument::Parse("z: 1\na: 2\n", "x");
  std::vector<std::string> keys;
  for (const auto& [key, value] : doc.root().Map().Entries()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("z", "a"));
  EXPECT_TRUE(doc.status().ok());
}

TEST(Yaml, UnreadMapsBelowUnknownKeysAreNotReportedTwice) {
  const auto doc = YamlDocument::Parse("known: 1\nextra: {a: 1, b: 2}\n", "x");
  doc.root().Map().Required("known").Integer(0, 1);
  EXPECT_EQ(doc.problems().size(), 1u);
}

TEST(Yaml, ToJsonKeepsTypes) {
  const auto doc = YamlDocument::Parse("{a: 1, b: 1.5, c: 'x', d: true, e: ~, f: [nan, '1']}", "x");
  EXPECT_EQ(
      doc.root().ToJson(),
      (Json{{"a", 1}, {"b", 1.5}, {"c", "x"}, {"d", true}, {"e", nullptr}, {"f", {"nan", "1"}}}));
}

TEST(Yaml, SetReplacesAndAddsAtAPath) {
  auto doc = YamlDocument::Parse("a: {b: 1}\nstores: [{name: s3, profile: x}]\n", "x.yaml");
  ASSERT_TRUE(doc.Set("a.b", "2", "--set a.b=2").ok());
  ASSERT_TRUE(doc.Set("a.c.d", "[1, 2]", "--set a.c.d=[1, 2]").ok());
  ASSERT_TRUE(doc.Set("stores.s3.profile", "y", "--set").ok());
  ASSERT_TRUE(doc.Set("stores.0.seed", "3", "--set").ok());
  EXPECT_EQ(doc.root().ToJson(),
            (Json{{"a", {{"b", 2}, {"c", {{"d", {1, 2}}}}}},
                  {"stores", Json::array({{{"name", "s3"}, {"profile", "y"}, {"seed", 3}}})}}));
  EXPECT_EQ(doc.root().Map().Required("a").Map().Required("b").where(), "--set a.b=2:1:1");
  EXPECT_THAT(doc.Set("stores.7.x", "1", "--set").error().message, HasSubstr("allowed 0 to 0"));
  EXPECT_FALSE(doc.Set("a.b.c", "1", "--set").ok());
  EXPECT_FALSE(doc.Set("a..c", "1", "--set").ok());
  EXPECT_FALSE(doc.Set("a", "[", "--set").ok());
}

TEST(Yaml, SetChangesOneUseOfAnAliasAlone) {
  auto doc = YamlDocument::Parse("a: &x {n: 1}\nb: *x\n", "x");
  ASSERT_TRUE(doc.Set("b.n", "2", "--set").ok());
  EXPECT_EQ(doc.root().ToJson(), (Json{{"a", {{"n", 1}}}, {"b", {{"n", 2}}}}));
}

TEST(Yaml, NearestNameIsNearOrEmpty) {
  EXPECT_EQ(NearestName("thread", {"threads", "name"}), "threads");
  EXPECT_EQ(NearestName("Threads", {"threads", "name"}), "threads");
  EXPECT_EQ(NearestName("zebra", {"threads", "name"}), "");
}

TEST(Yaml, AReaderDescribesItselfWithEveryAlternative) {
  const Json schema = DescribeYaml([](YamlNode root) {
    const YamlMap map = root.Map();
    map.Required("name").String();
    map.Optional("threads").Integer(1, 64);
    const YamlNode latency = map.Required("latency");
    if (latency.is_map()) {
      const YamlMap inner = latency.Map();
      if (inner.Required("kind").Choice({"constant", "lognormal"}) == 0) {
        inner.Required("value").Duration(0, kNsPerS);
      } else {
        inner.Required("p50").Duration(0, kNsPerS);
      }
    } else {
      latency.Duration(0, kNsPerS);
    }
    for (const auto& q : map.Optional("queries").List(1)) q.Integer(1, 99);
  });
  EXPECT_EQ(schema["required"], Json({"name", "latency"}));
  EXPECT_EQ(schema["properties"]["threads"],
            (Json{{"type", "integer"}, {"minimum", 1}, {"maximum", 64}}));
  const Json& alternatives = schema["properties"]["latency"]["anyOf"];
  ASSERT_EQ(alternatives.size(), 2u);
  EXPECT_EQ(alternatives[1]["required"], Json({"kind"}));
  EXPECT_EQ(alternatives[1]["properties"]["kind"]["enum"], Json({"constant", "lognormal"}));
  EXPECT_TRUE(alternatives[1]["properties"].contains("p50"));
  EXPECT_TRUE(alternatives[1]["properties"].contains("value"));
  EXPECT_EQ(schema["properties"]["queries"]["items"]["maximum"], 99);
}

}  // namespace
}  // namespace lakegauge
