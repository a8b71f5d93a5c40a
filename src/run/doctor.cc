#include "run/doctor.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "engine/engine.h"
#include "run/cell_profile.h"
#include "run/environment.h"
#include "run/machine_facts.h"
#include "run/page_cache.h"

namespace lakegauge::run {
namespace {

constexpr int64_t kWantedFreeBytes = 5 * kGiB;  // quickstart's base, layouts and records, with room
constexpr int64_t kLeastFreeBytes = 2 * kGiB;
constexpr uint64_t kWantedDescriptors = 4096;
constexpr int64_t kWantedTimerNs = 200'000;
constexpr size_t kProbeBytes = 1 << 20;
constexpr double kStealWarn = 0.02;

Check CacheDrop(const std::string& data_dir) {
  const std::string folder = ExistingParent(data_dir);
  const std::string path = fmt::format("{}/.cache_probe.{}", folder, getpid());
  PageCache cache(false);
  Status calibrated = WriteFileAtomically(path, std::string(kProbeBytes, 'x'));
  if (calibrated.ok()) calibrated = cache.Calibrate({path});
  unlink(path.c_str());
  if (calibrated.ok()) {
    const bool root = access("/proc/sys/vm/drop_caches", W_OK) == 0;
    return {"cache_drop", Health::kGood,
            fmt::format("the page cache of {} can be dropped and seen to be dropped{}", folder,
                        root ? "" : " (file by file; not the whole machine's)"),
            ""};
  }
  return {
      "cache_drop", Health::kWarn,
      fmt::format("cold cannot be proved: {}", calibrated.error().message),
      "put the data folder on a local file system such as ext4 or xfs (--data); runs are recorded "
      "as warm otherwise"};
}

Check FreeSpace(const std::string& id, const std::string& what, const std::string& path) {
  const auto space = SpaceOf(path);
  if (!space) return {id, Health::kWarn, "free space of " + path + " cannot be found out", ""};
  const std::string text = fmt::format("{} free for {} in {}", FormatBytes(space->free_bytes), what,
                                       ExistingParent(path));
  if (space->free_bytes >= kWantedFreeBytes) return {id, Health::kGood, text, ""};
  const Health health = space->free_bytes >= kLeastFreeBytes ? Health::kWarn : Health::kBad;
  return {id, health, text,
          fmt::format("free {} (lakegauge clean lists what can go), or name another folder",
                      FormatBytes(kWantedFreeBytes - space->free_bytes))};
}

Check ClockSource() {
  const std::string source = CurrentClockSource();
  if (source.empty()) {
    return {"clock_source", Health::kWarn, "the kernel does not say what its clock is", ""};
  }
  const bool fast = source == "tsc" || source == "kvm-clock" || source == "arch_sys_counter" ||
                    source == "hyperv_clocksource_tsc_page";
  if (fast) return {"clock_source", Health::kGood, "clock source " + source, ""};
  return {"clock_source", Health::kWarn, "clock source " + source + " is slow to read",
          "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource, where "
          "available_clocksource lists it"};
}

Check Timer() {
  // The median of some waits of 1 ms: how much later than asked an emulated latency ends.
  std::vector<int64_t> late;
  for (int i = 0; i < 21; ++i) {
    const int64_t deadline = RealClock().NowNs() + kNsPerMs;
    RealClock().WaitUntil(deadline);
    late.push_back(RealClock().NowNs() - deadline);
  }
  std::nth_element(late.begin(), late.begin() + 10, late.end());
  const std::string text =
      fmt::format("a wait ends {} late (median of 21)", FormatDuration(late[10]));
  if (late[10] <= kWantedTimerNs) return {"timer", Health::kGood, text, ""};
  return {"timer", Health::kWarn, text,
          "emulated latencies will be that much too long; stop other work on this machine"};
}

Check Cores() {
  const int cores = MachineCores();
  const auto limit = CgroupCpus();
  const std::string text =
      limit && *limit < cores
          ? fmt::format("{} cores, limited to {:.1f} by the container", cores, *limit)
          : fmt::format("{} cores", cores);
  if (limit && *limit < cores) {
    return {"cores", Health::kWarn, text,
            "throttling by a quota shows up as slow queries; lift it"};
  }
  if (cores < 2) return {"cores", Health::kWarn, text, "use a machine with at least 2 cores"};
  return {"cores", Health::kGood, text, ""};
}

Check Steal() {
  const CpuSeconds cpu = MachineCpuSeconds();
  const double share = cpu.total > 0 ? cpu.steal / cpu.total : 0;
  const std::string text =
      fmt::format("{:.1f}% of CPU time since boot was taken by the hypervisor", 100 * share);
  if (share < kStealWarn) return {"steal", Health::kGood, text, ""};
  return {"steal", Health::kWarn, text, "use a machine whose cores are not shared"};
}

Check Load() {
  double load = 0;
  if (getloadavg(&load, 1) != 1) return {"load", Health::kWarn, "no load average", ""};
  const std::string text = fmt::format("load average {:.2f} on {} cores", load, MachineCores());
  if (load < 0.5 * MachineCores()) return {"load", Health::kGood, text, ""};
  return {"load", Health::kWarn, text, "stop other work before measuring"};
}

Check Descriptors() {
  struct rlimit limit {};
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::string text = fmt::format("{} open files allowed", limit.rlim_cur);
  if (limit.rlim_cur >= kWantedDescriptors) return {"descriptors", Health::kGood, text, ""};
  return {"descriptors", Health::kWarn, text,
          fmt::format("ulimit -n {}", std::min<uint64_t>(65536, limit.rlim_max))};
}

Check Build() {
  if (BuildType() == "Release") return {"build", Health::kGood, "release build", ""};
  return {"build", Health::kBad, fmt::format("{} build: its results do not count", BuildType()),
          "cmake --preset release && cmake --build --preset release"};
}

Check HugePages() {
  const std::string mode = TransparentHugePages();
  if (mode != "always") {
    return {"huge_pages", Health::kGood,
            "transparent huge pages: " + (mode.empty() ? "not there" : mode), ""};
  }
  return {"huge_pages", Health::kWarn, "transparent huge pages: always, which adds noise",
          "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
}

Check Governor() {
  const std::string governor = FrequencyGovernor();
  if (governor.empty()) {
    return {"governor", Health::kGood, "CPU frequency is not governed here (a virtual machine)",
            ""};
  }
  if (governor == "performance") return {"governor", Health::kGood, "CPU governor performance", ""};
  return {"governor", Health::kWarn, "CPU governor " + governor + " changes the frequency",
          "cpupower frequency-set -g performance"};
}

// Whether an engine starts, which also loads what it needs.
Check EngineFound(const std::string& name) {
  auto made = engine::MakeEngine(name, {});
  if (made.ok()) {
    const Status started = (*made)->Start();
    if (started.ok()) {
      const auto description = (*made)->Describe();
      (*made)->Stop();
      return {"engine_" + name, Health::kGood, name + " " + description.version + " starts", ""};
    }
    return {"engine_" + name, Health::kBad, name + " does not start: " + started.error().message,
            "./setup core"};
  }
  return {"engine_" + name, Health::kBad, name + ": " + made.error().message, "./setup core"};
}

Check QueryTexts() {
  workload::QuerySelection one;
  one.tpcds = {1};
  const auto texts = workload::Resolve(one, "");
  if (texts.ok())
    return {"queries", Health::kGood, "the TPC-DS generator and its queries load", ""};
  return {"queries", Health::kBad, "TPC-DS queries: " + texts.error().message, "./setup core"};
}

}  // namespace

std::string_view HealthName(Health health) {
  return health == Health::kGood ? "good" : health == Health::kWarn ? "warn" : "bad";
}

std::vector<Check> Diagnose(const std::string& data_dir, const std::string& results_dir) {
  std::vector<Check> checks{Build(),
                            CacheDrop(data_dir),
                            FreeSpace("free_space_data", "data", data_dir),
                            FreeSpace("free_space_results", "results", results_dir),
                            Cores(),
                            Steal(),
                            Load(),
                            ClockSource(),
                            Timer(),
                            Governor(),
                            HugePages(),
                            Descriptors(),
                            QueryTexts()};
  for (const std::string& name : engine::EngineNames()) checks.push_back(EngineFound(name));
  return checks;
}

}  // namespace lakegauge::run
