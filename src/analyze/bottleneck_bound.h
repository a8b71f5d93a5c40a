#pragma once
// What a cell is held up by, named from its figures, with the sentence that says why.
//
// A cell is CPU-bound where at least half of its time would stay if storage took no time. Else it
// has the name of the largest part of what its requests waited for: latency (first bytes), network
// (bytes at the speed of their streams), store bandwidth (bytes held up by the total of all
// streams) or request rate (answers that said slow down). Where it was blocked on storage for half
// of its time and would yet keep half of it, the two contradict each other (as beside other work
// that fills the cores) and it is "uncertain". Threads: pure. Units: seconds, bytes a second.

#include <optional>
#include <string>

#include "analyze/bottleneck_division.h"
#include "profile/profile.h"

namespace lakegauge::analyze {

// Sums over executions; `best_s` absent where it could not be had.
struct CellFigures {
  double elapsed_s = 0;
  double storage_s = 0;
  std::optional<double> best_s;
  double busy_s = 0;          // CPU seconds of the machine
  double others = 0;          // cores that other work used, on average
  int64_t cores = 0;          // 0: unknown
  double request_wall_s = 0;  // summed over requests
  int64_t requests = 0;
  int64_t bytes = 0;
  Waits waits;                // of requests that were shaped, or divided by a WaitLine
  bool waits_fitted = false;  // by the line
  const profile::Profile* profile = nullptr;  // null: the store is as it is
};

// Shares of waiting that the names go by, adding up to 1 (all 0 where nothing waited).
struct WaitShares {
  double latency = 0, network = 0, bandwidth = 0, rate = 0, late = 0;
};
WaitShares SharesOf(const Waits& waits);

struct Bound {
  std::string name;  // "CPU-bound", "latency-bound", "store-bandwidth-bound", ...
  std::string evidence;
};
Bound NameBound(const CellFigures& figures);

}  // namespace lakegauge::analyze
