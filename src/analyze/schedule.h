#pragma once
// One execution as work that can be scheduled again: its scans as stages of tasks, each a chain of
// computing and requests, inferred from what was recorded. Hides how stages, tasks and what they
// wait for are guessed.
//
// - Planning is one task of the thread that ran the query: its requests up to the moment it had
//   planned, one after another. All else waits for it.
// - A task is a row group (or a file without known row groups, or a footer): the requests of one
//   thread for it, in order, with the CPU time between them. What a thread computed until its next
//   task belongs to the task before.
// - Tasks of one table are one stage (scan); where the same piece is read again it is the next
//   scan of that table. A recorded scan id decides where there is one.
// - A stage waits for those whose last request ended before its first one began (joins build before
//   they probe); a row group waits for its file's footer where that was read in the same stage.
// - CPU time of threads that asked for nothing falls to the last stage.
//
// Threads: pure. Units: seconds since the execution's start. Errors: none; what does not fit is
// cut. Source: processor-sharing schedule of blocked-time analysis, Ousterhout et al., "Making
// Sense of
//   Performance in Data Analytics Frameworks", NSDI 2015, section 3.

#include <cstdint>
#include <span>
#include <vector>

#include "record/journal.h"
#include "record/request.h"

namespace lakegauge::analyze {

// What is known of an object that was read; index: Request::key.
struct KeyFacts {
  int32_t table = -1;  // equal for files of one table; -1: unknown
  int64_t size = -1;
  std::vector<int64_t> row_group_offsets;  // ascending; empty: unknown
};

// A request as a store's duration function sees it.
struct ScheduledRequest {
  record::Operation operation = record::Operation::kGet;
  int64_t bytes = 0;
  int32_t lane = 0;  // thread, counted from 0
  double start_s = 0;
  double recorded_s = 0;    // wall time it took
  double cpu_s = 0;         // of its thread within it
  double cpu_before_s = 0;  // of its thread since its last request
};

struct Schedule {
  struct Step {
    double cpu_s = 0;      // computed before the request
    int32_t request = -1;  // index into requests; -1: computing alone
  };
  struct Task {
    int32_t stage = 0;
    int32_t gate = -1;        // task that must have ended
    bool opens_file = false;  // the first one behind that gate
    double start_s = 0;
    uint32_t first_step = 0;
    uint32_t steps = 0;
  };
  struct Stage {
    double start_s = 0;
    double end_s = 0;  // of its last request
    uint32_t tasks = 0;
    std::vector<int32_t> after;  // stages that must have ended
  };
  double elapsed_s = 0;
  int threads = 1;
  double cpu_s = 0;                        // of all steps and requests
  std::vector<ScheduledRequest> requests;  // by thread, then start
  std::vector<Step> steps;
  std::vector<Task> tasks;    // by start
  std::vector<Stage> stages;  // by start; planning first
};

// CPU time of a request's thread since the thread's last reading, `stamp`: before the request and
// in it, in seconds. Where the clock was read once a request only (cpu_start_ns is the last
// reading), what a read itself takes is taken from the whole.
struct RequestCpu {
  double before_s = 0;
  double own_s = 0;
};
RequestCpu CpuOf(const record::Request& request, int64_t stamp);

// `requests`: those of the execution, in any order. `threads`: lanes the engine was given.
Schedule BuildSchedule(const record::Execution& execution,
                       std::span<const record::Request> requests, const std::vector<KeyFacts>& keys,
                       int threads);

}  // namespace lakegauge::analyze
