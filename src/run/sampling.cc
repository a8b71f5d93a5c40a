#include "run/sampling.h"

#include <utility>

#include "record/samples.h"

namespace lakegauge::run {

Status Sampling::Start() {
  // What a killed session left; a file that cannot be brought in must not keep the run from going
  // on, and stays where it is.
  const Status compacted = record::CompactSamples(folder_.spool(), folder_.samples());
  auto sampler = Sampler::Open(folder_.spool(), recorder_.session(), OpenMachine(clock_), clock_,
                               [this](const std::vector<Disturbance>& disturbances) {
                                 return recorder_.Event("disturbance",
                                                        ToJson(disturbances, recorder_.session()));
                               });
  std::string problem;
  if (!compacted.ok()) problem = compacted.error().message;
  if (!sampler.ok()) problem = sampler.error().message;
  LG_RETURN_IF_ERROR(recorder_.Event(
      "sampling",
      {{"session", recorder_.session()}, {"every_ns", kSampleEveryNs}, {"problem", problem}}));
  if (!sampler.ok()) return {};
  sampler_ = std::move(*sampler);
  sampler_->Start();
  if (servers_.empty()) return {};
  poller_ = std::make_unique<MetricsPoller>(
      servers_, recorder_.session(), clock_,
      [this](std::vector<record::Sample> samples) { sampler_->Put(std::move(samples)); });
  poller_->Start();
  return {};
}

Result<std::string> Sampling::Finish() {
  if (!sampler_) return std::string("the machine was not sampled: see the journal");
  // Before the sampler, so that its last sample takes theirs along.
  Json gaps = Json::array();
  if (poller_) {
    poller_->Stop();
    for (const auto& [server, seen] : poller_->gaps()) {
      gaps.push_back({{"server", server},
                      {"looks", seen.looks},
                      {"gaps", seen.gaps},
                      {"first_problem", seen.first_problem}});
    }
  }
  Status end = sampler_->Stop();
  if (end.ok()) end = record::CompactSamples(folder_.spool(), folder_.samples());
  std::string problem = end.ok() ? "" : end.error().message;
  LG_RETURN_IF_ERROR(
      recorder_.Event("sampling_end", {{"session", sampler_->session()},
                                       {"samples", sampler_->taken()},
                                       {"disturbances", sampler_->disturbances()},
                                       {"servers", gaps},
                                       {"cpu_s", static_cast<double>(sampler_->cpu_ns()) / 1e9},
                                       {"problem", problem}}));
  if (problem.empty()) return problem;
  return "samples of the machine are not whole: " + problem;
}

}  // namespace lakegauge::run
