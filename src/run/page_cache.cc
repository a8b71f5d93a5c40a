#include "run/page_cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <tuple>
#include <utility>

#include "base/descriptor.h"

namespace lakegauge::run {
namespace {

constexpr size_t kProbeBytes = size_t{256} * 1024;

Descriptor OpenToRead(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

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
  const Descriptor file(open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return;
  // A machine that refuses is seen by the proof that follows.
  [[maybe_unused]] const ssize_t written = write(file.get(), "1\n", 2);
}

void Count(const std::string& path, int64_t pages, CacheProof& proof) {
  if (pages > 0 && proof.resident_pages == 0) proof.first_resident = path;
  proof.resident_pages += pages;
  proof.resident_bytes += pages * sysconf(_SC_PAGESIZE);
}

// Of each file system the path of the largest file; empty files show nothing.
Result<std::vector<std::string>> LargestOfEachFileSystem(const std::vector<std::string>& files) {
  std::map<dev_t, std::pair<off_t, std::string>> largest;
  for (const std::string& path : files) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return ErrnoError(path, errno);
    auto& [size, name] = largest[info.st_dev];
    if (info.st_size > size) std::tie(size, name) = std::tie(info.st_size, path);
  }
  std::vector<std::string> paths;
  for (const auto& [device, file] : largest) {
    if (!file.second.empty()) paths.push_back(file.second);
  }
  return paths;
}

Status TryOn(const std::string& path) {
  const Descriptor file = OpenToRead(path);
  if (file.get() < 0) return ErrnoError(path, errno);
  std::vector<char> block(kProbeBytes);
  if (pread(file.get(), block.data(), block.size(), 0) < 0) return ErrnoError(path, errno);
  LG_ASSIGN_OR_RETURN(const int64_t read, ResidentPagesOf(file.get(), path));
  if (read == 0) {
    return MakeError(ErrorCode::kUnsupported,
                     "pages just read are not seen in the page cache: " + path);
  }
  fdatasync(file.get());  // written a moment ago and still dirty: only clean pages can be dropped
  LG_RETURN_IF_ERROR(Drop(file.get(), path));
  LG_ASSIGN_OR_RETURN(const int64_t left, ResidentPagesOf(file.get(), path));
  if (left > 0) {
    return MakeError(ErrorCode::kUnsupported,
                     "the page cache keeps pages it is asked to drop: " + path);
  }
  return {};
}

}  // namespace

Result<int64_t> ResidentPages(const std::string& path) {
  const Descriptor file = OpenToRead(path);
  if (file.get() < 0) return ErrnoError(path, errno);
  return ResidentPagesOf(file.get(), path);
}

Result<CacheProof> LookAtResidency(const std::vector<std::string>& files) {
  CacheProof seen;
  for (const std::string& path : files) {
    LG_ASSIGN_OR_RETURN(const int64_t pages, ResidentPages(path));
    Count(path, pages, seen);
  }
  return seen;
}

Status PageCache::Calibrate(const std::vector<std::string>& files) {
  trusted_ = false;
  LG_ASSIGN_OR_RETURN(const std::vector<std::string> probes, LargestOfEachFileSystem(files));
  if (probes.empty()) {
    return MakeError(ErrorCode::kUnsupported, "no data file holds anything that could be cached");
  }
  for (const std::string& probe : probes) LG_RETURN_IF_ERROR(TryOn(probe));
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
      const Descriptor file = OpenToRead(path);
      if (file.get() < 0) return ErrnoError(path, errno);
      LG_RETURN_IF_ERROR(Drop(file.get(), path));
      LG_ASSIGN_OR_RETURN(const int64_t pages, ResidentPagesOf(file.get(), path));
      Count(path, pages, proof);
    }
    if (proof.resident_pages == 0) break;
    // Written a moment ago and still dirty: only clean pages can be dropped.
    for (const std::string& path : files) {
      const Descriptor file = OpenToRead(path);
      if (file.get() >= 0) fdatasync(file.get());
    }
  }
  proof.cold = trusted_ && proof.resident_pages == 0;
  return proof;
}

}  // namespace lakegauge::run
