// What lies on disk, and not only in the page cache, when a manifest says that a layout is whole.
// The two system calls that decide it are overridden for this test program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "base/units.h"
#include "dataset/dataset.h"
#include "dataset/testing/tpcds.h"

namespace {

namespace fs = std::filesystem;
using Sizes = std::map<std::string, int64_t>;  // by path below the folder that is watched

std::string watched;          // empty: nothing is
Sizes synced;                 // what lay in it at the last sync of its file system
std::vector<Sizes> promised;  // what was synced whenever a manifest came on disk

Sizes SizesBelow(const std::string& folder) {
  Sizes sizes;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    sizes[entry.path().lexically_relative(folder).string()] =
        static_cast<int64_t>(entry.file_size());
  }
  return sizes;
}

}  // namespace

extern "C" int syncfs(int fd) noexcept {
  if (!watched.empty()) synced = SizesBelow(watched);
  return static_cast<int>(syscall(SYS_syncfs, fd));
}

extern "C" int fsync(int fd) {
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  std::error_code failed;
  const std::string path = fs::read_symlink(link, failed).string();
  if (!watched.empty() && path.starts_with(watched) &&
      path.find("/manifest.json") != std::string::npos) {
    promised.push_back(synced);
  }
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace lakegauge::dataset {
namespace {

TEST_F(Tpcds001, EveryFileIsOnDiskBeforeAManifestNamesIt) {
  const std::vector<LayoutSpec> layouts = {Layout(256 * kKiB), Layout(0, "orc")};
  watched = DatasetDir();
  const auto made = PrepareLayouts(Tpcds(), layouts, options_);
  watched.clear();
  ASSERT_OK(made);
  ASSERT_EQ(promised.size(), layouts.size());
  for (size_t i = 0; i < layouts.size(); ++i) {
    for (const auto& file : (*made)[i].files) {
      const std::string path = layouts[i].Name() + ".tmp/" + file.key;
      ASSERT_EQ(promised[i].count(path), 1u) << path;
      EXPECT_EQ(promised[i].at(path), file.size) << path;
    }
  }
}

}  // namespace
}  // namespace lakegauge::dataset
