#pragma once
// Looks at the machine once a second while a run goes on, spools what it saw, and tells of what
// disturbed the run. Hides the thread, its deadlines and the spool.
//
// Threads: one of its own between Start and Stop; Put from any. Owns: the spool of its session.
// Errors: a sample that cannot be written ends the sampling, not the run; Stop says why.
// Source of time: the clock it is given; TakeOne works without a thread, for tests.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "record/samples.h"
#include "run/drift.h"
#include "run/sampler_reader.h"

namespace lakegauge::run {

inline constexpr int64_t kSampleEveryNs = 1'000'000'000;

class Sampler {
 public:
  // Called from the sampler's thread, at most once a sample.
  using OnDisturbance = std::function<Status(const std::vector<Disturbance>&)>;

  // Opens <spool_dir>/samples.<session>.arrows.
  static Result<std::unique_ptr<Sampler>> Open(const std::string& spool_dir, int64_t session,
                                               std::unique_ptr<SnapshotSource> source, Clock& clock,
                                               OnDisturbance on_disturbance);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  void Start();
  // Takes a last sample, ends the thread and closes the spool; the first error of them all.
  Status Stop();
  Status TakeOne();
  // Samples that others took; written with the next one.
  void Put(std::vector<record::Sample> samples);

  int64_t session() const { return session_; }
  int64_t taken() const { return taken_; }
  int64_t disturbances() const { return disturbances_; }
  // CPU time of the sampler's own thread, once it has stopped.
  int64_t cpu_ns() const { return cpu_ns_; }

 private:
  Sampler(int64_t session, std::unique_ptr<record::SampleWriter> writer,
          std::unique_ptr<SnapshotSource> source, Clock& clock, OnDisturbance on_disturbance);
  void Loop(const std::stop_token& stop);
  Status Take(bool in_own_thread);

  const int64_t session_;
  const std::unique_ptr<record::SampleWriter> writer_;
  const std::unique_ptr<SnapshotSource> source_;
  Clock& clock_;
  const OnDisturbance on_disturbance_;
  Drift drift_;
  Status failed_;
  int64_t taken_ = 0, disturbances_ = 0, cpu_ns_ = 0;
  bool stopped_ = false;
  std::mutex mutex_;
  std::vector<record::Sample> put_;
  std::jthread thread_;
};

}  // namespace lakegauge::run
