#pragma once
// How long a schedule takes on another store: its tasks are given to threads again, in the order
// they were recorded, with other request times.
//
// Threads that compute share the cores evenly (processor sharing); a request computes what its
// thread computed in it, and ends when the store's time is over, counted from its start. A shared
// pipe lets the bytes of all requests through one after another.
//
// Threads: pure. Units: seconds, bytes a second. Errors: none. Cost: about a microsecond a request.

#include <functional>

#include "analyze/schedule.h"

namespace lakegauge::analyze {

// The machine and the store a schedule is tried on.
struct Target {
  double cores = 0;  // what threads share, also a part of one; 0: no limit
  int threads = 1;
  // What a request takes when it is alone; nothing: it never waits.
  std::function<double(const ScheduledRequest&)> seconds;
  double total_bytes_per_s = 0;  // of all requests together; 0: no limit
  double cpu_factor = 1;         // what recorded CPU time is multiplied by
  // CPU time more for each file whose footer the recording waited for (at least 1 ms) and that was
  // read then.
  double open_cpu_s = 0;
};

struct Simulated {
  double elapsed_s = 0;
  double blocked_s = 0;  // no thread computes and at least one waits
};
Simulated Simulate(const Schedule& schedule, const Target& target);

// The other estimate: the requests that, walking back from the end, the recording waited for, each
// taking what it takes on the target instead. Knows nothing of cores or threads.
double AlongCriticalPath(const Schedule& schedule, const Target& target);

}  // namespace lakegauge::analyze
