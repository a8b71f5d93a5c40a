#include "analyze/analyze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analyze/table_sql.h"
#include "analyze/testing/mini_run.h"
#include "base/files.h"
#include "sql/sql.h"

namespace lakegauge::analyze {
namespace {

namespace fs = std::filesystem;
using record::ExecutionStatus;
using testing::FixtureExecution;
using testing::FixtureOutcome;
using testing::FixtureRun;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kTestData = std::string(LAKEGAUGE_SOURCE_DIR) + "/src/analyze/testdata";

class AnalyzeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() /
           (std::string("lakegauge-analyze-") +
            ::testing::UnitTest::GetInstance()->current_test_info()->name() + "-" +
            std::to_string(getpid()));
    fs::remove_all(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  Json AnalyzeRun(const FixtureRun& run) {
    const auto written = WriteFixture(run, dir_.string());
    EXPECT_TRUE(written.ok()) << written.error().message;
    return AnalyzeDir();
  }
  Json AnalyzeDir() {
    const auto summary = Analyze(dir_.string());
    EXPECT_TRUE(summary.ok()) << summary.error().message;
    return summary.ok() ? Json(summary->json) : Json();
  }
  static Json Find(const Json& list,
                   std::initializer_list<std::pair<const char*, std::string>> by) {
    for (const Json& item : list) {
      bool all = true;
      for (const auto& [key, value] : by) all = all && item.at(key) == value;
      if (all) return item;
    }
    ADD_FAILURE() << "not found";
    return {};
  }
  static Json Light(const Json& summary, const char* id) {
    return Find(summary["trust"], {{"id", id}});
  }
  static std::string Notes(const Json& summary) {
    std::string all;
    for (const Json& note : summary["headline"]["notes"]) all += note.get<std::string>() + "\n";
    return all;
  }

  fs::path dir_;
};

TEST_F(AnalyzeTest, Print) {
  const Json s = AnalyzeRun(testing::MiniRun());
  Json t = s;
  t.erase("sql");
  std::puts(t.dump(1).c_str());
}

}  // namespace
}  // namespace lakegauge::analyze
