#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/files.h"
#include "base/testing/temporary_folder.h"
#include "base/units.h"
#include "dataset/dataset.h"
#include "dataset/testing/tpcds.h"
#include "sql/sql.h"

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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

}  // namespace
}  // namespace lakegauge::dataset
