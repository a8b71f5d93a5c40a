#include "engine/duckdb/duckdb_engine.h"

#include <fmt/format.h>

#include <future>
#include <set>

#include "engine/duckdb/table_sql.h"
#include "engine/testing/conformance.h"
#include "engine/testing/spy_store.h"
#include "engine/threads.h"
#include "sql/sql.h"

namespace lakegauge::engine {
namespace {

using record::ExecutionStatus;
using record::Operation;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Seen;
using testing::SpyStore;

TableLocation At(SpyStore& store, const std::string& table, const std::string& prefix,
                 const std::string& format = "parquet") {
  TableLocation location;
  location.name = table;
  location.format = format;
  location.store = &store;
  location.prefix = prefix;
  return location;
}

class DuckDbSubject : public testing::Subject {
 public:
  Result<std::unique_ptr<Engine>> MakeEngine() override {
    return engine::MakeEngine("duckdb", {{"threads", "4"}});
  }
  TableLocation Locate(const std::string& table) override { return At(store_, table, table + "/"); }
  void PutFile(const std::string& key, std::string content) override {
    store_.Put(key, std::move(content));
  }
  std::string FileContent(const std::string& key) override { return store_.Content(key); }
  void RemoveFile(const std::string& key) override { store_.Remove(key); }
  std::string LongQuery() override {
    return "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = -7";
  }
  std::optional<std::vector<testing::TaggedRequest>> TakeRequests() override {
    std::vector<testing::TaggedRequest> requests;
    for (const auto& seen : store_.Take()) requests.push_back({seen.execution, seen.lane});
    return requests;
  }
  bool FailReads(const std::optional<Error>& error) override {
    store_.FailReads(error);
    return true;
  }

 private:
  SpyStore store_;
};

std::unique_ptr<testing::Subject> MakeDuckDbSubject() { return std::make_unique<DuckDbSubject>(); }

}  // namespace

namespace testing {
INSTANTIATE_TEST_SUITE_P(DuckDb, EngineConformance, ::testing::Values(&MakeDuckDbSubject));
}  // namespace testing

namespace {

class DuckDb : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [key, content] : testing::SmallTableFiles()) store_.Put(key, content);
  }
  void TearDown() override {
    session_.reset();
    if (engine_) engine_->Stop();
  }
  void Start(std::map<std::string, std::string> settings = {{"threads", "4"}}) {
    auto engine = MakeEngine("duckdb", settings);
    ASSERT_TRUE(engine.ok()) << engine.error().message;
    engine_ = std::move(*engine);
    const auto started = engine_->Start();
    ASSERT_TRUE(started.ok()) << started.error().message;
    session_ = std::move(*engine_->OpenSession(3));
  }
  void Bind(const std::vector<TableLocation>& tables) {
    const auto bound = session_->Bind(tables);
    ASSERT_TRUE(bound.ok()) << bound.error().message;
    store_.Take();
  }
  Outcome Run(const std::string& sql, int64_t execution = 1) {
    return std::move(*session_->Execute({execution, 3, "test", sql, 0}));
  }
  std::vector<Seen> Of(Operation operation, const std::vector<Seen>& all) {
    std::vector<Seen> some;
    for (const auto& seen : all) {
      if (seen.operation == operation) some.push_back(seen);
    }
    return some;
  }

  SpyStore store_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Session> session_;
};

TEST_F(DuckDb, AQueryListsOnceReadsFootersAndRangesAndNeverAsksForASize) {
  Start();
  Bind({At(store_, "numbers", "numbers/")});
  ASSERT_EQ(Run("SELECT sum(value) AS s FROM numbers").status, ExecutionStatus::kOk);
  const auto seen = store_.Take();
  EXPECT_THAT(Of(Operation::kList, seen), ElementsAre(Field(&Seen::key, "numbers/")));
  EXPECT_THAT(Of(Operation::kHead, seen), IsEmpty());
  std::set<std::string> keys;
  for (const auto& get : Of(Operation::kGet, seen)) {
    keys.insert(get.key);
    const auto size = static_cast<int64_t>(store_.Content(get.key).size());
    EXPECT_GT(get.length, 0);
    EXPECT_LE(get.offset + get.length, size) << "exactly what there is";
    EXPECT_EQ(get.lane, 3);
  }
  EXPECT_THAT(keys, ElementsAre("numbers/part-0.parquet", "numbers/part-1.parquet",
                                "numbers/part-2.parquet"));
}

