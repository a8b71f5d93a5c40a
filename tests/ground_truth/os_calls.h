#pragma once
// What the operating system saw of a program's reads of data files, as one of two witnesses wrote
// it down: read_watch.c, preloaded, or strace.
//
// Errors: a line that cannot be read is one, with the line.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lakegauge::ground_truth {

struct OsCall {
  std::string call;  // pread, read, readv, preadv, mmap, sendfile, open, opendir, ...
  int32_t thread = 0;
  int64_t offset = -1;  // -1: the witness does not know it
  int64_t asked = 0;    // bytes; of mmap the length
  int64_t got = 0;      // bytes; of mmap the protection; below 0: refused
  std::string path;
  std::string Text() const;
  // Brings bytes of a file into the program.
  bool IsRead() const;
  // A mapping through which bytes can be read without any further call.
  bool IsReadableMap() const;
};

// Each thread's calls are in its order.
Result<std::vector<OsCall>> ReadWatchLog(const std::string& path);
// The files strace -ff -o PREFIX -y wrote, one a thread; calls on files below `root` alone.
Result<std::vector<OsCall>> ReadStrace(const std::string& prefix, const std::string& root);

}  // namespace lakegauge::ground_truth
