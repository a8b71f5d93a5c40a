#include "engine/threads.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>

namespace lakegauge::engine {

std::vector<int32_t> ThreadIds() {
  std::vector<int32_t> ids;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return ids;
  while (const dirent* entry = readdir(folder)) {
    const int id = std::atoi(entry->d_name);
    if (id > 0) ids.push_back(id);
  }
  closedir(folder);
  std::sort(ids.begin(), ids.end());
  return ids;
}

int32_t ThisThreadId() { return static_cast<int32_t>(gettid()); }

int64_t CpuOfThread(int32_t id) {
  // The kernel's encoding of a thread's CPU clock (CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED), which
  // pthread_getcpuclockid gives for a pthread_t; threads of a library are known by kernel id only.
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(id) << 3) | 6U);
  timespec t{};
  if (clock_gettime(clock, &t) != 0) return -1;
  return static_cast<int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

double MachineBusySeconds() {
  std::ifstream stat("/proc/stat");
  std::string cpu;
  // user nice system idle iowait irq softirq steal
  std::array<double, 8> ticks{};
  stat >> cpu;
  for (double& t : ticks) stat >> t;
  const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
  return busy / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace lakegauge::engine
