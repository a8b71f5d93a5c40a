#pragma once
// Who reads a layout. A run holds the layouts it reads until it ends; whoever would delete one or
// write it anew needs it alone. Hides flock(2) on the layout's folder itself: nothing is left
// behind, and the kernel lets go when the process dies.
//
// Begin and end of a use are safe at any time; to begin one while the dataset's lock is held
// (PrepareLayouts does) is what keeps a layout from going between being verified and being held.
// Threads: one object, one at a time. Owns: a descriptor until destroyed. Errors: kUnavailable
// names the layout.

#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace lakegauge::dataset {

class LayoutUse {
 public:
  // With any number of other readers; never waits.
  static Result<LayoutUse> Read(const std::string& layout_dir);
  // kUnavailable where anyone reads; never waits.
  static Result<LayoutUse> Alone(const std::string& layout_dir);

 private:
  explicit LayoutUse(Descriptor folder) : folder_(std::move(folder)) {}
  static Result<LayoutUse> Lock(const std::string& layout_dir, int how);
  Descriptor folder_;  // the lock is its
};

// "tpcds-sf1/parquet-snappy-8MiB" of ".../tpcds-sf1/parquet-snappy-8MiB".
std::string ShortLayoutName(const std::string& layout_dir);

}  // namespace lakegauge::dataset
