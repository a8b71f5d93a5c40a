#include "run/page_cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace lakegauge::run {
namespace {

constexpr size_t kProbeBytes = size_t{256} * 1024;

class File {
 public:
  explicit File(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

Result<int64_t> ResidentPagesOf(int fd, const std::string& path) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return ErrnoError(path, errno);
  if (info.st_size == 0) return 0;
  const auto size = static_cast<size_t>(info.st_size);
  void* map = mmap(nullptr, size, PROT_NONE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return ErrnoError(path, errno);
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size + page - 1) / page);
  const int failed = mincore(map, size, pages.data()) == 0 ? 0 : errno;
  munmap(map, size);
  if (failed != 0) return ErrnoError(path, failed);
  return std::count_if(pages.begin(), pages.end(), [](unsigned char p) { return (p & 1) != 0; });
}

Status Drop(int fd, const std::string& path) {
  const int failed = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  if (failed != 0) return ErrnoError(path, failed);
  return {};
}

void DropAllCaches() {
  const int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  // A machine that refuses is seen by the proof that follows.
  [[maybe_unused]] const ssize_t written = write(fd, "1\n", 2);
  close(fd);
}

}  // namespace

Result<int64_t> ResidentPages(const std::string& path) {
  const File file(path);
  if (file.fd() < 0) return ErrnoError(path, errno);
  return ResidentPagesOf(file.fd(), path);
}

Status PageCache::Calibrate(const std::string& path) {
  trusted_ = false;
  const File file(path);
  if (file.fd() < 0) return ErrnoError(path, errno);
  std::vector<char> block(kProbeBytes);
  if (pread(file.fd(), block.data(), block.size(), 0) <= 0) return ErrnoError(path, errno);
  LG_ASSIGN_OR_RETURN(const int64_t read, ResidentPagesOf(file.fd(), path));
  if (read == 0) {
    return MakeError(ErrorCode::kUnsupported,
                     "pages just read are not seen in the page cache: " + path);
  }
  fdatasync(file.fd());  // written a moment ago and still dirty: only clean pages can be dropped
  LG_RETURN_IF_ERROR(Drop(file.fd(), path));
  LG_ASSIGN_OR_RETURN(const int64_t left, ResidentPagesOf(file.fd(), path));
  if (left > 0) {
    return MakeError(ErrorCode::kUnsupported,
                     "the page cache keeps pages it is asked to drop: " + path);
  }
  trusted_ = true;
  return {};
}

Result<CacheProof> PageCache::DropAndProve(const std::vector<std::string>& files) const {
  constexpr int kTries = 3;
  CacheProof proof;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (attempt == 1 && drop_all_) DropAllCaches();
    proof = {};
    for (const std::string& path : files) {
      const File file(path);
      if (file.fd() < 0) return ErrnoError(path, errno);
      LG_RETURN_IF_ERROR(Drop(file.fd(), path));
      LG_ASSIGN_OR_RETURN(const int64_t pages, ResidentPagesOf(file.fd(), path));
      if (pages > 0 && proof.resident_pages == 0) proof.first_resident = path;
      proof.resident_pages += pages;
    }
    if (proof.resident_pages == 0) break;
    // Written a moment ago and still dirty: only clean pages can be dropped.
    for (const std::string& path : files) {
      const File file(path);
      if (file.fd() >= 0) fdatasync(file.fd());
    }
  }
  proof.cold = trusted_ && proof.resident_pages == 0;
  return proof;
}

}  // namespace lakegauge::run
