#pragma once
// A test's own run folder, written from a FixtureRun or by hand, and its analysis.
//
// Owns: the folder, deleted at the end of the test. Errors: failures of the test.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>

#include "analyze/analyze.h"
#include "analyze/testing/run_fixture.h"
#include "base/json.h"

namespace lakegauge::analyze {

class AnalyzedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() /
           (std::string("lakegauge-analyze-") +
            ::testing::UnitTest::GetInstance()->current_test_info()->name() + "-" +
            std::to_string(getpid()));
    std::filesystem::remove_all(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  Json AnalyzeRun(const testing::FixtureRun& run) {
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

  std::filesystem::path dir_;
};

}  // namespace lakegauge::analyze
