#include "dataset/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/files.h"
#include "base/units.h"
#include "sql/sql.h"

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// TPC-DS at a hundredth is 4 MB and takes half a second to make; all tests share one base.
constexpr double kScale = 0.01;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "lakegauge-dataset-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

DatasetSpec Tpcds(double scale = kScale) {
  DatasetSpec spec;
  spec.scale = scale;
  return spec;
}

LayoutSpec Layout(int64_t target, const std::string& format = "parquet",
                  const std::string& compression = "snappy") {
  LayoutSpec layout;
  layout.format = format;
  layout.compression = compression;
  layout.target_file_bytes = target;
  return layout;
}

std::string Describe(const Error& e) {
  return std::string(ErrorCodeName(e.code)) + ": " + e.message;
}

#define ASSERT_OK(result) ASSERT_TRUE((result).ok()) << Describe((result).error())

class Tpcds001 : public testing::Test {
 public:
  static void SetUpTestSuite() {
    shared_ = new Folder;
    PrepareOptions options;
    options.data_dir = shared_->path();
    ASSERT_OK(PrepareBase(Tpcds(), options));
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  // A data folder of its own that already has the base.
  void SetUp() override {
    options_.data_dir = own_.path();
    options_.threads = 2;
    fs::create_directories(DatasetDir());
    fs::copy(shared_->path() + "/" + Tpcds().Name() + "/base", DatasetDir() + "/base");
  }
  std::string DatasetDir() const { return own_.path() + "/" + Tpcds().Name(); }
  std::string Dir(const LayoutSpec& layout) const {
    return LayoutDir(own_.path(), Tpcds(), layout);
  }
  Result<Manifest> Prepare(const LayoutSpec& layout) {
    auto made = PrepareLayouts(Tpcds(), {layout}, options_);
    if (!made.ok()) return made.error();
    return made->front();
  }

 protected:
  Folder own_;
  PrepareOptions options_;
  static Folder* shared_;
};
Folder* Tpcds001::shared_ = nullptr;

std::vector<std::pair<std::string, std::string>> Bytes(const Manifest& m) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& f : m.files) out.emplace_back(f.key, f.sha256);
  return out;
}

// Share of a table's files, its last aside, within 10% of the target.
double WithinTenPercent(const Manifest& m, int64_t target) {
  std::map<std::string, std::vector<int64_t>> sizes;
  for (const auto& f : m.files) sizes[f.table].push_back(f.size);
  int64_t files = 0;
  int64_t hits = 0;
  for (auto& [table, of_table] : sizes) {
    of_table.pop_back();
    for (const int64_t size : of_table) {
      ++files;
      if (std::abs(size - target) * 10 <= target) ++hits;
    }
  }
  EXPECT_GT(files, 10);
  return static_cast<double>(hits) / static_cast<double>(files);
}

// --- names
// -----------------------------------------------------------------------------------------

TEST(Names, AreStableAndFitForAFolder) {
  EXPECT_EQ(Tpcds(1).Name(), "tpcds-sf1");
  EXPECT_EQ(Tpcds(0.01).Name(), "tpcds-sf0.01");
  EXPECT_EQ(Tpcds(100'000).Name(), "tpcds-sf100000");
  DatasetSpec other = Tpcds(1);
  other.generator = "tpcgen";
  EXPECT_EQ(other.Name(), "tpcds-sf1-tpcgen");
  DatasetSpec bulk;
  bulk.kind = "bulk";
  bulk.schema = "schema1";
  bulk.rows = 15'000'000;
  bulk.partitions = 1000;
  EXPECT_EQ(bulk.Name(), "bulk-schema1-15000000");
  bulk.seed = 7;
  EXPECT_THAT(bulk.Name(), testing::StartsWith("bulk-schema1-15000000-"));
  EXPECT_EQ(Layout(8 * kMiB).Name(), "parquet-snappy-8MiB");
  EXPECT_EQ(Layout(0, "csv", "none").Name(), "csv-none-unlimited");
  LayoutSpec sorted = Layout(0);
  sorted.sort_by["item"] = {"i_brand"};
  EXPECT_THAT(sorted.Name(), testing::StartsWith("parquet-snappy-unlimited-"));
}

TEST(Manifests, ComeBackFromJsonAsTheyWere) {
  Manifest m;
  m.dataset = "d";
  m.layout = "l";
  m.generator = "g";
  m.generator_version = "1";
  m.writer_version = "2";
  m.same_as = "k";
  m.tables = {{"t", {{"c", "INTEGER"}}, 3, 9, "xxh64:0:0:3"}};
  m.files = {{"t/part-00000.parquet", "t", 9, 3, "aa", "bb", {4}, {3}}};
  const auto back = Manifest::FromJson(m.ToJson());
  ASSERT_OK(back);
  EXPECT_EQ(back->ToJson(), m.ToJson());
}

TEST(Manifests, OfAnUnknownVersionAreRefused) {
  Json json = Manifest().ToJson();
  json["version"] = 99;
  const auto m = Manifest::FromJson(json);
  ASSERT_FALSE(m.ok());
  EXPECT_EQ(m.error().code, ErrorCode::kUnsupported);
}

// --- bases
// -----------------------------------------------------------------------------------------

TEST_F(Tpcds001, BaseIsMadeOnceAndReused) {
  const std::string file = DatasetDir() + "/base/base.duckdb";
  const auto before = fs::last_write_time(file);
  const auto base = PrepareBase(Tpcds(), options_);
  ASSERT_OK(base);
  EXPECT_EQ(base->tables.size(), 24u);
  EXPECT_EQ(base->generator, "duckdb-tpcds");
  EXPECT_EQ(fs::last_write_time(file), before);
}

TEST_F(Tpcds001, TruncatedBaseIsMadeAnewAndItsLayoutsGoWithIt) {
  ASSERT_OK(Prepare(Layout(0)));
  const std::string file = DatasetDir() + "/base/base.duckdb";
  const auto size = fs::file_size(file);
  fs::resize_file(file, size / 2);
  ASSERT_OK(PrepareBase(Tpcds(), options_));
  EXPECT_GT(fs::file_size(file), size / 2);
  EXPECT_FALSE(fs::exists(Dir(Layout(0))));
}

TEST_F(Tpcds001, FlippedByteInABaseIsFoundWhenAskedFor) {
  const std::string file = DatasetDir() + "/base/base.duckdb";
  {
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));
    f.put('\x5A');
    f.put('\xA5');
  }
  const auto before = fs::last_write_time(file);
  options_.verify_existing = true;
  ASSERT_OK(PrepareBase(Tpcds(), options_));
  EXPECT_NE(fs::last_write_time(file), before);
}

