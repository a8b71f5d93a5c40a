#include "run/machine_facts.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace lakegauge::run {
namespace {

std::string Trim(const std::string& text) {
  const size_t from = text.find_first_not_of(" \t\"");
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(" \t\"\n\r") - from + 1);
}

// "\040" and its kin in /proc/self/mountinfo.
std::string Unescape(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool IsBelow(const std::string& path, const std::string& folder) {
  return folder == "/" || path == folder ||
         (path.starts_with(folder) && path[folder.size()] == '/');
}

}  // namespace

std::string FirstLine(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string ValueIn(const std::string& path, const std::string& key) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with(key)) continue;
    const size_t mark = line.find_first_of(":=", key.size());
    if (mark == std::string::npos || Trim(line.substr(0, mark)) != key) continue;
    return Trim(line.substr(mark + 1));
  }
  return "";
}

std::string ExistingParent(const std::string& path) {
  std::error_code failed;
  auto at = std::filesystem::absolute(path, failed).lexically_normal();
  while (!std::filesystem::exists(at, failed) && at.has_relative_path()) at = at.parent_path();
  return at.string();
}

MountFacts MountOf(const std::string& path) {
  std::error_code failed;
  const std::string real = std::filesystem::canonical(ExistingParent(path), failed).string();
  MountFacts best;
  std::ifstream in("/proc/self/mountinfo");
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string skipped;
    std::string point;
    std::string options;
    words >> skipped >> skipped >> skipped >> skipped >> point >> options;
    point = Unescape(point);
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos || !IsBelow(real, point)) continue;
    if (point.size() < best.mount_point.size()) continue;
    std::istringstream rest(line.substr(dash + 3));
    rest >> best.file_system;
    best.mount_point = point;
    best.options = options;
  }
  return best;
}

std::optional<SpaceFacts> SpaceOf(const std::string& path) {
  struct statvfs info {};
  if (statvfs(ExistingParent(path).c_str(), &info) != 0) return std::nullopt;
  const auto block = static_cast<int64_t>(info.f_frsize);
  return SpaceFacts{static_cast<int64_t>(info.f_bavail) * block,
                    static_cast<int64_t>(info.f_blocks) * block};
}

std::optional<double> CgroupCpus() {
  std::istringstream words(FirstLine("/sys/fs/cgroup/cpu.max"));
  std::string quota;
  double period = 0;
  if (words >> quota >> period && quota != "max" && period > 0) return std::stod(quota) / period;
  const std::string old_quota = FirstLine("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  const std::string old_period = FirstLine("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (old_quota.empty() || old_period.empty() || old_quota.front() == '-') return std::nullopt;
  return std::stod(old_quota) / std::stod(old_period);
}

std::optional<int64_t> CgroupMemoryBytes() {
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const std::string limit = FirstLine(path);
    if (limit.empty() || limit == "max" || limit.size() > 17) continue;
    return std::stoll(limit);
  }
  return std::nullopt;
}

CpuSeconds MachineCpuSeconds() {
  std::istringstream words(FirstLine("/proc/stat"));
  std::string name;
  words >> name;
  CpuSeconds seconds;
  const double tick = static_cast<double>(sysconf(_SC_CLK_TCK));
  double value = 0;
  for (int field = 0; field < 8 && words >> value; ++field) {  // guest time is part of user time
    seconds.total += value / tick;
    if (field == 7) seconds.steal = value / tick;
  }
  return seconds;
}

std::string CurrentClockSource() {
  return FirstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

std::string FrequencyGovernor() {
  return FirstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
}

std::string TransparentHugePages() {
  const std::string line = FirstLine("/sys/kernel/mm/transparent_hugepage/enabled");
  const size_t open = line.find('[');
  const size_t close = line.find(']');
  if (open == std::string::npos || close == std::string::npos) return "";
  return line.substr(open + 1, close - open - 1);
}

}  // namespace lakegauge::run
