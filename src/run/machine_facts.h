#pragma once
// Single facts about this machine, read from /proc and /sys; shared by environment and doctor.
//
// Threads: any. Errors: none; what cannot be found out is empty or nullopt.

#include <cstdint>
#include <optional>
#include <string>

namespace lakegauge::run {

// First line of a small file, without its newline; empty where it cannot be read.
std::string FirstLine(const std::string& path);
// The value of "key : value" or "key=value" in a file; empty where there is none.
std::string ValueIn(const std::string& path, const std::string& key);

struct MountFacts {
  std::string file_system;  // "ext4", "overlay"
  std::string options;      // "rw,relatime"
  std::string mount_point;
};
// Of the mount that holds a path; the nearest existing folder of one that is not there yet.
MountFacts MountOf(const std::string& path);

struct SpaceFacts {
  int64_t free_bytes = 0;
  int64_t total_bytes = 0;
};
std::optional<SpaceFacts> SpaceOf(const std::string& path);

// CPU limit of this cgroup in cores, and its memory limit; nullopt: none.
std::optional<double> CgroupCpus();
std::optional<int64_t> CgroupMemoryBytes();

// Seconds since boot that the hypervisor took, and all CPU seconds.
struct CpuSeconds {
  double steal = 0;
  double total = 0;
};
CpuSeconds MachineCpuSeconds();

std::string CurrentClockSource();    // "tsc"
std::string FrequencyGovernor();     // "performance"; empty where the kernel does not say
std::string TransparentHugePages();  // "madvise"

// The nearest folder of `path` that is there.
std::string ExistingParent(const std::string& path);

}  // namespace lakegauge::run
