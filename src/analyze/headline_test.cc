#include "analyze/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analyze/model.h"
#include "analyze/testing/analyzed_run.h"
#include "analyze/testing/mini_run.h"

namespace lakegauge::analyze {
namespace {

using record::ExecutionStatus;
using testing::FixtureExecution;
using testing::FixtureOutcome;
using testing::FixtureRun;
using ::testing::HasSubstr;
using ::testing::Not;

class HeadlineTest : public AnalyzedRun {};

TEST_F(HeadlineTest, TheHeadlineSaysEffectAndIntervalAndStampsWhatIsEmulated) {
  FixtureRun run = testing::MiniRun();
  run.outcome = [](const FixtureExecution& e) {
    FixtureOutcome o;
    o.seconds =
        (e.store == "slow" ? 10 : 1) * (e.layout == "1MiB" ? 2 : 1) * (1 + 0.01 * e.iteration);
    return o;
  };
  const Json s = AnalyzeRun(run);
  const std::string sentence = s["headline"]["sentence"];
  EXPECT_THAT(sentence,
              HasSubstr("With 1MiB instead of unlimited files a pass takes 3.06 s more on "
                        "local, 6.12 s instead of 3.06 s: 2.0x (2.0 to 2.0); and 30.6 s more on "
                        "slow (EMULATED), 61.2 s instead of 30.6 s: 2.0x (2.0 to 2.0)."));
  EXPECT_THAT(sentence, Not(HasSubstr("queries")));
  EXPECT_THAT(Notes(s), HasSubstr("not a finding about a product"));
  EXPECT_TRUE(s["run"]["emulated"]);
}

TEST_F(HeadlineTest, OfFilesThatShrinkTheSizeIsToldFirstStoreByStoreAndTheStoresSecond) {
  FixtureRun run = testing::MiniRun();
  run.outcome = [](const FixtureExecution& e) {
    const double small = e.layout == "1MiB" ? (e.store == "slow" ? 4 : 2) : 1;
    return FixtureOutcome{.seconds =
                              (e.store == "slow" ? 10 : 1) * small * (1 + 0.01 * e.iteration)};
  };
  const Json h = AnalyzeRun(run)["headline"];
  EXPECT_NEAR(h["ratio"]["value"], 4, 1e-9);
  EXPECT_NEAR(h["ratio"]["delta_s"], 91.8, 1e-9);
  EXPECT_EQ(h["ratio"]["mark"], "slower");
  EXPECT_EQ(h["ratio"]["what"], "pass time of 1MiB over unlimited files on slow (EMULATED)");
  ASSERT_EQ(h["beside"].size(), 1u);
  EXPECT_NEAR(h["beside"][0]["value"], 2, 1e-9);
  EXPECT_EQ(h["beside"][0]["what"], "pass time of 1MiB over unlimited files on local");
  const std::string told = h["sentence"].get<std::string>() + h["notes"].dump();
  EXPECT_LT(told.find("instead of unlimited files"), told.find("takes 20.0x"));
}

// 1% slower in every pass is likely, and too little for a mark of a total at three passes.
TEST_F(HeadlineTest, AnIntervalThatLeavesOutOneWithoutAMarkIsCalledNotCertainAndWhy) {
  FixtureRun run;
  run.layouts = {{"unlimited"}, {"1MiB", 1 << 20, "parquet", {1'000'000, 3'000'000}}};
  run.outcome = [](const FixtureExecution& e) {
    return FixtureOutcome{.seconds = (e.layout == "1MiB" ? 1.05 : 1) + 0.015 * e.iteration};
  };
  const Json s = AnalyzeRun(run);
  EXPECT_EQ(s["headline"]["ratio"]["mark"], "within noise");
  EXPECT_GT(s["headline"]["ratio"]["ci_low"], 1.0);
  EXPECT_GT(s["headline"]["ratio"]["p"], s["headline"]["ratio"]["marked_below"]);
  EXPECT_THAT(s["headline"]["sentence"].get<std::string>(), HasSubstr(", not certain: p 0.0"));
  EXPECT_THAT(Notes(s), HasSubstr("called slower or faster only at p below 0.002"));
}

TEST_F(HeadlineTest, OneCellHasAPassTimeAndNoRatio) {
  FixtureRun run;
  run.outcome = [](const FixtureExecution& e) {
    return FixtureOutcome{.seconds = 1 + 0.1 * e.iteration};
  };
  const Json s = AnalyzeRun(run);
  EXPECT_THAT(s["headline"]["sentence"].get<std::string>(),
              HasSubstr("A pass takes 1.20 s on local with unlimited files (95% interval"));
  EXPECT_TRUE(s["headline"]["ratio"].is_null());
  EXPECT_EQ(Light(s, "answers")["state"], "unknown") << "nothing to check against is not a pass";
  EXPECT_EQ(s["doubling"].size(), 0u);
}

TEST_F(HeadlineTest, OneOfAThingIsSpokenOfInTheSingular) {
  FixtureRun run;
  run.queries = {"q01"};
  run.iterations = 1;
  const Json s = AnalyzeRun(run);
  EXPECT_EQ(Light(s, "failures")["text"], "The one execution was ok.");
  EXPECT_EQ(Light(s, "cold")["text"], "The one execution was proved cold.");
  EXPECT_EQ(Counted(1, "file", "files"), "1 file");
  EXPECT_EQ(Counted(1200, "file", "files"), "1,200 files");
}

TEST_F(HeadlineTest, OneLayoutComparesStores) {
  FixtureRun run;
  run.stores = {{"a"}, {"b", true, 5}};
  run.outcome = [](const FixtureExecution& e) {
    return FixtureOutcome{.seconds = (e.store == "b" ? 3 : 1) * (1 + 0.02 * e.iteration)};
  };
  const Json s = AnalyzeRun(run);
  EXPECT_THAT(s["headline"]["sentence"].get<std::string>(),
              HasSubstr("With the same files b (EMULATED) takes 3.0x"));
  EXPECT_NEAR(s["headline"]["ratio"]["value"], 3, 1e-9);
}

TEST_F(HeadlineTest, OneStoreComparesLayoutsAndNamesThoseThatCoincide) {
  FixtureRun run;
  run.layouts = {
      {"unlimited", 0, "parquet", {5'000'000}},
      {"128MiB", 128 << 20, "parquet", {5'000'000}},
      {"8MiB", 8 << 20, "parquet", {2'500'000, 2'500'000}},
      {"1MiB", 1 << 20, "parquet", {1'000'000, 1'000'000, 1'000'000, 1'000'000, 1'000'000}}};
  run.outcome = [](const FixtureExecution& e) {
    const double times = e.layout == "8MiB" ? 2.5 : e.layout == "1MiB" ? 5 : 1;
    return FixtureOutcome{.seconds = times * (1 + 0.02 * e.iteration)};
  };
  const Json s = AnalyzeRun(run);
  EXPECT_EQ(Find(s["layouts"], {{"id", "unlimited"}})["coincides_with"], Json({"128MiB"}));
  EXPECT_EQ(Find(s["layouts"], {{"id", "1MiB"}})["coincides_with"], Json::array());
  EXPECT_THAT(Notes(s), HasSubstr("unlimited and 128MiB coincide in tpcds"));
  EXPECT_THAT(s["headline"]["sentence"].get<std::string>(),
              HasSubstr("a pass takes 4.16 s more on local, 5.20 s instead of 1.04 s: 5.0x"));
  EXPECT_NEAR(s["headline"]["ratio"]["value"], 5, 1e-9);
  EXPECT_EQ(s["doubling"][0]["layout"], "8MiB") << "the largest size at which it takes twice";
}

// The control that a layout of the same bytes is: it must not look like an effect of file size.
TEST_F(HeadlineTest, LayoutsThatAllCoincideShowNoEffectOfFileSize) {
  FixtureRun run;
  run.stores = {{"a"}, {"b", true, 5}};
  run.layouts = {{"unlimited"}, {"8MiB", 8 << 20}};
  run.outcome = [](const FixtureExecution& e) {
    return FixtureOutcome{.seconds = (e.store == "b" ? 3 : 1) * (e.layout == "8MiB" ? 2 : 1) *
                                     (1 + 0.01 * e.iteration)};
  };
  const Json s = AnalyzeRun(run);
  EXPECT_THAT(s["headline"]["sentence"].get<std::string>(),
              HasSubstr("All layouts hold the same files at this scale"));
  EXPECT_THAT(s["headline"]["sentence"].get<std::string>(), HasSubstr("b (EMULATED) takes 3.0x"));
  EXPECT_NEAR(s["headline"]["ratio"]["value"], 3, 1e-9);
  EXPECT_EQ(Light(s, "noise")["state"], "bad");
  EXPECT_THAT(Light(s, "noise")["detail"].get<std::string>(),
              HasSubstr("The same files took another time under another name"));
}

TEST_F(HeadlineTest, TheAnswerIsShortInTheOrderOfTheExperimentAndTheRestIsNotes) {
  FixtureRun run = testing::MiniRun();
  run.stores = {{"local"}, {"b", true, 5}, {"c", true, 5}, {"d", true, 5}, {"e"}};
  run.outcome = [](const FixtureExecution& e) {
    const std::map<std::string, double> growth = {
        {"local", 2}, {"b", 9}, {"c", 2}, {"d", 1.5}, {"e", 3}};
    const double times = e.layout == "1MiB" ? growth.at(e.store) : 1;
    return FixtureOutcome{.seconds = times * (1 + 0.01 * e.iteration)};
  };
  const Json s = AnalyzeRun(run);
  const std::string sentence = s["headline"]["sentence"];
  EXPECT_THAT(sentence,
              ::testing::ContainsRegex(
                  "on local, .*: 2.*on b \\(EMULATED\\), .*: 9.*on d \\(EMULATED\\), .*: 1"))
      << "the least, the most and what all are compared with";
  EXPECT_LE(std::count(sentence.begin(), sentence.end(), ' '), 60);
  EXPECT_THAT(sentence, Not(HasSubstr("on c")));
  EXPECT_THAT(s["headline"]["notes"][0].get<std::string>(), HasSubstr("b (EMULATED) takes 4.5x"));
  EXPECT_THAT(Notes(s), ::testing::ContainsRegex("on c \\(EMULATED\\), .*: 2.*on e, .*: 3"));
}

TEST_F(HeadlineTest, NoDifferenceBeyondNoiseIsSaidSo) {
  FixtureRun run;
  run.layouts = {{"unlimited"}, {"1MiB", 1 << 20, "parquet", {1'000'000, 3'000'000}}};
  run.outcome = [](const FixtureExecution& e) {
    return FixtureOutcome{.seconds = (e.layout == "1MiB" ? 1.02 : 1) + 0.1 * e.iteration};
  };
  const Json s = AnalyzeRun(run);
  EXPECT_THAT(s["headline"]["sentence"].get<std::string>(),
              HasSubstr("a pass takes 20.0 ms more on local, 1.22 s instead of 1.20 s: 1.02x ("));
  EXPECT_THAT(s["headline"]["sentence"].get<std::string>(), HasSubstr(", within noise)."));
  EXPECT_EQ(s["queries"][1]["mark_layout"], "within noise");
  EXPECT_TRUE(s["doubling"][0]["layout"].is_null());
}

TEST_F(HeadlineTest, FormatsAreComparedDatasetByDataset) {
  FixtureRun run;
  run.layouts = {{"parquet", 0, "parquet"}, {"csv", 0, "csv", {9'000'000}}};
  run.datasets = {{"schema1", 1, "bulk"}, {"schema2", 2, "bulk"}};
  run.outcome = [](const FixtureExecution& e) {
    const double times = e.layout == "csv" ? (e.dataset == "schema1" ? 3 : 9) : 1;
    return FixtureOutcome{.seconds = times * (1 + 0.02 * e.iteration)};
  };
  const Json s = AnalyzeRun(run);
  const std::string sentence = s["headline"]["sentence"];
  EXPECT_THAT(sentence, HasSubstr("schema1: csv takes 3.0x"));
  EXPECT_THAT(sentence, HasSubstr("schema2: csv takes 9.0x"));
  EXPECT_NEAR(s["headline"]["ratio"]["value"], 9, 1e-9);
  EXPECT_THAT(Notes(s), Not(HasSubstr("TPC-DS")));
}

TEST_F(HeadlineTest, OfTwoFormatsTheSlowerIsNamedFirstInEverySentence) {
  FixtureRun run;
  run.layouts = {{"csv", 0, "csv", {9'000'000}}, {"parquet", 0, "parquet"}};
  run.datasets = {{"schema1", 1, "bulk"}, {"schema2", 2, "bulk"}};
  run.outcome = [](const FixtureExecution& e) {
    const double times = e.layout == "csv" ? (e.dataset == "schema1" ? 5 : 0.5) : 1;
    return FixtureOutcome{.seconds = times * (1 + 0.01 * e.iteration)};
  };
  const Json h = AnalyzeRun(run)["headline"];
  const std::string sentence = h["sentence"];
  EXPECT_THAT(sentence, HasSubstr("schema1: csv takes 5.0x"));
  EXPECT_THAT(sentence, HasSubstr("the time of parquet for a pass on local"));
  EXPECT_THAT(sentence, HasSubstr("schema2: csv takes 0.50x")) << "one way round for all";
  EXPECT_NEAR(h["ratio"]["value"], 5, 1e-9);
  EXPECT_EQ(h["ratio"]["what"],
            "pass time of csv over parquet on local, schema1 (the clearest gap)");
}

TEST_F(HeadlineTest, TwoScalesSayWhetherTheGapGrows) {
  FixtureRun run;
  run.stores = {{"express", true, 7}, {"standard", true, 121}};
  run.datasets = {{"sf1", 1}, {"sf3", 3}};
  run.outcome = [](const FixtureExecution& e) {
    const double gap = e.store == "standard" ? (e.dataset == "sf3" ? 2 : 1.4) : 1;
    return FixtureOutcome{.seconds = gap * (e.dataset == "sf3" ? 3 : 1) * (1 + 0.01 * e.iteration)};
  };
  const Json s = AnalyzeRun(run);
  const std::string sentence = s["headline"]["sentence"];
  EXPECT_THAT(sentence, HasSubstr("sf3: With the same files standard (EMULATED) takes 2.0x"));
  EXPECT_THAT(sentence, HasSubstr("standard (EMULATED) against express (EMULATED) over scales: "
                                  "1.40x at scale 1 and 2.0x at scale 3; the gap grows with the "
                                  "data."));
}

TEST_F(HeadlineTest, AGapIsToldFromTheSlowerSideSoThatItIsAboveOne) {
  FixtureRun run;
  run.stores = {{"standard", true, 121}, {"express", true, 7}};
  run.datasets = {{"sf3", 3}, {"sf1", 1}};
  run.outcome = [](const FixtureExecution& e) {
    const double gain = e.store == "express" ? (e.dataset == "sf3" ? 0.53 : 0.69) : 1;
    return FixtureOutcome{.seconds = gain * (1 + 0.01 * e.iteration)};
  };
  const Json h = AnalyzeRun(run)["headline"];
  const std::string sentence = h["sentence"];
  EXPECT_THAT(sentence, HasSubstr("sf3: With the same files standard (EMULATED) takes 1.89x"));
  EXPECT_THAT(sentence,
              HasSubstr("the time of express (EMULATED) for a pass: 1.02 s against 541 ms"));
  EXPECT_THAT(sentence, HasSubstr("1.45x at scale 1 and 1.89x at scale 3; the gap grows"));
  EXPECT_NEAR(h["ratio"]["value"], 1 / 0.53, 1e-9);
  EXPECT_LT(h["ratio"]["ci_low"], h["ratio"]["value"]);
  EXPECT_GT(h["ratio"]["ci_high"], h["ratio"]["value"]);
  EXPECT_EQ(h["ratio"]["mark"], "slower");
  EXPECT_EQ(h["ratio"]["what"], "pass time of standard (EMULATED) over express (EMULATED), sf3");
}

TEST_F(HeadlineTest, OnePassHasNoIntervalAndSaysSo) {
  FixtureRun run = testing::MiniRun();
  run.iterations = 1;
  const Json s = AnalyzeRun(run);
  EXPECT_THAT(s["headline"]["sentence"].get<std::string>(),
              HasSubstr("too few passes for an interval"));
  EXPECT_TRUE(s["headline"]["ratio"]["ci_low"].is_null());
  EXPECT_THAT(Notes(s), HasSubstr("One pass only"));
  EXPECT_EQ(s["queries"][4]["mark_store"], "too few samples");
  EXPECT_EQ(Light(s, "noise")["state"], "warn");
  EXPECT_TRUE(s["cells"][0]["suite"]["stddev_s"].is_null());
}

}  // namespace
}  // namespace lakegauge::analyze
