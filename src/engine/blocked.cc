#include "engine/blocked.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lakegauge::engine {
namespace {

// One thread between two of its stamps.
struct Stretch {
  int64_t start = 0;
  int64_t end = 0;
  double busy = 0;      // probability that it computes, 0..1
  double log_idle = 0;  // ln(1 - busy) where busy < 1
  bool in_request = false;
};

struct Stamp {
  int64_t wall = 0;
  int64_t cpu = -1;  // -1: not known
};

double BusyShare(const Stamp& from, const Stamp& to) {
  if (from.cpu < 0 || to.cpu < 0 || to.wall <= from.wall) return 0;
  return std::clamp(
      static_cast<double>(to.cpu - from.cpu) / static_cast<double>(to.wall - from.wall), 0.0, 1.0);
}

// `requests` in the order of their starts.
void AddThread(const std::vector<const record::Request*>& requests, const Stamp& begin,
               const Stamp& finish, std::vector<Stretch>* out) {
  const auto add = [&](const Stamp& from, const Stamp& to, bool in_request) {
    const double busy = BusyShare(from, to);
    const int64_t start = std::max(from.wall, begin.wall);
    const int64_t end = std::min(to.wall, finish.wall);
    if (start < end && (busy > 0 || in_request)) {
      out->push_back({start, end, busy, busy < 1 ? std::log1p(-busy) : 0, in_request});
    }
  };
  Stamp at = begin;
  for (const auto* request : requests) {
    const Stamp asked{request->start_ns, request->cpu_start_ns};
    const Stamp answered{request->end_ns, request->cpu_end_ns};
    add(at, asked, false);
    add(asked, answered, true);
    at = answered;
  }
  add(at, finish, false);
}

// Of the stretches that cover one moment.
class Moment {
 public:
  void Enter(const Stretch& s) { Change(s, 1); }
  void Leave(const Stretch& s) { Change(s, -1); }
  double ProbabilityNoneComputes(int cores) const {
    if (certain_ > 0) return 0;
    double probability = std::exp(std::min(0.0, log_idle_));
    if (cores > 0) probability = std::min(probability, std::max(0.0, 1 - busy_ / cores));
    return probability;
  }
  bool someone_waits() const { return in_request_ > 0; }

 private:
  void Change(const Stretch& s, int sign) {
    in_request_ += s.in_request ? sign : 0;
    busy_ += sign * s.busy;
    if (s.busy >= 1) {
      certain_ += sign;
    } else {
      log_idle_ += sign * s.log_idle;
    }
  }
  int in_request_ = 0;
  int certain_ = 0;  // threads that compute without doubt
  double busy_ = 0;
  double log_idle_ = 0;
};

}  // namespace

Blocked BlockedTime(const std::vector<record::Request>& requests,
                    const std::vector<record::ThreadCpu>& threads, int64_t start_ns, int64_t end_ns,
                    int cores) {
  struct Lane {
    Stamp begin, finish;
    std::vector<const record::Request*> requests;
  };
  std::map<int32_t, Lane> lanes;
  for (const auto& thread : threads) {
    lanes[thread.thread] = {{start_ns, thread.start_ns}, {end_ns, thread.end_ns}, {}};
  }
  for (const auto& request : requests) {
    const auto [lane, added] =
        lanes.try_emplace(request.thread, Lane{{start_ns, -1}, {end_ns, -1}, {}});
    lane->second.requests.push_back(&request);
  }
  std::vector<Stretch> stretches;
  stretches.reserve(2 * requests.size() + lanes.size());
  const auto by_start = [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; };
  for (auto& [thread, lane] : lanes) {
    auto& asked = lane.requests;
    if (!std::is_sorted(asked.begin(), asked.end(), by_start)) {
      std::sort(asked.begin(), asked.end(), by_start);
    }
    AddThread(asked, lane.begin, lane.finish, &stretches);
  }

  struct Edge {
    int64_t at;
    size_t stretch;
    bool enters;
  };
  std::vector<Edge> edges;
  edges.reserve(2 * stretches.size());
  double waiting = 0;
  for (size_t i = 0; i < stretches.size(); ++i) {
    edges.push_back({stretches[i].start, i, true});
    edges.push_back({stretches[i].end, i, false});
    if (stretches[i].in_request) {
      waiting +=
          static_cast<double>(stretches[i].end - stretches[i].start) * (1 - stretches[i].busy);
    }
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  Moment moment;
  double blocked = 0;
  int64_t at = start_ns;
  for (const auto& edge : edges) {
    if (moment.someone_waits() && edge.at > at) {
      blocked += static_cast<double>(edge.at - at) * moment.ProbabilityNoneComputes(cores);
    }
    at = edge.at;
    if (edge.enters) {
      moment.Enter(stretches[edge.stretch]);
    } else {
      moment.Leave(stretches[edge.stretch]);
    }
  }
  return {std::llround(blocked), std::llround(waiting)};
}

}  // namespace lakegauge::engine