TEST_F(DuckDb, NothingIsKeptFromOneQueryToTheNext) {
  Start();
  Bind({At(store_, "numbers", "numbers/")});
  const auto bytes = [&] {
    EXPECT_EQ(Run("SELECT sum(value) AS s, max(kind) AS k FROM numbers").status,
              ExecutionStatus::kOk);
    int64_t sum = 0;
    for (const auto& get : store_.Take()) sum += get.length;
    return sum;
  };
  const int64_t first = bytes();
  EXPECT_GT(first, 0);
  EXPECT_EQ(bytes(), first);
}

TEST_F(DuckDb, BindingAsksForNoQuery) {
  Start();
  ASSERT_TRUE(session_->Bind({At(store_, "numbers", "numbers/")}).ok());
  for (const auto& seen : store_.Take()) {
    EXPECT_EQ(seen.execution, -1);
    EXPECT_EQ(seen.lane, 3);
  }
}

TEST_F(DuckDb, OnlyColumnsThatAreNeededAreRead) {
  Start();
  Bind({At(store_, "numbers", "numbers/")});
  const auto bytes_of = [&](const char* sql) {
    EXPECT_EQ(Run(sql).status, ExecutionStatus::kOk);
    int64_t sum = 0;
    for (const auto& get : store_.Take()) sum += get.length;
    return sum;
  };
  EXPECT_LT(bytes_of("SELECT max(kind) AS k FROM numbers"),
            bytes_of("SELECT max(kind) AS k, max(id) AS i, max(value) AS v FROM numbers"));
}

TEST_F(DuckDb, ListsAllPages) {
  SpyStore paged(2);
  for (const auto& [key, content] : testing::SmallTableFiles()) paged.Put(key, content);
  paged.Put("numbers/manifest.json", "{}");
  Start();
  Bind({At(paged, "numbers", "numbers/")});
  paged.Take();
  const Outcome outcome = Run("SELECT count(*) AS n FROM numbers WHERE id >= 0");
  ASSERT_EQ(outcome.status, ExecutionStatus::kOk) << outcome.error;
  EXPECT_EQ(outcome.answer.rows[0][0], std::to_string(testing::kNumbersRows));
  EXPECT_EQ(Of(Operation::kList, paged.Take()).size(), 2u);
}

TEST_F(DuckDb, ASingleFileIsNotListedButAskedForItsSizeAtEachOpen) {
  Start();
  Bind({At(store_, "one", "numbers/part-0.parquet")});
  ASSERT_EQ(Run("SELECT count(*) AS n FROM one WHERE id >= 0").answer.rows[0][0], "1000");
  const auto seen = store_.Take();
  EXPECT_THAT(Of(Operation::kList, seen), IsEmpty());
  EXPECT_FALSE(Of(Operation::kHead, seen).empty());
}

TEST_F(DuckDb, FoldersMayBeCalledAnything) {
  const std::string folder = "odd [1] *? it's/";
  for (const auto& [key, content] : testing::SmallTableFiles()) store_.Put(folder + key, content);
  Start();
  Bind({At(store_, "odd \"name\"", folder + "numbers/")});
  const Outcome outcome = Run("SELECT count(*) AS n FROM \"odd \"\"name\"\"\" WHERE id >= 0");
  ASSERT_EQ(outcome.status, ExecutionStatus::kOk) << outcome.error;
  EXPECT_EQ(outcome.answer.rows[0][0], std::to_string(testing::kNumbersRows));
}

