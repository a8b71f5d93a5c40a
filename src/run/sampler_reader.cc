#include "run/sampler_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "base/descriptor.h"

namespace lakegauge::run {
namespace {

using record::SampleKind;

// Asking each core for its frequency costs; so many of them, spread over the machine, tell enough.
constexpr int kMostCoresAsked = 16;
constexpr int kClockTries = 3;

std::string_view ReadAt(int fd, std::string& buffer) {
  constexpr size_t kFirstBytes = 16 << 10;
  if (buffer.size() < kFirstBytes) buffer.resize(kFirstBytes);
  size_t size = 0;
  while (true) {
    const ssize_t got =
        pread(fd, buffer.data() + size, buffer.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {};
    if (got == 0) return {buffer.data(), size};
    size += static_cast<size_t>(got);
    if (size == buffer.size()) buffer.resize(2 * buffer.size());
  }
}

// A file that stays open: the kernel writes its text anew for each reading from its beginning.
class KeptFile {
 public:
  explicit KeptFile(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  bool there() const { return fd_.get() >= 0; }
  // Good until the buffer is used again; empty where it cannot be read.
  std::string_view Read(std::string& buffer) const {
    return there() ? ReadAt(fd_.get(), buffer) : std::string_view();
  }

 private:
  Descriptor fd_;
};

std::string_view ReadOnce(const std::string& path, std::string& buffer) {
  return KeptFile(path).Read(buffer);
}

std::vector<int> NumberedIn(const std::string& folder, const std::string& prefix = "") {
  std::vector<int> numbers;
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return numbers;
  while (const dirent* entry = readdir(dir)) {  // NOLINT(concurrency-mt-unsafe): a DIR of its own
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix) || name.size() > prefix.size() + 8) continue;
    const auto number = ParseNumber(name.substr(prefix.size()));
    if (number && *number >= 0) numbers.push_back(static_cast<int>(*number));
  }
  closedir(dir);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// cpu.stat of the control group that this process is in, where there is one.
std::string CpuStatPath(const std::string& proc, const std::string& sys) {
  std::string buffer;
  std::string_view text = ReadOnce(proc + "/self/cgroup", buffer);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string controllers =
        "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",cpu,") == std::string::npos) continue;
    for (const std::string& group : {std::string(line.substr(second + 1)), std::string()}) {
      std::string path =
          fmt::format("{}/fs/cgroup{}{}/cpu.stat", sys, unified ? "" : "/cpu", group);
      if (ParseThrottledSeconds(ReadOnce(path, buffer))) return path;
      if (access(path.c_str(), R_OK) == 0) break;
    }
  }
  return "";
}

void Add(std::optional<double>& sum, std::optional<double> value) {
  if (value) sum = sum.value_or(0) + *value;
}

class Machine : public SnapshotSource {
 public:
  Machine(Clock& clock, const std::string& proc, const std::string& sys)
      : clock_(clock),
        proc_(proc),
        ticks_per_s_(static_cast<double>(sysconf(_SC_CLK_TCK))),
        page_bytes_(static_cast<double>(sysconf(_SC_PAGESIZE))),
        stat_(proc + "/stat"),
        meminfo_(proc + "/meminfo"),
        vmstat_(proc + "/vmstat"),
        diskstats_(proc + "/diskstats"),
        net_(proc + "/net/dev"),
        self_stat_(proc + "/self/stat"),
        self_io_(proc + "/self/io"),
        cpu_stat_(CpuStatPath(proc, sys)) {
    const std::string folder = sys + "/devices/system/cpu";
    const std::vector<int> cores = NumberedIn(folder, "cpu");
    const size_t step = std::max<size_t>(1, cores.size() / kMostCoresAsked);
    for (size_t i = 0; i < cores.size(); i += step) {
      const std::string core = fmt::format("{}/cpu{}", folder, cores[i]);
      for (auto& [files, name] :
           {std::pair(&frequencies_, "/cpufreq/scaling_cur_freq"),
            std::pair(&throttles_, "/thermal_throttle/core_throttle_count")}) {
        if (KeptFile file(core + name); file.there()) files->push_back(std::move(file));
      }
    }
    // Its text grows with the cores, and says the same.
    if (frequencies_.empty() && cores.size() <= kMostCoresAsked) {
      cpuinfo_.emplace_back(proc + "/cpuinfo");
    }
  }

