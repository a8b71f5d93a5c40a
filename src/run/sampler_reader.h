#pragma once
// One look at the machine and at our own processes, taken from /proc and /sys. Hides which files
// there are, which of them a container lacks, and that they stay open between looks.
//
// Threads: one at a time. Owns: a few file descriptors. Errors: none; what cannot be read is
// missing from the snapshot. Cost: docs/benchmarks.md.
// Units: as proc_text.h; times of CLOCK_MONOTONIC.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/samples.h"
#include "run/proc_text.h"

namespace lakegauge::run {

// This process and all below it. CPU time of those that ended and were waited for stays in.
struct OurProcesses {
  std::optional<double> user_s, system_s, resident_bytes, threads, major_faults;
  std::optional<double> storage_read_bytes, storage_written_bytes;
  int64_t processes = 0;
};

struct Snapshot {
  int64_t time_ns = 0;
  int64_t utc_ns = 0;          // the same moment on the wall clock,
  int64_t clock_width_ns = 0;  // to within this
  std::optional<CpuTimes> cpu;
  MemoryFacts memory;
  PagingCounters paging;
  std::vector<DiskCounters> disks;
  std::vector<NetworkCounters> networks;
  std::optional<double> mhz;                // mean of the cores that were asked
  std::optional<double> thermal_throttles;  // events since boot
  std::optional<double> throttled_s;        // of our control group, by its CPU quota
  OurProcesses ours;
  double page_bytes = 4096;
};

// As the rows that samples.parquet holds; docs/formats.md lists the metrics.
std::vector<record::Sample> ToSamples(const Snapshot& snapshot, int64_t session);

class SnapshotSource {
 public:
  virtual ~SnapshotSource() = default;
  virtual Snapshot Take() = 0;
};

// Of this machine. Other roots than "/proc" and "/sys" are for tests.
std::unique_ptr<SnapshotSource> OpenMachine(Clock& clock, const std::string& proc = "/proc",
                                            const std::string& sys = "/sys");

}  // namespace lakegauge::run
