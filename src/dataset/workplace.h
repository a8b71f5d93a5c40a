#pragma once
// The folder of one dataset while it is being made: one process at a time, new things under
// temporary names, leftovers of killed processes swept.
//
// Threads: one at a time. Owns: an advisory lock on <folder>/.lock until destroyed (the kernel
// drops it
//   when the process dies). Errors: kCancelled when stopped while waiting for another process.

#include <stop_token>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace lakegauge::dataset {

class Workplace {
 public:
  // Makes the folder, waits for the lock, then deletes every leftover "*.tmp" in it.
  static Result<Workplace> Enter(const std::string& folder, const std::stop_token& stop);
  const std::string& folder() const { return folder_; }
  // A new empty folder, to be filled and then published under `name`.
  Result<std::string> Begin(const std::string& name) const;
  // Gives a finished folder its name, in place of what stood there.
  Status Publish(const std::string& name) const;
  void Discard(const std::string& name) const;

 private:
  Workplace(std::string folder, Descriptor lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}
  std::string folder_;
  Descriptor lock_;
};

}  // namespace lakegauge::dataset
