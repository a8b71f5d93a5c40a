#include "analyze/bottleneck_division.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/schedule.h"

namespace lakegauge::analyze {
namespace {

constexpr double kNs = 1e-9;

// A thread from one moment to another: the share of it that it computes, and whether it asks.
struct Edge {
  int64_t at = 0;
  double busy = 0;
  bool in_request = false;
  int sign = 1;
};

void AddStretch(int64_t from, int64_t to, double cpu_s, bool in_request, const record::Execution& e,
                std::vector<Edge>* edges) {
  if (to <= from) return;
  const double busy = std::clamp(cpu_s / (static_cast<double>(to - from) * kNs), 0.0, 1.0);
  from = std::max(from, e.start_ns);
  to = std::min(to, e.end_ns);
  if (from >= to || (busy <= 0 && !in_request)) return;
  edges->push_back({from, busy, in_request, 1});
  edges->push_back({to, busy, in_request, -1});
}

}  // namespace

double IdleSeconds(const record::Execution& e, std::span<const record::Request> requests,
                   int cores) {
  std::map<int32_t, std::vector<const record::Request*>> lanes;
  std::map<int32_t, record::ThreadCpu> cpu;
  for (const auto& t : e.threads) {
    cpu[t.thread] = t;
    lanes[t.thread];
  }
  for (const auto& r : requests) lanes[r.thread].push_back(&r);
  std::vector<Edge> edges;
  for (auto& [thread, lane] : lanes) {
    std::sort(lane.begin(), lane.end(), [](const record::Request* a, const record::Request* b) {
      return a->start_ns < b->start_ns;
    });
    const auto known = cpu.find(thread);
    int64_t at = e.start_ns;
    int64_t stamp = known != cpu.end() ? known->second.start_ns : -1;
    for (const record::Request* r : lane) {
      if (stamp < 0) stamp = r->cpu_start_ns;
      const auto [before, own] = CpuOf(*r, stamp);
      AddStretch(at, r->start_ns, before, false, e, &edges);
      AddStretch(r->start_ns, r->end_ns, own, true, e, &edges);
      at = r->end_ns;
      stamp = r->cpu_end_ns;
    }
    if (known == cpu.end()) continue;
    AddStretch(at, e.end_ns, static_cast<double>(known->second.end_ns - stamp) * kNs, false, e,
               &edges);
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });

  double idle = 0;
  double log_none = 0;  // of the probability that none of those below 1 computes
  double busy = 0;
  int certain = 0, asking = 0;
  int64_t at = e.start_ns;
  for (const Edge& edge : edges) {
    if (edge.at > at && asking == 0 && certain == 0) {
      double none = std::exp(std::min(0.0, log_none));
      if (cores > 0) none = std::min(none, std::max(0.0, 1 - busy / cores));
      idle += static_cast<double>(edge.at - at) * kNs * none;
    }
    at = edge.at;
    busy += edge.sign * edge.busy;
    asking += edge.in_request ? edge.sign : 0;
    if (edge.busy >= 1) {
      certain += edge.sign;
    } else {
      log_none += edge.sign * std::log1p(-edge.busy);
    }
  }
  return idle + static_cast<double>(std::max<int64_t>(0, e.end_ns - at)) * kNs;
}

Waits& Waits::operator+=(const Waits& other) {
  first_byte_s += other.first_byte_s;
  stream_s += other.stream_s;
  pipe_s += other.pipe_s;
  refused_s += other.refused_s;
  late_s += other.late_s;
  unknown_s += other.unknown_s;
  return *this;
}

Waits WaitsOf(const record::Request& r, double stream_bytes_per_s) {
  Waits w;
  if (r.asked_ns < 0) {
    w.unknown_s =
        static_cast<double>(std::max<int64_t>(
            0, r.end_ns - r.start_ns - std::max<int64_t>(0, r.cpu_end_ns - r.cpu_start_ns))) *
        kNs;
    return w;
  }
  w.late_s = static_cast<double>(std::max<int64_t>(0, r.lateness_ns)) * kNs;
  double left = static_cast<double>(r.asked_ns) * kNs;
  const auto take = [&left](double wanted) {
    const double got = std::clamp(wanted, 0.0, left);
    left -= got;
    return got;
  };
  w.first_byte_s = take(static_cast<double>(std::max<int64_t>(0, r.asked_first_ns)) * kNs);
  if (r.first_byte_ns > 0) {
    w.refused_s = take(static_cast<double>(r.first_byte_ns - r.start_ns) * kNs - w.first_byte_s);
  }
  if (stream_bytes_per_s > 0) w.stream_s = take(static_cast<double>(r.bytes) / stream_bytes_per_s);
  // What is left after a refusal that was never let through is not the pipe's.
  (r.bytes > 0 ? w.pipe_s : w.refused_s) += left;
  return w;
}

void WaitLine::Add(double bytes, double wait_s) {
  n_ += 1;
  bytes_ += bytes;
  wait_ += wait_s;
  bytes2_ += bytes * bytes;
  product_ += bytes * wait_s;
}

double WaitLine::request_part() const {
  if (!(wait_ > 0)) return 1;
  const double spread = n_ * bytes2_ - bytes_ * bytes_;
  if (!(spread > 0)) return 1;  // all of one size: no line can tell them apart
  const double slope = std::max(0.0, (n_ * product_ - bytes_ * wait_) / spread);
  return std::clamp(1 - slope * bytes_ / wait_, 0.0, 1.0);
}

}  // namespace lakegauge::analyze
