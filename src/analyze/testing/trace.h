#pragma once
// Executions made by hand for tests of schedules: threads that compute and ask, in milliseconds.
//
// Threads: values.

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "analyze/schedule.h"
#include "record/journal.h"
#include "record/request.h"

namespace lakegauge::analyze::testing {

// A request of a thread: it computes `compute_ms`, then waits until `start_ms`, then asks.
struct Ask {
  int32_t thread = 1;
  double start_ms = 0;
  double ms = 7;          // how long it takes
  double compute_ms = 0;  // of the thread, since its last request
  uint32_t key = 0;
  int64_t offset = 0;
  int64_t handle = 1;
  double own_ms = 0;  // computed within the request
  int64_t bytes = 100;
};

class Trace {
 public:
  // `after_ms`: what each thread computes after its last request (threads without requests too).
  Trace(double elapsed_ms, const std::vector<Ask>& asks,
        const std::map<int32_t, double>& after_ms = {}, double planning_ms = 0) {
    execution_.start_ns = kStartNs;
    execution_.end_ns = kStartNs + Ns(elapsed_ms);
    execution_.elapsed_ns = Ns(elapsed_ms);
    execution_.main_thread = 1;
    execution_.metrics = {{"planning_s", planning_ms / 1e3, "s"}};
    std::map<int32_t, int64_t> clocks;
    for (const auto& [thread, ms] : after_ms) clocks[thread];
    for (const Ask& ask : asks) {
      record::Request r;
      r.thread = ask.thread;
      r.handle = ask.handle;
      r.key = ask.key;
      r.offset = ask.offset;
      r.length = r.bytes = ask.bytes;
      r.start_ns = kStartNs + Ns(ask.start_ms);
      r.end_ns = r.start_ns + Ns(ask.ms);
      int64_t& clock = clocks[ask.thread];
      // Two readings a request are never the same: the clock goes on between them.
      r.cpu_start_ns = clock += Ns(ask.compute_ms) + 1;
      r.cpu_end_ns = clock += Ns(ask.own_ms);
      requests_.push_back(r);
    }
    for (const auto& [thread, clock] : clocks) {
      const auto after = after_ms.find(thread);
      execution_.threads.push_back(
          {thread, 0, clock + (after == after_ms.end() ? 0 : Ns(after->second))});
      execution_.cpu_ns += execution_.threads.back().end_ns;
    }
  }

  Schedule ScheduleOf(int threads, const std::vector<KeyFacts>& keys = {}) const {
    return BuildSchedule(execution_, requests_, keys, threads);
  }
  const record::Execution& execution() const { return execution_; }
  std::vector<record::Request>& requests() { return requests_; }

 private:
  static constexpr int64_t kStartNs = 5'000'000'000;
  static int64_t Ns(double ms) { return std::llround(ms * 1e6); }
  record::Execution execution_;
  std::vector<record::Request> requests_;
};

}  // namespace lakegauge::analyze::testing
