#include "analyze/analyze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "analyze/model.h"
#include "analyze/table_sql.h"
#include "analyze/testing/analyzed_run.h"
#include "analyze/testing/mini_run.h"
#include "base/files.h"
#include "record/annotations.h"
#include "sql/sql.h"

namespace lakegauge::analyze {
namespace {

namespace fs = std::filesystem;
using record::ExecutionStatus;
using testing::FixtureExecution;
using testing::FixtureOutcome;
using testing::FixtureRun;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kTestData = std::string(LAKEGAUGE_SOURCE_DIR) + "/src/analyze/testdata";

class AnalyzeTest : public AnalyzedRun {};

// Numbers within 1e-9, all else exactly.
void ExpectSame(const Json& expected, const Json& actual, const std::string& path) {
  if (expected.is_number() && actual.is_number()) {
    const double e = expected.get<double>();
    EXPECT_NEAR(e, actual.get<double>(), 1e-9 * std::max(1.0, std::abs(e))) << path;
    return;
  }
  ASSERT_EQ(expected.type_name(), std::string(actual.type_name())) << path;
  if (expected.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(actual.contains(key)) << path << "." << key;
      ExpectSame(value, actual[key], path + "." + key);
    }
    for (const auto& [key, value] : actual.items())
      EXPECT_TRUE(expected.contains(key)) << path << "." << key;
  } else if (expected.is_array()) {
    ASSERT_EQ(expected.size(), actual.size()) << path;
    for (size_t i = 0; i < expected.size(); ++i) {
      ExpectSame(expected[i], actual[i], path + "[" + std::to_string(i) + "]");
    }
  } else {
    EXPECT_EQ(expected, actual) << path;
  }
}

// With LAKEGAUGE_UPDATE_GOLDEN set, the committed run and its summary are written anew.
TEST_F(AnalyzeTest, TheMiniRunGivesItsGoldenSummary) {
  const std::string run_dir = kTestData + "/mini_run";
  const std::string golden_path = kTestData + "/mini_golden/summary.json";
  if (std::getenv("LAKEGAUGE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFixture(testing::MiniRun(), run_dir).ok());
    ASSERT_TRUE(WriteFileAtomically(golden_path, Analyze(run_dir)->json.dump(1) + "\n").ok());
  }
  const auto golden = ReadJsonFile(golden_path);
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  const auto summary = Analyze(run_dir);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  ExpectSame(*golden, Json(summary->json), "summary");
  EXPECT_EQ(summary->json.dump(), Analyze(run_dir)->json.dump()) << "the same bytes every time";
}

// What the table in mini_run.h says, worked by hand.
TEST_F(AnalyzeTest, FiguresOfTheMiniRunAreThoseWorkedByHand) {
  const Json s = AnalyzeRun(testing::MiniRun());
  const Json local = Find(s["cells"], {{"store", "local"}, {"layout", "unlimited"}});
  EXPECT_EQ(local["suite"]["iterations_s"], Json({0.35, 0.37, 0.39}));
  EXPECT_NEAR(local["suite"]["avg_s"], 0.37, 1e-12);
  EXPECT_NEAR(local["suite"]["stddev_s"], 0.02, 1e-12);
  const double half = 4.302653 * 0.02 / (0.37 * std::sqrt(3));  // of the logarithm
  EXPECT_NEAR(local["suite"]["ci95_low_s"], 0.37 * std::exp(-half), 1e-7);
  EXPECT_NEAR(local["suite"]["ci95_high_s"], 0.37 * std::exp(half), 1e-7);
  EXPECT_NEAR(local["suite"]["total_s"], 1.11, 1e-12);
  EXPECT_NEAR(local["suite"]["geomean_s"], std::cbrt(0.11 * 0.2 * 0.06), 1e-12);
  EXPECT_NEAR(local["suite"]["stability_pct"], 100 * 0.02 / 0.37, 1e-9);
  EXPECT_EQ(local["requests_per_pass"], 12) << "3 queries x (1 LIST + 3 GET)";
  EXPECT_EQ(local["requests_by_op"], Json({{"GET", 9}, {"LIST", 3}}));

  const Json small = Find(s["cells"], {{"store", "local"}, {"layout", "1MiB"}});
  EXPECT_NEAR(small["vs_layout"]["ratio"], 2, 1e-12);
  EXPECT_NEAR(small["vs_layout"]["delta_s"], 0.37, 1e-12);
  EXPECT_EQ(small["vs_layout"]["mark"], "slower");

  const Json broken = Find(s["cells"], {{"store", "slow"}, {"layout", "1MiB"}});
  EXPECT_EQ(broken["suite"]["n"], 1) << "two passes had a failure or a timeout";
  EXPECT_EQ(broken["failures"], 2);
  EXPECT_EQ(broken["vs_layout"]["queries"], 1) << "q02 and q03 failed once: only q01 is compared";
  EXPECT_NEAR(broken["vs_layout"]["ratio"], 4, 1e-12);
  EXPECT_NEAR(broken["vs_store"]["ratio"], 20, 1e-9);

  const Json q03 = Find(s["queries"], {{"query", "q03"}, {"cell", "duckdb.slow.1MiB.tpcds"}});
  EXPECT_EQ(q03["n"], 2);
  EXPECT_EQ(q03["failed"], 1);
  EXPECT_NEAR(q03["avg_s"], 2.2, 1e-12) << "the timeout's 5 s are no time of the query";
  EXPECT_NEAR(q03["ratio_to_best"], 2.2 / 0.06, 1e-9);
  EXPECT_EQ(s["failures"].size(), 2u);
  EXPECT_EQ(s["failures"][1]["status"], "timeout");
  EXPECT_EQ(Light(s, "failures")["state"], "bad");
  EXPECT_EQ(Light(s, "answers")["state"], "good");
  EXPECT_THAT(Light(s, "answers")["detail"].get<std::string>(),
              HasSubstr("No answer was checked against the official"));

  const Json latency =
      Find(s["latency"], {{"store", "slow"}, {"layout", "unlimited"}, {"op", "GET"}});
  EXPECT_EQ(latency["count"], 27);
  EXPECT_NEAR(latency["mean_ms"], 20.04, 1e-9);
  EXPECT_NEAR(latency["asked_p50_ms"], 20, 1e-9);
  const Json sizes = Find(s["sizes"], {{"layout", "1MiB"}});
  EXPECT_NEAR(sizes["within_10pct"], 0.75, 1e-12) << "900 kB is off; the last file is left aside";
}

TEST_F(AnalyzeTest, ARunInWhichAllFailedHasNothingToCompare) {
  FixtureRun run = testing::MiniRun();
  run.outcome = [](const FixtureExecution&) {
    return FixtureOutcome{.status = ExecutionStatus::kFailed, .error = "boom"};
  };
  const Json s = AnalyzeRun(run);
  EXPECT_THAT(s["headline"]["sentence"].get<std::string>(), HasSubstr("nothing to compare"));
  EXPECT_TRUE(s["headline"]["ratio"].is_null());
  EXPECT_EQ(s["failures"].size(), 36u);
  EXPECT_TRUE(s["cells"][0]["suite"]["avg_s"].is_null());
}

TEST_F(AnalyzeTest, AKilledRunIsReportedAsFarAsItWent) {
  FixtureRun run = testing::MiniRun();
  run.outcome = [](const FixtureExecution& e) {
    FixtureOutcome o;
    o.finished = !(e.store == "slow" && e.iteration == 2);
    return o;
  };
  ASSERT_TRUE(WriteFixture(run, dir_.string()).ok());
  const auto listing = [&] {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(dir_)) {
      all.push_back(entry.path().string() +
                    std::to_string(entry.is_regular_file() ? entry.file_size() : 0));
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto before = listing();
  const Json s = AnalyzeDir();
  EXPECT_EQ(before, listing()) << "a report must not touch a run that may still be going";
  EXPECT_FALSE(s["run"]["complete"]);
  EXPECT_EQ(s["run"]["executions_done"], 12);
  EXPECT_EQ(s["run"]["executions_planned"], 36);
  EXPECT_THAT(Notes(s), HasSubstr("12 of 36 executions are done"));
  EXPECT_THAT(
      Notes(s),
      HasSubstr(
          "not compacted yet, so kinds and latency are missing, for duckdb.slow.unlimited.tpcds"));
  const Json slow = Find(s["cells"], {{"store", "slow"}, {"layout", "unlimited"}});
  EXPECT_EQ(slow["suite"]["n"], 1);
  EXPECT_EQ(slow["requests_per_pass"], 15) << "the journal's own counts";
  EXPECT_TRUE(slow["requests_by_op"].is_null());
  EXPECT_EQ(Light(s, "failures")["state"], "warn");
}

// A query or two of a pass say nothing of the pass.
TEST_F(AnalyzeTest, ACellWhosePassWasInterruptedIsComparedWithNothing) {
  FixtureRun run;
  run.stores = {{"local"}, {"share"}};
  run.queries = {"q01", "q02"};
  run.outcome = [](const FixtureExecution& e) {
    FixtureOutcome o;
    o.finished = !(e.store == "share" && e.query == "q02");
    return o;
  };
  const Json s = AnalyzeRun(run);
  const Json share = Find(s["cells"], {{"store", "share"}});
  EXPECT_TRUE(share["suite"]["avg_s"].is_null());
  EXPECT_TRUE(share["vs_store"].is_null());
  EXPECT_TRUE(s["headline"]["ratio"].is_null());
}

TEST_F(AnalyzeTest, ARunKilledInItsFirstQueryHasMeasuredNothingYet) {
  FixtureRun run = testing::MiniRun();
  run.outcome = [](const FixtureExecution&) {
    FixtureOutcome o;
    o.finished = false;
    return o;
  };
  const Json s = AnalyzeRun(run);
  EXPECT_EQ(s["headline"]["sentence"], "Nothing has been measured yet.");
  EXPECT_EQ(s["run"]["executions_done"], 0);
  EXPECT_TRUE(s["run"]["started_utc"].is_null());
  ASSERT_TRUE(WriteFileAtomically((dir_ / "journal.jsonl").string(), "").ok());
  EXPECT_EQ(AnalyzeDir()["headline"]["sentence"], "Nothing has been measured yet.");
}

// What a person left out is told everywhere and counted nowhere.
TEST_F(AnalyzeTest, WhatIsMarkedInvalidStaysInTheTablesAndOutOfTheStatistics) {
  FixtureRun run = testing::MiniRun();
  run.outcome = [](const FixtureExecution& e) {
    const bool disturbed = e.query == "q01" && e.iteration == 2 && e.layout == "1MiB";
    return FixtureOutcome{.seconds = disturbed ? 90.0 : e.layout == "1MiB" ? 2.0 : 1.0};
  };
  const Json before = AnalyzeRun(run);
  EXPECT_EQ(before["annotations"], Json::array());
  const std::string cell = "duckdb.local.1MiB.tpcds";
  const auto query = [&](const Json& s) {
    return Find(s["queries"], {{"query", "q01"}, {"cell", cell}});
  };
  EXPECT_NEAR(query(before)["avg_s"], 94.0 / 3, 1e-9);

  const auto journal = record::ReadJournal((dir_ / "journal.jsonl").string());
  std::vector<record::Annotation> marks;
  for (const auto& e : journal->finished) {
    if (e.cell == cell && e.query == "q01" && e.iteration == 2) {
      marks.push_back({0, e.id, true, "backup | <ran>", ""});
    }
  }
  ASSERT_EQ(marks.size(), 1u);
  const std::string path = (dir_ / record::kAnnotationsFile).string();
  ASSERT_TRUE(record::AppendAnnotations(path, marks, 1'767'225'600'000'000'000).ok());
  const Json s = AnalyzeDir();
  EXPECT_EQ(query(s)["n"], 2);
  EXPECT_EQ(query(s)["invalid"], 1);
  EXPECT_EQ(query(s)["failed"], 0);
  EXPECT_NEAR(query(s)["avg_s"], 2, 1e-12);
  EXPECT_NEAR(query(s)["max_s"], 2, 1e-12);
  EXPECT_NEAR(query(s)["ratio_layout"], 2, 1e-9);
  const Json suite = Find(s["cells"], {{"id", cell}});
  EXPECT_EQ(suite["invalid"], 1);
  EXPECT_EQ(suite["executions"], 9) << "it was run, and is counted as run";
  EXPECT_EQ(suite["suite"]["n"], 2) << "its pass is not complete";
  EXPECT_NEAR(suite["vs_layout"]["ratio"], 2, 1e-9);
  EXPECT_EQ(suite["vs_layout"]["queries"], 3) << "an invalid execution is no failure of its query";
  ASSERT_EQ(s["annotations"].size(), 1u);
  EXPECT_EQ(s["annotations"][0]["reason"], "backup | <ran>");
  EXPECT_EQ(s["annotations"][0]["at_utc"], "2026-01-01T00:00:00.000000Z");
  EXPECT_NEAR(s["annotations"][0]["seconds"], 90, 1e-9);
  EXPECT_THAT(Notes(s), HasSubstr("1 execution is marked invalid by a person and left out of every "
                                  "statistic: \"backup | <ran>\" (1)."));
  EXPECT_EQ(Light(s, "failures")["state"], "warn");

  // Another last word, in a file whose last line a kill tore.
  marks[0].invalid = false;
  marks[0].at_utc.clear();
  ASSERT_TRUE(record::AppendAnnotations(path, marks, 0).ok());
  std::ofstream(path, std::ios::app) << R"({"v":1,"type":"invalid","annotation":2,"execu)";
  const Json taken_back = AnalyzeDir();
  EXPECT_EQ(taken_back["queries"], before["queries"]);
  EXPECT_THAT(Notes(taken_back), HasSubstr("The last line of annotations.jsonl is cut off"));

  std::ofstream(path, std::ios::app) << "\nnoise\n";
  EXPECT_EQ(Analyze(dir_.string()).error().code, ErrorCode::kCorrupt);
}

TEST_F(AnalyzeTest, AFailureMarkedInvalidIsListedAndNotCounted) {
  const Json before = AnalyzeRun(testing::MiniRun());
  ASSERT_EQ(before["failures"].size(), 2u);
  EXPECT_TRUE(before["failures"][0]["invalid"].is_null());
  const int64_t failed = before["failures"][0]["execution"];
  ASSERT_TRUE(record::AppendAnnotations((dir_ / record::kAnnotationsFile).string(),
                                        {{0, failed, true, "the store was restarted", ""}}, 0)
                  .ok());
  const Json s = AnalyzeDir();
  EXPECT_EQ(s["failures"].size(), 2u);
  EXPECT_EQ(s["failures"][0]["invalid"], "the store was restarted");
  const Json broken = Find(s["cells"], {{"store", "slow"}, {"layout", "1MiB"}});
  EXPECT_EQ(broken["failures"], 1);
  EXPECT_EQ(broken["vs_layout"]["queries"], 2) << "q02 never failed in what counts";
}

TEST_F(AnalyzeTest, FoldersMayHaveAnyName) {
  dir_ += " a'b[c]*?{run}";
  const Json s = AnalyzeRun(testing::MiniRun());
  EXPECT_EQ(s["run"]["executions_done"], 36);
  EXPECT_EQ(s["latency"].size(), 8u);
}

TEST_F(AnalyzeTest, ACutLastLineOfTheJournalIsLeftOutAndSaidSo) {
  ASSERT_TRUE(WriteFixture(testing::MiniRun(), dir_.string()).ok());
  std::ofstream(dir_ / "journal.jsonl", std::ios::app)
      << R"({"v":1,"type":"end","execution":35,"ce)";
  const Json s = AnalyzeDir();
  EXPECT_THAT(Notes(s), HasSubstr("last line is cut off"));
  EXPECT_EQ(s["run"]["executions_done"], 36);
}

TEST_F(AnalyzeTest, DamageAndLaterVersionsAreOneClearError) {
  ASSERT_TRUE(WriteFixture(testing::MiniRun(), dir_.string()).ok());
  const auto message_with = [&](const char* file, const std::string& content) {
    const std::string path = (dir_ / file).string();
    const std::string kept = *ReadFile(path);
    EXPECT_TRUE(WriteFileAtomically(path, content).ok());
    const auto summary = Analyze(dir_.string());
    EXPECT_FALSE(summary.ok()) << file;
    EXPECT_TRUE(WriteFileAtomically(path, kept).ok());
    return summary.ok() ? "" : summary.error().message;
  };
  EXPECT_THAT(message_with("plan.json", R"({"v": 2})"), HasSubstr("plan.json: version 2"));
  EXPECT_THAT(message_with("plan.json", "{}"), HasSubstr("'v' is missing"));
  EXPECT_THAT(message_with("plan.json", "{"), HasSubstr("plan.json"));
  EXPECT_THAT(message_with("journal.jsonl", "{\"v\":1,\"type\":\"session\"}\nnonsense\n"),
              HasSubstr("journal.jsonl:1"));
  EXPECT_THAT(message_with("journal.jsonl", "{\"v\":9,\"type\":\"session\"}\n"),
              HasSubstr("version 9"));
  EXPECT_THAT(message_with("manifests/tpcds-sf0.01/parquet-1MiB.json", R"({"v": 7})"),
              HasSubstr("version 7"));
  EXPECT_THAT(message_with("requests/duckdb.local.1MiB.tpcds.parquet", "PAR?"),
              HasSubstr("requests"));
  fs::remove(dir_ / "plan.json");
  EXPECT_EQ(Analyze(dir_.string()).error().code, ErrorCode::kNotFound);
}

TEST_F(AnalyzeTest, WhatIsMissingIsUnknownNotGood) {
  ASSERT_TRUE(WriteFixture(testing::MiniRun(), dir_.string()).ok());
  fs::remove(dir_ / "environment.json");
  fs::remove_all(dir_ / "manifests");
  fs::remove_all(dir_ / "requests");
  const Json s = AnalyzeDir();
  EXPECT_EQ(Light(s, "build")["state"], "unknown");
  EXPECT_EQ(Light(s, "file_sizes")["state"], "unknown");
  EXPECT_EQ(Light(s, "shaping")["state"], "unknown");
  EXPECT_THAT(Notes(s), HasSubstr("No environment.json"));
  EXPECT_THAT(Notes(s), HasSubstr("No manifest of layout 1MiB"));
  EXPECT_TRUE(s["cells"][0]["files"]["count"].is_null());
  EXPECT_NEAR(s["cells"][0]["suite"]["avg_s"], 0.37, 1e-12);
}

TEST_F(AnalyzeTest, LightsTurnWhereTrustEnds) {
  FixtureRun run = testing::MiniRun();
  run.stores[1].late_ms = 2;  // 10% of 20 ms
  run.build_type = "Debug";
  run.outcome = [](const FixtureExecution& e) {
    FixtureOutcome o;
    o.seconds = 0.1 * e.iteration;
    if (e.query == "q02" && e.store == "slow") o.status = ExecutionStatus::kWrongResult;
    if (e.iteration == 1) o.cache = "warm";
    if (e.query == "q03") o.fingerprint = "0000000000000" + std::to_string(e.iteration);
    return o;
  };
  const Json s = AnalyzeRun(run);
  EXPECT_EQ(Light(s, "answers")["state"], "bad");
  EXPECT_THAT(Light(s, "answers")["text"].get<std::string>(),
              HasSubstr("6 answers are wrong: q02"));
  EXPECT_THAT(Light(s, "answers")["detail"].get<std::string>(), HasSubstr("q03"));
  EXPECT_EQ(Light(s, "cold")["state"], "warn");
  EXPECT_THAT(Light(s, "cold")["text"].get<std::string>(), HasSubstr("12 of 36"));
  EXPECT_EQ(Light(s, "build")["state"], "bad");
  EXPECT_EQ(Light(s, "noise")["state"], "bad");
  EXPECT_EQ(Light(s, "file_sizes")["state"], "warn");
  EXPECT_EQ(Light(s, "shaping")["state"], "warn");
  EXPECT_THAT(Light(s, "shaping")["text"].get<std::string>(),
              HasSubstr("slow GET took 22 ms on average for 20 asked"));
  EXPECT_FALSE(s["delivered"][0]["kept"].get<bool>());
  EXPECT_NEAR(s["delivered"][0]["latencies"][0]["late_mean_ms"], 2, 1e-9);
  EXPECT_THAT(Notes(s), HasSubstr("WARM: 12 of 36 executions"));
}

TEST_F(AnalyzeTest, AnswersThatWereNotCheckedAreNeverReportedAsChecked) {
  FixtureRun run = testing::MiniRun();
  run.outcome = [](const FixtureExecution&) {
    FixtureOutcome o;
    o.answer_check = "";
    return o;
  };
  const Json light = Light(AnalyzeRun(run), "answers");
  EXPECT_EQ(light["state"], "warn");
  EXPECT_THAT(light["text"].get<std::string>(), HasSubstr("36 answers were not checked"));
}

TEST_F(AnalyzeTest, WarmUpPassesCountForNothing) {
  FixtureRun run;
  run.warmup = 1;
  run.iterations = 2;
  run.outcome = [](const FixtureExecution& e) {
    return FixtureOutcome{.seconds = 1.0 * e.iteration};
  };
  const Json s = AnalyzeRun(run);
  EXPECT_EQ(s["cells"][0]["executions"], 2);
  EXPECT_EQ(s["cells"][0]["suite"]["iterations_s"], Json({1.0, 2.0}));
  EXPECT_EQ(s["axes"]["iterations"], 2);
  EXPECT_EQ(s["run"]["executions_done"], 3);
}

TEST_F(AnalyzeTest, APassOfSeveralStreamsIsTheirAverage) {
  FixtureRun run;
  run.streams = 2;
  run.queries = {"q01", "q02"};
  run.outcome = [](const FixtureExecution& e) {
    return FixtureOutcome{.seconds = e.stream == 0 ? 1.0 : 3.0};
  };
  const Json s = AnalyzeRun(run);
  EXPECT_EQ(s["cells"][0]["suite"]["iterations_s"], Json({4.0, 4.0, 4.0}));
  EXPECT_EQ(s["axes"]["streams"], 2);
}

TEST_F(AnalyzeTest, ACancelledQueryIsNotDoneAndNoFailure) {
  FixtureRun run;
  run.iterations = 3;
  run.outcome = [](const FixtureExecution& e) {
    FixtureOutcome o;
    if (e.iteration == 3) o.status = ExecutionStatus::kCancelled;
    return o;
  };
  const Json s = AnalyzeRun(run);
  EXPECT_FALSE(s["run"]["complete"]);
  EXPECT_EQ(s["run"]["executions_done"], 2);
  EXPECT_EQ(s["cells"][0]["failures"], 0);
  EXPECT_EQ(s["cells"][0]["cancelled"], 1);
  EXPECT_EQ(s["failures"].size(), 1u) << "listed all the same";
}

// resume --retry-failed: what ran once more counts as it ended last; the failure stays on record.
TEST_F(AnalyzeTest, ARetriedFailureCountsAsItEndedLastAndIsTold) {
  FixtureRun run;
  run.outcome = [](const FixtureExecution& e) {
    FixtureOutcome o;
    if (e.iteration == 2) o = {.seconds = 9, .status = ExecutionStatus::kFailed, .error = "gone"};
    return o;
  };
  ASSERT_TRUE(WriteFixture(run, dir_.string()).ok());
  const std::string path = dir_.string() + "/journal.jsonl";
  record::Execution again = record::ReadJournal(path)->finished.at(1);
  ASSERT_EQ(again.status, ExecutionStatus::kFailed);
  ++again.session;
  again.status = ExecutionStatus::kOk;
  again.elapsed_ns = 300'000'000;
  again.error.clear();
  {
    auto writer = *record::JournalWriter::Open(path);
    ASSERT_TRUE(writer->SessionStart(again.session, 0, 0, Json::object()).ok());
    ASSERT_TRUE(writer->Begin(again).ok());
    ASSERT_TRUE(writer->End(again).ok());
  }
  const auto summary = Analyze(dir_.string());
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  const Json s(summary->json);
  EXPECT_EQ(s["run"]["executions_done"], 3);
  EXPECT_EQ(s["cells"][0]["failures"], 0);
  EXPECT_EQ(s["cells"][0]["suite"]["iterations_s"], Json({0.1, 0.3, 0.1}));
  EXPECT_TRUE(s["failures"].empty());
  ASSERT_EQ(s["retried"].size(), 1u);
  EXPECT_EQ(s["retried"][0]["error"], "gone");
  EXPECT_EQ(s["retried"][0]["now"], "ok");
  EXPECT_THAT(Notes(s), HasSubstr("1 execution that had failed or timed out ran once more"));
  EXPECT_EQ(Light(s, "failures")["state"], "warn");
}

// The texts a reader is shown give the same figures in plain DuckDB, from the run's folder.
TEST_F(AnalyzeTest, TheSqlShownRunsAsItStands) {
  ASSERT_TRUE(WriteFixture(testing::MiniRun(), dir_.string()).ok());
  const auto summary = Analyze(dir_.string());
  ASSERT_TRUE(summary.ok());
  auto database = sql::Database::Open({});
  auto connection = database->Connect();
  ASSERT_TRUE(
      connection->Execute("SET file_search_path = " + sql::QuoteLiteral(dir_.string())).ok());
  const auto ran = connection->Query(summary->sql);
  ASSERT_TRUE(ran.ok()) << ran.error().message;
  EXPECT_EQ(ran->rows.size(), 12u) << "runs.csv, the last of them";
  const auto cells = connection->Query(summary->json["sql"]["cells"].get<std::string>());
  ASSERT_TRUE(cells.ok()) << cells.error().message;
  EXPECT_EQ(cells->rows.size(), 4u);
  EXPECT_EQ(summary->sql.find(dir_.string()), std::string::npos) << "no path of one machine";
}

TEST(TableSql, FoldersWithQuotesStayInsideTheirQuotes) {
  EXPECT_EQ(SqlFor("read('{run}plan.json')", "/a'b"), "read('/a''b/plan.json')");
  EXPECT_EQ(SqlFor("read('{run}plan.json')", ""), "read('plan.json')");
}

}  // namespace
}  // namespace lakegauge::analyze
