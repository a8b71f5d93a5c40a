#include "record/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"

namespace lakegauge::record {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

class Spool : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove_all(dir_); }
  void TearDown() override { fs::remove_all(dir_); }
  std::vector<Request> Requests(int64_t execution, int count) {
    std::vector<Request> requests;
    for (int i = 0; i < count; ++i) {
      Request r;
      r.execution = execution;
      r.lane = 2;
      r.thread = 77;
      r.handle = 9;
      r.operation = i % 2 == 0 ? Operation::kGet : Operation::kHead;
      r.key = log_.KeyId("t/" + std::to_string(i) + ".parquet");
      r.offset = 100 * i;
      r.length = 50;
      r.start_ns = 1000 + i;
      r.first_byte_ns = i == 0 ? 0 : 1500 + i;
      r.end_ns = 2000 + i;
      r.cpu_start_ns = 5;
      r.cpu_end_ns = 6;
      r.attempt = 2;
      r.status = i == 1 ? 503 : 0;
      r.bytes = 49;
      r.asked_ns = i == 0 ? -1 : 1000;
      r.asked_first_ns = i == 0 ? -1 : 500;
      r.lateness_ns = i == 0 ? 0 : 3;
      r.scan = i == 0 ? -1 : 4;
      requests.push_back(r);
    }
    return requests;
  }
  void WriteSpool(int64_t execution, int batches = 1) {
    auto writer = SpoolWriter::Open(spool_, "c");
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    for (int i = 0; i < batches; ++i) {
      ASSERT_TRUE((*writer)->Append(Requests(execution, 3), log_).ok());
    }
  }
  size_t Stored() const { return ReadRequests(compacted_)->requests.size(); }

  const std::string dir_ = ::testing::TempDir() + "lg_spool." + std::to_string(getpid());
  const std::string spool_ = dir_ + "/spool";
  const std::string requests_ = dir_ + "/requests";
  const std::string compacted_ = requests_ + "/c.parquet";
  RequestLog log_;
};

void ExpectSame(const Request& a, const Request& b) {
  EXPECT_EQ(a.execution, b.execution);
  EXPECT_EQ(a.lane, b.lane);
  EXPECT_EQ(a.thread, b.thread);
  EXPECT_EQ(a.handle, b.handle);
  EXPECT_EQ(a.operation, b.operation);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.start_ns, b.start_ns);
  EXPECT_EQ(a.first_byte_ns, b.first_byte_ns);
  EXPECT_EQ(a.end_ns, b.end_ns);
  EXPECT_EQ(a.cpu_start_ns, b.cpu_start_ns);
  EXPECT_EQ(a.cpu_end_ns, b.cpu_end_ns);
  EXPECT_EQ(a.attempt, b.attempt);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.asked_ns, b.asked_ns);
  EXPECT_EQ(a.asked_first_ns, b.asked_first_ns);
  EXPECT_EQ(a.lateness_ns, b.lateness_ns);
  EXPECT_EQ(a.scan, b.scan);
}

TEST_F(Spool, EveryFieldComesBackFromSpoolAndParquet) {
  WriteSpool(7);
  const auto expected = Requests(7, 3);
  const auto check = [&](const StoredRequests& stored) {
    ASSERT_EQ(stored.requests.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      ExpectSame(stored.requests[i], expected[i]);
      EXPECT_EQ(stored.keys[stored.requests[i].key], "t/" + std::to_string(i) + ".parquet");
    }
  };
  check(*ReadSpool(spool_ + "/c.arrows"));
  ASSERT_TRUE(CompactSpools(spool_, "c", requests_, {7}).ok());
  check(*ReadRequests(compacted_));
  EXPECT_FALSE(fs::exists(spool_ + "/c.arrows"));
}

TEST_F(Spool, CompactionLeavesKilledExecutionsOutAndKeepsThoseOfNone) {
  WriteSpool(1);
  WriteSpool(2);
  WriteSpool(-1);
  EXPECT_TRUE(fs::exists(spool_ + "/c.2.arrows"));
  const auto done = CompactSpools(spool_, "c", requests_, {1});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(Stored(), 6u);
  EXPECT_TRUE(fs::is_empty(spool_));
}

TEST_F(Spool, NoSpoolAtAllMakesAnEmptyFile) {
  ASSERT_TRUE(CompactSpools(spool_, "c", requests_, {}).ok());
  EXPECT_EQ(Stored(), 0u);
}

TEST_F(Spool, SpoolsNamedByCellAndSessionBelongToTheCell) {
  int64_t execution = 0;
  for (const char* name : {"c.0", "c.0", "c.1"}) {
    auto writer = SpoolWriter::Open(spool_, name);
    ASSERT_TRUE((*writer)->Append(Requests(execution++, 1), log_).ok());
  }
  EXPECT_TRUE(fs::exists(spool_ + "/c.0.1.arrows"));
  ASSERT_TRUE(CompactSpools(spool_, "c", requests_, {0, 1, 2}).ok());
  EXPECT_EQ(Stored(), 3u);
  EXPECT_TRUE(fs::is_empty(spool_));
}