  Snapshot Take() override {
    Snapshot s;
    ReadClocks(s);
    s.page_bytes = page_bytes_;
    // The two that are compared with each other, close together.
    s.cpu = ParseStat(stat_.Read(buffer_), ticks_per_s_);
    ReadOurs(s.ours);
    s.memory = ParseMeminfo(meminfo_.Read(buffer_));
    s.paging = ParseVmstat(vmstat_.Read(buffer_));
    s.disks = ParseDiskstats(diskstats_.Read(buffer_));
    s.networks = ParseNetDev(net_.Read(buffer_));
    s.mhz = Mhz();
    for (const KeptFile& file : throttles_) {
      Add(s.thermal_throttles, ParseNumber(file.Read(buffer_)));
    }
    if (cpu_stat_.there()) s.throttled_s = ParseThrottledSeconds(cpu_stat_.Read(buffer_));
    return s;
  }

 private:
  // Of a few tries the one in which least time passed between the clocks.
  void ReadClocks(Snapshot& s) {
    for (int i = 0; i < kClockTries; ++i) {
      const int64_t before = clock_.NowNs();
      const int64_t utc = clock_.UtcNs();
      const int64_t after = clock_.NowNs();
      if (i > 0 && after - before >= s.clock_width_ns) continue;
      s.time_ns = before + (after - before) / 2;
      s.utc_ns = utc;
      s.clock_width_ns = after - before;
    }
  }

  std::optional<double> Mhz() {
    if (!cpuinfo_.empty()) return ParseCpuinfoMhz(cpuinfo_.front().Read(buffer_));
    double sum = 0;
    int cores = 0;
    for (const KeptFile& file : frequencies_) {
      const auto khz = ParseNumber(file.Read(buffer_));
      if (!khz || *khz <= 0) continue;
      sum += *khz / 1e3;
      ++cores;
    }
    if (cores == 0) return std::nullopt;
    return sum / cores;
  }

  void AddProcess(std::string_view stat, std::string_view io_text, OurProcesses& ours) const {
    const auto process = ParseProcessStat(stat, ticks_per_s_, page_bytes_);
    if (!process) return;
    ++ours.processes;
    Add(ours.user_s, process->user_s + process->waited_user_s);
    Add(ours.system_s, process->system_s + process->waited_system_s);
    Add(ours.resident_bytes, process->resident_bytes);
    Add(ours.threads, process->threads);
    Add(ours.major_faults, process->major_faults);
    const ProcessIo io = ParseProcessIo(io_text);
    Add(ours.storage_read_bytes, io.storage_read_bytes);
    Add(ours.storage_written_bytes, io.storage_written_bytes);
  }

  void ReadOurs(OurProcesses& ours) {
    AddProcess(self_stat_.Read(buffer_), self_io_.Read(other_buffer_), ours);
    std::set<int> seen;
    AddChildren(proc_ + "/self", seen, ours);
  }

  void AddChildren(const std::string& process, std::set<int>& seen, OurProcesses& ours) {
    const std::string tasks = process + "/task";
    for (const int thread : NumberedIn(tasks)) {
      const std::string path = fmt::format("{}/{}/children", tasks, thread);
      for (const int child : ParseChildren(ReadOnce(path, buffer_))) {
        if (!seen.insert(child).second) continue;
        const std::string folder = fmt::format("{}/{}", proc_, child);
        AddProcess(ReadOnce(folder + "/stat", buffer_), ReadOnce(folder + "/io", other_buffer_),
                   ours);
        AddChildren(folder, seen, ours);
      }
    }
  }

  Clock& clock_;
  const std::string proc_;
  const double ticks_per_s_;
  const double page_bytes_;
  KeptFile stat_, meminfo_, vmstat_, diskstats_, net_, self_stat_, self_io_, cpu_stat_;
  std::vector<KeptFile> frequencies_, throttles_;
  std::vector<KeptFile> cpuinfo_;  // one, or none
  std::string buffer_, other_buffer_;
};

class Rows {
 public:
  Rows(int64_t session, int64_t time_ns) : session_(session), time_ns_(time_ns) {}
  void From(std::string source) { source_ = std::move(source); }
  void Put(const char* metric, SampleKind kind, std::optional<double> value,
           const std::string& labels = "") {
    if (value) rows_.push_back({session_, time_ns_, source_, metric, labels, kind, *value});
  }
  std::vector<record::Sample> Take() { return std::move(rows_); }

