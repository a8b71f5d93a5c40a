#pragma once
// A store that puts every request made through it into a RequestLog.
//
// The outermost decorator: what it records is what its caller saw, with what a shaping store below
// it asked for. One request is one record, retries included (attempt says how many). An OpenRead
// that knows the size makes no request and no record; a PUT is recorded at its commit. Owns: the
// inner store; log and clock must outlive it. Cost: two readings of each clock and a buffer of the
// calling thread: well under a microsecond a read.

#include <memory>

#include "base/clock.h"
#include "record/request.h"
#include "store/store.h"

namespace lakegauge::store {

std::unique_ptr<Store> RecordRequests(std::unique_ptr<Store> inner, record::RequestLog& log,
                                      Clock& clock = RealClock());

// What Request::status says of an error: its HTTP status, else minus its errno.
int32_t RecordedStatus(const Error& error);

}  // namespace lakegauge::store
