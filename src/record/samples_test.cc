#include "record/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "record/spool.h"

namespace lakegauge::record {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

class Samples : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  static std::vector<Sample> Second(int64_t session, int64_t second) {
    return {{session, second * 1'000'000'000, "machine", "cpu_user_s", "", SampleKind::kCounter,
             0.5 * static_cast<double>(second)},
            {session, second * 1'000'000'000, "machine", "disk_read_bytes", "device=vda",
             SampleKind::kCounter, 4096},
            {session, second * 1'000'000'000 + 5, "store1", "up", "", SampleKind::kGauge, 0}};
  }
  std::vector<Sample> Spool(int64_t session, int64_t from, int64_t to) {
    std::vector<Sample> all;
    auto writer = SampleWriter::Open(spool_, session);
    EXPECT_TRUE(writer.ok()) << writer.error().message;
    for (int64_t second = from; second < to; ++second) {
      EXPECT_TRUE((*writer)->Append(Second(session, second)).ok());
      for (const Sample& s : Second(session, second)) all.push_back(s);
    }
    return all;
  }

  const std::string dir_ = ::testing::TempDir() + "lg_samples." + std::to_string(getpid());
  const std::string spool_ = dir_ + "/spool";
  const std::string compacted_ = dir_ + "/samples.parquet";
};

TEST_F(Samples, ASpoolThatWasNeverClosedReadsWhole) {
  const auto written = Spool(0, 1, 4);
  const auto read = ReadSampleSpool(spool_ + "/samples.0.arrows");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_THAT(read->samples, ElementsAreArray(written));
}

TEST_F(Samples, ASpoolCutInItsLastSecondReadsAsTheSecondsBefore) {
  const auto written = Spool(0, 1, 4);
  const std::string path = spool_ + "/samples.0.arrows";
  fs::resize_file(path, fs::file_size(path) - 20);
  const auto read = ReadSampleSpool(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->truncated);
  EXPECT_EQ(read->samples.size(), written.size() - Second(0, 3).size());
}

TEST_F(Samples, CompactingPutsAllSessionsIntoOneFileAndTakesTheSpoolsAway) {
  auto written = Spool(0, 1, 3);
  ASSERT_TRUE(CompactSamples(spool_, compacted_).ok());
  for (const Sample& s : Spool(1, 7, 9)) written.push_back(s);
  ASSERT_TRUE(CompactSamples(spool_, compacted_).ok());
  const auto read = ReadSamples(compacted_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_THAT(read->samples, ElementsAreArray(written));
  EXPECT_TRUE(fs::is_empty(spool_));
}

TEST_F(Samples, CompactingAgainAfterAKillBeforeTheSpoolsWereDeletedAddsNothing) {
  const auto written = Spool(0, 1, 3);
  fs::copy(spool_, dir_ + "/kept");
  ASSERT_TRUE(CompactSamples(spool_, compacted_).ok());
  fs::copy(dir_ + "/kept", spool_, fs::copy_options::overwrite_existing);
  ASSERT_TRUE(CompactSamples(spool_, compacted_).ok());
  EXPECT_THAT(ReadSamples(compacted_)->samples, ElementsAreArray(written));
  EXPECT_TRUE(fs::is_empty(spool_));
}

TEST_F(Samples, WithoutSpoolsNothingIsWritten) {
  ASSERT_TRUE(CompactSamples(spool_, compacted_).ok());
  EXPECT_FALSE(fs::exists(compacted_));
}

TEST_F(Samples, SpoolsOfRequestsAreLeftAlone) {
  { ASSERT_TRUE(SpoolWriter::Open(spool_, "duckdb.local.8MiB.tpcds.0").ok()); }
  Spool(0, 1, 2);
  ASSERT_TRUE(CompactSamples(spool_, compacted_).ok());
  EXPECT_TRUE(fs::exists(spool_ + "/duckdb.local.8MiB.tpcds.0.arrows"));
}

TEST_F(Samples, AFileOfSomethingElseIsRefused) {
  {
    auto writer = SpoolWriter::Open(spool_, "c");
    ASSERT_TRUE(writer.ok());
    RequestLog log;
    Request request;
    request.key = log.KeyId("t/0.parquet");
    ASSERT_TRUE((*writer)->Append({request}, log).ok());
  }
  const auto read = ReadSampleSpool(spool_ + "/c.arrows");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(read.error().message, HasSubstr("c.arrows"));
}

}  // namespace
}  // namespace lakegauge::record
