#pragma once
// Samples of machines and processes on disk: one figure of one source at one moment a row, in a
// spool that grows while a run goes on and in samples.parquet, which a run's spools become.
// docs/formats.md names the sources and their metrics.
//
// Threads: one SampleWriter belongs to one thread. Errors: values with the path.
// Units: nanoseconds of the session's CLOCK_MONOTONIC, as executions and requests; the unit of a
// value stands in its metric's name. Counters stay as they were read: a sample that is missing
// loses nothing but detail.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace lakegauge::record {

enum class SampleKind { kCounter, kGauge };

struct Sample {
  int64_t session = 0;
  int64_t time_ns = 0;
  std::string source;  // "machine", "engine", "sampler", or the id of a server's metrics
  std::string metric;  // "cpu_user_s"
  std::string labels;  // "device=vda"; empty where there are none
  SampleKind kind = SampleKind::kGauge;
  double value = 0;
  bool operator==(const Sample&) const = default;
};

class SampleWriter {
 public:
  // <dir>/samples.<session>.arrows, under another name where that is taken.
  static Result<std::unique_ptr<SampleWriter>> Open(const std::string& dir, int64_t session);
  virtual ~SampleWriter() = default;
  // One record batch, handed to the kernel before it returns.
  virtual Status Append(const std::vector<Sample>& samples) = 0;
  virtual Status Close() = 0;
};

struct StoredSamples {
  std::vector<Sample> samples;
  bool truncated = false;  // the file stopped inside its last batch, which was dropped
};
// Errors: kCorrupt for what is no file of samples, kUnsupported for a later version's.
Result<StoredSamples> ReadSampleSpool(const std::string& path);
Result<StoredSamples> ParseSampleSpool(std::span<const std::byte> bytes, const std::string& origin);
Result<StoredSamples> ReadSamples(const std::string& path);

// Brings all spools of samples in `spool_dir` into the Parquet file `path`, atomically, then
// deletes them. Nothing to do where there are none. A call that was killed at any moment is made
// good by the next one.
Status CompactSamples(const std::string& spool_dir, const std::string& path);

}  // namespace lakegauge::record