// Killed between its requests and its end line, then run again: it must not count twice.
TEST_F(Spool, AnExecutionThatRanAgainHasTheRequestsOfItsLastRunAlone) {
  for (const auto& [name, count] :
       {std::pair("c.0", 3), std::pair("c.2", 2), std::pair("c.10", 1)}) {
    auto writer = SpoolWriter::Open(spool_, name);
    ASSERT_TRUE((*writer)->Append(Requests(5, count), log_).ok());
    ASSERT_TRUE((*writer)->Append(Requests(5, count), log_).ok());
    ASSERT_TRUE((*writer)->Append(Requests(-1, 1), log_).ok());
  }
  ASSERT_TRUE(CompactSpools(spool_, "c", requests_, {5}).ok());
  const auto stored = ReadRequests(compacted_);
  EXPECT_EQ(std::count_if(stored->requests.begin(), stored->requests.end(),
                          [](const Request& r) { return r.execution == 5; }),
            2);
  EXPECT_EQ(stored->requests.size(), 5u);
}

TEST_F(Spool, ALaterSpoolOfNoExecutionTakesNothingFromExecutionZero) {
  WriteSpool(0);
  WriteSpool(-1);
  ASSERT_TRUE(CompactSpools(spool_, "c", requests_, {0}).ok());
  EXPECT_EQ(Stored(), 6u);
}

TEST_F(Spool, SpoolsOfCellsWithALongerNameAreLeftAlone) {
  WriteSpool(1);
  auto other = SpoolWriter::Open(spool_, "c-local");
  ASSERT_TRUE((*other)->Append(Requests(1, 1), log_).ok());
  ASSERT_TRUE(CompactSpools(spool_, "c", requests_, {1}).ok());
  EXPECT_EQ(Stored(), 3u);
  EXPECT_TRUE(fs::exists(spool_ + "/c-local.arrows"));
}

// Killed after the rename: the spools are still there, all or some, and the file holds them.
TEST_F(Spool, CompactingAgainAfterAKillNeitherLosesNorRepeats) {
  WriteSpool(1);
  WriteSpool(2);
  const std::string first = *ReadFile(spool_ + "/c.arrows");
  const std::string second = *ReadFile(spool_ + "/c.1.arrows");
  ASSERT_TRUE(CompactSpools(spool_, "c", requests_, {1, 2}).ok());
  ASSERT_TRUE(WriteFileAtomically(spool_ + "/c.1.arrows", second).ok());
  ASSERT_TRUE(CompactSpools(spool_, "c", requests_, {1, 2}).ok());
  EXPECT_EQ(Stored(), 6u);
  EXPECT_TRUE(fs::is_empty(spool_));

  // A later session's spool gets an old one's name; it is new all the same.
  WriteSpool(3);
  ASSERT_TRUE(CompactSpools(spool_, "c", requests_, {1, 2, 3}).ok());
  EXPECT_EQ(Stored(), 9u);
}

TEST_F(Spool, CutAtAnyByteItGivesTheBatchesBefore) {
  WriteSpool(1, 2);
  const std::string bytes = *ReadFile(spool_ + "/c.arrows");
  size_t most = 0;
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const std::string head = bytes.substr(0, cut);
    const auto stored = ParseSpool(std::as_bytes(std::span(head)), "cut");
    ASSERT_TRUE(stored.ok()) << cut << ": " << stored.error().message;
    EXPECT_EQ(stored->requests.size() % 3, 0u) << cut;
    EXPECT_GE(stored->requests.size(), most) << cut;
    most = stored->requests.size();
  }
  EXPECT_EQ(most, 6u);
}

TEST_F(Spool, ATruncatedSpoolIsCompactedWithoutItsLastBatch) {
  WriteSpool(1, 2);
  const std::string path = spool_ + "/c.arrows";
  fs::resize_file(path, fs::file_size(path) - 1);
  ASSERT_TRUE(CompactSpools(spool_, "c", requests_, {1}).ok());
  EXPECT_EQ(Stored(), 3u);
}

TEST_F(Spool, GarbageAndLaterVersionsAreNamed) {
  const auto parse = [](const std::string& bytes) {
    return ParseSpool(std::as_bytes(std::span(bytes)), "g");
  };
  EXPECT_EQ(parse("not a spool at all, surely not").error().code, ErrorCode::kCorrupt);
  WriteSpool(1);
  std::string bytes = *ReadFile(spool_ + "/c.arrows");
  const size_t at = bytes.find("lakegauge.v");
  ASSERT_NE(at, std::string::npos);
  // The value of "lakegauge.v" stands as its own length-prefixed string nearby.
  const std::string one("\x01\x00\x00\x00\x31", 5);
  const size_t value = bytes.find(one, at > 64 ? at - 64 : 0);
  ASSERT_NE(value, std::string::npos);
  bytes[value + 4] = '9';
  const auto later = parse(bytes);
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().code, ErrorCode::kUnsupported) << later.error().message;
  EXPECT_THAT(later.error().message, HasSubstr("version 9; this lakegauge reads up to 1"));
}

TEST_F(Spool, DamageInTheMiddleIsAnErrorOrStillAWholeSpool) {
  WriteSpool(1, 2);
  const std::string bytes = *ReadFile(spool_ + "/c.arrows");
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
    const auto stored = ParseSpool(std::as_bytes(std::span(damaged)), "damaged");
    if (!stored.ok()) {
      EXPECT_FALSE(stored.error().message.empty()) << at;
    }
  }
}

}  // namespace
}  // namespace lakegauge::record
