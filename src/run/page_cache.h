#pragma once
// The kernel's page cache over files: dropped, and proved dropped. A proof is only worth something
// where it can also come out the other way, so Calibrate first shows that a page just read is seen.
//
// Threads: independent calls. Errors: values with the path; what cannot be proved is not "cold".
// Source: posix_fadvise(2) POSIX_FADV_DONTNEED, mincore(2), proc(5) drop_caches.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lakegauge::run {

// Pages of a file that lie in memory.
Result<int64_t> ResidentPages(const std::string& path);

struct CacheProof {
  bool cold = false;  // no page of any file is resident, and the check can be trusted
  int64_t resident_pages = 0;
  int64_t resident_bytes = 0;  // the same in bytes
  std::string first_resident;  // a file that still had pages
};
// What of these files lies in memory now; nothing is dropped, and nothing is cold by it.
Result<CacheProof> LookAtResidency(const std::vector<std::string>& files);

class PageCache {
 public:
  // `drop_all` also writes to /proc/sys/vm/drop_caches when fadvise alone leaves pages.
  explicit PageCache(bool drop_all) : drop_all_(drop_all) {}

  // Whether residency can be seen and dropped, tried on one file (the largest) of each file system
  // that holds any of these, which is read from; error: why not, for the record.
  Status Calibrate(const std::vector<std::string>& files);
  // Drops the files' pages and looks. Not cold without an earlier good Calibrate.
  Result<CacheProof> DropAndProve(const std::vector<std::string>& files) const;

 private:
  bool drop_all_;
  bool trusted_ = false;
};

}  // namespace lakegauge::run