TEST(Bases, StoppedGenerationLeavesNothingThatLooksFinished) {
  const Folder folder;
  PrepareOptions options;
  options.data_dir = folder.path();
  std::stop_source stop;
  options.stop = stop.get_token();
  stop.request_stop();
  const auto base = PrepareBase(Tpcds(), options);
  ASSERT_FALSE(base.ok());
  EXPECT_EQ(base.error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(fs::exists(folder.path() + "/tpcds-sf0.01/base"));
}

TEST(Bases, AStopAmidTheGeneratorGivesUp) {
  const Folder folder;
  PrepareOptions options;
  options.data_dir = folder.path();
  std::stop_source stop;
  options.stop = stop.get_token();
  const std::string database = folder.path() + "/tpcds-sf10/base.tmp/base.duckdb";
  // The generator runs once its database is there; at this scale it would for minutes.
  options.progress = [&](const Progress&) {
    if (fs::exists(database)) stop.request_stop();
  };
  const auto base = PrepareBase(Tpcds(10), options);
  ASSERT_FALSE(base.ok());
  EXPECT_EQ(base.error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(fs::exists(folder.path() + "/tpcds-sf10/base.tmp"));
  EXPECT_FALSE(fs::exists(folder.path() + "/tpcds-sf10/base"));
}

// Runs `work` in a child that is killed once `now` says so; true if it was.
template <typename Work, typename Now>
bool KilledWhen(Work work, Now now) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  while (!now()) {
    if (waitpid(child, &status, WNOHANG) == child) return false;
    sched_yield();
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

TEST(Bases, KilledAtAnyMomentTheNextCallStartsCleanAndSucceeds) {
  const std::string layout = Layout(64 * kKiB).Name();
  for (const std::string moment : {".lock", "base.tmp/base.duckdb", "base/base.json", "", "/item",
                                   "/web_sales/part-00002.parquet"}) {
    const Folder folder;
    PrepareOptions options;
    options.data_dir = folder.path();
    const std::string dir = folder.path() + "/tpcds-sf0.01/";
    const std::string awaited =
        dir + (moment.empty() || moment[0] == '/' ? layout + ".tmp" + moment : moment);
    EXPECT_TRUE(KilledWhen([&] { (void)PrepareLayouts(Tpcds(), {Layout(64 * kKiB)}, options); },
                           [&] { return fs::exists(awaited); }))
        << moment;
    EXPECT_EQ(fs::exists(dir + "base"), fs::exists(dir + "base/base.json"));
    EXPECT_EQ(fs::exists(dir + layout), fs::exists(dir + layout + "/manifest.json"));
    const auto made = PrepareLayouts(Tpcds(), {Layout(64 * kKiB)}, options);
    ASSERT_OK(made);
    ASSERT_OK(VerifyLayout(dir + layout, true));
    for (const auto& entry : fs::directory_iterator(dir))
      EXPECT_NE(entry.path().extension(), ".tmp");
  }
}

TEST(Bases, TwoProcessesAtOnceMakeOneDataset) {
  const Folder folder;
  PrepareOptions options;
  options.data_dir = folder.path();
  options.threads = 1;
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      _exit(PrepareLayouts(Tpcds(), {Layout(256 * kKiB)}, options).ok() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  ASSERT_OK(VerifyLayout(LayoutDir(folder.path(), Tpcds(), Layout(256 * kKiB)), true));
}

TEST(Bases, TpcgenThatIsNotInstalledIsSaidInOneLine) {
  const Folder folder;
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  PrepareOptions options;
  options.data_dir = folder.path();
  DatasetSpec spec = Tpcds();
  spec.generator = "tpcgen";
  const auto base = PrepareBase(spec, options);
  setenv("PATH", path.c_str(), 1);
  if (base.ok()) GTEST_SKIP() << "tpcgen-cli is laid out under third_party";
  EXPECT_THAT(base.error().message, HasSubstr("run ./setup tpcgen"));
}

TEST(Bases, ATpcgenThatIsNamedAndNotThereIsNotReplacedByAnother) {
  const Folder folder;
  setenv("LAKEGAUGE_TPCGEN", (folder.path() + "/mine").c_str(), 1);
  PrepareOptions options;
  options.data_dir = folder.path();
  DatasetSpec spec = Tpcds();
  spec.generator = "tpcgen";
  const auto base = PrepareBase(spec, options);
  unsetenv("LAKEGAUGE_TPCGEN");
  ASSERT_FALSE(base.ok());
  EXPECT_THAT(base.error().message, HasSubstr(folder.path() + "/mine, which is no program"));
}

TEST(Bases, TpcgenMakesItsOwnRowsAndTheManifestSaysSo) {
  const Folder folder;
  PrepareOptions options;
  options.data_dir = folder.path();
  DatasetSpec spec = Tpcds();
  spec.generator = "tpcgen";
  const auto made = PrepareLayouts(spec, {Layout(0)}, options);
  if (!made.ok() && made.error().code == ErrorCode::kNotFound) {
    GTEST_SKIP() << made.error().message;
  }
  ASSERT_OK(made);
  EXPECT_EQ(made->front().generator, "tpcgen-cli");
  EXPECT_EQ(made->front().tables.size(), 24u);
  EXPECT_EQ(made->front().dataset, "tpcds-sf0.01-tpcgen");
}

TEST(Bases, BadSpecsGetOneClearLine) {
  const Folder folder;
  PrepareOptions options;
  options.data_dir = folder.path();
  const auto message = [&](const DatasetSpec& spec) {
    const auto base = PrepareBase(spec, options);
    EXPECT_FALSE(base.ok());
    return base.ok() ? std::string() : base.error().message;
  };
  EXPECT_THAT(message(Tpcds(0)), HasSubstr("scale 0"));
  EXPECT_THAT(message(Tpcds(-1)), HasSubstr("scale -1"));
  EXPECT_THAT(message(Tpcds(0.009)), HasSubstr("from 0.01 to 100000"));
  DatasetSpec spec;
  spec.kind = "tpcx";
  EXPECT_THAT(message(spec), HasSubstr("tpcds, bulk and files"));
  spec = Tpcds();
  spec.generator = "dsdgen";
  EXPECT_THAT(message(spec), HasSubstr("duckdb and tpcgen"));
  spec.kind = "bulk";
  spec.rows = 10;
  spec.schema = "schema9";
  EXPECT_THAT(message(spec), HasSubstr("schema9"));
}

// --- layouts
// ---------------------------------------------------------------------------------------

struct FormatCase {
  const char* format;
  const char* compression;
};
class EveryFormat : public Tpcds001, public testing::WithParamInterface<FormatCase> {};

TEST_P(EveryFormat, FilesHitTheirTargetAndHoldTheRowsOfTheBase) {
  const int64_t target = 64 * kKiB;
  const auto layout = Layout(target, GetParam().format, GetParam().compression);
  const auto plain = PrepareLayouts(Tpcds(), {Layout(0), layout}, options_);
  ASSERT_OK(plain);
  const Manifest& m = plain->back();
  EXPECT_GE(WithinTenPercent(m, target), 0.95);
  ASSERT_OK(VerifyLayout(Dir(layout), true));
  const auto read = ReadContentFingerprints(m, Dir(layout));
  ASSERT_OK(read);
  for (const auto& table : plain->front().tables) {
    EXPECT_EQ(read->at(table.name), table.content_fingerprint) << table.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, EveryFormat,
    testing::Values(FormatCase{"parquet", "snappy"}, FormatCase{"parquet", "zstd"},
                    FormatCase{"parquet", "lz4"}, FormatCase{"parquet", "none"},
                    FormatCase{"csv", "none"}, FormatCase{"csv", "zstd"},
                    FormatCase{"orc", "snappy"}, FormatCase{"orc", "none"}),
    [](const auto& info) { return std::string(info.param.format) + "_" + info.param.compression; });

TEST_F(Tpcds001, BytesDependNeitherOnThreadsNorOnWhatElseIsWritten) {
  const auto alone = Prepare(Layout(128 * kKiB));
  ASSERT_OK(alone);
  for (const int threads : {1, 3}) {
    fs::remove_all(Dir(Layout(128 * kKiB)));
    fs::remove_all(Dir(Layout(0)));
    fs::remove_all(Dir(Layout(32 * kKiB, "parquet", "zstd")));
    options_.threads = threads;
    const auto together = PrepareLayouts(
        Tpcds(), {Layout(0), Layout(128 * kKiB), Layout(32 * kKiB, "parquet", "zstd")}, options_);
    ASSERT_OK(together);
    EXPECT_EQ(Bytes((*together)[1]), Bytes(*alone)) << threads;
  }
}

TEST_F(Tpcds001, DuckDbReadsEveryTableEqualToTheBase) {
  ASSERT_OK(Prepare(Layout(64 * kKiB)));
  sql::DatabaseOptions open;
  auto database = sql::Database::Open(open);
  ASSERT_OK(database);
  auto connection = database->Connect();
  ASSERT_OK(connection);
  ASSERT_OK(connection->Execute("ATTACH " + sql::QuoteLiteral(DatasetDir() + "/base/base.duckdb") +
                                " AS base (READ_ONLY)"));
  for (const std::string table : {"store_sales", "customer", "item", "date_dim", "inventory"}) {
    const std::string files =
        sql::QuoteLiteral(Dir(Layout(64 * kKiB)) + "/" + table + "/*.parquet");
    const auto differing = connection->Query("SELECT count(*) FROM ((FROM base.main." + table +
                                             " EXCEPT ALL FROM read_parquet(" + files +
                                             ")) UNION ALL (FROM read_parquet(" + files +
                                             ") EXCEPT ALL FROM base.main." + table + "))");
    ASSERT_OK(differing);
    EXPECT_EQ(sql::ToInt(differing->rows[0][0]), 0) << table;
  }
}

TEST_F(Tpcds001, TheTotalGrowsLittleAsFilesShrink) {
  const auto made = PrepareLayouts(Tpcds(), {Layout(0), Layout(512 * kKiB)}, options_);
  ASSERT_OK(made);
  EXPECT_LE(static_cast<double>((*made)[1].bytes()),
            1.15 * static_cast<double>((*made)[0].bytes()));
}

TEST_F(Tpcds001, LayoutsThatComeOutTheSameSaySo) {
  const auto made =
      PrepareLayouts(Tpcds(), {Layout(0), Layout(128 * kMiB), Layout(64 * kKiB)}, options_);
  ASSERT_OK(made);
  EXPECT_EQ((*made)[0].same_as, "");
  EXPECT_EQ((*made)[1].same_as, Layout(0).Name());
  EXPECT_EQ((*made)[2].same_as, "");
}

TEST_F(Tpcds001, ALayoutThatIsThereIsReusedAndADamagedOneIsMadeAnew) {
  const auto layout = Layout(256 * kKiB);
  const auto first = Prepare(layout);
  ASSERT_OK(first);
  const std::string file = Dir(layout) + "/" + first->files[0].key;
  const auto written = fs::last_write_time(file);
  ASSERT_OK(Prepare(layout));
  EXPECT_EQ(fs::last_write_time(file), written);
  fs::resize_file(file, 10);
  std::vector<std::string> notes;
  options_.progress = [&](const Progress& p) {
    if (p.note) notes.push_back(p.what);
  };
  const auto again = Prepare(layout);
  ASSERT_OK(again);
  EXPECT_THAT(notes, testing::ElementsAre(testing::AllOf(HasSubstr(layout.Name()), HasSubstr(file),
                                                         HasSubstr("written again"))));
  EXPECT_EQ(Bytes(*again), Bytes(*first));
  ASSERT_OK(VerifyLayout(Dir(layout), true));
}

TEST_F(Tpcds001, RowGroupsCanBeSmallerThanFiles) {
  LayoutSpec layout = Layout(256 * kKiB);
  layout.row_group_bytes = 64 * kKiB;
  const auto m = Prepare(layout);
  ASSERT_OK(m);
  EXPECT_GE(WithinTenPercent(*m, 256 * kKiB), 0.95);
  size_t most = 0;
  for (const auto& f : m->files) most = std::max(most, f.row_group_rows.size());
  EXPECT_GE(most, 4u);
  EXPECT_LE(most, 5u);
}

class Partitioned : public Tpcds001, public testing::WithParamInterface<FormatCase> {};

TEST_P(Partitioned, HoldTheirRowsAndNullHasItsOwn) {
  LayoutSpec layout = Layout(64 * kKiB, GetParam().format, GetParam().compression);
  layout.tables = {"store_sales", "item"};
  layout.partition_by["store_sales"] = {"ss_store_sk", "ss_quantity"};
  const auto m = Prepare(layout);
  ASSERT_OK(m);
  std::set<std::string> folders;
  for (const auto& f : m->files) folders.insert(fs::path(f.key).parent_path().string());
  EXPECT_TRUE(folders.count("store_sales/ss_store_sk=1/ss_quantity=7") == 1);
  EXPECT_TRUE(folders.count("store_sales/ss_store_sk=1/ss_quantity=__HIVE_DEFAULT_PARTITION__") ==
              1);
  EXPECT_EQ(folders.count("item"), 1u);
  LayoutSpec plain = Layout(0);
  plain.tables = layout.tables;
  const auto reference = Prepare(plain);
  ASSERT_OK(reference);
  const auto read = ReadContentFingerprints(*m, Dir(layout));
  ASSERT_OK(read);
  for (const auto& t : reference->tables) EXPECT_EQ(read->at(t.name), t.content_fingerprint);
  ASSERT_OK(VerifyContent(*m, Dir(layout)));
}

INSTANTIATE_TEST_SUITE_P(Layouts, Partitioned,
                         testing::Values(FormatCase{"parquet", "snappy"}, FormatCase{"csv", "none"},
                                         FormatCase{"orc", "zstd"}),
                         [](const auto& info) { return std::string(info.param.format); });

TEST_F(Tpcds001, AskedToVerifyEveryRowIsReadBack) {
  const auto layout = Layout(0, "orc");
  auto m = Prepare(layout);
  ASSERT_OK(m);
  // Whole files that hold other rows than they ought to.
  m->tables[3].content_fingerprint = "xxh64:0:0:1";
  ASSERT_OK(WriteFileAtomically(Dir(layout) + "/manifest.json", m->ToJson().dump()));
  ASSERT_OK(VerifyLayout(Dir(layout), true));
  std::vector<std::string> notes;
  options_.progress = [&](const Progress& p) {
    if (p.note) notes.push_back(p.what);
  };
  options_.verify_existing = true;
  ASSERT_OK(Prepare(layout));
  EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("table " + m->tables[3].name)));
  ASSERT_OK(Prepare(layout));
  EXPECT_EQ(notes.size(), 1u);
}

TEST_F(Tpcds001, SortedTablesAreInTheirOrder) {
  LayoutSpec layout = Layout(0);
  layout.tables = {"item"};
  layout.sort_by["item"] = {"i_brand", "i_current_price"};
  ASSERT_OK(Prepare(layout));
  auto database = sql::Database::Open({});
  ASSERT_OK(database);
  auto connection = database->Connect();
  ASSERT_OK(connection);
  const auto out_of_order = connection->Query(
      "SELECT count(*) FROM (SELECT i_brand b, i_current_price p, lag(i_brand) OVER () lb, "
      "lag(i_current_price) OVER () lp FROM read_parquet(" +
      sql::QuoteLiteral(Dir(layout) + "/item/*.parquet") +
      ")) WHERE b < lb OR (b = lb AND p < lp)");
  ASSERT_OK(out_of_order);
  EXPECT_EQ(sql::ToInt(out_of_order->rows[0][0]), 0);
}

TEST_F(Tpcds001, BadLayoutsGetOneClearLineBeforeAnythingIsWritten) {
  const auto message = [&](const LayoutSpec& layout) {
    const auto m = Prepare(layout);
    EXPECT_FALSE(m.ok());
    return m.ok() ? std::string() : m.error().message;
  };
  EXPECT_THAT(message(Layout(0, "avro")), HasSubstr("parquet, orc and csv"));
  EXPECT_THAT(message(Layout(0, "parquet", "gzip")), HasSubstr("snappy, zstd, lz4 and none"));
  EXPECT_THAT(message(Layout(100)), HasSubstr("smallest is 16 KiB"));
  LayoutSpec layout = Layout(0);
  layout.sort_by["items"] = {"i_brand"};
  EXPECT_THAT(message(layout), HasSubstr("'items'"));
  layout = Layout(0);
  layout.partition_by["item"] = {"brand"};
  EXPECT_THAT(message(layout), HasSubstr("'brand'"));
  layout = Layout(0);
  layout.as_is = true;
  EXPECT_THAT(message(layout), HasSubstr("as_is"));
}

TEST_F(Tpcds001, ProgressGoesFromNothingToAllAndAStopIsObeyed) {
  std::vector<double> seen;
  options_.progress = [&](const Progress& p) { seen.push_back(p.fraction); };
  ASSERT_OK(Prepare(Layout(0)));
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_DOUBLE_EQ(seen.back(), 1);

  std::stop_source stop;
  options_.stop = stop.get_token();
  options_.progress = [&](const Progress&) { stop.request_stop(); };
  const auto stopped = Prepare(Layout(64 * kKiB));
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(fs::exists(Dir(Layout(64 * kKiB))));
}

TEST_F(Tpcds001, AFullDiskIsOneClearErrorAndLeavesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100 * kKiB, 100 * kKiB};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto m = Prepare(Layout(0));
    _exit(!m.ok() && m.error().message.find("part-00000") != std::string::npos &&
                  !fs::exists(Dir(Layout(0))) && !fs::exists(Dir(Layout(0)) + ".tmp")
              ? 0
              : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// --- verifying and placing
// -------------------------------------------------------------------------

TEST_F(Tpcds001, VerifyNamesTheFirstFileThatDiffers) {
  const auto layout = Layout(256 * kKiB);
  const auto m = Prepare(layout);
  ASSERT_OK(m);
  const std::string file = Dir(layout) + "/" + m->files[3].key;
  const std::string bytes = *ReadFile(file);
  const auto expect_corrupt = [&](bool deep) {
    const auto verified = VerifyLayout(Dir(layout), deep);
    ASSERT_FALSE(verified.ok());
    EXPECT_EQ(verified.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(verified.error().message, HasSubstr(m->files[3].key));
  };
  std::string flipped = bytes;
  flipped[flipped.size() / 2] ^= 1;
  std::ofstream(file, std::ios::binary) << flipped;
  ASSERT_OK(VerifyLayout(Dir(layout), false));
  expect_corrupt(true);
  std::ofstream(file, std::ios::binary) << bytes.substr(1);
  expect_corrupt(false);
  fs::remove(file);
  expect_corrupt(false);
  std::ofstream(file, std::ios::binary) << bytes;
  ASSERT_OK(VerifyLayout(Dir(layout), true));
  std::ofstream(Dir(layout) + "/item/stray.parquet") << "x";
  EXPECT_THAT(VerifyLayout(Dir(layout), false).error().message, HasSubstr("stray.parquet"));
}

TEST_F(Tpcds001, WhatIsReadIsNotWrittenAnewNorDoesItGoWithItsBase) {
  const auto layout = Layout(0);
  std::vector<LayoutUse> uses;
  ASSERT_OK(PrepareLayouts(Tpcds(), {layout, layout}, options_, &uses));
  ASSERT_EQ(uses.size(), 1u);
  ASSERT_OK(PrepareLayouts(Tpcds(), {layout}, options_, &uses));
  const std::string manifest = *ReadFile(Dir(layout) + "/manifest.json");
  const auto expect_refused = [&](const auto& done) {
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(done.error().message, HasSubstr("tpcds-sf0.01/parquet-snappy-unlimited is in use"));
    EXPECT_EQ(*ReadFile(Dir(layout) + "/manifest.json"), manifest);
  };
  std::ofstream(Dir(layout) + "/stray.parquet") << "x";
  expect_refused(Prepare(layout));
  fs::remove(Dir(layout) + "/stray.parquet");
  fs::resize_file(DatasetDir() + "/base/base.duckdb", 4096);
  expect_refused(PrepareBase(Tpcds(), options_));
  uses.clear();
  ASSERT_OK(PrepareBase(Tpcds(), options_));
  EXPECT_FALSE(fs::exists(Dir(layout)));
}

TEST(Verify, NoManifestIsNotFound) {
  const Folder folder;
  EXPECT_EQ(VerifyLayout(folder.path(), false).error().code, ErrorCode::kNotFound);
}

TEST_F(Tpcds001, PlacedObjectsAreTheLayoutsBytesAndAreNotCopiedTwice) {
  const auto layout = Layout(256 * kKiB);
  const auto m = Prepare(layout);
  ASSERT_OK(m);
  const auto target = store::OpenStore("mem:");
  ASSERT_OK(target);
  ASSERT_OK(PlaceLayout(*m, Dir(layout), **target, "data", options_));
  const auto objects = store::ListAll(**target, {}, "data/");
  ASSERT_OK(objects);
  EXPECT_EQ(objects->size(), m->files.size());
  EXPECT_EQ(*store::ReadObject(**target, {}, "data/" + m->files[0].key),
            *ReadFile(Dir(layout) + "/" + m->files[0].key));

  // What is there already is left alone, so a placing that broke off goes on; what is missing or
  // damaged is copied.
  ASSERT_OK((*target)->Delete({}, "data/" + m->files[1].key));
  const std::string damaged(static_cast<size_t>(m->files[0].size), 'x');
  ASSERT_OK(store::WriteObject(**target, {}, "data/" + m->files[0].key, damaged));
  ASSERT_OK(PlaceLayout(*m, Dir(layout), **target, "data", options_));
  EXPECT_EQ(*store::ReadObject(**target, {}, "data/" + m->files[0].key), damaged);
  EXPECT_EQ(*store::ReadObject(**target, {}, "data/" + m->files[1].key),
            *ReadFile(Dir(layout) + "/" + m->files[1].key));
  options_.verify_existing = true;
  ASSERT_OK(PlaceLayout(*m, Dir(layout), **target, "data", options_));
  EXPECT_EQ(*store::ReadObject(**target, {}, "data/" + m->files[0].key),
            *ReadFile(Dir(layout) + "/" + m->files[0].key));
}

TEST_F(Tpcds001, PlacingAmongStrangersIsRefused) {
  const auto m = Prepare(Layout(0));
  ASSERT_OK(m);
  const auto target = store::OpenStore("mem:");
  ASSERT_OK(target);
  ASSERT_OK(store::WriteObject(**target, {}, "data/item/mine.parquet", "x"));
  const auto placed = PlaceLayout(*m, Dir(Layout(0)), **target, "data", options_);
  ASSERT_FALSE(placed.ok());
  EXPECT_EQ(placed.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(placed.error().message, HasSubstr("mine.parquet"));
}

// --- the user's own tables
// -------------------------------------------------------------------------

class Files : public testing::Test {
 protected:
  Files() {
    options_.data_dir = folder_.path() + "/data";
    spec_.kind = "files";
  }
  void Sql(const std::string& statement) {
    auto database = sql::Database::Open({});
    ASSERT_OK(database);
    auto connection = database->Connect();
    ASSERT_OK(connection);
    const auto done = connection->Execute(statement);
    ASSERT_OK(done);
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  // Writes the table in every format and compares what is read back with what the manifest says.
  void ExpectAllFormatsHoldTheSame(int64_t target = 64 * kKiB) {
    const auto made = PrepareLayouts(spec_,
                                     {Layout(0), Layout(target), Layout(target, "csv", "none"),
                                      Layout(target, "parquet", "zstd")},
                                     options_);
    ASSERT_OK(made);
    for (const auto& m : *made) {
      const auto read =
          ReadContentFingerprints(m, options_.data_dir + "/" + spec_.Name() + "/" + m.layout);
      ASSERT_OK(read);
      for (const auto& t : m.tables) {
        EXPECT_EQ(read->at(t.name), t.content_fingerprint) << m.layout << " " << t.name;
      }
    }
  }
  Folder folder_;
  PrepareOptions options_;
  DatasetSpec spec_;
};

TEST_F(Files, EveryTypeComesThroughEveryFormat) {
  Sql("COPY (SELECT i % 3 = 0 AS flag, i::TINYINT AS tiny, -i::SMALLINT AS small, i::INTEGER AS "
      "int, "
      "i::BIGINT * 10000000000 AS big, (i % 200)::UTINYINT AS utiny, i::UINTEGER AS uint, "
      "i::UBIGINT + 18000000000000000000 AS ubig, i / 7 AS real_, (i / 7)::FLOAT AS float_, "
      "(i * 1.5)::DECIMAL(9,2) AS d9, (-i * 1.25)::DECIMAL(18,4) AS d18, "
      "i::DECIMAL(38,10) * 1000000000000000 AS d38, DATE '1960-01-01' + i::INTEGER * 100 AS date_, "
      "TIMESTAMP '1969-12-31 23:59:59.5' + to_microseconds(i * 1000001) AS ts, "
      "TIME '00:00:01' + to_microseconds(i) AS time_, "
      "CASE WHEN i % 5 = 0 THEN NULL WHEN i % 5 = 1 THEN '' ELSE 'line ' || i || chr(10) || "
      "'\"q\",' END AS t, "
      "encode('b' || i) AS blob_, uuid() AS id, NULL::INTEGER AS nothing "
      "FROM range(100) r(i)) TO '" +
      Path("all.parquet") + "' (FORMAT parquet)");
  spec_.tables["all"] = Path("all.parquet");
  ExpectAllFormatsHoldTheSame();
}

TEST_F(Files, OddTableAndColumnNames) {
  Sql("COPY (SELECT i AS \"a \"\"b\"\" c\", i AS \"select\", i AS \"ümlaut/x\" FROM range(10) "
      "r(i)) TO '" +
      Path("odd.parquet") + "' (FORMAT parquet)");
  spec_.tables["my table/π=\"1\""] = Path("odd.parquet");
  spec_.tables["_hidden"] = Path("odd.parquet");
  ExpectAllFormatsHoldTheSame();
}

TEST_F(Files, PartitionsOfOddValuesAreReadBackFromEveryFormat) {
  Sql("COPY (SELECT i, ['a/b', '100%', '', NULL, '_x', 'ä=1'][1 + i % 6] AS \"te xt\", "
      "DATE '2001-02-03' + i::INTEGER % 2 AS day, (i % 3 * 1.5)::DECIMAL(7,2) AS price "
      "FROM range(60) r(i)) TO '" +
      Path("t.parquet") + "' (FORMAT parquet)");
  spec_.tables["t"] = Path("t.parquet");
  for (const char* format : {"parquet", "orc", "csv"}) {
    LayoutSpec layout = Layout(0, format, "none");
    layout.partition_by["t"] = {"te xt", "day", "price"};
    const auto made = PrepareLayouts(spec_, {layout}, options_);
    ASSERT_OK(made);
    EXPECT_GT(made->front().files.size(), 6u);
    const auto verified = VerifyContent(made->front(), LayoutDir(options_.data_dir, spec_, layout));
    EXPECT_TRUE(verified.ok()) << format << ": " << verified.error().message;
  }
}

TEST_F(Files, EmptyTablesAndHugeTexts) {
  Sql("COPY (SELECT 1 AS a, 'x' AS b WHERE false) TO '" + Path("empty.parquet") +
      "' (FORMAT parquet)");
  Sql("COPY (SELECT i, repeat(chr(65 + i::INTEGER), 300000) AS text FROM range(20) r(i)) TO '" +
      Path("huge.parquet") + "' (FORMAT parquet)");
  spec_.tables["empty"] = Path("empty.parquet");
  spec_.tables["huge"] = Path("huge.parquet");
  ExpectAllFormatsHoldTheSame();
}

TEST_F(Files, CsvIsReadAndChangedSourcesAreReadAgain) {
  std::ofstream(Path("t.csv")) << "a,b\n1,x\n2,y\n";
  spec_.tables["t"] = Path("t.csv");
  const auto first = PrepareLayouts(spec_, {Layout(0)}, options_);
  ASSERT_OK(first);
  EXPECT_EQ(first->front().tables[0].rows, 2);
  std::ofstream(Path("t.csv")) << "a,b\n1,x\n2,y\n3,zz\n";
  ASSERT_OK(PrepareBase(spec_, options_));
  const auto second = PrepareLayouts(spec_, {Layout(0)}, options_);
  ASSERT_OK(second);
  EXPECT_EQ(second->front().tables[0].rows, 3);
}

TEST_F(Files, WhatCannotBeReadIsNamed) {
  const auto message = [&] {
    const auto base = PrepareBase(spec_, options_);
    EXPECT_FALSE(base.ok());
    return base.ok() ? std::string() : base.error().message;
  };
  EXPECT_THAT(message(), HasSubstr("names no table"));
  spec_.tables["t"] = Path("missing.parquet");
  EXPECT_THAT(message(), HasSubstr("missing.parquet"));
  std::ofstream(Path("t.parquet")) << "this is not Parquet";
  spec_.tables["t"] = Path("t.parquet");
  EXPECT_THAT(message(), HasSubstr("t.parquet"));
  std::ofstream(Path("t.txt")) << "x";
  spec_.tables["t"] = Path("t.txt");
  EXPECT_THAT(message(), HasSubstr(".parquet or .csv"));
  for (const char* name : {"zero.csv", "zero.parquet"}) {
    std::ofstream(Path(name)).close();
    spec_.tables["t"] = Path(name);
    EXPECT_THAT(message(), HasSubstr(Path(name) + " is empty"));
    LayoutSpec as_is;
    as_is.as_is = true;
    EXPECT_THAT(PrepareLayouts(spec_, {as_is}, options_).error().message, HasSubstr(Path(name)));
  }
  Sql("COPY (SELECT [1, 2] AS list) TO '" + Path("nested.parquet") + "' (FORMAT parquet)");
  spec_.tables["t"] = Path("nested.parquet");
  EXPECT_THAT(message(), HasSubstr("INTEGER[]"));
}

TEST_F(Files, AsIsDescribesTheFilesWhereTheyLie) {
  Sql("COPY (SELECT i FROM range(1000) r(i)) TO '" + Path("a.parquet") + "' (FORMAT parquet)");
  spec_.tables["t"] = Path("*.parquet");
  LayoutSpec layout;
  layout.as_is = true;
  const auto made = PrepareLayouts(spec_, {layout}, options_);
  ASSERT_OK(made);
  const Manifest& m = made->front();
  ASSERT_EQ(m.files.size(), 1u);
  EXPECT_EQ(LayoutDir(options_.data_dir, spec_, layout) + m.files[0].key, Path("a.parquet"));
  EXPECT_EQ(m.files[0].rows, 1000);
  EXPECT_EQ(m.files[0].sha256.size(), 64u);
  EXPECT_EQ(m.tables[0].columns[0].name, "i");
}

TEST_F(Files, AsIsKnowsTheColumnsOfCsvAndOfPartitions) {
  std::ofstream(Path("a.csv")) << "id,when,note\n1,2001-02-03,x\n";
  fs::create_directories(Path("sales/year=2001"));
  Sql("COPY (SELECT 7::UTINYINT AS n) TO '" + Path("sales/year=2001/a.parquet") +
      "' (FORMAT parquet)");
  spec_.tables = {{"a", Path("a.csv")}, {"sales", Path("sales/*/*.parquet")}};
  LayoutSpec layout;
  layout.as_is = true;
  const auto made = PrepareLayouts(spec_, {layout}, options_);
  ASSERT_OK(made);
  const auto columns = [](const std::vector<ColumnDef>& of) {
    std::vector<std::string> text;
    for (const auto& c : of) text.push_back(c.name + " " + c.type);
    return text;
  };
  EXPECT_THAT(columns(made->front().tables[0].columns),
              testing::ElementsAre("id BIGINT", "when DATE", "note VARCHAR"));
  EXPECT_THAT(columns(made->front().tables[1].columns),
              testing::ElementsAre("n UTINYINT", "year BIGINT"));
}

TEST_F(Files, InspectTellsFilesRowGroupsAndRows) {
  fs::create_directories(Path("lake/t/year=2001"));
  Sql("COPY (SELECT i FROM range(300000) r(i)) TO '" + Path("lake/t/year=2001/a.parquet") +
      "' (FORMAT parquet)");
  std::ofstream(Path("lake/u.csv")) << "a\n1\n";
  const auto tables = Inspect(Path("lake"));
  ASSERT_OK(tables);
  ASSERT_EQ(tables->size(), 2u);
  const auto t = std::find_if(tables->begin(), tables->end(),
                              [](const InspectedTable& x) { return x.format == "parquet"; });
  EXPECT_EQ(t->name, "t");
  EXPECT_EQ(t->files[0].rows, 300'000);
  EXPECT_EQ(t->files[0].row_group_bytes.size(), 3u);
  ASSERT_EQ(t->columns.size(), 2u);
  EXPECT_EQ(t->columns[1].name, "year");
  const auto csv = std::find_if(tables->begin(), tables->end(),
                                [](const InspectedTable& x) { return x.format == "csv"; });
  ASSERT_EQ(csv->columns.size(), 1u);
  EXPECT_EQ(csv->columns[0].name, "a");
  EXPECT_EQ(csv->columns[0].type, "BIGINT");
  EXPECT_EQ(Inspect(Path("nowhere")).error().code, ErrorCode::kNotFound);
}

TEST_F(Tpcds001, InspectReadsOrcAndNamesWhatIsNot) {
  const auto layout = Layout(0, "orc", "zstd");
  const auto made = Prepare(layout);
  ASSERT_OK(made);
  const auto tables = Inspect(Dir(layout) + "/" + made->files[0].key);
  ASSERT_OK(tables);
  EXPECT_EQ(tables->front().files[0].rows, made->files[0].rows);
  ASSERT_EQ(tables->front().columns.size(), made->tables[0].columns.size());
  for (size_t c = 0; c < made->tables[0].columns.size(); ++c) {
    EXPECT_EQ(tables->front().columns[c].name, made->tables[0].columns[c].name);
    EXPECT_EQ(tables->front().columns[c].type, made->tables[0].columns[c].type);
  }
  const std::string noise = own_.path() + "/noise.orc";
  std::ofstream(noise) << std::string(9999, '\x5a');
  const auto nothing = Inspect(noise);
  ASSERT_FALSE(nothing.ok());
  EXPECT_THAT(nothing.error().message,
              testing::AllOf(HasSubstr("noise.orc"), testing::Not(HasSubstr("\n"))));
}

// --- bulk
// ------------------------------------------------------------------------------------------

TEST(Bulk, IsDeterministicAndHasTheStudysSchemas) {
  std::map<std::string, std::string> fingerprints;
  for (const std::string schema : {"schema1", "schema2", "schema3", "schema4"}) {
    DatasetSpec spec;
    spec.kind = "bulk";
    spec.schema = schema;
    spec.rows = 5000;
    spec.partitions = 50;
    spec.seed = 3;
    std::string before;
    for (int i = 0; i < 2; ++i) {
      const Folder folder;
      PrepareOptions options;
      options.data_dir = folder.path();
      options.threads = 1 + i;
      const auto made = PrepareLayouts(spec, {Layout(0), Layout(0, "csv", "none")}, options);
      ASSERT_OK(made);
      const auto& table = made->front().tables[0];
      EXPECT_EQ(table.name, "bulk");
      EXPECT_EQ(table.rows, 5000);
      EXPECT_EQ(table.columns.size(), schema == "schema1" || schema == "schema2" ? 12u : 3u);
      if (i == 1) {
        EXPECT_EQ(table.content_fingerprint, before);
      }
      before = table.content_fingerprint;
      EXPECT_EQ(made->front().dataset_spec.at("key"),
                schema == "schema1" || schema == "schema3" ? "clustered" : "composite");
    }
    fingerprints[schema] = before;
  }
  EXPECT_EQ(fingerprints["schema1"], fingerprints["schema2"]);
  EXPECT_NE(fingerprints["schema1"], fingerprints["schema3"]);
}

}  // namespace
}  // namespace lakegauge::dataset
