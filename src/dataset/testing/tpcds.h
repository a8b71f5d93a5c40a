#pragma once
// What the tests of this room share: short ways to say a dataset and a layout, and a fixture with
// the base of TPC-DS at a hundredth (4 MB, half a second to make), which all tests of one suite
// share.

#include <gtest/gtest.h>

#include <string>

#include "base/testing/temporary_folder.h"
#include "dataset/dataset.h"

namespace lakegauge::dataset {

inline constexpr double kScale = 0.01;

DatasetSpec Tpcds(double scale = kScale);
LayoutSpec Layout(int64_t target, const std::string& format = "parquet",
                  const std::string& compression = "snappy");
std::string Describe(const Error& e);

#define ASSERT_OK(result) \
  ASSERT_TRUE((result).ok()) << ::lakegauge::dataset::Describe((result).error())

class Tpcds001 : public testing::Test {
 public:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  // A data folder of its own that already has the base.
  void SetUp() override;
  std::string DatasetDir() const { return own_.path() + "/" + Tpcds().Name(); }
  std::string Dir(const LayoutSpec& layout) const {
    return LayoutDir(own_.path(), Tpcds(), layout);
  }
  Result<Manifest> Prepare(const LayoutSpec& layout);

 protected:
  TemporaryFolder own_;
  PrepareOptions options_;

 private:
  static TemporaryFolder* shared_;
};

}  // namespace lakegauge::dataset
