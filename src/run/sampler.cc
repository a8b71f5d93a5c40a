#include "run/sampler.h"

#include <iterator>
#include <utility>

namespace lakegauge::run {

Result<std::unique_ptr<Sampler>> Sampler::Open(const std::string& spool_dir, int64_t session,
                                               std::unique_ptr<SnapshotSource> source, Clock& clock,
                                               OnDisturbance on_disturbance) {
  LG_ASSIGN_OR_RETURN(auto writer, record::SampleWriter::Open(spool_dir, session));
  return std::unique_ptr<Sampler>(
      new Sampler(session, std::move(writer), std::move(source), clock, std::move(on_disturbance)));
}

Sampler::Sampler(int64_t session, std::unique_ptr<record::SampleWriter> writer,
                 std::unique_ptr<SnapshotSource> source, Clock& clock, OnDisturbance on_disturbance)
    : session_(session),
      writer_(std::move(writer)),
      source_(std::move(source)),
      clock_(clock),
      on_disturbance_(std::move(on_disturbance)) {}

Sampler::~Sampler() { (void)Stop(); }

void Sampler::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Loop(stop); });
}

void Sampler::Loop(const std::stop_token& stop) {
  const int64_t start_ns = clock_.NowNs();
  int64_t next_ns = start_ns;
  while (failed_.ok()) {
    // A second that was missed is not made up for.
    next_ns += ((clock_.NowNs() - next_ns) / kSampleEveryNs + 1) * kSampleEveryNs;
    failed_ = Take(true);
    if (!clock_.WaitUntil(next_ns, stop)) break;
  }
  if (failed_.ok()) failed_ = Take(true);
  cpu_ns_ = ThreadCpuNs();
}

Status Sampler::Stop() {
  if (stopped_) return failed_;
  stopped_ = true;
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  const Status closed = writer_->Close();
  if (failed_.ok()) failed_ = closed;
  return failed_;
}

Status Sampler::TakeOne() { return Take(false); }

Status Sampler::Take(bool in_own_thread) {
  const Snapshot snapshot = source_->Take();
  std::vector<record::Sample> samples = ToSamples(snapshot, session_);
  if (in_own_thread) {
    samples.push_back({session_, snapshot.time_ns, "sampler", "cpu_s", "",
                       record::SampleKind::kCounter, static_cast<double>(ThreadCpuNs()) / 1e9});
  }
  {
    const std::scoped_lock lock(mutex_);
    std::move(put_.begin(), put_.end(), std::back_inserter(samples));
    put_.clear();
  }
  LG_RETURN_IF_ERROR(writer_->Append(samples));
  ++taken_;
  const std::vector<Disturbance> disturbances = drift_.Look(snapshot);
  if (disturbances.empty()) return {};
  disturbances_ += static_cast<int64_t>(disturbances.size());
  return on_disturbance_ ? on_disturbance_(disturbances) : Status();
}

void Sampler::Put(std::vector<record::Sample> samples) {
  const std::scoped_lock lock(mutex_);
  std::move(samples.begin(), samples.end(), std::back_inserter(put_));
}

}  // namespace lakegauge::run
