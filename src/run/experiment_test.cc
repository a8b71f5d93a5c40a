#include "run/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/yaml.h"
#include "run/experiment_reader.h"
#include "run/plan.h"
#include "run/testing/schema_check.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string ProblemsOf(const std::string& text, const Overrides& overrides = {}) {
  const auto experiment = ParseExperiment(text, "e.yaml", overrides);
  return experiment.ok() ? "" : experiment.error().message;
}

std::string WithChange(const std::string& change) { return ProblemsOf(TinyExperiment(change)); }

TEST(Experiment, ReadsTheQuickstart) {
  const auto e = LoadExperiment(LAKEGAUGE_SOURCE_DIR "/examples/quickstart.yaml");
  ASSERT_TRUE(e.ok()) << e.error().message;
  EXPECT_EQ(e->name, "quickstart");
  ASSERT_EQ(e->layouts.size(), 3u);
  EXPECT_EQ(e->layouts[0].spec.target_file_bytes, 0);
  EXPECT_EQ(e->layouts[1].spec.target_file_bytes, 8 << 20);
  ASSERT_EQ(e->stores.size(), 3u);
  EXPECT_EQ(e->stores[2].profile, "s3-standard");
  EXPECT_EQ(e->engines[0].threads, 0);
  EXPECT_EQ(e->workload.timeout_ns, 300'000'000'000);
  EXPECT_EQ(e->compare_store, "local");
}

TEST(Experiment, QuickIsAppliedWhenAskedFor) {
  Overrides quick;
  quick.quick = true;
  const auto e = LoadExperiment(LAKEGAUGE_SOURCE_DIR "/examples/quickstart.yaml", quick);
  ASSERT_TRUE(e.ok()) << e.error().message;
  EXPECT_EQ(e->datasets[0].spec.scale, 0.1);
  EXPECT_THAT(e->workload.queries.tpcds, ElementsAre(3, 52, 96));
  EXPECT_THAT(e->overrides, ElementsAre("--quick"));
}

TEST(Experiment, EveryExampleIsValidPlainAndQuick) {
  int seen = 0;
  for (const auto& file : std::filesystem::directory_iterator(LAKEGAUGE_SOURCE_DIR "/examples")) {
    if (file.path().extension() != ".yaml") continue;
    ++seen;
    for (const bool quick : {false, true}) {
      Overrides overrides;
      overrides.quick = quick;
      const auto e = LoadExperiment(file.path().string(), overrides);
      EXPECT_TRUE(e.ok()) << e.error().message;
    }
  }
  EXPECT_GE(seen, 5);
  EXPECT_EQ(ProblemsOf(ExampleExperiment()), "");
}

TEST(Experiment, SaysWhereAMisspeltKeyIsAndWhatIsNear) {
  EXPECT_THAT(WithChange("workload: {queries: [3], iteratons: 2}"),
              AllOf(HasSubstr("e.yaml:6:26: found key 'iteratons'"),
                    HasSubstr("did you mean 'iterations'?")));
}

TEST(Experiment, ReportsAllProblemsAtOnce) {
  const std::string problems = WithChange(
      "workload: {queries: [100], iterations: 0, order: sideways}\n"
      "stores: {local: {uri: 'gopher:x'}}");
  EXPECT_THAT(problems, HasSubstr("found '100'; allowed a TPC-DS query number from 1 to 99"));
  EXPECT_THAT(problems, HasSubstr("found '0'; allowed an integer from 1"));
  EXPECT_THAT(problems, HasSubstr("found 'sideways'; allowed fixed, random"));
  EXPECT_THAT(problems, HasSubstr("found 'gopher:x'; allowed file:"));
}

TEST(Experiment, NamesTheNearestProfile) {
  EXPECT_THAT(WithChange("stores: {s3: {uri: 'file:', profile: s3-standrad}}"),
              HasSubstr("did you mean 's3-standard'?"));
}

TEST(Experiment, RefusesWhatAnEngineCannotRead) {
  EXPECT_THAT(WithChange("layouts: {orc: {format: orc}}"), HasSubstr("duckdb has no orc reader"));
}

TEST(Experiment, CrossCanLeaveOutWhatDoesNotFit) {
  EXPECT_EQ(WithChange("layouts: {orc: {format: orc}, parquet: {}}\n"
                       "cross: {exclude: [{layout: orc, engine: duckdb}]}"),
            "");
}

TEST(Experiment, APatternThatFitsNothingIsAMistake) {
  EXPECT_THAT(WithChange("cross: {only: [{store: lokal}]}"),
              AllOf(HasSubstr("fits none of local"), HasSubstr("did you mean 'local'?")));
}

TEST(Experiment, NamesMustBeSafeAsFileNames) {
  EXPECT_THAT(WithChange("name: ../etc"), HasSubstr("found the name '../etc'"));
  EXPECT_THAT(WithChange("stores: {a.b: {uri: 'file:'}}"), HasSubstr("found the name 'a.b'"));
}

TEST(Experiment, QueriesMustFitTheDataset) {
  EXPECT_THAT(WithChange("datasets: {b: {kind: bulk, schema: schema1, rows: 100, partitions: 10}}"),
              HasSubstr("found TPC-DS queries with the bulk dataset 'b'"));
  EXPECT_THAT(WithChange("workload: {scans: [rows]}"),
              HasSubstr("found scans with the dataset 'tpcds' of kind tpcds"));
}

// Experiments in a folder of their own, with tables beside them.
class ExperimentFile : public testing::Test {
 protected:
  ExperimentFile() {
    std::filesystem::create_directories(Path("q"));
    Write("people.csv", "id,name\n1,Ann\n2,Bo\n");
    Write("q/count.sql", "SELECT count(*) FROM people");
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(Path(name), text).ok());
  }
  Result<Experiment> Load(const std::string& changes = "", const Overrides& overrides = {}) {
    const std::string own =
        "datasets: {mine: {kind: files, tables: {people: people.csv}}}\n"
        "workload: {queries: [q/]}\n";
    Write("e.yaml", TinyExperiment(own + changes));
    return LoadExperiment(Path("e.yaml"), overrides);
  }
  std::string ProblemsWith(const std::string& changes) {
    const auto e = Load(changes);
    return e.ok() ? "" : e.error().message;
  }
  TemporaryFolder folder_;
};

