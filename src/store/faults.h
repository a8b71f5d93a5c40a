#pragma once
// A store that fails on purpose, for tests: the nth operation of a kind, or a seeded share of all.
//
// Owns: the inner store; the clock must outlive it.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "record/request.h"
#include "store/store.h"

namespace lakegauge::store {

struct Fault {
  enum class Kind {
    kError,          // `error` instead of doing it
    kTruncatedRead,  // half of the bytes that there were, and no error
    kSlow,           // `slow_ns` later
    kDiskFull,       // ENOSPC at Append, having written nothing of it (operation kPut)
  };
  Kind kind = Kind::kError;
  record::Operation operation = record::Operation::kGet;
  int64_t nth = 1;    // counted from 1 for each operation; 0: every one
  int64_t times = 1;  // this many from the nth on
  Error error = Error{ErrorCode::kUnavailable, "injected fault", true, 500, 0};
  int64_t slow_ns = 0;
};

struct FaultPlan {
  std::vector<Fault> scripted;
  double error_rate = 0;  // share of operations that fail with kUnavailable (500)
  uint64_t seed = 1;
};

std::unique_ptr<Store> InjectFaults(std::unique_ptr<Store> inner, FaultPlan plan,
                                    Clock& clock = RealClock());

}  // namespace lakegauge::store
