#pragma once
// A store in this process's memory, for tests and for cells without a disk.
//
// A reader keeps the object as it was when it was opened.

#include <memory>
#include <string>

#include "store/store.h"

namespace lakegauge::store {

std::unique_ptr<Store> MakeMemoryStore();
// The one of this name, made at its first use and kept until the process ends.
std::unique_ptr<Store> OpenNamedMemoryStore(const std::string& name);

}  // namespace lakegauge::store
