#pragma once
// How long a run will still take: from what was measured of each cell and query so far, and from
// the plan's estimate, corrected by how far it was off, for the rest.
//
// Threads: one. Units: nanoseconds.

#include <cstdint>
#include <map>
#include <utility>

#include "run/plan.h"

namespace lakegauge::run {

class TimeLeft {
 public:
  explicit TimeLeft(const Plan& plan);
  // `wall_ns` of the execution with all that was done around it.
  void Finished(const PlanExecution& execution, int64_t wall_ns);
  void Skip(const PlanExecution& execution) {
    --left_[{execution.cell, execution.query}];
  }  // done before
  int64_t left_ns() const;

 private:
  double Guess(const PlanExecution& execution) const;  // seconds, uncorrected
  struct Seen {
    double seconds = 0;
    int64_t n = 0;
  };
  const Plan& plan_;
  std::map<std::pair<int, int>, Seen> seen_;     // cell, query
  std::map<std::pair<int, int>, int64_t> left_;  // how many are still to come
};

}  // namespace lakegauge::run
