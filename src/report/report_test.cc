#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "analyze/analyze.h"
#include "analyze/testing/mini_run.h"
#include "base/files.h"
#include "report/csv.h"
#include "report/figures.h"
#include "report/history_text.h"
#include "report/markdown.h"
#include "report/terminal.h"
#include "report/text_columns.h"

namespace lakegauge::report {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kTestData = std::string(LAKEGAUGE_SOURCE_DIR) + "/src/analyze/testdata";

// With LAKEGAUGE_UPDATE_GOLDEN set, the golden file is written anew.
void ExpectGolden(const std::string& name, const std::string& actual) {
  const std::string path = kTestData + "/mini_golden/" + name;
  if (std::getenv("LAKEGAUGE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(path, actual).ok());
  }
  const auto golden = ReadFile(path);
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(*golden, actual) << name;
}

Json MiniSummary() {
  const auto summary = analyze::Analyze(kTestData + "/mini_run");
  EXPECT_TRUE(summary.ok());
  return Json(summary->json);
}

TEST(ReportGolden, Csv) {
  const auto summary = analyze::Analyze(kTestData + "/mini_run");
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ExpectGolden("queries.csv", ToCsv(summary->queries));
  ExpectGolden("runs.csv", ToCsv(summary->runs));
}

TEST(ReportGolden, Markdown) { ExpectGolden("summary.md", ToMarkdown(MiniSummary())); }

TEST(ReportGolden, Terminal) { ExpectGolden("terminal.txt", ToTerminal(MiniSummary(), false)); }

TEST(Csv, ColumnsAreThoseThatAreDocumented) {
  const auto summary = analyze::Analyze(kTestData + "/mini_run");
  const auto header = [](const analyze::TextTable& table) {
    const std::string csv = ToCsv(table);
    return csv.substr(0, csv.find('\n'));
  };
  EXPECT_EQ(header(summary->queries),
            "run,cell,engine,store,layout,dataset,stream,iteration,position,query,status,"
            "started_utc,elapsed_ms,cpu_ms,rows,result_fingerprint,requests,bytes_read,blocked_ms,"
            "cache,error");
  EXPECT_EQ(header(summary->runs),
            "run,cell,engine,store,layout,dataset,stream,iteration,started_utc,wall_ms,queries,ok,"
            "failed,requests,bytes_read,blocked_ms,cpu_ms,cache");
}

TEST(Csv, QuotesWhatRfc4180AsksFor) {
  EXPECT_EQ(CsvField("plain"), "plain");
  EXPECT_EQ(CsvField(""), "");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(CsvField("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(CsvField(" spaced"), "\" spaced\"");
}

TEST(Markdown, NamesFromOutsideStayText) {
  EXPECT_EQ(EscapeMarkdown("a|b <script> *x* `y`\nz"), "a\\|b \\<script\\> \\*x\\* \\`y\\` z");
  Json summary = MiniSummary();
  summary["failures"][0]["error"] = "boom | <img src=x>\n# heading";
  const std::string text = ToMarkdown(summary);
  EXPECT_THAT(text, HasSubstr("boom \\| \\<img src=x\\> # heading |\n"));
}

TEST(Markdown, NamesEachQueryThatFailedAndItsErrorAndStopsAtTwenty) {
  Json summary = MiniSummary();
  summary["failures"] = Json::array();
  for (int query = 1; query <= 25; ++query) {
    for (int iteration = 1; iteration <= 2; ++iteration) {
      summary["failures"].push_back({{"query", "q" + std::to_string(query)},
                                     {"cell", "duckdb.local.csv"},
                                     {"iteration", iteration},
                                     {"status", "failed"},
                                     {"error", "no such column"}});
    }
  }
  const std::string text = ToMarkdown(summary);
  EXPECT_THAT(text, HasSubstr("| q20 | duckdb.local.csv | 1, 2 | failed | no such column |\n"));
  EXPECT_EQ(text.find("| q21 | duckdb.local.csv | 1, 2"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("\nand 10 more\n"));
  summary["failures"][0]["error"] = std::string(239, 'x') + "\u00e9" + std::string(100, 'y');
  EXPECT_THAT(ToMarkdown(summary), HasSubstr(std::string(239, 'x') + "..."));
}

TEST(Terminal, FitsEightyColumnsAndColoursOnlyWhenAsked) {
  Json summary = MiniSummary();
  for (Json& cell : summary["cells"]) {
    cell["layout"] = "a-layout-with-a-name-that-goes-on-and-on-and-on-and-on";
  }
  const std::string text = ToTerminal(summary, false);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kWidth) << line;
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_THAT(ToTerminal(summary, true), HasSubstr("\033[31mbad"));
}

TEST(Terminal, ASummaryWithoutFiguresIsStillPrintable) {
  EXPECT_FALSE(ToTerminal(Json::object(), false).empty());
  EXPECT_FALSE(ToMarkdown(Json::object()).empty());
}

TEST(Figures, ThreeSignificantDigitsAndADashForWhatIsUnknown) {
  EXPECT_EQ(Seconds(0.0123), "0.012");
  EXPECT_EQ(Seconds(1.2345), "1.23");
  EXPECT_EQ(Seconds(12.345), "12.3");
  EXPECT_EQ(Seconds(1234.5), "1234");
  EXPECT_EQ(Seconds(nullptr), "-");
  EXPECT_EQ(Ratio(1.041), "1.04x");
  EXPECT_EQ(Ratio(61.234), "61.2x");
  EXPECT_EQ(RatioWithInterval({{"ratio", 5.06}, {"ci_low", 4.83}, {"ci_high", 5.41}}),
            "5.1x (4.8 to 5.4)");
  EXPECT_EQ(RatioWithInterval({{"ratio", 5.06}, {"ci_low", nullptr}}), "5.1x (no interval)");
}

class ReportTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("lakegauge-report-" + std::to_string(getpid()));
    fs::remove_all(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string Write(const std::string& name, const analyze::testing::FixtureRun& run) {
    const std::string path = (dir_ / name).string();
    const auto written = WriteFixture(run, path);
    EXPECT_TRUE(written.ok()) << written.error().message;
    return path;
  }
  static std::vector<std::string> Names(const fs::path& dir) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path dir_;
};

TEST_F(ReportTest, ReplacesTheWholeFolderAndLeavesNothingBeside) {
  const std::string run = Write("a", analyze::testing::MiniRun());
  const auto before = Names(run);
  ASSERT_TRUE(WriteReports(run).ok());
  ASSERT_TRUE(WriteFileAtomically(run + "/report/left-over.txt", "x").ok());
  const std::string first = *ReadFile(run + "/report/summary.json");
  const auto again = WriteReports(run);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_THAT(Names(run + "/report"), ElementsAre("index.html", "queries.csv", "runs.csv",
                                                  "summary.json", "summary.md", "summary.sql"));
  EXPECT_EQ(first, *ReadFile(run + "/report/summary.json")) << "the same bytes";
  auto after = Names(run);
  std::erase(after, "report");
  EXPECT_EQ(before, after);
  EXPECT_THAT(*TerminalSummary(ReportDir(run), false), HasSubstr("slow*"));
}

TEST_F(ReportTest, AnOlderReportStandsWhenTheNewOneCannotBeMade) {
  const std::string run = Write("a", analyze::testing::MiniRun());
  ASSERT_TRUE(WriteReports(run).ok());
  ASSERT_TRUE(WriteFileAtomically(run + "/plan.json", "{").ok());
  EXPECT_FALSE(WriteReports(run).ok());
  EXPECT_TRUE(fs::exists(run + "/report/index.html"));
}

// An archive that may not be written to has its report made elsewhere.
TEST_F(ReportTest, IsWrittenElsewhereWithoutTouchingTheRun) {
  const std::string run = Write("a", analyze::testing::MiniRun());
  const auto before = Names(run);
  const std::string elsewhere = dir_.string() + "/elsewhere/";
  for (int i = 0; i < 2; ++i) {
    const auto written = WriteReports(run, elsewhere);
    ASSERT_TRUE(written.ok()) << written.error().message;
  }
  EXPECT_TRUE(fs::exists(elsewhere + "index.html"));
  EXPECT_EQ(before, Names(run));
  EXPECT_THAT(Names(dir_), ElementsAre("a", "elsewhere"));
}

TEST_F(ReportTest, ReplacesNothingButAReport) {
  const std::string run = Write("a", analyze::testing::MiniRun());
  const std::string mine = dir_.string() + "/mine";
  ASSERT_TRUE(WriteFileAtomically(mine + "/thesis.txt", "x").ok());
  const auto written = WriteReports(run, mine);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kAlreadyExists);
  EXPECT_TRUE(fs::exists(mine + "/thesis.txt"));
}

TEST_F(ReportTest, CopiesOfOneRunAreToldApartByTheirFolders) {
  const std::string a = Write("a", analyze::testing::MiniRun());
  const std::string b = Write("b", analyze::testing::MiniRun());
  const auto comparison = CompareRuns(a, b);
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  const std::string text = ComparisonText(*comparison);
  EXPECT_THAT(text, HasSubstr(a + " -> " + b));
  EXPECT_THAT(text, HasSubstr("Both are the same run, "));
}

// Whatever is not what it should be is an error that names its file, or is not needed.
TEST_F(ReportTest, AJsonFileThatIsNotWhatItShouldBeIsNamed) {
  const std::string run = Write("a", analyze::testing::MiniRun());
  const std::string manifest = run + "/manifests/tpcds-sf0.01/parquet-1MiB.json";
  for (const std::string& path : {run + "/plan.json", run + "/environment.json", manifest}) {
    const std::string whole = *ReadFile(path);
    for (const char* text :
         {"", "[]", "5", "null", "{", "{}", R"({"v":1})", R"({"v":"x"})", R"({"v":1,"cells":[4]})",
          R"({"v":1,"cells":3,"executions":{},"queries":"q","files":7,"tables":[4]})",
          R"({"v":1,"cells":[{}],"executions":[{}],"queries":[{}],"files":[{}],"tables":[{}]})"}) {
      ASSERT_TRUE(WriteFileAtomically(path, text).ok());
      const auto compared = CompareRuns(run, run);
      if (!compared.ok()) {
        EXPECT_THAT(compared.error().message, HasSubstr(fs::path(path).filename().string()))
            << text;
      }
      const auto written = WriteReports(run);
      EXPECT_EQ(written.ok(), compared.ok()) << path << ": " << text;
    }
    ASSERT_TRUE(WriteFileAtomically(path, whole).ok());
  }
}

// A later run in which q01 takes half as long, on a machine with more cores.
TEST_F(ReportTest, ComparesTwoRunsQueryByQuery) {
  auto run = analyze::testing::MiniRun();
  const auto outcome = run.outcome;
  const std::string before = Write("before", run);
  run.name = "later";
  run.outcome = [outcome](const analyze::testing::FixtureExecution& e) {
    auto o = outcome(e);
    if (e.query == "q01") o.seconds /= 2;
    return o;
  };
  const std::string after = Write("after", run);
  Json environment = *ReadJsonFile(after + "/environment.json");
  environment["machine"]["cores"] = 4;
  ASSERT_TRUE(WriteFileAtomically(after + "/environment.json", environment.dump()).ok());

  const auto comparison = CompareRuns(before, after);
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  const Json& c = *comparison;
  EXPECT_EQ(c["counts"]["faster"], 4) << "q01 in four cells";
  EXPECT_EQ(c["counts"]["slower"], 0);
  EXPECT_EQ(c["queries"].size(), 12u);
  EXPECT_NEAR(c["queries"][0]["ratio"], 0.5, 1e-9);
  EXPECT_NEAR(c["cells"][0]["ratio"], (0.37 - 0.055) / 0.37, 1e-9);
  EXPECT_EQ(c["environment"], Json({"machine.cores: 2 -> 4"}));
  EXPECT_THAT(ComparisonText(c), HasSubstr("differs: machine.cores: 2 -> 4"));
  std::istringstream lines(ComparisonText(c));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kWidth) << line;
}

// Forty queries, five iterations; in the later run one of them takes 30% longer.
TEST_F(ReportTest, AMarkIsForTheWholeSuiteAndTheSmallestFindableChangeStandsBesideIt) {
  analyze::testing::FixtureRun run;
  run.iterations = 5;
  run.queries.clear();
  for (int q = 1; q <= 40; ++q) run.queries.push_back("q" + std::to_string(q));
  double longer = 1;
  run.outcome = [&](const analyze::testing::FixtureExecution& e) {
    // A noise that is the same on every machine, of about 2%.
    const auto hash = std::hash<std::string>{}(e.query) / 7 + static_cast<size_t>(e.iteration) * 31;
    const double noise = static_cast<double>(hash * 2654435761U % 1000) / 1000 - 0.5;
    return analyze::testing::FixtureOutcome{.seconds = (1 + 0.07 * noise) *
                                                       (e.query == "q7" ? longer : 1)};
  };
  const std::string before = Write("before", run);
  longer = 1.3;
  run.name = "later";
  const std::string after = Write("after", run);
  const auto comparison = CompareRuns(before, after);
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  const Json& c = *comparison;
  EXPECT_EQ(c["counts"]["slower"], 1);
  EXPECT_EQ(c["counts"]["within noise"], 39);
  EXPECT_GT(c["queries"][0]["smallest"], 0.02);
  EXPECT_LT(c["queries"][0]["smallest"], 0.2);
  EXPECT_THAT(c["detectable"]["text"].get<std::string>(), HasSubstr("with 40 judged together"));
  EXPECT_THAT(ComparisonText(c), HasSubstr("The smallest slowdown that would have been marked"));
  const std::string markdown = ComparisonMarkdown(c);
  EXPECT_THAT(markdown, HasSubstr("## later against fixture\n"));
  EXPECT_THAT(markdown, HasSubstr("## Queries that changed\n"));
  EXPECT_THAT(markdown, HasSubstr("| q7 | duckdb.local.unlimited.tpcds |"));
  EXPECT_THAT(markdown, HasSubstr("| **slower** |\n"));
  EXPECT_THAT(markdown, HasSubstr("<details><summary>39 other query times</summary>\n\n| query"));
  const std::string page = ComparisonHtml(c);
  EXPECT_THAT(page, HasSubstr("<svg "));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
}

TEST(Comparison, AnIntervalThatLeavesOutOneWithoutAMarkIsCalledNotCertainWithItsP) {
  Json row = {{"query", "q1"},   {"cell", "a.b.c.d"}, {"before_s", 1},         {"after_s", 1.1},
              {"ratio", 1.1},    {"ci_low", 1.01},    {"ci_high", 1.2},        {"p", 0.31},
              {"smallest", 0.2}, {"outliers", 0},     {"mark", "within noise"}};
  EXPECT_THAT(ComparisonText({{"queries", Json::array({row})}}), HasSubstr("not certain, p 0.31"));
  EXPECT_THAT(ComparisonMarkdown({{"queries", Json::array({row})}}),
              HasSubstr("| 0.31 | 20% | not certain, p 0.31 |"));
  EXPECT_NE(ComparisonHtml({{"queries", Json::array({row})}}).find("not certain, p 0.31"),
            std::string::npos);
  row["ci_low"] = 0.99;
  EXPECT_THAT(ComparisonMarkdown({{"queries", Json::array({row})}}),
              HasSubstr("| 0.31 | 20% | within noise |"));
}

TEST(Comparison, OneOutlierIsOneAndTwoAreTwo) {
  Json row = {{"query", "q1"},        {"cell", "a.b.c.d"}, {"ratio", 1.1},
              {"ratio_without", 1.0}, {"outliers", 1},     {"mark", "within noise"}};
  EXPECT_THAT(
      ComparisonText({{"queries", Json::array({row})}}),
      HasSubstr("q1 in a.b.c.d: one of its times is an outlier; ratio 1.10x with it, 1.00x"));
  row["outliers"] = 2;
  EXPECT_THAT(ComparisonText({{"queries", Json::array({row})}}),
              HasSubstr("2 of its times are outliers; ratio 1.10x with them, 1.00x"));
}

// Names from outside mean themselves in every form.
TEST(Comparison, NamesFromOutsideStayText) {
  const Json row = {{"query", "<b>|q"}, {"cell", "c"}, {"ratio", 1.1}, {"mark", "slower"}};
  const Json c = {{"sentence", "<i>"}, {"queries", Json::array({row})}, {"notes", {"a<b"}}};
  EXPECT_EQ(ComparisonHtml(c).find("<b>"), std::string::npos);
  EXPECT_EQ(ComparisonHtml(c).find("<i>"), std::string::npos);
  EXPECT_THAT(ComparisonMarkdown(c), HasSubstr("\\<b\\>\\|q"));
}

TEST_F(ReportTest, HistoryGoesThroughTheRunsAndComparesEachWithTheOneBefore) {
  auto run = analyze::testing::MiniRun();
  const auto outcome = run.outcome;
  const std::string first = Write("first", run);
  run.name = "second";
  run.outcome = [outcome](const analyze::testing::FixtureExecution& e) {
    auto o = outcome(e);
    o.seconds *= 3;
    return o;
  };
  const std::string second = Write("second", run);
  run.name = "third";
  run.layouts[0].file_sizes = {2'150'000, 2'150'000};
  const std::string third = Write("third", run);
  const std::vector<std::string> all = {second, first, third, (dir_ / "nothing").string()};
  const auto history = HistoryOfRuns(all, "");
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ((*history)["left_out"].size(), 1u);
  const Json& points = (*history)["cells"][0]["points"];
  ASSERT_EQ(points.size(), 3u);
  std::vector<std::string> remarks;
  for (const Json& point : points) remarks.push_back(point["remark"]);
  EXPECT_THAT(remarks, testing::Contains("first"));
  EXPECT_THAT(remarks, testing::Contains("other data"));
  EXPECT_THAT(HistoryText(*history), HasSubstr("seconds of a pass\n"));
  const auto query = HistoryOfRuns(all, "q01");
  ASSERT_TRUE(query.ok()) << query.error().message;
  EXPECT_EQ((*query)["query"], "q01");
  EXPECT_THAT(HistoryText(*query), HasSubstr("seconds of q01\n"));
  EXPECT_EQ(HistoryOfRuns(all, "q99").error().code, ErrorCode::kInvalidArgument);
}

TEST(History, SparklinesRunFromTheLeastToTheGreatest) {
  EXPECT_EQ(Sparkline({1, 2, nullptr, 8}), "▁▂ █");
  EXPECT_EQ(Sparkline({3, 3}), "▁▁");
  EXPECT_EQ(Sparkline(Json::array()), "");
}

TEST_F(ReportTest, WhatTwoRunsDifferInIsNamedLeafByLeaf) {
  const std::string before = Write("before", analyze::testing::MiniRun());
  const std::string after = Write("after", analyze::testing::MiniRun());
  const auto differing = [&](const std::string& threads, double load) -> Json {
    for (const auto& [path, own] : {std::pair(before, std::string("4")), {after, threads}}) {
      Json environment = *ReadJsonFile(path + "/environment.json");
      environment["engines"] = Json::array(
          {{{"name", "duckdb"}, {"configuration", {{"threads", own}, {"http_timeout", "30"}}}}});
      environment["machine"]["load_average"] = {path == before ? 0.5 : load};
      EXPECT_TRUE(WriteFileAtomically(path + "/environment.json", environment.dump()).ok());
    }
    const auto comparison = CompareRuns(before, after);
    EXPECT_TRUE(comparison.ok()) << comparison.error().message;
    return *comparison;
  };
  const Json other = differing("8", 0.5);
  EXPECT_EQ(other["environment"], Json({"engines.duckdb.configuration.threads: 4 -> 8"}));
  EXPECT_THAT(ComparisonText(other), HasSubstr("- 1 fact of machine or configuration differs"));
  EXPECT_EQ(differing("4", 7.5)["environment"], Json::array()) << "load says nothing of settings";
}

TEST_F(ReportTest, RunsOverOtherRowsAreNotCompared) {
  auto run = analyze::testing::MiniRun();
  const std::string before = Write("before", run);
  run.datasets[0].scale = 0.02;
  const auto other = CompareRuns(before, Write("after", run));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(other.error().message, HasSubstr("the data differs"));
}

TEST_F(ReportTest, CellsOverOtherFilesAreLeftOutAndNamed) {
  auto run = analyze::testing::MiniRun();
  const std::string before = Write("before", run);
  run.layouts[1].file_sizes = {2'150'000, 2'150'000};
  const auto comparison = CompareRuns(before, Write("after", run));
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  EXPECT_EQ((*comparison)["left_out"].size(), 2u);
  EXPECT_THAT((*comparison)["left_out"][0]["why"].get<std::string>(),
              HasSubstr("not the same bytes"));
  EXPECT_EQ((*comparison)["queries"].size(), 6u);
}

}  // namespace
}  // namespace lakegauge::report
