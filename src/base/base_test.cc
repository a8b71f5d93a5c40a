#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_problem.h"
#include "base/result.h"
#include "base/testing/temporary_folder.h"
#include "base/units.h"

namespace lakegauge {
namespace {

TEST(Units, SizesAreBinaryOrDecimalAsWritten) {
  EXPECT_EQ(*ParseBytes("8MiB"), 8 * kMiB);
  EXPECT_EQ(*ParseBytes(" 512 kib "), 512 * kKiB);
  EXPECT_EQ(*ParseBytes("1.5GB"), 1'500'000'000);
  EXPECT_EQ(*ParseBytes("100"), 100);
  EXPECT_EQ(*ParseBytes("128M"), 128 * kMiB);
}

TEST(Units, WhatIsNotASizeSaysWhatIsAllowed) {
  for (const char* bad : {"", "MiB", "8 parsecs", "-1MiB", "1e30GB", "nan", "8MiB8"}) {
    const auto parsed = ParseBytes(bad);
    ASSERT_FALSE(parsed.ok()) << bad;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(parsed.error().message.find("8MiB"), std::string::npos);
  }
}

TEST(Units, SizesPrintShort) {
  EXPECT_EQ(FormatBytes(8 * kMiB), "8 MiB");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(17), "17 B");
}

TEST(Units, Durations) {
  EXPECT_EQ(*ParseDuration("7ms"), 7 * kNsPerMs);
  EXPECT_EQ(*ParseDuration("1.5 s"), 1'500'000'000);
  EXPECT_EQ(*ParseDuration("2min"), 120 * kNsPerS);
  EXPECT_FALSE(ParseDuration("7").ok());
  EXPECT_EQ(FormatDuration(7 * kNsPerMs), "7.00 ms");
  EXPECT_EQ(FormatDuration(125 * kNsPerS), "2 min 5 s");
  EXPECT_EQ(FormatDuration(3 * 3600 * kNsPerS), "3 h 0 min");
}

TEST(Units, BandwidthAndCounts) {
  EXPECT_DOUBLE_EQ(*ParseBandwidth("100MB/s"), 1e8);
  EXPECT_FALSE(ParseBandwidth("fast").ok());
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatCount(-123), "-123");
}

TEST(FakeClock, WaitingMovesItToTheDeadline) {
  FakeClock clock;
  const int64_t start = clock.NowNs();
  EXPECT_TRUE(clock.WaitUntil(start + 5));
  EXPECT_EQ(clock.NowNs(), start + 5);
  EXPECT_TRUE(clock.WaitUntil(start));
  EXPECT_EQ(clock.NowNs(), start + 5);
}

TEST(FakeClock, AStoppedWaitSaysSo) {
  FakeClock clock;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(clock.WaitUntil(clock.NowNs() + 5, stop.get_token()));
}

TEST(Clock, UtcIsPrintedWithMicroseconds) {
  EXPECT_EQ(FormatUtc(1'700'000'000'123'456'789), "2023-11-14T22:13:20.123456Z");
}

TEST(Files, AnAtomicWriteReplacesTheWholeFile) {
  const std::string dir = testing::TempDir() + "lg_files." + std::to_string(getpid());
  std::filesystem::remove_all(dir);
  const std::string path = dir + "/a/b.txt";
  ASSERT_TRUE(WriteFileAtomically(path, "one").ok());
  ASSERT_TRUE(WriteFileAtomically(path, "two").ok());
  EXPECT_EQ(*ReadFile(path), "two");
  EXPECT_EQ(ReadFile(dir + "/none").error().code, ErrorCode::kNotFound);
}

TEST(Json, AFileThatHoldsNoObjectIsNamed) {
  const TemporaryFolder home;
  const std::string path = home.path() + "/a.json";
  for (const auto& [text, why] : {std::pair("", "is empty"), std::pair("[]", "no JSON object"),
                                  std::pair("null", "no JSON object"), std::pair("{", "at byte")}) {
    ASSERT_TRUE(WriteFileAtomically(path, text).ok());
    const auto json = ReadJsonFile(path);
    ASSERT_FALSE(json.ok()) << text;
    EXPECT_EQ(json.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(json.error().message,
                testing::AllOf(testing::HasSubstr(path), testing::HasSubstr(why)));
  }
}

TEST(Json, ANumberThatATypeCannotHoldIsNone) {
  const Json json =
      *ParseJson(R"({"huge": 1.8e44, "least": -1e300, "half": 2.5, "int": 2147483647.0})");
  EXPECT_EQ(JsonOr<int64_t>(json, "huge", 7), 7);
  EXPECT_EQ(JsonOr<int64_t>(json, "least", 7), 7);
  EXPECT_EQ(JsonOr<int64_t>(json, "half", 7), 2);
  EXPECT_EQ(JsonOr<int>(json, "int", 7), 2147483647);
  EXPECT_EQ(JsonOr<double>(json, "huge", 7), 1.8e44);
}

TEST(Json, ParseErrorsNameThePlace) {
  EXPECT_EQ(ParseJson("{\"a\": }").error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(JsonOr<int>(*ParseJson("{\"a\": 3}"), "a", 0), 3);
  EXPECT_EQ(JsonOr<int>(*ParseJson("{\"a\": \"x\"}"), "a", 7), 7);
  try {
    (void)Json::object().at("run");
    FAIL() << "a key that is not there";
  } catch (const Json::exception& e) {
    EXPECT_EQ(JsonProblem(e), "key 'run' not found");
  }
}

TEST(Result, ErrnoKeepsItsNumber) {
  const Error e = ErrnoError("x", ENOSPC);
  EXPECT_EQ(e.code, ErrorCode::kOutOfSpace);
  EXPECT_EQ(e.os_errno, ENOSPC);
}

}  // namespace
}  // namespace lakegauge