TEST_F(ExperimentFile, NamesTablesAndColumnsThatThereAre) {
  EXPECT_EQ(ProblemsWith(""), "");
  EXPECT_THAT(
      ProblemsWith("layouts: {a: {partition_by: {people: [nam]}}, b: {sort_by: {peple: id}}, "
                   "c: {tables: [persons]}}"),
      AllOf(HasSubstr("e.yaml:3:39: found 'nam': partition_by names column 'nam'"),
            HasSubstr("allowed id, name; did you mean 'name'?"),
            HasSubstr("e.yaml:3:61: found 'peple'"), HasSubstr("did you mean 'people'?"),
            HasSubstr("e.yaml:3:87: found 'persons'")));
  EXPECT_THAT(ProblemsWith("datasets: {tpcds: {kind: tpcds, scale: 0.01}}\n"
                           "workload: {queries: [3]}\nlayouts: {a: {sort_by: {item: i_itm_sk}}}"),
              HasSubstr("did you mean 'i_item_sk'?"));
  EXPECT_THAT(ProblemsWith("datasets: {tpcds: {kind: tpcds, scale: 0.01}}\n"
                           "workload: {queries: [3, 96]}\nlayouts: {a: {tables: [item]}}"),
              HasSubstr("found the query q03, which names table"));
}

TEST_F(ExperimentFile, AQueryOfATableThatIsNotThereIsRefused) {
  Write("q/wrong.sql", "SELECT count(*) FROM peeple JOIN people USING (id)");
  Write("q/odd.sql", "SELEC 1");
  EXPECT_THAT(ProblemsWith(""),
              AllOf(HasSubstr("e.yaml:6:22: found the query wrong, which names table 'peeple'"),
                    HasSubstr("did you mean 'people'?"), testing::Not(HasSubstr("\n"))));
}

TEST_F(ExperimentFile, TablesThatCannotBeReadAreToldWithTheirPlace) {
  Write("empty.csv", "");
  Write("noise.parquet", "PAR1 and nothing else that would be Parquet PAR1");
  EXPECT_THAT(
      ProblemsWith("datasets: {mine: {kind: files, tables: {people: 'no*.csv', a: empty.csv, "
                   "b: noise.parquet}}}"),
      AllOf(HasSubstr("e.yaml:2:49: found 'no*.csv', which cannot be read: table people: no "
                      "file matches"),
            HasSubstr("empty.csv is empty (0 bytes)"), HasSubstr("noise.parquet is not Parquet")));
}

TEST_F(ExperimentFile, SettingsThatTheEngineRefusesAreToldWithTheirPlace) {
  EXPECT_THAT(
      ProblemsWith("engines: {duckdb: {settings: {thread: 2, preserve_insertion_order: maybe}}}"),
      AllOf(HasSubstr("e.yaml:5:39: found the setting thread: '2'"),
            HasSubstr("did you mean 'threads'?"),
            HasSubstr("found the setting preserve_insertion_order: 'maybe'")));
}

