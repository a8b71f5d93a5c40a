#include "run/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "dataset/layout_use.h"
#include "run/run_folder.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RunsTest : public testing::Test {
 protected:
  RunsTest() {
    Write(results_ + "/a-1/plan.json",
          R"({"v":1,"experiment":"a","title":"A","executions":[1,2]})");
    Write(data_ + "/tpcds-sf1/base/base.duckdb", "1234");
    Write(data_ + "/tpcds-sf1/parquet-snappy-8MiB/manifest.json", "{}");
    Write(home_.path() + "/precious/manifest.json", "{}");
  }
  static void Write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(path, text).ok());
  }
  TemporaryFolder home_;
  std::string results_ = home_.path() + "/results";
  std::string data_ = home_.path() + "/data";
};

TEST_F(RunsTest, ListsARunThatNeverBegan) {
  const auto runs = ListRuns(results_);
  ASSERT_TRUE(runs.ok());
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(runs->front().title, "A");
  EXPECT_EQ(runs->front().planned, 2);
  EXPECT_EQ(runs->front().done, 0);
}

TEST_F(RunsTest, APlanThatListsNoExecutionsIsAProblemNotZeroOfThem) {
  for (const char* text : {"{}", "[]", "", R"({"v":1,"executions":3})"}) {
    Write(results_ + "/a-1/plan.json", text);
    const auto runs = ListRuns(results_);
    ASSERT_EQ(runs->size(), 1u);
    EXPECT_THAT(runs->front().problem, HasSubstr("plan.json: ")) << text;
    EXPECT_THAT(Shortfall(runs->front()), HasSubstr("plan.json: ")) << text;
  }
}

TEST_F(RunsTest, TheLatestIsTheNewestWhateverCameOfIt) {
  Write(results_ + "/old/plan.json", R"({"v":1,"executions":[1]})");
  Write(results_ + "/old/journal.jsonl",
        R"({"v":1,"type":"session","session":0,"monotonic_ns":1,"utc_ns":1000000000,"facts":{}})"
        "\n");
  Write(results_ + "/never-began/experiment.yaml", "name: x");  // its file is of today
  fs::remove_all(results_ + "/a-1");
  EXPECT_EQ(LatestRun(results_)->id, "never-began");
  EXPECT_EQ(Shortfall(*LatestRun(results_)), "stopped before its plan was written");
  fs::remove_all(results_ + "/never-began");
  EXPECT_EQ(Shortfall(*LatestRun(results_)), "0 of 1 executions are done");
}

TEST_F(RunsTest, AFolderThatIsNotThereHoldsNoRuns) {
  const auto runs = ListRuns(home_.path() + "/none");
  ASSERT_TRUE(runs.ok());
  EXPECT_TRUE(runs->empty());
}

TEST_F(RunsTest, FindsByIdPathAndLatest) {
  EXPECT_EQ(*FindRun("a-1", results_), results_ + "/a-1");
  EXPECT_EQ(*FindRun(results_ + "/a-1", "elsewhere"), results_ + "/a-1");
  EXPECT_EQ(*FindRun("latest", results_), results_ + "/a-1");
  EXPECT_EQ(FindRun("b", results_).error().code, ErrorCode::kNotFound);
}

TEST_F(RunsTest, DeletesWhatItListsAndNothingElse) {
  const auto all = FindDeletable(results_, data_);
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 3u);
  for (const Deletable& item : *all) {
    EXPECT_TRUE(Delete(item, results_, data_).ok()) << item.name;
    EXPECT_FALSE(fs::exists(item.path)) << item.name;
  }
  EXPECT_TRUE(fs::exists(home_.path() + "/precious/manifest.json"));
}

TEST_F(RunsTest, ARunBeingExecutedAndADatasetBeingPreparedAreLeftAlone) {
  const auto all = FindDeletable(results_, data_);
  ASSERT_TRUE(all.ok());
  {
    const auto run = RunFolder::Open(results_ + "/a-1");
    ASSERT_TRUE(run.ok()) << run.error().message;
    const auto dataset = FolderLock::Try(data_ + "/tpcds-sf1");
    ASSERT_TRUE(dataset.ok()) << dataset.error().message;
    for (const Deletable& item : *all) {
      const Status left = Delete(item, results_, data_);
      ASSERT_FALSE(left.ok()) << item.name;
      EXPECT_EQ(left.error().code, ErrorCode::kUnavailable);
      EXPECT_THAT(left.error().message, HasSubstr(item.name));
    }
    EXPECT_TRUE(fs::exists(results_ + "/a-1/plan.json"));
    EXPECT_TRUE(fs::exists(data_ + "/tpcds-sf1/base/base.duckdb"));
    EXPECT_TRUE(fs::exists(data_ + "/tpcds-sf1/parquet-snappy-8MiB/manifest.json"));
  }
  for (const Deletable& item : *all) EXPECT_TRUE(Delete(item, results_, data_).ok()) << item.name;
}

TEST_F(RunsTest, ALayoutThatARunReadsIsNamedAndLeftAloneAndTheRestGoes) {
  const std::string layout = data_ + "/tpcds-sf1/parquet-snappy-8MiB";
  Write(data_ + "/tpcds-sf1/parquet-snappy-1MiB/manifest.json", "{}");
  const auto all = FindDeletable(results_, data_);
  ASSERT_TRUE(all.ok());
  {
    const auto one = dataset::LayoutUse::Read(layout);
    const auto another = dataset::LayoutUse::Read(layout);
    ASSERT_TRUE(one.ok() && another.ok());
    for (const Deletable& item : *all) {
      const Status gone = Delete(item, results_, data_);
      EXPECT_EQ(gone.ok(), item.path != layout) << item.name;
      if (gone.ok()) continue;
      EXPECT_EQ(gone.error().code, ErrorCode::kUnavailable);
      EXPECT_EQ(gone.error().message,
                "layout tpcds-sf1/parquet-snappy-8MiB is in use by a run that reads it; it is left "
                "alone");
    }
    EXPECT_TRUE(fs::exists(layout + "/manifest.json"));
    EXPECT_FALSE(fs::exists(data_ + "/tpcds-sf1/parquet-snappy-1MiB"));
  }
  EXPECT_TRUE(Delete({Deletable::Kind::kLayout, "x", layout, 0}, results_, data_).ok());
}

TEST_F(RunsTest, NothingOutsideIsDeletedWhateverTheWayThere) {
  fs::create_directory_symlink(home_.path() + "/precious", data_ + "/tpcds-sf1/link");
  for (const std::string& path :
       {home_.path() + "/precious", data_ + "/tpcds-sf1/link", data_ + "/../precious", data_}) {
    const Deletable item{Deletable::Kind::kLayout, "x", path, 0};
    EXPECT_EQ(Delete(item, results_, data_).error().code, ErrorCode::kInvalidArgument) << path;
  }
  EXPECT_TRUE(fs::exists(home_.path() + "/precious/manifest.json"));
}

}  // namespace
}  // namespace lakegauge::run
