#pragma once
// How long an execution was held up by storage alone, from its requests and what CPU its threads
// used.
//
// Between two stamps of a thread's CPU time (its start, both ends of each of its requests, its end)
// we know how much CPU it used, not when. It is taken as spread evenly, and threads as independent
// of each other: at any moment a thread computes with the probability cpu / wall of the stretch it
// is in. Inside a request the thread waits for storage when it does not compute.
//   blocked     the expected wall time in which no thread computes and at least one waits.
//   wait_lane   the sum over requests of the time not spent computing: lane-nanoseconds of waiting.
// Where `cores` is known, expected use of all of them leaves no time in which nothing computes:
// with U threads computing in expectation, the probability that none does is at most 1 - U / cores.
//
// Threads: pure. Units: nanoseconds of CLOCK_MONOTONIC and of thread CPU time.
// Errors: none; requests are cut to the execution, CPU beyond a stretch's wall time (clock grain)
//   counts as all of it.

#include <cstdint>
#include <vector>

#include "record/journal.h"
#include "record/request.h"

namespace lakegauge::engine {

struct Blocked {
  int64_t blocked_ns = 0;
  int64_t wait_lane_ns = 0;
};

// `requests`: those of one execution, in any order. `threads`: the CPU time of the engine's threads
// at its start and end; a thread that is missing there counts as idle outside its requests.
// cores 0: unknown.
Blocked BlockedTime(const std::vector<record::Request>& requests,
                    const std::vector<record::ThreadCpu>& threads, int64_t start_ns, int64_t end_ns,
                    int cores = 0);

}  // namespace lakegauge::engine