TEST_F(ExperimentFile, AMissingPathIsToldWhole) {
  EXPECT_THAT(ProblemsWith("datasets: {mine: {kind: files, tables: {people: persons.csv}}}"),
              HasSubstr("found 'persons.csv', which is not there: relative paths start from " +
                        folder_.path() + ", so it is " + Path("persons.csv")));
  EXPECT_THAT(ProblemsWith("datasets: {mine: {kind: files, tables: {people: /no/such.csv}}}"),
              HasSubstr("found '/no/such.csv', which is not there; allowed a path that is"));
}

TEST_F(ExperimentFile, ACopyElsewhereSaysTheSame) {
  const auto e = Load();
  ASSERT_TRUE(e.ok()) << e.error().message;
  const TemporaryFolder other;
  const std::string copy = other.path() + "/experiment.yaml";
  ASSERT_TRUE(WriteFileAtomically(copy, TextForCopy(*e)).ok());
  const auto again = LoadExperiment(copy);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->datasets[0].spec.tables.at("people"), Path("people.csv"));
  EXPECT_EQ(TextForCopy(*again), again->source) << "a copy of a copy is the same";
  EXPECT_EQ(ToYaml(*again, {}), ToYaml(*e, {}));
}

TEST_F(ExperimentFile, QuickWithoutABlockIsKnown) {
  const auto e = Load("", {{}, {}, true});
  ASSERT_TRUE(e.ok()) << e.error().message;
  EXPECT_FALSE(e->quick);
}

TEST_F(ExperimentFile, TheEstimateStandsOnTheUsersFiles) {
  const auto e = Load("layouts: {as-is: {as_is: true}, 256KiB: {file_size: 256KiB}}");
  ASSERT_TRUE(e.ok()) << e.error().message;
  ASSERT_EQ(e->datasets[0].sources.size(), 1u);
  const auto plan = MakePlan(*e, folder_.path() + "/data");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->cells[0].estimate.bytes_read, 19) << "all of a CSV file";
  EXPECT_LT(plan->cells[1].estimate.bytes_read, 19);
  EXPECT_THAT(PlanText(*plan), AllOf(HasSubstr("of as_is are those of the files"),
                                     HasSubstr("guessed to be those of your files")));
}

TEST(Experiment, AnUnknownKindOfDatasetIsOneProblem) {
  const std::string problems = WithChange("datasets: {mine: {kind: fils, tables: {t: t.csv}}}");
  EXPECT_THAT(problems, AllOf(HasSubstr("found 'fils'; allowed tpcds, bulk, files; did you mean "
                                        "'files'?"),
                              testing::Not(HasSubstr("\n"))));
}

TEST(Experiment, ADurationSaysHowItIsWritten) {
  EXPECT_THAT(WithChange("limits: {max_time: soon}"),
              HasSubstr("found 'soon'; allowed a number with ns, us, ms, s, min, h or d, such as "
                        "90s or 30min, from 1.00 s to"));
}

TEST(Experiment, KeysOfAnotherKindOfDatasetAreUnknown) {
  EXPECT_THAT(WithChange("datasets: {tpcds: {kind: tpcds, rows: 5}}"),
              HasSubstr("found key 'rows'; allowed kind, scale, generator"));
}

TEST(Experiment, SetChangesAValueAndIsNamedWhenItIsWrong) {
  const std::string text = TinyExperiment();
  const auto changed = ParseExperiment(
      text, "e.yaml", {{"workload.iterations=7", "engines.duckdb.threads=3"}, {}, false});
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  EXPECT_EQ(changed->workload.iterations, 7);
  EXPECT_EQ(changed->engines[0].threads, 3);
  EXPECT_THAT(ProblemsOf(text, {{"workload.iterations=many"}, {}, false}),
              HasSubstr("--set workload.iterations=many: found 'many'; allowed an integer"));
  EXPECT_THAT(ProblemsOf(text, {{"workload.iteratons=7"}, {}, false}),
              AllOf(HasSubstr("--set workload.iteratons=7"), HasSubstr("did you mean")));
  EXPECT_THAT(ProblemsOf(text, {{"iterations"}, {}, false}), HasSubstr("allowed a.b.c=value"));
}

TEST(Experiment, ScaleNeedsADatasetThatHasOne) {
  EXPECT_EQ(ParseExperiment(TinyExperiment(), "e.yaml", {{}, 10.0, false})->datasets[0].spec.scale,
            10);
  EXPECT_THAT(ProblemsOf(TinyExperiment("datasets: {b: {kind: bulk, schema: schema1, rows: 100, "
                                        "partitions: 10}}\nworkload: {scans: [rows]}"),
                         {{}, 10.0, false}),
              HasSubstr("--scale 10: found no dataset of kind tpcds"));
}

