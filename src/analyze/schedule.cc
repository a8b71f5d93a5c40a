#include "analyze/schedule.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace lakegauge::analyze {
namespace {

using record::Operation;
using record::Request;

constexpr double kNs = 1e-9;
constexpr int64_t kFooter = -1;  // in place of a row group
constexpr int64_t kOther = -2;   // a request that reads no data: LIST, HEAD
// Where a thread's CPU clock was read once a request only, what a read itself takes of what was
// used since the last reading: a system call and a copy. Measured on local reads in the page cache.
constexpr double kReadCallS = 5e-6;
constexpr double kCopyBytesPerS = 4e9;

// What a task reads: of a handle, a piece of a file.
struct Piece {
  uint32_t key = 0;
  int64_t part = 0;  // row group, kFooter or kOther
  auto operator<=>(const Piece&) const = default;
};

struct Draft {
  Piece piece;
  int64_t handle = 0;
  int64_t scan = -1;
  bool planning = false;
  double start_s = 0;
  double end_s = 0;
  std::vector<Schedule::Step> steps;
};

double PlannedAt(const record::Execution& e) {
  for (const auto& metric : e.metrics) {
    if (metric.name == "planning_s") return metric.value;
  }
  return -1;
}

class Builder {
 public:
  Builder(const record::Execution& execution, std::span<const Request> requests,
          const std::vector<KeyFacts>& keys)
      : e_(execution), keys_(keys) {
    for (const Request& r : requests) lanes_[r.thread].push_back(&r);
    for (auto& [thread, lane] : lanes_) {
      std::sort(lane.begin(), lane.end(),
                [](const Request* a, const Request* b) { return a->start_ns < b->start_ns; });
    }
    planned_s_ = PlannedAt(e_);
    if (planned_s_ < 0) {
      // Not told: the main thread plans until another one asks for something.
      planned_s_ = std::numeric_limits<double>::infinity();
      for (const auto& [thread, lane] : lanes_) {
        if (thread != e_.main_thread) planned_s_ = std::min(planned_s_, At(lane.front()->start_ns));
      }
      if (lanes_.size() < 2) planned_s_ = 0;
    }
  }

  Schedule Build(int threads) {
    s_.elapsed_s = static_cast<double>(e_.end_ns - e_.start_ns) * kNs;
    s_.threads = std::max(1, threads);
    std::map<int32_t, record::ThreadCpu> cpu;
    for (const auto& t : e_.threads) cpu[t.thread] = t;
    for (const auto& [thread, lane] : lanes_) {
      const auto at = cpu.find(thread);
      AddLane(thread, lane, at == cpu.end() ? nullptr : &at->second);
    }
    double loose = 0;
    std::vector<double> loose_of;
    for (const auto& [thread, t] : cpu) {
      const double used = static_cast<double>(t.end_ns - t.start_ns) * kNs;
      if (!lanes_.contains(thread) && used > 0) {
        loose_of.push_back(used);
        loose += used;
      }
    }
    s_.cpu_s += loose;
    FindStages();
    for (const double used : loose_of) AddLoose(used);
    if (after_planning_s_ > 0) AddLoose(after_planning_s_);
    Finish();
    return std::move(s_);
  }

 private:
  double At(int64_t ns) const { return static_cast<double>(ns - e_.start_ns) * kNs; }

  Piece PieceOf(const Request& r) const {
    if (r.operation != Operation::kGet) return {r.key, kOther};
    if (r.key >= keys_.size()) return {r.key, 0};
    const KeyFacts& facts = keys_[r.key];
    if (facts.size > 0 && r.offset + r.length >= facts.size) return {r.key, kFooter};
    const auto& groups = facts.row_group_offsets;
    const auto after = std::upper_bound(groups.begin(), groups.end(), r.offset);
    return {r.key, after == groups.begin() ? 0 : after - groups.begin() - 1};
  }

  static bool SameTask(const Draft& task, const Request& r, const Piece& piece, bool planning) {
    if (task.planning || planning) return task.planning == planning;
    return r.handle != 0 && task.handle == r.handle &&
           (task.piece == piece || piece.part == kFooter);
  }

