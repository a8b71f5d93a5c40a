// A run is killed a hundred times at random moments and goes on each time: nothing finished is lost
// or repeated, and each finished execution's requests are on disk exactly once.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "base/clock.h"
#include "base/files.h"
#include "record/journal.h"
#include "record/spool.h"
#include "run/plan.h"
#include "run/runner.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

constexpr int kKills = 100;
constexpr char kRunDir[] = "LAKEGAUGE_KILLS_RUN";
constexpr char kDataDir[] = "LAKEGAUGE_KILLS_DATA";

// What the killed process does: begins the run, or goes on with it. Only the test below starts it.
TEST(KilledRun, DISABLED_GoesOn) {
  const char* run_dir = std::getenv(kRunDir);
  const char* data_dir = std::getenv(kDataDir);
  if (run_dir == nullptr || data_dir == nullptr) GTEST_SKIP() << "only runs below the other test";
  RunOptions options;
  options.out = run_dir;
  options.data_dir = data_dir;
  if (std::filesystem::exists(std::string(run_dir) + "/plan.json")) {
    const auto outcome = Resume(run_dir, options);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    ASSERT_TRUE(outcome->clean()) << testing::PrintToString(outcome->failures);
    return;
  }
  // Killed before there was a plan: nothing was run yet, and the folder may be begun anew.
  std::filesystem::remove_all(run_dir);
  const auto experiment = ParseExperiment(TinyExperiment(), "tiny.yaml");
  ASSERT_TRUE(experiment.ok());
  const auto outcome = run::Run(*experiment, options);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_TRUE(outcome->clean()) << testing::PrintToString(outcome->failures);
}

class Child {
 public:
  Child(const std::string& run_dir, const std::string& data_dir) {
    pid_ = fork();
    if (pid_ != 0) {
      handle_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
      return;
    }
    setenv(kRunDir, run_dir.c_str(), 1);
    setenv(kDataDir, data_dir.c_str(), 1);
    const int quiet = open("/dev/null", O_WRONLY);
    dup2(quiet, STDOUT_FILENO);
    execl("/proc/self/exe", "run_test", "--gtest_also_run_disabled_tests",
          "--gtest_filter=KilledRun.DISABLED_GoesOn", nullptr);
    _exit(127);
  }
  ~Child() {
    if (handle_ >= 0) close(handle_);
  }
  // Whether it ended by itself within `wait_ms` (-1: however long).
  bool Ended(int wait_ms) const {
    struct pollfd ended {
      handle_, POLLIN, 0
    };
    return poll(&ended, 1, wait_ms) == 1;
  }
  void Kill() const { kill(pid_, SIGKILL); }
  // Its exit status; -1 where it was killed.
  int Collect() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  int handle_ = -1;
};

using Ends = std::map<int64_t, std::vector<record::Execution>>;

Ends EndsOf(const std::string& run_dir) {
  Ends ends;
  const std::string path = run_dir + "/journal.jsonl";
  if (!std::filesystem::exists(path)) return ends;
  const auto journal = record::ReadJournal(path);
  EXPECT_TRUE(journal.ok()) << journal.error().message;
  if (!journal.ok()) return ends;
  for (const record::Execution& e : journal->finished) ends[e.id].push_back(e);
  return ends;
}

// Nothing that had an end line before is gone or has another now.
void ExpectKept(const Ends& before, const Ends& now) {
  for (const auto& [id, ends] : before) {
    ASSERT_EQ(now.count(id), 1u) << "execution " << id << " was lost";
    ASSERT_EQ(now.at(id).size(), 1u) << "execution " << id << " was repeated";
    EXPECT_EQ(now.at(id).front().start_ns, ends.front().start_ns);
  }
}

void ExpectWhole(const std::string& run_dir) {
  const auto plan = Plan::FromJson(*ReadJsonFile(run_dir + "/plan.json"));
  ASSERT_TRUE(plan.ok());
  const Ends ends = EndsOf(run_dir);
  ASSERT_EQ(ends.size(), plan->executions.size());
  using Identity = std::tuple<int64_t, int64_t, std::string, int64_t, int32_t>;
  std::set<Identity> distinct;
  std::map<int64_t, int64_t> recorded;
  int64_t total = 0;
  for (const auto& file : std::filesystem::directory_iterator(run_dir + "/requests")) {
    const auto stored = record::ReadRequests(file.path().string());
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    for (const record::Request& r : stored->requests) {
      if (r.execution < 0) continue;
      ++recorded[r.execution];
      ++total;
      distinct.emplace(r.execution, r.start_ns, stored->keys[r.key], r.offset, r.thread);
    }
  }
  EXPECT_EQ(static_cast<int64_t>(distinct.size()), total) << "a request is there twice";
  for (const auto& [id, end] : ends) {
    ASSERT_EQ(end.size(), 1u) << "execution " << id << " has several end lines";
    EXPECT_EQ(recorded[id], end.front().requests) << "execution " << id;
  }
  EXPECT_TRUE(!std::filesystem::exists(run_dir + "/spool") ||
              std::filesystem::is_empty(run_dir + "/spool"));
}

TEST(KilledRun, LosesNothingAndRepeatsNothingOverAHundredKills) {
  const TemporaryFolder home;
  int64_t clean_ms = 0;
  {
    // Once undisturbed: makes the data, then shows how long a run takes.
    const Child first(home.path() + "/first", SharedTinyData());
    first.Ended(-1);
    ASSERT_EQ(first.Collect(), 0);
    ExpectWhole(home.path() + "/first");
    const int64_t start_ns = RealClock().NowNs();
    const Child second(home.path() + "/second", SharedTinyData());
    second.Ended(-1);
    ASSERT_EQ(second.Collect(), 0);
    clean_ms = (RealClock().NowNs() - start_ns) / 1'000'000;
  }
  std::mt19937 random(20260131);
  std::uniform_int_distribution<int> delay(0, static_cast<int>(std::max<int64_t>(clean_ms, 50)));
  int kills = 0;
  int runs = 0;
  int killed_amid_queries = 0;
  while (kills < kKills) {
    const std::string run_dir = home.path() + "/run" + std::to_string(runs++);
    Ends before;
    for (bool done = false; !done;) {
      const Child child(run_dir, SharedTinyData());
      done = child.Ended(kills < kKills ? delay(random) : -1);
      if (!done) child.Kill();
      const int status = child.Collect();
      done = status == 0;
      ASSERT_TRUE(done || status == -1) << "lakegauge failed by itself in " << run_dir;
      kills += !done;
      const Ends now = EndsOf(run_dir);
      ExpectKept(before, now);
      killed_amid_queries += !done && !now.empty();
      before = now;
      if (HasFatalFailure()) return;
    }
    ExpectWhole(run_dir);
    if (HasFatalFailure()) return;
  }
  RecordProperty("kills", kills);
  RecordProperty("runs", runs);
  RecordProperty("killed_amid_queries", killed_amid_queries);
  EXPECT_GT(killed_amid_queries, 0);
}

}  // namespace
}  // namespace lakegauge::run