TEST(Experiment, AMistakeInTheQuickBlockIsFoundBeforeItIsUsed) {
  EXPECT_THAT(WithChange("quick: {workload.iterations: none}"),
              AllOf(HasSubstr("e.yaml:"), HasSubstr("quick workload.iterations: found 'none'")));
}

TEST(Experiment, TextThatIsNotUtf8IsRefusedWithItsPlace) {
  EXPECT_THAT(ProblemsOf(TinyExperiment() + "title: \xC3\x28"),
              AllOf(HasSubstr(":8: found the byte 0xc3, which is not UTF-8")));
  EXPECT_EQ(ProblemsOf(TinyExperiment() + "title: Gr\xC3\xBC"), "");
}

TEST(Experiment, MaxCostNeedsAPrice) {
  EXPECT_THAT(WithChange("limits: {max_cost: 1}"), HasSubstr("no store states a price"));
  EXPECT_EQ(WithChange("limits: {max_cost: 1}\n"
                       "stores: {local: {uri: 'file:', price: {get_per_1000: 0.0004}}}"),
            "");
}

TEST(Experiment, PricesNameASheetAndGoIntoThePlan) {
  const std::string text = TinyExperiment() + "prices: storage-class\n";
  auto e = ParseExperiment(text, "e.yaml");
  ASSERT_TRUE(e.ok()) << e.error().message;
  EXPECT_EQ(e->prices, "storage-class");
  EXPECT_THAT(ToYaml(*e, {}), HasSubstr("prices: storage-class"));
  e->prices_text = "name: x\n";
  const auto plan = MakePlan(*e, "nowhere");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const auto again = Plan::FromJson(plan->ToJson());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->prices, "storage-class");
  EXPECT_EQ(again->prices_text, "name: x\n");
}

TEST(Experiment, ResolvedYamlIsAnExperimentAndSaysTheSame) {
  const auto e = ParseExperiment(TinyExperiment(), "e.yaml");
  ASSERT_TRUE(e.ok());
  const std::string yaml = ToYaml(*e, {{"queries", {{"q03", "SELECT 1\nFROM x\n"}}}});
  const auto again = ParseExperiment(yaml, "resolved.yaml");
  ASSERT_TRUE(again.ok()) << again.error().message << "\n" << yaml;
  EXPECT_EQ(ToYaml(*again, {}), ToYaml(*e, {}));
}

TEST(Experiment, PublishedSchemaIsInStepWithTheParser) {
  const auto published = ReadJsonFile(LAKEGAUGE_SOURCE_DIR "/schemas/experiment.schema.json");
  ASSERT_TRUE(published.ok()) << published.error().message;
  const Json current = ExperimentSchema();
  EXPECT_FALSE(current.contains("x-unknown")) << current["x-unknown"].dump();
  EXPECT_EQ(*published, current)
      << "schemas/experiment.schema.json is not what the parser reads; it should be:\n"
      << current.dump(2);
}

TEST(Experiment, ExamplesFitThePublishedSchemaAndMistakesDoNot) {
  const auto schema = ReadJsonFile(LAKEGAUGE_SOURCE_DIR "/schemas/experiment.schema.json");
  ASSERT_TRUE(schema.ok());
  const auto as_json = [](const std::string& text) {
    return YamlDocument::Parse(text, "e.yaml").root().ToJson();
  };
  for (const auto& file : std::filesystem::directory_iterator(LAKEGAUGE_SOURCE_DIR "/examples")) {
    if (file.path().extension() != ".yaml") continue;
    EXPECT_EQ(SchemaProblem(*schema, as_json(*ReadFile(file.path().string()))), "")
        << file.path().filename();
  }
  EXPECT_EQ(SchemaProblem(*schema, as_json(ExampleExperiment())), "");
  EXPECT_NE(
      SchemaProblem(*schema, as_json(TinyExperiment("workload: {queries: [3], iteratons: 2}"))),
      "");
  EXPECT_NE(SchemaProblem(*schema, as_json(TinyExperiment("workload: {queries: [3], order: up}"))),
            "");
}

TEST(Patterns, StarStandsForAnything) {
  EXPECT_TRUE(PatternMatches("*", "x"));
  EXPECT_TRUE(PatternMatches("s3-*", "s3-express"));
  EXPECT_TRUE(PatternMatches("*MiB", "8MiB"));
  EXPECT_FALSE(PatternMatches("s3-*", "local"));
  EXPECT_FALSE(PatternMatches("8MiB", "18MiB"));
  EXPECT_TRUE(PatternMatches("a*b*c", "a-b-b-c"));
}

}  // namespace
}  // namespace lakegauge::run
