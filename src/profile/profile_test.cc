#include "profile/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"

namespace lakegauge::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Profile, BuiltInOnesAllLoadAndNameTheirSource) {
  EXPECT_THAT(BuiltInNames(), ElementsAre("local", "fast-object-store", "s3-express", "s3-standard",
                                          "slow-object-store"));
  for (const auto& name : BuiltInNames()) {
    const auto profile = LoadProfile(name);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_EQ(profile->name, name);
    EXPECT_FALSE(profile->source.empty());
    EXPECT_THAT(profile->ToText(), HasSubstr(name));
  }
  EXPECT_TRUE(LoadProfile("local")->is_off());
  EXPECT_FALSE(LoadProfile("s3-express")->is_off());
}

// The studies' means are of completed GETs: first byte and transfer together.
TEST(Profile, S3ProfilesHaveTheStudysMeanCompletedGetAtTheirStatedSize) {
  for (const auto& [name, mean_ms] : {std::pair("s3-express", 7), std::pair("s3-standard", 121)}) {
    const auto profile = LoadProfile(name);
    ASSERT_TRUE(profile.ok());
    EXPECT_EQ(profile->typical_get_bytes, 128 * kKiB);
    EXPECT_NEAR(profile->MeanCompletedGetNs(128 * kKiB), mean_ms * 1e6, 1) << name;
    EXPECT_NEAR(profile->latency(Operation::kGet).mean_ns(),
                mean_ms * 1e6 - 128 * 1024 / 90e6 * 1e9, 1);
  }
}

// 72 worker cores there against 2 here makes 82 and 16 MB/s.
TEST(Profile, ScalingToCoresShrinksTotalsAndSaysSo) {
  const auto fast = LoadProfile("fast-object-store")->ScaledToCores(2);
  const auto slow = LoadProfile("slow-object-store")->ScaledToCores(2);
  ASSERT_TRUE(fast.ok() && slow.ok());
  EXPECT_NEAR(fast->total_bytes_per_s, 82.5e6, 1);
  EXPECT_NEAR(slow->total_bytes_per_s, 15.5556e6, 100);
  EXPECT_EQ(fast->scaling, "scaled from 72 cores to 2: total bandwidth 2.97 GB/s to 82.5 MB/s");
  EXPECT_EQ(fast->latency(Operation::kGet).mean_ns(), 5e6);
  EXPECT_THAT(LoadProfile("s3-express")->ScaledToCores(2).error().message,
              HasSubstr("does not say of_cores"));
}

TEST(Profile, AnOperationThatIsNotListedTakesAsLongAsGet) {
  const auto profile = ParseProfile(
      "{name: x, description: d, source: s, first_byte: {GET: 7ms, LIST: 30ms}}", "x.yaml");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->latency(Operation::kHead).mean_ns(), 7e6);
  EXPECT_EQ(profile->latency(Operation::kList).mean_ns(), 30e6);
}

TEST(Profile, ReadsEveryKey) {
  const auto profile = ParseProfile(R"(
name: mine
description: d
source: s
first_byte: {GET: {p50: 7ms, p99: 28ms}}
bandwidth: {stream: 50MB/s, total: 1GB/s}
rate: {reads_per_s: 10, writes_per_s: 5, burst: 3}
error_rate: 0.01
retry: {attempts: 4, base: 50ms, factor: 3, max: 1s, jitter: true}
of_cores: 16
)",
                                    "mine.yaml");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->stream_bytes_per_s, 5e7);
  EXPECT_EQ(profile->total_bytes_per_s, 1e9);
  EXPECT_EQ(profile->reads_per_s, 10);
  EXPECT_EQ(profile->rate_burst, 3);
  EXPECT_EQ(profile->error_rate, 0.01);
  EXPECT_EQ(profile->retry.attempts, 4);
  EXPECT_EQ(profile->of_cores, 16);
  const auto again = Profile::FromJson(*ParseJson(profile->ToJson().dump()));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->ToJson(), profile->ToJson());
}

TEST(Profile, ProblemsAreAllReportedWithTheirPlace) {
  const auto profile = ParseProfile(
      "name: x\n"
      "descripton: d\n"
      "source: s\n"
      "first_byte: {GET: {mean_completed: 1ms, at: 1MiB, p99_over_p50: 4}}\n"
      "bandwidth: {stream: 90MB/s}\n"
      "retry: aws\n",
      "bad.yaml");
  ASSERT_FALSE(profile.ok());
  const std::string& message = profile.error().message;
  EXPECT_THAT(message, HasSubstr("bad.yaml:1:1: found a map without the key 'description'"));
  EXPECT_THAT(message, HasSubstr("bad.yaml:2:1: found key 'descripton'"));
  EXPECT_THAT(message, HasSubstr("did you mean 'description'?"));
  EXPECT_THAT(message, HasSubstr("more than the transfer alone takes, 11.7 ms"));
  EXPECT_THAT(
      message,
      HasSubstr("bad.yaml:6:8: found 'aws'; allowed none, aws-sdk-standard, duckdb-httpfs"));
}

TEST(Profile, AMisspeltNameGetsTheNearest) {
  EXPECT_THAT(LoadProfile("s3-standart").error().message, HasSubstr("did you mean 's3-standard'?"));
  EXPECT_EQ(LoadProfile("nope/x.yaml").error().code, ErrorCode::kNotFound);
  const std::string path =
      ::testing::TempDir() + "lg_profile." + std::to_string(getpid()) + "/mine.yaml";
  ASSERT_TRUE(WriteFileAtomically(path, "{name: m, description: d, source: s}").ok());
  EXPECT_EQ(LoadProfile(path)->name, "m");
}

TEST(RetryPolicy, WaitsGrowUpToTheirMost) {
  const auto& named = NamedRetryPolicies();
  const RetryPolicy& aws = named[1];
  EXPECT_EQ(aws.WaitNs(1, 0.5), kNsPerS / 2);
  EXPECT_EQ(aws.WaitNs(2, 0.5), kNsPerS);
  EXPECT_EQ(aws.WaitNs(9, 0.5), 10 * kNsPerS);
  const RetryPolicy& httpfs = named[2];
  EXPECT_EQ(httpfs.WaitNs(1, 0.1), 100 * kNsPerMs);
  EXPECT_EQ(httpfs.WaitNs(3, 0.1), 1600 * kNsPerMs);
}

TEST(Profile, ItsReaderDescribesItself) {
  const Json schema = DescribeYaml([](YamlNode root) { Profile::Read(root); });
  EXPECT_EQ(schema["required"], Json({"name", "description", "source"}));
  EXPECT_TRUE(schema["properties"]["first_byte"]["properties"].contains("DELETE"));
}

}  // namespace
}  // namespace lakegauge::profile
