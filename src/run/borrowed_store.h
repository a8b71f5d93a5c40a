#pragma once
// A store that is somebody else's, with an owner's face: decorators own what is below them, while
// the bare store is shared by every cell on it.
//
// Threads, errors: the lender's. Owns: nothing; the lender must outlive it.

#include <memory>

#include "store/store.h"

namespace lakegauge::run {

std::unique_ptr<store::Store> Borrow(store::Store& lender);

}  // namespace lakegauge::run
