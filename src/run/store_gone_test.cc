// Stores that go away while a run reads them, and failures that are run once more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "record/journal.h"
#include "record/spool.h"
#include "run/runner.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

namespace fs = std::filesystem;
using record::ExecutionStatus;
using testing::HasSubstr;

// Does something when the nth query of a store starts, and keeps what the user was told.
class Meddler : public ProgressSink {
 public:
  Meddler(std::string store, int nth, std::function<void()> act)
      : store_("." + std::move(store) + "."), nth_(nth), act_(std::move(act)) {}
  void On(const ProgressEvent& event) override {
    if (event.kind == ProgressEvent::Kind::kNote) notes.push_back(event.text);
    if (event.kind == ProgressEvent::Kind::kQueryStarted &&
        event.cell.find(store_) != std::string::npos && ++started_ == nth_) {
      act_();
    }
  }
  std::vector<std::string> notes;

 private:
  const std::string store_;
  const int nth_;
  const std::function<void()> act_;
  int started_ = 0;
};

class StoreGoneTest : public testing::Test {
 protected:
  StoreGoneTest() {
    options_.results_dir = home_.path() + "/results";
    options_.data_dir = SharedTinyData();
  }

  // Two cells: what lies in `share`, then what lies in the data folder.
  Experiment OnShare(const std::string& workload = "") const {
    auto experiment = ParseExperiment(
        TinyExperiment("stores: {share: {uri: 'file:" + share() +
                       "'}, local: {uri: 'file:'}}\nlayouts: {unlimited: {file_size: unlimited}}" +
                       (workload.empty() ? "" : "\nworkload: " + workload)),
        "tiny.yaml");
    EXPECT_TRUE(experiment.ok()) << experiment.error().message;
    return *experiment;
  }
  std::string share() const { return home_.path() + "/share"; }
  void Unmount() const {
    fs::rename(share(), home_.path() + "/away");
    fs::create_directory(share());  // the mount point
  }
  void Mount() const {
    fs::remove_all(share());
    fs::rename(home_.path() + "/away", share());
  }
  static record::Journal JournalOf(const RunOutcome& outcome) {
    auto journal = record::ReadJournal(outcome.run_dir + "/journal.jsonl");
    EXPECT_TRUE(journal.ok()) << journal.error().message;
    return *journal;
  }

  TemporaryFolder home_;
  RunOptions options_;
};

TEST_F(StoreGoneTest, ItsCellsAreLeftTheOthersRunAndResumeDoesTheRest) {
  Meddler meddler("share", 3, [&] { Unmount(); });
  options_.progress = &meddler;
  const auto outcome = run::Run(OnShare(), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunEnd::kStoreGone);
  EXPECT_FALSE(outcome->clean());
  EXPECT_EQ(outcome->failed, 0) << testing::PrintToString(outcome->failures);
  EXPECT_EQ(outcome->planned, 12);
  EXPECT_EQ(outcome->ok, 8) << "two of the store's, all of the other's";
  EXPECT_THAT(outcome->why, HasSubstr("store share went away"));
  EXPECT_THAT(outcome->why, HasSubstr("lakegauge resume " + outcome->run_dir));
  const auto told = std::count_if(meddler.notes.begin(), meddler.notes.end(), [](const auto& note) {
    return note.find("no longer answers") != std::string::npos;
  });
  EXPECT_EQ(told, 1) << testing::PrintToString(meddler.notes);

  Mount();
  options_.progress = nullptr;
  const auto resumed = Resume(outcome->run_dir, options_);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_TRUE(resumed->clean()) << testing::PrintToString(resumed->failures);
}

TEST_F(StoreGoneTest, AStoreThatIsGoneBeforeItsFirstQueryFailsNothing) {
  // The other store's first query: the share's cell comes after it.
  auto experiment = OnShare();
  std::reverse(experiment.stores.begin(), experiment.stores.end());
  Meddler meddler("local", 1, [&] { Unmount(); });
  options_.progress = &meddler;
  const auto outcome = run::Run(experiment, options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunEnd::kStoreGone);
  EXPECT_EQ(outcome->ok, 6);
  EXPECT_EQ(outcome->failed, 0);
}

