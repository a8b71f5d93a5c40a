#pragma once
// The texts of /proc and /sys that say what a machine and a process do, read into numbers. Pure
// functions of a text: kernels differ, containers hide files, and lines grow fields over the years,
// so what a text does not say is nullopt, and what is not understood is skipped.
//
// Threads: pure functions. Errors: none.
// Units: seconds and bytes; counters count since boot, or since the process began.
// Source: proc(5); Documentation/admin-guide/iostats.rst (sectors are 512 bytes on every device).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lakegauge::run {

// The first line of /proc/stat. Guests' time is part of user and nice time.
struct CpuTimes {
  std::optional<double> user, nice, system, idle, iowait, irq, softirq, steal;
  int cores = 0;  // lines "cpu0", "cpu1", ... : those that are on line
};
std::optional<CpuTimes> ParseStat(std::string_view text, double ticks_per_s);

struct MemoryFacts {
  std::optional<double> total_bytes, available_bytes, free_bytes, cached_bytes, dirty_bytes,
      swap_total_bytes, swap_free_bytes;
};
MemoryFacts ParseMeminfo(std::string_view text);

struct PagingCounters {
  std::optional<double> swap_in_pages, swap_out_pages, major_faults;
};
PagingCounters ParseVmstat(std::string_view text);

struct DiskCounters {
  std::string device;
  double reads = 0, read_bytes = 0, writes = 0, written_bytes = 0;
  double busy_s = 0;  // time with at least one request under way
};
// Whole disks that ever did something: no partitions, nor devices made of other devices (loop, dm,
// md, ram, zram), whose bytes are counted below them.
std::vector<DiskCounters> ParseDiskstats(std::string_view text);

struct NetworkCounters {
  std::string device;
  double received_bytes = 0, sent_bytes = 0;
};
// Interfaces that ever carried something, the loopback included.
std::vector<NetworkCounters> ParseNetDev(std::string_view text);

// /proc/<pid>/stat.
struct ProcessCounters {
  double user_s = 0, system_s = 0;                // its own
  double waited_user_s = 0, waited_system_s = 0;  // of children that ended and were waited for
  std::optional<double> resident_bytes, major_faults, threads;
};
std::optional<ProcessCounters> ParseProcessStat(std::string_view text, double ticks_per_s,
                                                double page_bytes);

// /proc/<pid>/io: what reached storage, and what was asked by read and write calls.
struct ProcessIo {
  std::optional<double> storage_read_bytes, storage_written_bytes;
};
ProcessIo ParseProcessIo(std::string_view text);

// /proc/<pid>/task/<tid>/children.
std::vector<int> ParseChildren(std::string_view text);

// Mean of the "cpu MHz" lines of /proc/cpuinfo (x86); nullopt where there are none.
std::optional<double> ParseCpuinfoMhz(std::string_view text);

// Seconds for which a control group was kept from running (cpu.stat of version 1 or 2).
std::optional<double> ParseThrottledSeconds(std::string_view text);

// A text that is one number.
std::optional<double> ParseNumber(std::string_view text);

}  // namespace lakegauge::run