TEST_F(DuckDb, PartitionsStandInThePaths) {
  for (const int year : {2001, 2002}) {
    store_.Put(
        fmt::format("t/year={}/part-0.parquet", year),
        testing::WrittenByDuckDb(fmt::format("SELECT {} AS a", year % 100), "FORMAT parquet"));
  }
  store_.Put("t/year=__HIVE_DEFAULT_PARTITION__/part-0.parquet",
             testing::WrittenByDuckDb("SELECT 9 AS a", "FORMAT parquet"));
  TableLocation table = At(store_, "t", "t/");
  table.options = {{"partition_by", "year"}};
  table.columns = {{"year", "INTEGER"}, {"a", "INTEGER"}};
  Start();
  Bind({table});
  const Outcome outcome = Run("SELECT * FROM t ORDER BY a");
  ASSERT_EQ(outcome.status, ExecutionStatus::kOk) << outcome.error;
  EXPECT_EQ(outcome.answer.columns[0].type, "INTEGER");
  EXPECT_THAT(outcome.answer.rows, ElementsAre(ElementsAre("2001", "1"), ElementsAre("2002", "2"),
                                               ElementsAre(std::nullopt, "9")));
  store_.Take();
  Run("SELECT a FROM t WHERE year = 2002");
  int of_2001 = 0;
  for (const auto& get : Of(Operation::kGet, store_.Take())) {
    of_2001 += get.key == "t/year=2001/part-0.parquet";
    EXPECT_THAT(get.key, Not(HasSubstr("DEFAULT_PARTITION")));
  }
  EXPECT_EQ(of_2001, 1) << "the first file's footer alone, for the schema";
}

TEST_F(DuckDb, CsvIsReadWithTheTypesItWasGivenAndNoSniffing) {
  store_.Put("c/part-0.csv", "n,s\n1,a\n2,\n");
  store_.Put("c/part-1.csv", "n,s\n3,\"b,\"\"c\"\n4,\"\"\n");
  TableLocation table = At(store_, "c", "c/", "csv");
  table.columns = {{"n", "BIGINT"}, {"s", "VARCHAR"}};
  Start();
  Bind({table});
  const Outcome outcome = Run("SELECT * FROM c ORDER BY n");
  ASSERT_EQ(outcome.status, ExecutionStatus::kOk) << outcome.error;
  EXPECT_EQ(outcome.answer.columns[0].type, "BIGINT");
  EXPECT_THAT(outcome.answer.rows,
              ElementsAre(ElementsAre("1", "a"), ElementsAre("2", std::nullopt),
                          ElementsAre("3", "b,\"c"), ElementsAre("4", "")));
  EXPECT_EQ(Of(Operation::kGet, store_.Take()).size(), 2u) << "each small file is read once";
}

TEST_F(DuckDb, CsvOfOthersMayBeSpelledOutOrDetected) {
  store_.Put("c/part-0.csv", "1;a\n2;-\n");
  TableLocation table = At(store_, "c", "c/", "csv");
  table.columns = {{"n", "BIGINT"}, {"s", "VARCHAR"}};
  table.options = {{"header", "false"}, {"delimiter", ";"}, {"nullstr", "-"}};
  TableLocation detected = At(store_, "d", "c/", "csv");
  detected.options = {{"detect", "true"}};
  Start();
  Bind({table, detected});
  EXPECT_THAT(Run("SELECT * FROM c ORDER BY n").answer.rows,
              ElementsAre(ElementsAre("1", "a"), ElementsAre("2", std::nullopt)));
  EXPECT_THAT(Run("SELECT count(*) AS n FROM d").answer.rows, ElementsAre(ElementsAre("2")));
}

