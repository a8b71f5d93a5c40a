#include "record/annotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/files.h"

namespace lakegauge::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;

constexpr int64_t kUtcNs = 1'767'225'600'000'000'000;  // 2026-01-01T00:00:00Z

class AnnotationsFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  void Mark(int64_t execution, const std::string& reason) {
    const auto done = AppendAnnotations(path_, {{0, execution, true, reason, ""}}, kUtcNs);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  void Add(const std::string& text) {
    std::ofstream(path_, std::ios::app | std::ios::binary) << text;
  }
  const std::string dir_ = ::testing::TempDir() + "lg_annotations." + std::to_string(getpid());
  const std::string path_ = dir_ + "/annotations.jsonl";
};

TEST_F(AnnotationsFile, NoFileIsNoAnnotations) {
  const auto read = ReadAnnotations(path_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->all.empty());
  EXPECT_FALSE(read->truncated_tail);
}

TEST_F(AnnotationsFile, ReadsBackWhatWasWrittenInOrder) {
  Mark(7, "backup ran");
  const auto added = AppendAnnotations(
      path_, {{0, 8, true, "two\nlines \"quoted\" \xC3\xA9", ""}, {0, 9, true, "x", ""}}, kUtcNs);
  ASSERT_TRUE(added.ok());
  EXPECT_EQ(added->back().id, 2);
  const auto read = ReadAnnotations(path_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->all.size(), 3u);
  EXPECT_EQ(read->all[0].reason, "backup ran");
  EXPECT_EQ(read->all[0].at_utc, "2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(read->all[1].reason, "two\nlines \"quoted\" \xC3\xA9");
  EXPECT_EQ(read->all[2].execution, 9);
}

TEST_F(AnnotationsFile, TheLastWordOnAnExecutionCounts) {
  Mark(7, "backup ran");
  Mark(8, "network fault");
  Mark(7, "disk scrub");
  ASSERT_TRUE(AppendAnnotations(path_, {{0, 8, false, "", ""}}, kUtcNs).ok());
  const auto read = ReadAnnotations(path_);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->all.size(), 4u) << "nothing is ever taken out";
  EXPECT_THAT(read->Invalid(), ElementsAre(Key(7)));
  EXPECT_EQ(read->Invalid().at(7).reason, "disk scrub");
}

TEST_F(AnnotationsFile, ATornLastLineIsDroppedAndCutBeforeTheNext) {
  Mark(1, "a");
  Add(R"({"v":1,"type":"invalid","annotation":1,"execution":2,"rea)");
  auto read = ReadAnnotations(path_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->truncated_tail);
  EXPECT_EQ(read->all.size(), 1u);
  Mark(3, "b");
  read = ReadAnnotations(path_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read->truncated_tail);
  EXPECT_THAT(read->Invalid(), ElementsAre(Key(1), Key(3)));
}

TEST_F(AnnotationsFile, AnyOtherBadLineIsNamed) {
  Mark(1, "a");
  Add("{\"v\":1,\"type\":\"inv<<\n");
  Add("{\"v\":1}\n");
  const auto read = ReadAnnotations(path_);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(read.error().message, HasSubstr(path_ + ":2: "));
  EXPECT_FALSE(AppendAnnotations(path_, {{0, 2, true, "b", ""}}, kUtcNs).ok())
      << "a damaged file is not added to";
}

TEST(Annotations, SaysWhatIsWrongWithALine) {
  const auto problem = [](const std::string& line) {
    const auto read = ParseAnnotations(line + "\n", "f");
    return read.ok() ? "ok" : read.error().message;
  };
  EXPECT_EQ(problem(R"({"v":1,"type":"valid","annotation":0,"execution":1})"), "ok");
  EXPECT_EQ(problem("[]"), "f:1: no JSON object");
  EXPECT_EQ(problem(R"({"type":"valid"})"), "f:1: 'v' is missing");
  EXPECT_EQ(problem(R"({"v":2})"), "f:1: version 2; this lakegauge reads up to 1");
  EXPECT_EQ(problem(R"({"v":1,"type":"odd"})"), "f:1: 'type' is 'odd'; allowed invalid, valid");
  EXPECT_EQ(problem(R"({"v":1,"type":"valid","annotation":0,"execution":-1})"),
            "f:1: 'execution' is no integer from 0");
  EXPECT_EQ(problem(R"({"v":1,"type":"valid","annotation":0,"execution":"1"})"),
            "f:1: 'execution' is no integer from 0");
  EXPECT_EQ(problem(R"({"v":1,"type":"invalid","annotation":0,"execution":1})"),
            "f:1: an invalid execution without a 'reason'");
  const std::string twice = R"({"v":1,"type":"valid","annotation":0,"execution":1})";
  EXPECT_EQ(ParseAnnotations(twice + "\n" + twice + "\n", "f").error().message,
            "f:2: annotation 0 stands after 0");
}

TEST_F(AnnotationsFile, AReasonIsAskedForAndNeedNotBeUtf8) {
  EXPECT_EQ(AppendAnnotations(path_, {{0, 1, true, "", ""}}, kUtcNs).error().code,
            ErrorCode::kInvalidArgument);
  Mark(1, "caf\xE9");
  const auto read = ReadAnnotations(path_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->all[0].reason, "caf\xEF\xBF\xBD");
}

TEST_F(AnnotationsFile, WritersAtOnceLoseNothing) {
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 10; ++i) Mark(w * 10 + i, "r");
    });
  }
  for (auto& writer : writers) writer.join();
  const auto read = ReadAnnotations(path_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->Invalid().size(), 40u);
}

TEST_F(AnnotationsFile, AFolderThatCannotBeWrittenIsAnError) {
  const auto done = AppendAnnotations(dir_ + "/none/annotations.jsonl", {{0, 1, true, "r", ""}}, 0);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(ReadAnnotations(dir_).ok()) << "a folder of that name is no file";
}

}  // namespace
}  // namespace lakegauge::record