  void AddLane(int32_t thread, const std::vector<const Request*>& lane,
               const record::ThreadCpu* cpu) {
    int64_t stamp = cpu != nullptr ? cpu->start_ns : lane.front()->cpu_start_ns;
    Draft* task = nullptr;
    double at_s = 0;  // end of the lane's last request
    for (const Request* r : lane) {
      const auto [gap, own] = CpuOf(*r, stamp);
      s_.cpu_s += gap + own;
      const bool planning = thread == e_.main_thread && At(r->start_ns) < planned_s_;
      const Piece piece = PieceOf(*r);
      double lead = 0;
      if (task == nullptr || !SameTask(*task, *r, piece, planning)) {
        if (task == nullptr) {
          lead = gap;
        } else {
          Trail(task, gap, at_s, At(r->start_ns));
        }
        task = &drafts_.emplace_back();
        *task = {piece, r->handle, r->scan, planning, At(r->start_ns), 0, {}};
      } else {
        lead = gap;
      }
      task->steps.push_back({lead, static_cast<int32_t>(s_.requests.size())});
      s_.requests.push_back({r->operation, r->bytes, lane_, At(r->start_ns),
                             static_cast<double>(r->end_ns - r->start_ns) * kNs, own, gap});
      at_s = std::max(at_s, At(r->end_ns));
      task->end_s = at_s;
      stamp = r->cpu_end_ns;
    }
    ++lane_;
    if (cpu == nullptr) return;
    const double rest = std::max<double>(0, static_cast<double>(cpu->end_ns - stamp) * kNs);
    s_.cpu_s += rest;
    Trail(task, rest, at_s, s_.elapsed_s);
  }

  // What a lane computed between the last request of `task` and what came next on it. Of the
  // planning thread, only what fits before planning ended is planning.
  void Trail(Draft* task, double cpu_s, double from_s, double to_s) {
    if (task->planning) {
      const double fits = std::min(cpu_s, std::max(0.0, std::min(planned_s_, to_s) - from_s));
      after_planning_s_ += cpu_s - fits;
      cpu_s = fits;
    }
    if (cpu_s > 0) task->steps.push_back({cpu_s, -1});
  }

  int32_t TableOf(const Draft& task) const {
    const uint32_t key = task.piece.key;
    if (key < keys_.size() && keys_[key].table >= 0) return keys_[key].table;
    return -2 - static_cast<int32_t>(key);
  }

  // Gives each draft its stage; drafts of planning are stage 0.
  void FindStages() {
    std::sort(drafts_.begin(), drafts_.end(),
              [](const Draft& a, const Draft& b) { return a.start_s < b.start_s; });
    struct Scan {
      int32_t stage;
      std::set<Piece> pieces;
    };
    std::unordered_map<int64_t, std::set<Piece>> of_handle;
    for (const Draft& d : drafts_) {
      if (!d.planning) of_handle[d.handle].insert(d.piece);
    }
    s_.stages.push_back({0, 0, 0, {}});  // planning
    std::map<int32_t, std::vector<Scan>> scans;
    std::unordered_map<int64_t, int32_t> stage_of_handle, stage_of_scan;
    stage_of_.resize(drafts_.size());
    const auto new_stage = [&] {
      s_.stages.push_back({std::numeric_limits<double>::infinity(), 0, 0, {}});
      return static_cast<int32_t>(s_.stages.size()) - 1;
    };
    for (size_t i = 0; i < drafts_.size(); ++i) {
      const Draft& d = drafts_[i];
      if (d.planning) continue;
      if (d.scan >= 0) {
        const auto [at, added] = stage_of_scan.try_emplace(d.scan, 0);
        if (added) at->second = new_stage();
        stage_of_[i] = at->second;
        continue;
      }
      const auto at = stage_of_handle.find(d.handle);
      if (d.handle != 0 && at != stage_of_handle.end()) {
        stage_of_[i] = at->second;
        continue;
      }
      const std::set<Piece> alone = {d.piece};
      const std::set<Piece>& pieces = d.handle != 0 ? of_handle[d.handle] : alone;
      auto& of_table = scans[TableOf(d)];
      auto scan = std::find_if(of_table.begin(), of_table.end(), [&](const Scan& s) {
        return std::none_of(pieces.begin(), pieces.end(),
                            [&](const Piece& p) { return s.pieces.contains(p); });
      });
      if (scan == of_table.end()) scan = of_table.insert(of_table.end(), {new_stage(), {}});
      scan->pieces.insert(pieces.begin(), pieces.end());
      stage_of_[i] = scan->stage;
      if (d.handle != 0) stage_of_handle[d.handle] = scan->stage;
    }
  }