TEST_F(DuckDb, TablesThatCannotBeReadAreRefusedInOneLine) {
  Start();
  struct Case {
    TableLocation table;
    std::string message;
  };
  TableLocation no_store = At(store_, "t", "numbers/");
  no_store.store = nullptr;
  TableLocation odd_option = At(store_, "t", "numbers/");
  odd_option.options = {{"compresion", "gzip"}};
  for (const auto& [table, message] : std::vector<Case>{
           {At(store_, "t", "numbers/", "orc"), "table t: DuckDB does not read orc"},
           {At(store_, "t", "c/", "csv"), "table t: CSV needs its columns"},
           {At(store_, "t", "nowhere/"), "No files found that match the pattern \"spy:nowhere/"},
           {odd_option, "table t: unknown option 'compresion'"},
           {no_store, "table t: DuckDB reads through a Store"}}) {
    const auto bound = session_->Bind({table});
    ASSERT_FALSE(bound.ok()) << message;
    EXPECT_THAT(bound.error().message, HasSubstr(message));
  }
}

TEST_F(DuckDb, ErrorsNameFilesAsTheStoreDoes) {
  Start();
  Bind({At(store_, "numbers", "numbers/")});
  store_.Put("numbers/part-2.parquet", "short");
  EXPECT_THAT(Run("SELECT max(id) AS m FROM numbers").error,
              HasSubstr("spy:numbers/part-2.parquet"));
}

TEST_F(DuckDb, QueriesCannotWriteToAStore) {
  Start();
  Bind({At(store_, "names", "names/")});
  const Outcome outcome = Run("COPY (SELECT 1) TO 'lgstore://0/new.parquet' (FORMAT parquet)");
  EXPECT_EQ(outcome.status, ExecutionStatus::kFailed);
  EXPECT_THAT(outcome.error, HasSubstr("cannot write to a store"));
}

TEST_F(DuckDb, CancelReachesAQueryThatWaitsForTheStore) {
  Start();
  Bind({At(store_, "numbers", "numbers/")});
  store_.HoldReads();
  auto outcome =
      std::async(std::launch::async, [&] { return Run("SELECT sum(value) AS s FROM numbers"); });
  store_.AwaitHeld(1);
  session_->Cancel();
  EXPECT_EQ(outcome.get().status, ExecutionStatus::kCancelled);
  store_.LetGo();
  EXPECT_EQ(Run("SELECT sum(value) AS s FROM numbers").status, ExecutionStatus::kOk);
}

TEST_F(DuckDb, ADeadlineReachesAQueryThatWaitsForTheStore) {
  Start();
  Bind({At(store_, "numbers", "numbers/")});
  store_.HoldReads();
  auto outcome = session_->Execute(
      {1, 3, "test", "SELECT sum(value) AS s FROM numbers", RealClock().NowNs() + 20'000'000});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->status, ExecutionStatus::kTimeout) << outcome->error;
  EXPECT_THAT(outcome->error, HasSubstr("stopped at its deadline, after "));
  store_.LetGo();
  EXPECT_EQ(Run("SELECT sum(value) AS s FROM numbers").status, ExecutionStatus::kOk);
}

TEST_F(DuckDb, SeveralStatementsAnswerTheLast) {
  Start();
  const Outcome outcome = Run("CREATE TEMP TABLE t AS SELECT 4 AS a; SELECT a + 1 AS b FROM t;");
  ASSERT_EQ(outcome.status, ExecutionStatus::kOk) << outcome.error;
  EXPECT_THAT(outcome.answer.rows, ElementsAre(ElementsAre("5")));
}

TEST_F(DuckDb, ValuesComeAsTextThatReadsBackTheSame) {
  Start();
  const Outcome outcome =
      Run("SELECT 0.1::DOUBLE, 1e300::DOUBLE, 1/3::DOUBLE, 0.1::FLOAT, 'nan'::DOUBLE, "
          "1.50::DECIMAL(9,2), 170141183460469231731687303715884105727::HUGEINT, NULL, "
          "DATE '2001-02-03', true, ''");
  ASSERT_EQ(outcome.status, ExecutionStatus::kOk) << outcome.error;
  EXPECT_THAT(outcome.answer.rows.at(0),
              ElementsAre("0.1", "1e+300", "0.3333333333333333", "0.1", "nan", "1.50",
                          "170141183460469231731687303715884105727", std::nullopt, "2001-02-03",
                          "true", ""));
}

