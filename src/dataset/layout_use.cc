#include "dataset/layout_use.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

namespace lakegauge::dataset {

Result<LayoutUse> LayoutUse::Lock(const std::string& layout_dir, int how) {
  const int fd = open(layout_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(layout_dir, errno);
  LayoutUse use(fd);
  if (flock(fd, how | LOCK_NB) == 0) return use;
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

LayoutUse::LayoutUse(LayoutUse&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

LayoutUse& LayoutUse::operator=(LayoutUse&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

LayoutUse::~LayoutUse() {
  if (fd_ >= 0) close(fd_);
}

std::string ShortLayoutName(const std::string& layout_dir) {
  const std::filesystem::path path(layout_dir);
  return (path.parent_path().filename() / path.filename()).string();
}

}  // namespace lakegauge::dataset
