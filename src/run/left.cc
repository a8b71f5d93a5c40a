#include "run/left.h"

#include <algorithm>

namespace lakegauge::run {

TimeLeft::TimeLeft(const Plan& plan) : plan_(plan) {
  for (const PlanExecution& e : plan.executions) ++left_[{e.cell, e.query}];
}

double TimeLeft::Guess(const PlanExecution& e) const {
  const double executions =
      static_cast<double>(plan_.queries.size()) * static_cast<double>(plan_.streams);
  return plan_.cells[static_cast<size_t>(e.cell)].estimate.pass_s / std::max(1.0, executions);
}

void TimeLeft::Finished(const PlanExecution& e, int64_t wall_ns) {
  const double seconds = static_cast<double>(wall_ns) / 1e9;
  Seen& seen = seen_[{e.cell, e.query}];
  seen.seconds += seconds;
  ++seen.n;
  --left_[{e.cell, e.query}];
}

int64_t TimeLeft::left_ns() const {
  // How far the estimate is off, over all that is measured.
  double measured = 0;
  double guessed = 0;
  for (const auto& [key, seen] : seen_) {
    measured += seen.seconds;
    guessed +=
        Guess({0, key.first, 0, 1, 1, key.second, false, false}) * static_cast<double>(seen.n);
  }
  const double correction = measured > 0 && guessed > 0 ? measured / guessed : 1;
  double seconds = 0;
  for (const auto& [key, count] : left_) {
    if (count <= 0) continue;
    const auto seen = seen_.find(key);
    const double each = seen != seen_.end()
                            ? seen->second.seconds / static_cast<double>(seen->second.n)
                            : correction * Guess({0, key.first, 0, 1, 1, key.second, false, false});
    seconds += each * static_cast<double>(count);
  }
  // Streams run side by side.
  return static_cast<int64_t>(seconds / static_cast<double>(std::max<int64_t>(1, plan_.streams)) *
                              1e9);
}

}  // namespace lakegauge::run
