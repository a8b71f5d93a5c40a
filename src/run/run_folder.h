#pragma once
// The run directory: where each thing stands in it, making a new one, and holding it against a
// second lakegauge that would go on with the same run.
//
// Owns: an advisory lock on the folder until destroyed; the kernel drops it when the process dies.
// Threads: one. Errors: kAlreadyExists where a run or anything else is there, kUnavailable where
// another process holds it.

#include <string>
#include <utility>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace lakegauge::run {

// An advisory lock on a folder, by the file ".lock" in it; let go when destroyed.
class FolderLock {
 public:
  // kUnavailable where another holds it; never waits.
  static Result<FolderLock> Try(const std::string& folder);

 private:
  explicit FolderLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;  // the lock is its
};

class RunFolder {
 public:
  // <results_dir>/<experiment>-<UTC yyyymmdd-hhmmss>[-n], or `out` itself where it is given.
  static Result<RunFolder> Create(const std::string& results_dir, const std::string& out,
                                  const std::string& experiment, Clock& clock);
  static Result<RunFolder> Open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string id() const;
  std::string experiment() const { return path_ + "/experiment.yaml"; }
  std::string resolved() const { return path_ + "/resolved.yaml"; }
  std::string plan() const { return path_ + "/plan.json"; }
  std::string environment() const { return path_ + "/environment.json"; }
  std::string journal() const { return path_ + "/journal.jsonl"; }
  std::string manifests() const { return path_ + "/manifests"; }
  std::string spool() const { return path_ + "/spool"; }
  std::string requests() const { return path_ + "/requests"; }
  std::string samples() const { return path_ + "/samples.parquet"; }
  std::string answers() const { return path_ + "/answers"; }

 private:
  RunFolder(std::string path, FolderLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  FolderLock lock_;
};

}  // namespace lakegauge::run
