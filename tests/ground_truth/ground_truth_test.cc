// What lakegauge records of its reads, held against what the operating system saw of them.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "account.h"
#include "base/files.h"
#include "os_calls.h"
#include "record/journal.h"
#include "record/spool.h"

namespace lakegauge::ground_truth {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::Not;

// What page_cache.cc reads to see whether it can see: once a cell, before its first query.
constexpr int64_t kProbeBytes = int64_t{256} * 1024;

constexpr std::string_view kQueries =
    "[3, 7, 13, 15, 19, 25, 26, 27, 29, 33, 37, 42, 43, 48, 52, 55, 60, 65, 68, 73, 79, 82, 96, "
    "98]";

// Runs a program to its end: its exit status, 127 where it cannot be started. What it says goes to
// the file `said`.
int RunProgram(const std::vector<std::string>& words,
               const std::map<std::string, std::string>& variables, const std::string& said) {
  const pid_t child = fork();
  if (child == 0) {
    const int out = open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// What one run of lakegauge left.
struct Records {
  std::map<std::string, record::StoredRequests> cells;  // by cell id
  record::Journal journal;
};

class GroundTruth : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string pattern = (fs::temp_directory_path() / "ground-truth-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    home_ = fs::canonical(pattern).string();
    ASSERT_EQ(RunProgram({LAKEGAUGE_PROGRAM, "layout", "--scale", "0.01", "--file-size",
                          "unlimited", "--file-size", "64KiB", "--data", Data()},
                         {}, home_ + "/layout.txt"),
              0)
        << *ReadFile(home_ + "/layout.txt");
  }
  static void TearDownTestSuite() {
    std::error_code ignored;
    fs::remove_all(home_, ignored);
  }

  static std::string Data() { return home_ + "/data"; }

  // Runs the experiment with `before` put ahead of lakegauge's command line.
  static int RunExperiment(const std::string& name, std::string_view queries,
                           std::vector<std::string> before,
                           const std::map<std::string, std::string>& variables) {
    const std::string experiment = home_ + "/" + name + ".yaml";
    EXPECT_TRUE(WriteFileAtomically(experiment,
                                    fmt::format("name: truth\n"
                                                "datasets:\n  tpcds: {{kind: tpcds, scale: 0.01}}\n"
                                                "layouts:\n  whole: {{file_size: unlimited}}\n"
                                                "  chunks: {{file_size: 64KiB}}\n"
                                                "stores:\n  local: {{uri: \"file:\"}}\n"
                                                "engines:\n  duckdb: {{threads: 4}}\n"
                                                "workload:\n  queries: {}\n  iterations: 1\n",
                                                queries))
                    .ok());
    for (const std::string& word :
         {std::string(LAKEGAUGE_PROGRAM), std::string("run"), experiment, std::string("--data"),
          Data(), std::string("--out"), home_ + "/" + name}) {
      before.push_back(word);
    }
    return RunProgram(before, variables, home_ + "/" + name + ".txt");
  }

  static Records Read(const std::string& name) {
    Records records;
    const std::string run = home_ + "/" + name;
    for (const auto& file : fs::directory_iterator(run + "/requests")) {
      auto stored = record::ReadRequests(file.path().string());
      EXPECT_TRUE(stored.ok()) << stored.error().message;
      if (stored.ok()) records.cells[file.path().stem().string()] = *std::move(stored);
    }
    auto journal = record::ReadJournal(run + "/journal.jsonl");
    EXPECT_TRUE(journal.ok()) << journal.error().message;
    if (journal.ok()) records.journal = *std::move(journal);
    return records;
  }

  // All cells of a run as one.
  static record::StoredRequests Together(const Records& records) {
    record::StoredRequests all;
    for (const auto& [cell, stored] : records.cells) {
      const auto shift = static_cast<uint32_t>(all.keys.size());
      all.keys.insert(all.keys.end(), stored.keys.begin(), stored.keys.end());
      for (record::Request r : stored.requests) {
        r.key += shift;
        all.requests.push_back(r);
      }
    }
    return all;
  }

  static Account ExpectEqual(const Records& records, const std::vector<OsCall>& calls) {
    Account account = Match(Together(records), calls, Data());
    EXPECT_THAT(account.mismatches, IsEmpty());
    EXPECT_EQ(account.recorded_bytes, account.read_bytes);
    // The only reads that are no requests: one a cell, by which the page cache is tried.
    size_t others = 0;
    for (const OsCall& call : account.outside) {
      const bool probe =
          call.call.starts_with("pread") && call.offset == 0 && call.asked == kProbeBytes;
      EXPECT_TRUE(probe) << "read, but not recorded: " << call.Text();
      others += probe;
    }
    EXPECT_EQ(others, records.cells.size());
    for (const OsCall& call : calls) {
      EXPECT_FALSE(call.IsReadableMap()) << "can be read unseen: " << call.Text();
      EXPECT_NE(call.call, "fopen") << "can be read unseen: " << call.Text();
    }
    // The journal's counts of each execution.
    std::map<int64_t, int64_t> recorded;
    for (const auto& [cell, stored] : records.cells) {
      for (const record::Request& r : stored.requests) ++recorded[r.execution];
    }
    for (const record::Execution& e : records.journal.finished) {
      EXPECT_EQ(e.status, record::ExecutionStatus::kOk) << e.query << ": " << e.error;
      EXPECT_EQ(e.bytes_read, account.bytes_of_execution[e.id]) << e.cell << " " << e.query;
      EXPECT_EQ(e.requests, recorded[e.id]) << e.cell << " " << e.query;
      EXPECT_GT(e.bytes_read, 0) << e.cell << " " << e.query;
    }
    fmt::print(
        "{} executions in {} cells: {} GETs of {} bytes recorded, {} reads of {} bytes "
        "seen, {} more to try the page cache\n",
        records.journal.finished.size(), records.cells.size(), account.requests,
        account.recorded_bytes, account.reads, account.read_bytes, others);
    return account;
  }

  // What describes a layout or a base lies beside its data and is no data.
  static std::vector<OsCall> OfDataFiles(std::vector<OsCall> calls) {
    std::erase_if(calls, [](const OsCall& call) {
      return call.path.ends_with("/manifest.json") || call.path.ends_with("/base.json");
    });
    return calls;
  }

  static std::vector<OsCall> Watched(const std::string& log) {
    auto calls = ReadWatchLog(log);
    EXPECT_TRUE(calls.ok()) << calls.error().message;
    return calls.ok() ? OfDataFiles(*calls) : std::vector<OsCall>();
  }

  static std::map<std::string, std::string> Watching(const std::string& log) {
    return {{"LD_PRELOAD", READ_WATCH}, {"WATCH_ROOT", Data()}, {"WATCH_LOG", log}};
  }

  static inline std::string home_;
};

TEST_F(GroundTruth, EveryReadOf24QueriesOnTwoLayoutsIsRecordedToTheByteAndNothingElse) {
  const std::string log = home_ + "/reads.log";
  ASSERT_EQ(RunExperiment("all", kQueries, {}, Watching(log)), 0) << *ReadFile(home_ + "/all.txt");
  const Records records = Read("all");
  const std::vector<OsCall> calls = Watched(log);
  ASSERT_EQ(records.cells.size(), 2U);
  ASSERT_EQ(records.journal.finished.size(), 48U);
  const Account account = ExpectEqual(records, calls);
  EXPECT_GT(account.requests, 1000);
  // One request is one read here: local files give all that is asked for.
  EXPECT_EQ(account.reads, account.requests);

  // Folders are only looked through for a LIST, and files opened no more often than is recorded or
  // a listing made needless to ask.
  int64_t lists = 0;
  int64_t folders = 0;
  int64_t opens = 0;
  std::set<int64_t> handles;
  for (const auto& [cell, stored] : records.cells) {
    for (const record::Request& r : stored.requests) {
      lists += r.operation == record::Operation::kList;
      if (r.handle != 0) handles.insert(r.handle);
    }
  }
  for (const OsCall& call : calls) {
    folders += call.call == "opendir";
    opens += call.call == "open" && call.path.ends_with(".parquet");
  }
  EXPECT_GT(lists, 0);
  EXPECT_GE(folders, lists);
  EXPECT_GE(opens, static_cast<int64_t>(handles.size()));
  fmt::print("{} LISTs: {} folders looked through; {} opened files read: {} opens seen\n", lists,
             folders, handles.size(), opens);

  // That a record which is missing, or false by one byte, would have been found.
  record::StoredRequests lacking = Together(records);
  const auto get =
      std::find_if(lacking.requests.begin(), lacking.requests.end(), [](const record::Request& r) {
        return r.operation == record::Operation::kGet && r.execution >= 0;
      });
  ASSERT_NE(get, lacking.requests.end());
  --get->bytes;
  EXPECT_THAT(Match(lacking, calls, Data()).mismatches, Not(IsEmpty()));
  lacking.requests.erase(get);
  EXPECT_EQ(Match(lacking, calls, Data()).outside.size(), account.outside.size() + 1);
  std::vector<OsCall> fewer = calls;
  fewer.erase(std::find_if(fewer.begin(), fewer.end(), [](const OsCall& call) {
    return call.IsRead() && call.asked != kProbeBytes;
  }));
  EXPECT_THAT(Match(Together(records), fewer, Data()).mismatches, Not(IsEmpty()));
}

TEST_F(GroundTruth, AKernelThatGivesLessThanIsAskedForMakesMoreReadsAndTheSameRecords) {
  const std::string log = home_ + "/short.log";
  auto variables = Watching(log);
  variables["WATCH_SHORT"] = "5000";
  ASSERT_EQ(RunExperiment("short", "[3, 42]", {}, variables), 0) << *ReadFile(home_ + "/short.txt");
  const Account account = ExpectEqual(Read("short"), Watched(log));
  EXPECT_GT(account.reads, account.requests);
}

// The witness above sees what goes through the C library; this one sees every system call.
TEST_F(GroundTruth, StraceSeesTheSame) {
  const std::string prefix = home_ + "/strace";
  if (RunProgram({"strace", "-o", home_ + "/try", "true"}, {}, home_ + "/try.txt") != 0) {
    GTEST_SKIP() << "no strace, or it may not trace here";
  }
  ASSERT_EQ(RunExperiment("traced", "[3, 42, 96]",
                          {"strace", "-ff", "-y", "-s", "0", "-o", prefix, "-e",
                           "trace=read,pread64,readv,preadv,preadv2,mmap,sendfile,"
                           "copy_file_range,splice,io_uring_setup"},
                          {}),
            0)
      << *ReadFile(home_ + "/traced.txt");
  const auto calls = ReadStrace(prefix, Data());
  ASSERT_TRUE(calls.ok()) << calls.error().message;
  ExpectEqual(Read("traced"), OfDataFiles(*calls));
  for (const auto& file : fs::directory_iterator(home_)) {
    if (!file.path().filename().string().starts_with("strace.")) continue;
    EXPECT_EQ(ReadFile(file.path().string())->find("io_uring_setup"), std::string::npos)
        << "reads by io_uring would be seen by no witness";
  }
}

}  // namespace
}  // namespace lakegauge::ground_truth
