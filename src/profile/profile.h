#pragma once
// A model of a store's speed: how long it takes to the first byte by operation, its bandwidth a
// stream and in total, its request rates with throttling answers, LIST pages and errors. Profiles
// are data (YAML, docs/profiles.md); a store decorator applies them.
//
// Threads: values.
// Errors: kInvalidArgument with a line for each problem of a file; kNotFound for a name that is
// neither
//   built in nor a file, with the nearest name.
// Units: nanoseconds, bytes, seconds. A limit of 0 means there is none.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/yaml.h"
#include "profile/latency.h"

namespace lakegauge::profile {

// In the order of record::Operation.
enum class Operation : uint8_t { kGet, kHead, kList, kPut, kDelete, kCopy };
inline constexpr size_t kOperations = 6;
std::string_view OperationName(Operation operation);  // "GET", ...

// What a client does about an answer that says slow down (503) or an error that may pass: it waits
// base * factor^(attempt-1), at most `max`, times a uniform number where `jitter`, and tries again.
struct RetryPolicy {
  std::string name = "none";
  int attempts = 1;  // in all
  int64_t base_ns = 0;
  double factor = 2;
  int64_t max_ns = 0;
  bool jitter = false;
  // Before attempt + 1; `uniform` in (0, 1).
  int64_t WaitNs(int attempt, double uniform) const;
};
// "none", "aws-sdk-standard", "duckdb-httpfs".
const std::vector<RetryPolicy>& NamedRetryPolicies();

struct Profile {
  std::string name;
  std::string description;
  std::string source;
  std::array<Latency, kOperations> first_byte;  // LIST: of each page
  double stream_bytes_per_s = 0;
  double total_bytes_per_s = 0;
  double reads_per_s = 0;   // GET, HEAD and LIST together
  double writes_per_s = 0;  // PUT, DELETE and COPY together
  int64_t rate_burst = 1;   // requests that may come at once above the rate
  double error_rate = 0;    // share of attempts answered 500
  RetryPolicy retry;
  int of_cores = 0;  // cores of the cluster whose bandwidth and rates these are; 0: not said
  int64_t typical_get_bytes = 0;  // request size for which mean_completed was stated; 0: not said
  int scaled_to = 0;              // cores it was scaled to; 0: as stated
  std::string scaling;            // how, for people; empty: as stated

  const Latency& latency(Operation operation) const {
    return first_byte[static_cast<size_t>(operation)];
  }
  // Whether applying it changes nothing: no delay, limit or error.
  bool is_off() const;
  // Mean of a completed GET of `bytes` by one stream alone, without errors: first byte and
  // transfer.
  double MeanCompletedGetNs(int64_t bytes) const;
  // Total bandwidth and request rates times cores / of_cores; latency and stream bandwidth stay.
  // kInvalidArgument where of_cores is not said.
  Result<Profile> ScaledToCores(int cores) const;

  // "s3-standard: GET first byte lognormal, mean 120 ms ...; 90 MB/s a stream"
  std::string ToText() const;
  // As in the YAML, all values resolved (nanoseconds, bytes a second), for resolved.yaml and
  // records.
  Json ToJson() const;
  static Result<Profile> FromJson(const Json& json);
  // Reads a profile's map; problems are noted in the node's document.
  static Profile Read(const YamlNode& node);
};

// Names of the built-in profiles, "local" first.
std::vector<std::string> BuiltInNames();
// A built-in one by name, or a YAML file by path.
Result<Profile> LoadProfile(std::string_view name_or_path);
// From text; `origin` is what problems call it.
Result<Profile> ParseProfile(std::string_view yaml, std::string_view origin);

}  // namespace lakegauge::profile
