#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/testing/temporary_folder.h"
#include "base/units.h"
#include "dataset/dataset.h"
#include "dataset/testing/tpcds.h"

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// What a dataset is called, and making its rows once.

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

TEST(Specs, ComeBackFromJsonAsTheyWere) {
  DatasetSpec bulk;
  bulk.kind = "bulk";
  bulk.schema = "schema2";
  bulk.rows = 100;
  bulk.partitions = 10;
  bulk.seed = 7;
  DatasetSpec files;
  files.kind = "files";
  files.tables = {{"t", "t/*.csv"}};
  DatasetSpec other = Tpcds(3);
  other.generator = "tpcgen";
  for (const auto& spec : {Tpcds(0.5), other, bulk, files}) {
    const auto back = DatasetSpec::FromJson(spec.ToJson());
    ASSERT_OK(back);
    EXPECT_EQ(back->ToJson(), spec.ToJson());
    EXPECT_EQ(back->Name(), spec.Name());
  }
  LayoutSpec layout = Layout(8 * kMiB, "orc", "zstd");
  layout.row_group_bytes = kMiB;
  layout.tables = {"item"};
  layout.partition_by["item"] = {"i_brand"};
  layout.sort_by["item"] = {"i_item_sk"};
  LayoutSpec as_is;
  as_is.as_is = true;
  for (const auto& spec : {layout, as_is, Layout(0)}) {
    const auto back = LayoutSpec::FromJson(spec.ToJson());
    ASSERT_OK(back);
    EXPECT_EQ(back->ToJson(), spec.ToJson());
  }
  EXPECT_EQ(DatasetSpec::FromJson(Json::object()).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(LayoutSpec::FromJson(Json::object()).error().code, ErrorCode::kCorrupt);
}

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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
    const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
      const TemporaryFolder folder;
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
