#pragma once
// The sampling of one session of a run: begun with it, noted in its journal, and brought into
// samples.parquet at its end, with what earlier sessions that were killed left in the spool.
// Watches the servers that the plan names besides this machine.
//
// Threads: one. Owns: the sampler. Errors: what kept the journal from being written; sampling that
// fails is a note in the journal and the run goes on.

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "run/metrics_poller.h"
#include "run/recorder.h"
#include "run/run_folder.h"
#include "run/sampler.h"

namespace lakegauge::run {

class Sampling {
 public:
  Sampling(const std::vector<MetricsItem>& servers, const RunFolder& folder, Recorder& recorder,
           Clock& clock)
      : servers_(servers), folder_(folder), recorder_(recorder), clock_(clock) {}
  Status Start();
  // One line where something went wrong; empty where not.
  Result<std::string> Finish();

 private:
  const std::vector<MetricsItem>& servers_;
  const RunFolder& folder_;
  Recorder& recorder_;
  Clock& clock_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<MetricsPoller> poller_;  // after the sampler, which takes what it finds
};

}  // namespace lakegauge::run
