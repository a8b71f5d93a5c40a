#include "analyze/schedule_simulation.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace lakegauge::analyze {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Something that happens at a time (or when that much has been computed), to a thread.
struct Due {
  double at = 0;
  uint64_t order = 0;  // of two at one time the earlier made comes first
  int thread = 0;
  bool operator>(const Due& o) const { return at != o.at ? at > o.at : order > o.order; }
};
using DueQueue = std::priority_queue<Due, std::vector<Due>, std::greater<>>;

// A task that a thread works on.
struct Work {
  int32_t task = -1;
  uint32_t step = 0;  // next one
  enum class Phase { kStep, kRequest, kWait } phase = Phase::kStep;
  double asked_at = 0;  // start of the request under way
};

class Simulation {
 public:
  Simulation(const Schedule& schedule, const Target& target) : s_(schedule), t_(target) {
    tasks_left_.reserve(s_.stages.size());
    for (const auto& stage : s_.stages) {
      tasks_left_.push_back(stage.tasks);
      stages_left_.push_back(static_cast<uint32_t>(stage.after.size()));
    }
    followers_.resize(s_.stages.size());
    tasks_of_.resize(s_.stages.size());
    gated_.resize(s_.tasks.size());
    for (size_t i = 0; i < s_.stages.size(); ++i) {
      for (const int32_t before : s_.stages[i].after) {
        followers_[static_cast<size_t>(before)].push_back(static_cast<int32_t>(i));
      }
    }
    for (size_t i = 0; i < s_.tasks.size(); ++i) {
      const auto& task = s_.tasks[i];
      tasks_of_[static_cast<size_t>(task.stage)].push_back(static_cast<int32_t>(i));
      if (task.gate >= 0) gated_[static_cast<size_t>(task.gate)].push_back(static_cast<int32_t>(i));
    }
    stage_open_.resize(s_.stages.size());
    gate_open_.resize(s_.tasks.size());
    work_.resize(static_cast<size_t>(std::max(1, t_.threads)));
    for (int thread = static_cast<int>(work_.size()) - 1; thread >= 0; --thread) {
      idle_.push_back(thread);
    }
  }

  Simulated Run() {
    for (size_t i = 0; i < s_.stages.size(); ++i) {
      // Those behind a stage without tasks open with it.
      if (stages_left_[i] == 0 && !stage_open_[i]) OpenStage(static_cast<int32_t>(i));
    }
    for (;;) {
      while (!ready_.empty() && !idle_.empty()) {
        const int thread = idle_.back();
        idle_.pop_back();
        work_[static_cast<size_t>(thread)] = {ready_.top().second, 0, Work::Phase::kStep, 0};
        ready_.pop();
        Advance(thread);
      }
      if (computing_.empty() && waiting_.empty()) break;
      Next();
    }
    return {now_, blocked_};
  }

 private:
  // Lets time pass until the next thread has computed or waited enough.
  void Next() {
    const auto busy = static_cast<double>(computing_.size());
    const double rate = t_.cores > 0 ? std::min(1.0, t_.cores / std::max(1.0, busy)) : 1;
    const double computed_at =
        computing_.empty() ? kNever : now_ + (computing_.top().at - computed_) / rate;
    const double waited_at = waiting_.empty() ? kNever : waiting_.top().at;
    DueQueue& queue = computed_at <= waited_at ? computing_ : waiting_;
    const double at = std::max(now_, std::min(computed_at, waited_at));
    if (computing_.empty()) {
      blocked_ += at - now_;
    } else {
      computed_ = computed_at <= waited_at ? computing_.top().at : computed_ + (at - now_) * rate;
    }
    now_ = at;
    const int thread = queue.top().thread;
    queue.pop();
    Advance(thread);
  }

  void Compute(int thread, double cpu_s) { computing_.push({computed_ + cpu_s, ++made_, thread}); }

  double WaitsUntil(const ScheduledRequest& r, double asked_at) {
    double until = asked_at + (t_.seconds ? t_.seconds(r) : 0);
    if (t_.total_bytes_per_s > 0 && r.bytes > 0) {
      // Its first byte comes after what it takes alone without the bytes; then the pipe is taken.
      pipe_free_at_ =
          std::max(pipe_free_at_, asked_at) + static_cast<double>(r.bytes) / t_.total_bytes_per_s;
      until = std::max(until, pipe_free_at_);
    }
    return until;
  }

  // Moves a thread on until it computes, waits or has no task.
  void Advance(int thread) {
    Work& work = work_[static_cast<size_t>(thread)];
    const auto& task = s_.tasks[static_cast<size_t>(work.task)];
    for (;;) {
      if (work.phase == Work::Phase::kStep && work.step == task.steps) break;
      const auto& step = s_.steps[task.first_step + work.step];
      if (work.phase == Work::Phase::kStep) {
        work.phase = Work::Phase::kRequest;
        const double opening = work.step == 0 && WaitedToOpen(task) ? t_.open_cpu_s : 0;
        const double cpu_s = step.cpu_s * t_.cpu_factor + opening;
        if (cpu_s > 0) return Compute(thread, cpu_s);
      }
      if (step.request < 0) {
        NextStep(&work);
        continue;
      }
      const auto& request = s_.requests[static_cast<size_t>(step.request)];
      if (work.phase == Work::Phase::kRequest) {
        work.phase = Work::Phase::kWait;
        work.asked_at = now_;
        if (request.cpu_s > 0) return Compute(thread, request.cpu_s * t_.cpu_factor);
      }
      const double until = WaitsUntil(request, work.asked_at);
      NextStep(&work);
      if (until > now_) return waiting_.push({until, ++made_, thread});
    }
    const int32_t ended = work.task;
    work.task = -1;
    idle_.push_back(thread);
    EndTask(ended);
  }

