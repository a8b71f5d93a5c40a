#include "run/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/units.h"

namespace lakegauge::run {
namespace {

// What a counter grew by; 0 where it is missing on a side, or was set back.
double Growth(std::optional<double> before, std::optional<double> now) {
  return before && now ? std::max(0.0, *now - *before) : 0;
}

struct Stretch {
  const Snapshot& before;
  const Snapshot& now;
  double seconds = 0;
  double cores = 0;

  Disturbance Of(const char* reason, double share, std::string text) const {
    return {reason, before.time_ns, now.time_ns, std::clamp(share, 0.0, 1.0), std::move(text)};
  }
};

// CPU seconds of programs and kernel threads. Interrupts are left out: those of our own requests
// would count as somebody else's.
double Busy(const CpuTimes& before, const CpuTimes& now) {
  return Growth(before.user, now.user) + Growth(before.nice, now.nice) +
         Growth(before.system, now.system);
}

std::optional<Disturbance> Load(const Stretch& s) {
  if (!s.before.ours.user_s || !s.now.ours.user_s) return std::nullopt;
  const double ours = Growth(s.before.ours.user_s, s.now.ours.user_s) +
                      Growth(s.before.ours.system_s, s.now.ours.system_s);
  const double others = (Busy(*s.before.cpu, *s.now.cpu) - ours) / s.seconds;
  if (others < std::max(kLoadCores, kLoadShare * s.cores)) return std::nullopt;
  return s.Of("load", others / s.cores,
              fmt::format("other programs used {:.2f} of {:g} cores", others, s.cores));
}

std::optional<Disturbance> Steal(const Stretch& s) {
  const double share = Growth(s.before.cpu->steal, s.now.cpu->steal) / s.seconds / s.cores;
  if (share < kStealShare) return std::nullopt;
  return s.Of("steal", share,
              fmt::format("the hypervisor took {:.1f}% of the cores' time", 100 * share));
}

std::optional<Disturbance> Throttle(const Stretch& s) {
  const double share =
      Growth(s.before.throttled_s, s.now.throttled_s) / s.seconds / std::max(1.0, s.cores);
  const double events = Growth(s.before.thermal_throttles, s.now.thermal_throttles);
  if (events > 0) {
    return s.Of("throttle", 1, fmt::format("cores were throttled for heat {:.0f} times", events));
  }
  if (share < kThrottleShare) return std::nullopt;
  return s.Of("throttle", share,
              fmt::format("the control group's CPU quota held {:.1f}% of the cores' time back",
                          100 * share));
}

std::optional<Disturbance> Disk(const Stretch& s) {
  double bytes = 0;
  double busiest = 0;
  std::string device;
  for (const DiskCounters& disk : s.now.disks) {
    const auto was =
        std::find_if(s.before.disks.begin(), s.before.disks.end(),
                     [&](const DiskCounters& other) { return other.device == disk.device; });
    if (was == s.before.disks.end()) continue;
    bytes += Growth(was->read_bytes, disk.read_bytes);
    bytes += Growth(was->written_bytes, disk.written_bytes);
    const double busy = Growth(was->busy_s, disk.busy_s) / s.seconds;
    if (busy > busiest) {
      busiest = busy;
      device = disk.device;
    }
  }
  const double ours = Growth(s.before.ours.storage_read_bytes, s.now.ours.storage_read_bytes) +
                      Growth(s.before.ours.storage_written_bytes, s.now.ours.storage_written_bytes);
  const double others = bytes - ours;
  if (bytes <= 0 || others / s.seconds < kDiskBytesPerS) return std::nullopt;
  const double share = std::min(1.0, busiest) * others / bytes;
  if (share < kDiskShare) return std::nullopt;
  return s.Of("disk", share,
              fmt::format("{}/s of disk traffic was not ours; {} was busy {:.0f}% of the time",
                          FormatBytes(static_cast<int64_t>(others / s.seconds)), device,
                          100 * std::min(1.0, busiest)));
}

std::optional<Disturbance> Swap(const Stretch& s) {
  const double pages = Growth(s.before.paging.swap_in_pages, s.now.paging.swap_in_pages) +
                       Growth(s.before.paging.swap_out_pages, s.now.paging.swap_out_pages);
  const double bytes_per_s = pages * s.now.page_bytes / s.seconds;
  if (bytes_per_s < kSwapBytesPerS) return std::nullopt;
  return s.Of("swap", 1,
              fmt::format("{}/s were swapped", FormatBytes(static_cast<int64_t>(bytes_per_s))));
}

// REALTIME against MONOTONIC: steering (NTP's slewing) moves both alike, a step only the first. So
// does a machine that was suspended.
std::optional<Disturbance> ClockStep(const Stretch& s) {
  const int64_t step = (s.now.utc_ns - s.now.time_ns) - (s.before.utc_ns - s.before.time_ns);
  const int64_t unsure = s.now.clock_width_ns + s.before.clock_width_ns;
  if (std::abs(step) < kClockStepNs + unsure) return std::nullopt;
  return s.Of(
      "clock", 1,
      fmt::format("the wall clock was set {} by {:.6g} s, or the machine was suspended",
                  step > 0 ? "forward" : "back", std::abs(static_cast<double>(step)) / 1e9));
}

}  // namespace

void Drift::Frequencies::Add(double mhz) {
  const auto step = static_cast<size_t>(std::max(0.0, mhz / kStepMhz));
  ++counts_[std::min(step, counts_.size() - 1)];
  ++total_;
}

std::optional<double> Drift::Frequencies::Median() const {
  if (total_ < kStretchesForFrequency) return std::nullopt;
  int32_t below = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    below += counts_[i];
    if (2 * below >= total_) return (static_cast<double>(i) + 0.5) * kStepMhz;
  }
  return std::nullopt;
}

std::vector<Disturbance> Drift::Look(const Snapshot& now) {
  std::vector<Disturbance> found;
  if (!before_) {
    before_ = now;
    return found;
  }
  const int64_t length_ns = now.time_ns - before_->time_ns;
  if (length_ns < kShortestStretchNs) return found;
  const Stretch s{*before_, now, static_cast<double>(length_ns) / 1e9,
                  now.cpu ? static_cast<double>(now.cpu->cores) : 0};
  const auto keep = [&](std::optional<Disturbance> disturbance) {
    if (disturbance) found.push_back(*std::move(disturbance));
  };
  if (before_->cpu && s.cores > 0) {
    keep(Load(s));
    keep(Steal(s));
  }
  keep(Throttle(s));
  keep(Disk(s));
  keep(Swap(s));
  if (now.mhz && before_->cpu && s.cores > 0 &&
      Busy(*before_->cpu, *now.cpu) >= kBusyForFrequency * s.seconds * s.cores) {
    if (const auto median = frequencies_.Median()) {
      const double share = std::abs(*now.mhz / *median - 1);
      if (share >= kFrequencyShare) {
        keep(s.Of("frequency", share,
                  fmt::format("cores ran at {:.0f} MHz; {:.0f} MHz is usual in this session",
                              *now.mhz, *median)));
      }
    }
    frequencies_.Add(*now.mhz);
  }
  keep(ClockStep(s));
  before_ = now;
  return found;
}

Json ToJson(const std::vector<Disturbance>& disturbances, int64_t session) {
  Json list = Json::array();
  for (const Disturbance& d : disturbances) {
    list.push_back({{"reason", d.reason},
                    {"from_ns", d.from_ns},
                    {"to_ns", d.to_ns},
                    {"share", d.share},
                    {"text", d.text}});
  }
  return {{"session", session}, {"disturbances", std::move(list)}};
}

}  // namespace lakegauge::run
