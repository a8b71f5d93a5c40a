#pragma once
// How one execution's time divides, and what its waiting for storage was made of.
//
// Threads: pure. Units: seconds. Errors: none.

#include <span>
#include <vector>

#include "record/journal.h"
#include "record/request.h"

namespace lakegauge::analyze {

// Expected wall time in which no thread computes and none is in a request. CPU time is taken as
// spread evenly between two readings of a thread's clock, as in blocked time (docs/formats.md).
// cores 0: unknown.
double IdleSeconds(const record::Execution& execution, std::span<const record::Request> requests,
                   int cores);

// Lane-seconds of requests by what they waited for; parts of a shaped request are its profile's.
struct Waits {
  double first_byte_s = 0;  // latency to the first byte
  double stream_s = 0;      // bytes at the bandwidth of one stream
  double pipe_s = 0;        // bytes held up by what all streams share
  double refused_s = 0;     // answers that said slow down, and the waits after them
  double late_s = 0;        // delivered after the profile's deadline
  double unknown_s = 0;     // of requests that were not shaped
  double all() const { return first_byte_s + stream_s + pipe_s + refused_s + late_s + unknown_s; }
  Waits& operator+=(const Waits& other);
};
// stream_bytes_per_s 0: no limit.
Waits WaitsOf(const record::Request& request, double stream_bytes_per_s);

// Of requests that were not shaped: a straight line through waits and bytes, by least squares with
// no negative part: what each request waits, and what each byte adds.
class WaitLine {
 public:
  void Add(double bytes, double wait_s);
  // Of the sum of all waits: a part for each request, and one for their bytes.
  double request_part() const;
  double byte_part() const { return 1 - request_part(); }

 private:
  double n_ = 0, bytes_ = 0, wait_ = 0, bytes2_ = 0, product_ = 0;
};

}  // namespace lakegauge::analyze