  bool WaitedToOpen(const Schedule::Task& task) const {
    constexpr double kWaitedS = 1e-3;
    if (!task.opens_file) return false;
    const auto& footer = s_.tasks[static_cast<size_t>(task.gate)];
    const int32_t request = s_.steps[footer.first_step].request;
    return request >= 0 && s_.requests[static_cast<size_t>(request)].recorded_s >= kWaitedS;
  }

  static void NextStep(Work* work) {
    ++work->step;
    work->phase = Work::Phase::kStep;
  }

  void EndTask(int32_t ended) {
    for (const int32_t task : gated_[static_cast<size_t>(ended)]) {
      gate_open_[static_cast<size_t>(task)] = true;
      if (stage_open_[static_cast<size_t>(s_.tasks[static_cast<size_t>(task)].stage)]) Ready(task);
    }
    const auto stage = static_cast<size_t>(s_.tasks[static_cast<size_t>(ended)].stage);
    if (--tasks_left_[stage] == 0) EndStage(stage);
  }

  void EndStage(size_t stage) {
    for (const int32_t next : followers_[stage]) {
      if (--stages_left_[static_cast<size_t>(next)] == 0) OpenStage(next);
    }
  }

  void OpenStage(int32_t stage) {
    const auto i = static_cast<size_t>(stage);
    stage_open_[i] = true;
    for (const int32_t task : tasks_of_[i]) {
      const auto& t = s_.tasks[static_cast<size_t>(task)];
      if (t.gate < 0 || gate_open_[static_cast<size_t>(task)]) Ready(task);
    }
    if (tasks_left_[i] == 0) EndStage(i);  // none was recorded
  }

  void Ready(int32_t task) { ready_.push({s_.tasks[static_cast<size_t>(task)].start_s, task}); }

  const Schedule& s_;
  const Target& t_;
  std::vector<uint32_t> tasks_left_, stages_left_;  // of and before each stage
  std::vector<std::vector<int32_t>> followers_, tasks_of_, gated_;
  std::vector<bool> stage_open_, gate_open_;
  using ReadyTask = std::pair<double, int32_t>;
  std::priority_queue<ReadyTask, std::vector<ReadyTask>, std::greater<>> ready_;
  std::vector<Work> work_;
  std::vector<int> idle_;
  DueQueue computing_;  // by computed_
  DueQueue waiting_;    // by now_
  double now_ = 0;
  double computed_ = 0;  // CPU seconds each computing thread has had since the start
  double pipe_free_at_ = 0;
  double blocked_ = 0;
  uint64_t made_ = 0;
};

}  // namespace

Simulated Simulate(const Schedule& schedule, const Target& target) {
  return Simulation(schedule, target).Run();
}

double AlongCriticalPath(const Schedule& schedule, const Target& target) {
  // A lane went on by itself where its wall time is explained by what it computed; the rest allows
  // for sharing cores and for being woken.
  constexpr double kSharing = 2.5;
  constexpr double kWakeS = 3e-4;
  const auto& all = schedule.requests;
  const auto end = [&](size_t i) { return all[i].start_s + all[i].recorded_s; };
  std::vector<size_t> by_end(all.size());
  for (size_t i = 0; i < by_end.size(); ++i) by_end[i] = i;
  std::sort(by_end.begin(), by_end.end(), [&](size_t a, size_t b) { return end(a) < end(b); });
  const auto last_ended_by = [&](double t) {
    const auto after = std::upper_bound(by_end.begin(), by_end.end(), t,
                                        [&](double at, size_t i) { return at < end(i); });
    return after == by_end.begin() ? all.size() : *(after - 1);
  };
  double saved = 0;
  // Starts fall strictly along the way: a request ends before the next one on it starts, and one
  // that took no time is stepped over by the lane's own order.
  for (size_t i = last_ended_by(schedule.elapsed_s); i < all.size();) {
    const ScheduledRequest& r = all[i];
    saved += r.recorded_s - std::max(target.seconds ? target.seconds(r) : 0, r.cpu_s);
    const bool has_previous = i > 0 && all[i - 1].lane == r.lane;
    if (has_previous && r.start_s - end(i - 1) <= kSharing * r.cpu_before_s + kWakeS) {
      --i;
      continue;
    }
    const size_t other = last_ended_by(r.start_s);
    if (other >= all.size() || all[other].start_s >= r.start_s) break;
    i = other;
  }
  return std::max(0.0, schedule.elapsed_s - saved);
}

}  // namespace lakegauge::analyze
