#pragma once
// A store over a folder of a POSIX file system: a key is a path below the root.
//
// A writer writes beside its object (".lg-tmp-..."), syncs, renames and syncs the folder: readers
// see the old or the new object, whole. What a kill leaves is never listed, and goes when the next
// store writes into the same folder: a file whose writer lives is locked (flock). Links below the
// root are followed; keys never leave the root by "..". Errors: as errno; kOutOfSpace,
// kPermissionDenied.

#include <memory>
#include <string>

#include "store/store.h"

namespace lakegauge::store {

// The folder need not exist; writing makes it.
std::unique_ptr<Store> OpenLocalStore(const std::string& root);

}  // namespace lakegauge::store
