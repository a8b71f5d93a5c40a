#include "dataset/hashed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gcrypt.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <filesystem>

#include "base/files.h"

namespace lakegauge::dataset {
namespace {

constexpr size_t kBufferBytes = 1 << 20;

void InitGcrypt() {
  static const bool done = [] {
    gcry_check_version(nullptr);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return true;
  }();
  (void)done;
}

std::string Hex(const unsigned char* bytes, size_t n) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < n; ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  return out;
}

}  // namespace

struct Hasher::Impl {
  XXH3_state_t* xxh3 = XXH3_createState();
  gcry_md_hd_t sha256 = nullptr;
  int64_t size = 0;
  Impl() {
    InitGcrypt();
    XXH3_128bits_reset(xxh3);
    gcry_md_open(&sha256, GCRY_MD_SHA256, 0);
  }
  ~Impl() {
    XXH3_freeState(xxh3);
    gcry_md_close(sha256);
  }
};

Hasher::Hasher() : impl_(std::make_unique<Impl>()) {}
Hasher::~Hasher() = default;

void Hasher::Update(std::string_view bytes) {
  XXH3_128bits_update(impl_->xxh3, bytes.data(), bytes.size());
  gcry_md_write(impl_->sha256, bytes.data(), bytes.size());
  impl_->size += static_cast<int64_t>(bytes.size());
}

FileHashes Hasher::Finish() {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(impl_->xxh3));
  FileHashes out;
  out.size = impl_->size;
  out.xxh3 = Hex(canonical.digest, sizeof canonical.digest);
  out.sha256 = Hex(gcry_md_read(impl_->sha256, GCRY_MD_SHA256), 32);
  return out;
}

HashedFile::HashedFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {
  buffer_.reserve(kBufferBytes);
}

HashedFile::~HashedFile() {
  if (fd_ >= 0) close(fd_);
}

Result<std::unique_ptr<HashedFile>> HashedFile::Create(const std::string& path) {
  LG_RETURN_IF_ERROR(MakeDirs(std::filesystem::path(path).parent_path().string()));
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return ErrnoError(path, errno);
  return std::unique_ptr<HashedFile>(new HashedFile(path, fd));
}

Status HashedFile::Append(std::string_view bytes) {
  size_ += static_cast<int64_t>(bytes.size());
  while (!bytes.empty()) {
    const size_t n = std::min(bytes.size(), kBufferBytes - buffer_.size());
    buffer_.append(bytes.substr(0, n));
    bytes.remove_prefix(n);
    if (buffer_.size() == kBufferBytes) LG_RETURN_IF_ERROR(Flush());
  }
  return {};
}

Status HashedFile::Flush() {
  hasher_.Update(buffer_);
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t n = write(fd_, rest.data(), rest.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return ErrnoError(path_, errno);
    }
    rest.remove_prefix(static_cast<size_t>(n));
  }
  buffer_.clear();
  return {};
}

Result<FileHashes> HashedFile::Finish() {
  LG_RETURN_IF_ERROR(Flush());
  const int closed = close(fd_);
  fd_ = -1;
  if (closed != 0) return ErrnoError(path_, errno);
  return hasher_.Finish();
}

Status ReadThrough(const std::string& path, const std::function<Status(std::string_view)>& take) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(path, errno);
  std::string buffer(kBufferBytes, '\0');
  Status status;
  while (status.ok()) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    status =
        n < 0 ? Status(ErrnoError(path, errno)) : take({buffer.data(), static_cast<size_t>(n)});
  }
  close(fd);
  return status;
}

Result<FileHashes> HashFile(const std::string& path) {
  Hasher hasher;
  LG_RETURN_IF_ERROR(ReadThrough(path, [&](std::string_view piece) -> Status {
    hasher.Update(piece);
    return {};
  }));
  return hasher.Finish();
}

}  // namespace lakegauge::dataset