TEST_F(StoreGoneTest, AStoreThatComesBackIsReadOnInTheNextPass) {
  Meddler away("share", 1, [&] { Unmount(); });
  options_.progress = &away;
  // Passes take turns: share, local, share, local.
  class Returns : public ProgressSink {
   public:
    Returns(ProgressSink& other, std::function<void()> act) : other_(other), act_(std::move(act)) {}
    void On(const ProgressEvent& event) override {
      other_.On(event);
      if (event.kind == ProgressEvent::Kind::kQueryStarted && !back_ &&
          event.cell.find(".local.") != std::string::npos) {
        back_ = true;
        act_();
      }
    }

   private:
    ProgressSink& other_;
    std::function<void()> act_;
    bool back_ = false;
  } returns(away, [&] { Mount(); });
  options_.progress = &returns;
  const auto outcome =
      run::Run(OnShare("{queries: [42], iterations: 2, interleave: cells}"), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunEnd::kStoreGone);
  EXPECT_EQ(outcome->ok, 3) << "all but the first";
}

TEST_F(StoreGoneTest, StreamsThatLoseTheirStoreFailNothing) {
  Meddler meddler("share", 2, [&] { Unmount(); });
  options_.progress = &meddler;
  const auto outcome =
      run::Run(OnShare("{queries: [3, 42, 96], iterations: 2, streams: 2}"), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->end, RunEnd::kStoreGone);
  EXPECT_EQ(outcome->failed, 0) << testing::PrintToString(outcome->failures);
  Mount();
  options_.progress = nullptr;
  const auto resumed = Resume(outcome->run_dir, options_);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_TRUE(resumed->clean()) << testing::PrintToString(resumed->failures);
}

// One table lost its files: the store answers, so its queries are failures.
TEST_F(StoreGoneTest, FailuresAreRunOnceMoreWhenAskedAndBothEndsAreKept) {
  const std::string table = share() + "/tpcds-sf0.01/parquet-snappy-unlimited/store_sales";
  Meddler meddler("share", 1, [&] { fs::rename(table, home_.path() + "/away"); });
  options_.progress = &meddler;
  const auto outcome = run::Run(OnShare(), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_EQ(outcome->end, RunEnd::kComplete);
  ASSERT_GT(outcome->failed, 0);
  fs::rename(home_.path() + "/away", table);

  options_.progress = nullptr;
  const auto idle = Resume(outcome->run_dir, options_);
  ASSERT_TRUE(idle.ok()) << idle.error().message;
  EXPECT_EQ(idle->failed, outcome->failed) << "a plain resume repeats nothing";

  options_.retry_failed = true;
  const auto resumed = Resume(outcome->run_dir, options_);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_TRUE(resumed->clean()) << testing::PrintToString(resumed->failures);
  const auto journal = JournalOf(*resumed);
  EXPECT_EQ(static_cast<int64_t>(journal.finished.size()), resumed->planned);
  EXPECT_EQ(static_cast<int64_t>(journal.retried.size()), outcome->failed);
  // Requests are those of the end that counts.
  std::map<int64_t, int64_t> kept;
  for (const auto& file : fs::directory_iterator(resumed->run_dir + "/requests")) {
    const auto stored = record::ReadRequests(file.path().string());
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    for (const record::Request& r : stored->requests) ++kept[r.execution];
  }
  for (const record::Execution& e : journal.finished) EXPECT_EQ(kept[e.id], e.requests) << e.id;

  const auto nothing = Resume(outcome->run_dir, options_);
  ASSERT_TRUE(nothing.ok()) << nothing.error().message;
  EXPECT_TRUE(nothing->clean());
}

TEST_F(StoreGoneTest, ARetryThatIsStoppedLeavesTheFailuresOnRecord) {
  const std::string table = share() + "/tpcds-sf0.01/parquet-snappy-unlimited/store_sales";
  Meddler meddler("share", 1, [&] { fs::rename(table, home_.path() + "/away"); });
  options_.progress = &meddler;
  const auto outcome = run::Run(OnShare(), options_);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_GT(outcome->failed, 1);
  fs::rename(home_.path() + "/away", table);

  options_.progress = nullptr;
  options_.retry_failed = true;
  options_.limits.max_requests = 1;
  const auto stopped = Resume(outcome->run_dir, options_);
  ASSERT_TRUE(stopped.ok()) << stopped.error().message;
  EXPECT_EQ(stopped->end, RunEnd::kLimit);
  EXPECT_THAT(stopped->why, HasSubstr("--retry-failed"));

  options_.retry_failed = false;
  options_.limits = {};
  const auto plain = Resume(outcome->run_dir, options_);
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  EXPECT_EQ(plain->end, RunEnd::kComplete);
  EXPECT_EQ(plain->failed, outcome->failed - 1) << "one was retried before the limit";
}

}  // namespace
}  // namespace lakegauge::run
