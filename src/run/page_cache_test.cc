#include "run/page_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

class PageCacheTest : public testing::Test {
 protected:
  std::string Write(const std::string& name) {
    const std::string path = home_.path() + "/" + name;
    EXPECT_TRUE(WriteFileAtomically(path, std::string(1 << 20, 'x')).ok());
    return path;
  }
  TemporaryFolder home_;
};

TEST_F(PageCacheTest, AFileJustReadIsSeenAndThenDropped) {
  const std::string path = Write("a");
  PageCache cache(false);
  if (const auto calibrated = cache.Calibrate(path); !calibrated.ok()) {
    GTEST_SKIP() << calibrated.error().message;
  }
  ASSERT_TRUE(ReadFile(path).ok());
  EXPECT_GT(*ResidentPages(path), 0);
  const auto proof = cache.DropAndProve({path, Write("b")});
  ASSERT_TRUE(proof.ok()) << proof.error().message;
  EXPECT_TRUE(proof->cold);
  EXPECT_EQ(*ResidentPages(path), 0);
}

TEST_F(PageCacheTest, NothingIsColdWithoutACalibration) {
  const std::string path = Write("a");
  const auto proof = PageCache(false).DropAndProve({path});
  ASSERT_TRUE(proof.ok());
  EXPECT_FALSE(proof->cold);
}

TEST_F(PageCacheTest, AMissingFileIsAnError) {
  PageCache cache(false);
  EXPECT_FALSE(cache.Calibrate(home_.path() + "/none").ok());
  EXPECT_FALSE(cache.DropAndProve({home_.path() + "/none"}).ok());
}

}  // namespace
}  // namespace lakegauge::run