TEST_F(DuckDb, AnAnswerTooLargeToCompareIsAFailureThatSaysSo) {
  Start();
  const Outcome outcome = Run("SELECT range AS a, range AS b FROM range(5000001)");
  EXPECT_EQ(outcome.status, ExecutionStatus::kFailed);
  EXPECT_THAT(outcome.error, HasSubstr("5000001 rows of 2 columns"));
}

TEST_F(DuckDb, BindingAsksForSeveralTablesAtOnce) {
  Start();
  store_.HoldReads();
  auto bound = std::async(std::launch::async, [&] {
    return session_->Bind({At(store_, "numbers", "numbers/"), At(store_, "names", "names/")});
  });
  store_.AwaitHeld(2);
  store_.LetGo();
  EXPECT_TRUE(bound.get().ok());
}

TEST_F(DuckDb, CpuIsCountedForEveryThreadOfTheEngine) {
  Start();
  Bind({At(store_, "numbers", "numbers/")});
  const Outcome outcome =
      Run("SELECT sum(hash(a.range + b.range)) AS h FROM range(3000) a, "
          "range(3000) b");
  ASSERT_EQ(outcome.status, ExecutionStatus::kOk) << outcome.error;
  EXPECT_LE(outcome.threads.size(), 4u) << "three of DuckDB's and the one that asked";
  EXPECT_EQ(outcome.main_thread, ThisThreadId());
  EXPECT_THAT(outcome.threads,
              Contains(Field(&record::ThreadCpu::thread, static_cast<int32_t>(ThisThreadId()))));
  int64_t sum = 0;
  for (const auto& thread : outcome.threads) sum += thread.end_ns - thread.start_ns;
  EXPECT_EQ(outcome.cpu_ns, sum);
  EXPECT_GT(outcome.cpu_ns, 0);
  EXPECT_GE(outcome.machine_busy_s, 0);
  ASSERT_FALSE(outcome.metrics.empty());
  EXPECT_EQ(outcome.metrics[0].name, "planning_s");
}

TEST_F(DuckDb, CpuIsNotGivenWhereTwoQueriesSharedTheThreads) {
  Start();
  Bind({At(store_, "numbers", "numbers/")});
  auto other = std::move(*engine_->OpenSession(4));
  store_.HoldReads();
  auto held =
      std::async(std::launch::async, [&] { return Run("SELECT sum(value) AS s FROM numbers"); });
  store_.AwaitHeld(1);
  EXPECT_EQ(other->Execute({2, 4, "test", "SELECT 1", 0})->cpu_ns, -1);
  store_.LetGo();
  EXPECT_EQ(held.get().cpu_ns, -1);
  EXPECT_GE(Run("SELECT 1", 3).cpu_ns, 0);
}

TEST_F(DuckDb, ViewsBelongToTheirSession) {
  Start();
  Bind({At(store_, "numbers", "numbers/")});
  auto other = std::move(*engine_->OpenSession(4));
  EXPECT_EQ(other->Execute({2, 4, "test", "SELECT count(*) FROM numbers", 0})->status,
            ExecutionStatus::kFailed);
}

TEST_F(DuckDb, SettingsAreDuckDbsOwnAndRecordedWhole) {
  Start({{"threads", "3"},
         {"memory_limit", "300MB"},
         {"default_null_order", "NULLS_FIRST"},
         {"http_proxy_password", "hush"}});
  const Json configuration = engine_->Describe().configuration;
  EXPECT_EQ(configuration["threads"], "3");
  EXPECT_EQ(configuration["enable_external_file_cache"], "false");
  EXPECT_THAT(configuration["memory_limit"].get<std::string>(), HasSubstr("MiB"));
  EXPECT_FALSE(configuration.contains("http_proxy_password"));
  EXPECT_FALSE(configuration.contains("temp_directory")) << "named after the process";
  const Outcome outcome = Run("SELECT * FROM (VALUES (1), (NULL)) t(a) ORDER BY a");
  EXPECT_EQ(outcome.answer.rows.at(0).at(0), std::nullopt);
  EXPECT_EQ(engine_->Describe().version, "1.5.5");
}

