#pragma once
// Writes layouts of a base, all from one reading of it. Private to this room.
//
// Threads: uses options.threads workers. Errors: the first; files written so far are left to the
//   caller, who owns the folders.

#include <string>
#include <vector>

#include "dataset/dataset.h"

namespace lakegauge::dataset {

struct LayoutInMaking {
  LayoutSpec spec;
  std::string folder;  // empty, exists
  // What was written:
  std::vector<TableEntry> tables;
  std::vector<FileEntry> files;
};

// Changes whenever the bytes that it writes for the same rows do.
inline constexpr char kWriterVersion[] = "2";

// The same options, with progress as a part of a whole that goes from `from` to `to`.
PrepareOptions Within(PrepareOptions options, double from, double to);

// `scratch`: an empty folder for what a sort spills; the caller deletes it.
Status WriteLayouts(const Base& base, std::vector<LayoutInMaking>& layouts,
                    const std::string& scratch, const PrepareOptions& options);

}  // namespace lakegauge::dataset
