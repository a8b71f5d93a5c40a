#pragma once
// What changed around a run while it measured: load and disk traffic that is not ours, time the
// hypervisor took, throttling, swapping, another clock frequency, a stepped wall clock. Judges
// each stretch between two snapshots by itself. docs/measurement.md gives the reason for each
// threshold.
//
// Threads: one at a time. Errors: none; what a snapshot lacks is not judged. Units: nanoseconds of
// CLOCK_MONOTONIC.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "run/sampler_reader.h"

namespace lakegauge::run {

// CPU accounting is by ticks of 10 ms: a shorter stretch says little.
inline constexpr int64_t kShortestStretchNs = 300'000'000;
inline constexpr double kLoadShare = 0.05;         // of the machine's cores,
inline constexpr double kLoadCores = 0.1;          // and at least so many
inline constexpr double kStealShare = 0.03;        // of the machine's cores
inline constexpr double kThrottleShare = 0.03;     // of the machine's cores
inline constexpr double kDiskShare = 0.10;         // of the stretch busy for others,
inline constexpr double kDiskBytesPerS = 4 << 20;  // and at least so much
inline constexpr double kSwapBytesPerS = 1 << 20;
inline constexpr double kFrequencyShare = 0.10;   // away from the session's median,
inline constexpr double kBusyForFrequency = 0.5;  // of the cores busy, or clocks idle down
inline constexpr int kStretchesForFrequency = 5;  // seen before any is judged
inline constexpr int64_t kClockStepNs = 1'000'000;

struct Disturbance {
  std::string reason;  // load, disk, steal, throttle, swap, frequency, clock
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  double share = 0;  // how much of the machine it took, or of its speed: 0 to 1
  std::string text;  // one line for people
  bool operator==(const Disturbance&) const = default;
};

// Facts of the journal's event "disturbance".
Json ToJson(const std::vector<Disturbance>& disturbances, int64_t session);

class Drift {
 public:
  // Those of the stretch since the snapshot before; none for the first.
  std::vector<Disturbance> Look(const Snapshot& now);

 private:
  // The median of what was seen, kept as counts of 10 MHz steps.
  class Frequencies {
   public:
    void Add(double mhz);
    std::optional<double> Median() const;

   private:
    static constexpr int kStepMhz = 10;
    std::array<int32_t, 1000> counts_{};
    int32_t total_ = 0;
  };
  std::optional<Snapshot> before_;
  Frequencies frequencies_;
};

}  // namespace lakegauge::run
