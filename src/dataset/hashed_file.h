#pragma once
// Files and their two hashes: XXH3-128 (fast) and SHA-256 (cryptographic), computed while writing,
// or by reading what lies there.
//
// Threads: one object, one thread at a time. Errors: errno with the path; a full disk is
// kOutOfSpace.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lakegauge::dataset {

struct FileHashes {
  int64_t size = 0;
  std::string xxh3;    // 32 hex digits
  std::string sha256;  // 64 hex digits
};

// Both hashes of a stream of bytes.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  void Update(std::string_view bytes);
  FileHashes Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes a new file (parents are made) through a buffer, hashing on the way.
class HashedFile {
 public:
  static Result<std::unique_ptr<HashedFile>> Create(const std::string& path);
  ~HashedFile();  // closes; the file stays
  Status Append(std::string_view bytes);
  int64_t size() const { return size_; }
  // Writes out what is buffered, closes, and tells the hashes.
  Result<FileHashes> Finish();

 private:
  HashedFile(std::string path, int fd);
  Status Flush();
  std::string path_;
  int fd_;
  int64_t size_ = 0;
  std::string buffer_;
  Hasher hasher_;
};

// Hands a file's bytes to `take`, piece after piece.
Status ReadThrough(const std::string& path, const std::function<Status(std::string_view)>& take);

// Hashes of a file's bytes as they are on disk.
Result<FileHashes> HashFile(const std::string& path);

}  // namespace lakegauge::dataset