TEST_F(DuckDb, OneFileIsReadByItsKeyWhateverCharactersItHas) {
  Start();
  store_.Put("odd[1]*?/part-0.parquet", store_.Content("numbers/part-0.parquet"));
  Bind({At(store_, "one", "odd[1]*?/part-0.parquet")});
  EXPECT_EQ(Run("SELECT count(*) > 0 FROM one").status, ExecutionStatus::kOk);
}

TEST(DuckDbSettings, AnUnknownOneIsNamed) {
  const auto engine = MakeEngine("duckdb", {{"thread", "2"}});
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.error().message, "DuckDB has no setting 'thread'; did you mean 'threads'?");
}

TEST(DuckDbSettings, EachThatIsRefusedIsToldBeforehand) {
  const auto problems = SettingProblems("duckdb", {{"memory_limit", "lots"},
                                                   {"thread", "2"},
                                                   {"preserve_insertion_order", "maybe"},
                                                   {"default_null_order", "NULLS_FIRST"}});
  ASSERT_TRUE(problems.ok()) << problems.error().message;
  ASSERT_EQ(problems->size(), 3u);
  EXPECT_THAT(problems->at("memory_limit"), HasSubstr("must have a number"));
  EXPECT_THAT(problems->at("thread"), HasSubstr("did you mean 'threads'?"));
  EXPECT_THAT(problems->at("preserve_insertion_order"), HasSubstr("'maybe'"));
}

TEST(DuckDbTables, AQuerysMissingTableIsToldWithoutRunningIt) {
  const auto missing = MissingTables(
      "duckdb", {{"people", {{"id", "BIGINT"}, {"odd", "NO SUCH TYPE"}}}},
      {"SELECT id FROM people", "SELECT * FROM peple p", "SELECT id FROM (SELECT * FROM nowhere)",
       "WITH t AS (SELECT 1 AS a) SELECT * FROM t, people", "SELEC 1", "SELECT nothing FROM people",
       "CREATE TABLE mine AS SELECT 1 AS a; SELECT a FROM mine", "SELECT * FROM far.away"});
  ASSERT_TRUE(missing.ok()) << missing.error().message;
  EXPECT_THAT(*missing, ElementsAre("", "peple", "nowhere", "", "", "", "", "far.away"));
}

TEST(Engines, AreKnownByName) {
  EXPECT_THAT(EngineNames(), ElementsAre("duckdb"));
  EXPECT_THAT(FormatsOf("duckdb"), ElementsAre("parquet", "csv"));
  EXPECT_THAT(FormatsOf("spark"), IsEmpty());
  const auto engine = MakeEngine("sparc", {});
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.error().message, "there is no engine 'sparc'; allowed: duckdb");
}

TEST_F(DuckDb, CachesAreDroppedWhereTheExperimentTurnedThemOn) {
  Start({{"threads", "2"},
         {"enable_external_file_cache", "true"},
         {"validate_external_file_cache", "NO_VALIDATION"}});
  Bind({At(store_, "numbers", "numbers/")});
  const auto gets = [&] {
    EXPECT_EQ(Run("SELECT sum(value) AS s FROM numbers").status, ExecutionStatus::kOk);
    return Of(Operation::kGet, store_.Take()).size();
  };
  ASSERT_TRUE(session_->DropCaches().ok());
  const size_t cold = gets();
  EXPECT_LT(gets(), cold);
  ASSERT_TRUE(session_->DropCaches().ok());
  EXPECT_EQ(gets(), cold);
}

}  // namespace
}  // namespace lakegauge::engine
