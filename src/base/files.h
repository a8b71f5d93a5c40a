#pragma once
// Small whole-file operations that must not be half done.
//
// Errors: ErrnoError with the path. Threads: independent calls on different paths.

#include <string>
#include <string_view>

#include "base/result.h"

namespace lakegauge {

Result<std::string> ReadFile(const std::string& path);
// Writes to a temporary name beside `path`, fsyncs and renames: readers see the old or the new,
// never a part. Parent folders are made.
Status WriteFileAtomically(const std::string& path, std::string_view content);
Status MakeDirs(const std::string& path);
// A new or renamed file is there after a power cut only when its folder was synced too.
Status SyncFolder(const std::string& folder);
// Puts everything written so far to the file system that `path` lies on, files and folders, on disk
// (syncfs): for many files far cheaper than one after another. Waits for what others wrote, too.
Status SyncFileSystemOf(const std::string& path);

}  // namespace lakegauge