 private:
  const int64_t session_;
  const int64_t time_ns_;
  std::string source_;
  std::vector<record::Sample> rows_;
};

std::optional<double> Times(std::optional<double> value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

}  // namespace

std::vector<record::Sample> ToSamples(const Snapshot& s, int64_t session) {
  constexpr SampleKind kCounter = SampleKind::kCounter;
  constexpr SampleKind kGauge = SampleKind::kGauge;
  Rows rows(session, s.time_ns);
  rows.From("machine");
  if (s.cpu) {
    rows.Put("cores", kGauge, s.cpu->cores);
    rows.Put("cpu_user_s", kCounter, s.cpu->user);
    rows.Put("cpu_nice_s", kCounter, s.cpu->nice);
    rows.Put("cpu_system_s", kCounter, s.cpu->system);
    rows.Put("cpu_idle_s", kCounter, s.cpu->idle);
    rows.Put("cpu_iowait_s", kCounter, s.cpu->iowait);
    rows.Put("cpu_irq_s", kCounter, s.cpu->irq);
    rows.Put("cpu_softirq_s", kCounter, s.cpu->softirq);
    rows.Put("cpu_steal_s", kCounter, s.cpu->steal);
  }
  rows.Put("cpu_mhz", kGauge, s.mhz);
  rows.Put("thermal_throttles", kCounter, s.thermal_throttles);
  rows.Put("cgroup_throttled_s", kCounter, s.throttled_s);
  rows.Put("memory_total_bytes", kGauge, s.memory.total_bytes);
  rows.Put("memory_available_bytes", kGauge, s.memory.available_bytes);
  rows.Put("memory_free_bytes", kGauge, s.memory.free_bytes);
  rows.Put("page_cache_bytes", kGauge, s.memory.cached_bytes);
  rows.Put("dirty_bytes", kGauge, s.memory.dirty_bytes);
  rows.Put("swap_total_bytes", kGauge, s.memory.swap_total_bytes);
  rows.Put("swap_free_bytes", kGauge, s.memory.swap_free_bytes);
  rows.Put("swapped_in_bytes", kCounter, Times(s.paging.swap_in_pages, s.page_bytes));
  rows.Put("swapped_out_bytes", kCounter, Times(s.paging.swap_out_pages, s.page_bytes));
  rows.Put("major_faults", kCounter, s.paging.major_faults);
  for (const DiskCounters& disk : s.disks) {
    const std::string device = "device=" + disk.device;
    rows.Put("disk_reads", kCounter, disk.reads, device);
    rows.Put("disk_read_bytes", kCounter, disk.read_bytes, device);
    rows.Put("disk_writes", kCounter, disk.writes, device);
    rows.Put("disk_written_bytes", kCounter, disk.written_bytes, device);
    rows.Put("disk_busy_s", kCounter, disk.busy_s, device);
  }
  for (const NetworkCounters& network : s.networks) {
    const std::string device = "device=" + network.device;
    rows.Put("network_received_bytes", kCounter, network.received_bytes, device);
    rows.Put("network_sent_bytes", kCounter, network.sent_bytes, device);
  }
  rows.Put("utc_minus_monotonic_ns", kGauge, static_cast<double>(s.utc_ns - s.time_ns));
  rows.From("engine");
  rows.Put("processes", kGauge, static_cast<double>(s.ours.processes));
  rows.Put("threads", kGauge, s.ours.threads);
  rows.Put("cpu_user_s", kCounter, s.ours.user_s);
  rows.Put("cpu_system_s", kCounter, s.ours.system_s);
  rows.Put("resident_bytes", kGauge, s.ours.resident_bytes);
  rows.Put("major_faults", kCounter, s.ours.major_faults);
  rows.Put("storage_read_bytes", kCounter, s.ours.storage_read_bytes);
  rows.Put("storage_written_bytes", kCounter, s.ours.storage_written_bytes);
  return rows.Take();
}

std::unique_ptr<SnapshotSource> OpenMachine(Clock& clock, const std::string& proc,
                                            const std::string& sys) {
  return std::make_unique<Machine>(clock, proc, sys);
}

}  // namespace lakegauge::run
