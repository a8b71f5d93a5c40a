#include "run/page_cache.h"

#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

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
  if (const auto calibrated = cache.Calibrate({path}); !calibrated.ok()) {
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
  EXPECT_FALSE(cache.Calibrate({home_.path() + "/none"}).ok());
  EXPECT_FALSE(cache.DropAndProve({home_.path() + "/none"}).ok());
}

// A file system that lives in memory has nothing to drop its pages to.
TEST(PageCache, WhatLiesInMemoryIsNeverCold) {
  struct statfs kind {};
  if (statfs("/dev/shm", &kind) != 0 || kind.f_type != TMPFS_MAGIC) {
    GTEST_SKIP() << "no tmpfs at /dev/shm";
  }
  const std::string path = "/dev/shm/lakegauge-page-cache-test-" + std::to_string(getpid());
  ASSERT_TRUE(WriteFileAtomically(path, std::string(1 << 20, 'x')).ok());
  PageCache cache(false);
  const auto calibrated = cache.Calibrate({path});
  EXPECT_FALSE(calibrated.ok());
  const auto proof = cache.DropAndProve({path});
  ASSERT_TRUE(proof.ok()) << proof.error().message;
  EXPECT_FALSE(proof->cold);
  EXPECT_EQ(proof->resident_bytes, 1 << 20);
  EXPECT_EQ(proof->first_resident, path);
  const auto seen = LookAtResidency({path});
  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(seen->resident_bytes, 1 << 20);
  unlink(path.c_str());
}

// Each file system is tried: one that cannot drop its pages is enough.
TEST_F(PageCacheTest, EveryFileSystemOfACellIsTried) {
  const std::string here = Write("a");
  const std::string there = "/dev/shm/lakegauge-page-cache-test-" + std::to_string(getpid());
  struct statfs kind {};
  PageCache cache(false);
  if (!cache.Calibrate({here}).ok() || statfs("/dev/shm", &kind) != 0 ||
      kind.f_type != TMPFS_MAGIC) {
    GTEST_SKIP() << "this needs a file system that drops its pages and a tmpfs";
  }
  ASSERT_TRUE(WriteFileAtomically(there, std::string(1 << 16, 'x')).ok());
  EXPECT_FALSE(cache.Calibrate({here, there}).ok());
  EXPECT_FALSE(cache.DropAndProve({here})->cold) << "what failed once is not trusted";
  unlink(there.c_str());
}

TEST_F(PageCacheTest, AnEmptyFileShowsNothing) {
  const std::string empty = home_.path() + "/empty";
  ASSERT_TRUE(WriteFileAtomically(empty, "").ok());
  PageCache cache(false);
  EXPECT_FALSE(cache.Calibrate({empty}).ok());
  EXPECT_FALSE(cache.DropAndProve({empty})->cold);
}

}  // namespace
}  // namespace lakegauge::run