  // CPU time without a known place.
  void AddLoose(double cpu_s) {
    if (s_.stages.size() == 1) s_.stages.push_back({s_.elapsed_s, s_.elapsed_s, 0, {}});
    loose_.push_back(cpu_s);
  }

  void Finish() {
    for (size_t i = 0; i < drafts_.size(); ++i) {
      Schedule::Stage& stage = s_.stages[static_cast<size_t>(stage_of_[i])];
      if (stage_of_[i] > 0) stage.start_s = std::min(stage.start_s, drafts_[i].start_s);
      stage.end_s = std::max(stage.end_s, drafts_[i].end_s);
    }
    // Stages came in the order of their first task, so they ascend by start.
    for (size_t j = 1; j < s_.stages.size(); ++j) {
      s_.stages[j].after.push_back(0);
      for (size_t i = 1; i < j; ++i) {
        if (s_.stages[i].end_s <= s_.stages[j].start_s) {
          s_.stages[j].after.push_back(static_cast<int32_t>(i));
        }
      }
    }
    std::map<std::pair<int32_t, uint32_t>, int32_t> footers;  // stage, key -> task
    std::set<int32_t> opened;
    for (size_t i = 0; i < drafts_.size(); ++i) {
      const Draft& d = drafts_[i];
      Schedule::Task task;
      task.stage = stage_of_[i];
      task.start_s = d.start_s;
      task.first_step = static_cast<uint32_t>(s_.steps.size());
      task.steps = static_cast<uint32_t>(d.steps.size());
      s_.steps.insert(s_.steps.end(), d.steps.begin(), d.steps.end());
      const auto footer = footers.find({task.stage, d.piece.key});
      if (d.piece.part == kFooter) {
        footers.try_emplace({task.stage, d.piece.key}, static_cast<int32_t>(s_.tasks.size()));
      } else if (footer != footers.end() &&
                 drafts_[static_cast<size_t>(footer->second)].end_s <= d.start_s) {
        task.gate = footer->second;
        task.opens_file = opened.insert(task.gate).second;
      }
      s_.stages[static_cast<size_t>(task.stage)].tasks += 1;
      s_.tasks.push_back(task);
    }
    for (const double cpu_s : loose_) {
      Schedule::Task task;
      task.stage = static_cast<int32_t>(s_.stages.size()) - 1;
      task.start_s = s_.stages.back().start_s;
      task.first_step = static_cast<uint32_t>(s_.steps.size());
      task.steps = 1;
      s_.steps.push_back({cpu_s, -1});
      s_.stages.back().tasks += 1;
      s_.tasks.push_back(task);
    }
  }

  const record::Execution& e_;
  const std::vector<KeyFacts>& keys_;
  std::map<int32_t, std::vector<const Request*>> lanes_;
  int32_t lane_ = 0;
  double planned_s_ = 0;
  double after_planning_s_ = 0;  // of the main thread
  std::vector<Draft> drafts_;
  std::vector<int32_t> stage_of_;
  std::vector<double> loose_;
  Schedule s_;
};

}  // namespace

RequestCpu CpuOf(const Request& request, int64_t stamp) {
  const double own =
      std::max<double>(0, static_cast<double>(request.cpu_end_ns - request.cpu_start_ns) * kNs);
  if (request.cpu_start_ns != stamp) {
    return {std::max<double>(0, static_cast<double>(request.cpu_start_ns - stamp) * kNs), own};
  }
  const double read = kReadCallS + static_cast<double>(request.bytes) / kCopyBytesPerS;
  return {std::max(0.0, own - read), std::min(own, read)};
}

Schedule BuildSchedule(const record::Execution& execution, std::span<const Request> requests,
                       const std::vector<KeyFacts>& keys, int threads) {
  return Builder(execution, requests, keys).Build(threads);
}

}  // namespace lakegauge::analyze
