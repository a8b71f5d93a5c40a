#pragma once
// CPU time of this process's threads and of the machine, read from outside them.
//
// Threads: any. Units: nanoseconds of thread CPU time; seconds of the machine's.
// Source: /proc/self/task, clock_gettime of a thread's CPU clock, /proc/stat (proc(5)).

#include <cstdint>
#include <vector>

namespace lakegauge::engine {

// Kernel ids of all threads of this process, ascending.
std::vector<int32_t> ThreadIds();
int32_t ThisThreadId();
// CPU time of one of them; -1 where it has ended.
int64_t CpuOfThread(int32_t id);
// CPU seconds all cores of the machine spent on anything but idling and waiting, since boot.
double MachineBusySeconds();

}  // namespace lakegauge::engine
