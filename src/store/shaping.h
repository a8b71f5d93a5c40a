#pragma once
// A store as slow as a profile says: each request ends at the deadline that the profile gives it,
// counted from the request's start. The work below is done first; what is left of the time is
// waited.
//
// A request: an attempt is let through by the request rate or answered 503, may fail by the error
// rate (500), and else has its first byte after the latency drawn for it (profile/draw.h: the same
// seed and execution draw the same, whatever the threads do). Failed attempts take their latency,
// then the retry policy's wait. Then the bytes come at the stream's bandwidth through the pipe that
// all streams share; the pipe is shared in small slices, so a large read does not hold up a small
// one.
//
// Threads: any number; no lock is held while waiting.
// Owns: the inner store; the clock must outlive it.
// Errors: kThrottled (503), kUnavailable (500) when attempts are used up; kCancelled when the
// context's
//   stop is requested while waiting.

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "profile/profile.h"
#include "store/store.h"

namespace lakegauge::store {

std::unique_ptr<Store> ShapeRequests(std::unique_ptr<Store> inner, const profile::Profile& profile,
                                     uint64_t seed, Clock& clock = RealClock());

}  // namespace lakegauge::store
