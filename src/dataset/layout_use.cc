#include "dataset/layout_use.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <utility>

namespace lakegauge::dataset {

Result<LayoutUse> LayoutUse::Lock(const std::string& layout_dir, int how) {
  Descriptor folder(open(layout_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return ErrnoError(layout_dir, errno);
  if (flock(folder.get(), how | LOCK_NB) == 0) return LayoutUse(std::move(folder));
  if (errno != EWOULDBLOCK) return ErrnoError(layout_dir, errno);
  return MakeError(ErrorCode::kUnavailable,
                   fmt::format("layout {} is in use by {}", ShortLayoutName(layout_dir),
                               how == LOCK_EX ? "a run that reads it" : "one who deletes it"));
}

Result<LayoutUse> LayoutUse::Read(const std::string& layout_dir) {
  return Lock(layout_dir, LOCK_SH);
}

Result<LayoutUse> LayoutUse::Alone(const std::string& layout_dir) {
  return Lock(layout_dir, LOCK_EX);
}

std::string ShortLayoutName(const std::string& layout_dir) {
  const std::filesystem::path path(layout_dir);
  return (path.parent_path().filename() / path.filename()).string();
}

}  // namespace lakegauge::dataset
