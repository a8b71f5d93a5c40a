#include "profile/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/named_yaml.h"
#include "base/units.h"

namespace lakegauge::profile {
namespace {

constexpr double kMostPerSecond = 1e9;
constexpr int64_t kLongestWaitNs = 3600 * kNsPerS;
constexpr int kMostAttempts = 100;

constexpr BuiltIn kBuiltIn[] = {
#include "profile/builtin_text.inc"
};

std::string Speed(double bytes_per_s) {
  return bytes_per_s >= 1e9 ? fmt::format("{:.3g} GB/s", bytes_per_s / 1e9)
                            : fmt::format("{:.3g} MB/s", bytes_per_s / 1e6);
}

// "200,000", and "12.5" of a slow one.
std::string Rate(double per_s) {
  return per_s >= 1000 ? FormatCount(std::llround(per_s)) : fmt::format("{:.4g}", per_s);
}

RetryPolicy ReadRetry(const YamlNode& node) {
  const auto& named = NamedRetryPolicies();
  if (!node.present()) return named.front();
  if (!node.is_map()) {
    std::vector<std::string_view> names;
    for (const auto& policy : named) names.push_back(policy.name);
    return named[node.Choice(names)];
  }
  const YamlMap map = node.Map();
  RetryPolicy policy;
  policy.name = map.Optional("name").String("custom");
  policy.attempts = static_cast<int>(map.Required("attempts").Integer(1, kMostAttempts, 1));
  policy.base_ns = map.Required("base").Duration(0, kLongestWaitNs);
  policy.factor = map.Optional("factor").Real(1, 100, 2);
  policy.max_ns = map.Optional("max").Duration(0, kLongestWaitNs, kLongestWaitNs);
  policy.jitter = map.Optional("jitter").Bool(false);
  return policy;
}

// {mean_completed: 121ms, at: 128KiB, p99_over_p50: 4}: the first byte that makes the mean
// completed GET of that size come to that time.
Latency ReadCompleted(const YamlMap& map, Profile& profile) {
  const YamlNode completed = map.Required("mean_completed");
  const int64_t completed_ns = completed.Duration(1, kLongestWaitNs, 1);
  profile.typical_get_bytes = map.Required("at").Bytes(1, kGiB, 1);
  const double ratio = map.Required("p99_over_p50").Real(1, 1000, 1);
  const double transfer_ns =
      profile.stream_bytes_per_s > 0
          ? static_cast<double>(profile.typical_get_bytes) / profile.stream_bytes_per_s * kNsPerS
          : 0;
  const double first_ns = static_cast<double>(completed_ns) - transfer_ns;
  if (first_ns <= 0) {
    completed.Problem(fmt::format("found {}; allowed more than the transfer alone takes, {}",
                                  completed.Found(), FormatDuration(std::llround(transfer_ns))));
    return {};
  }
  return Latency::LognormalFromMean(first_ns, ratio);
}

}  // namespace

std::string_view OperationName(Operation operation) {
  constexpr std::array<std::string_view, kOperations> kNames{"GET", "HEAD",   "LIST",
                                                             "PUT", "DELETE", "COPY"};
  return kNames[static_cast<size_t>(operation)];
}

int64_t RetryPolicy::WaitNs(int attempt, double uniform) const {
  const double wait = std::min(static_cast<double>(base_ns) * std::pow(factor, attempt - 1),
                               static_cast<double>(max_ns));
  return std::llround(jitter ? wait * uniform : wait);
}

// aws-sdk-standard: AWS SDKs and Tools Reference Guide, "Retry behavior": three attempts, waits of
//   min(b * 2^i, 20 s) with b uniform between 0 and 1 s.
// duckdb-httpfs: duckdb_settings() of DuckDB 1.5.5: http_retries 3, http_retry_wait_ms 100,
//   http_retry_backoff 4.
const std::vector<RetryPolicy>& NamedRetryPolicies() {
  static const std::vector<RetryPolicy> policies = {
      {"none", 1, 0, 2, 0, false},
      {"aws-sdk-standard", 3, kNsPerS, 2, 20 * kNsPerS, true},
      {"duckdb-httpfs", 4, 100 * kNsPerMs, 4, kLongestWaitNs, false},
  };
  return policies;
}

bool Profile::is_off() const {
  return std::all_of(first_byte.begin(), first_byte.end(),
                     [](const Latency& latency) { return latency.is_zero(); }) &&
         stream_bytes_per_s == 0 && total_bytes_per_s == 0 && reads_per_s == 0 &&
         writes_per_s == 0 && error_rate == 0;
}

double Profile::MeanCompletedGetNs(int64_t bytes) const {
  // Alone, a stream has the smaller of its own and the total bandwidth.
  double slowest = stream_bytes_per_s;
  if (total_bytes_per_s > 0 && (slowest == 0 || total_bytes_per_s < slowest)) {
    slowest = total_bytes_per_s;
  }
  const double transfer_ns = slowest > 0 ? static_cast<double>(bytes) / slowest * kNsPerS : 0;
  return latency(Operation::kGet).mean_ns() + transfer_ns;
}

Result<Profile> Profile::ScaledToCores(int cores) const {
  if (of_cores == 0) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        fmt::format("profile {} does not say of_cores, the cores of the cluster it was "
                    "measured with; it cannot be scaled to {}",
                    name, cores));
  }
  if (cores < 1) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("found {} cores to scale to; allowed at least 1", cores));
  }
  Profile scaled = *this;
  const double share = static_cast<double>(cores) / of_cores;
  scaled.total_bytes_per_s *= share;
  scaled.reads_per_s *= share;
  scaled.writes_per_s *= share;
  scaled.scaled_to = cores;
  std::vector<std::string> parts;
  if (total_bytes_per_s > 0) {
    parts.push_back(fmt::format("total bandwidth {} to {}", Speed(total_bytes_per_s),
                                Speed(scaled.total_bytes_per_s)));
  }
  if (reads_per_s > 0) {
    parts.push_back(
        fmt::format("reads a second {} to {}", Rate(reads_per_s), Rate(scaled.reads_per_s)));
  }
  if (writes_per_s > 0) {
    parts.push_back(
        fmt::format("writes a second {} to {}", Rate(writes_per_s), Rate(scaled.writes_per_s)));
  }
  scaled.scaling =
      fmt::format("scaled from {} cores to {}: {}", of_cores, cores,
                  parts.empty() ? "nothing to scale" : fmt::format("{}", fmt::join(parts, ", ")));
  return scaled;
}

std::string Profile::ToText() const {
  if (is_off()) return name + ": as fast as the store is";
  std::string text = fmt::format("{}: GET first byte {}", name, latency(Operation::kGet).ToText());
  if (typical_get_bytes > 0) {
    text += fmt::format("; mean completed GET of {} {}", FormatBytes(typical_get_bytes),
                        FormatDuration(std::llround(MeanCompletedGetNs(typical_get_bytes))));
  }
  if (stream_bytes_per_s > 0) text += fmt::format("; {} a stream", Speed(stream_bytes_per_s));
  if (total_bytes_per_s > 0) text += fmt::format("; {} in all", Speed(total_bytes_per_s));
  if (reads_per_s > 0) text += "; " + Rate(reads_per_s) + " reads a second";
  if (writes_per_s > 0) text += "; " + Rate(writes_per_s) + " writes a second";
  if (error_rate > 0) text += fmt::format("; {:.3g}% errors", error_rate * 100);
  if (!scaling.empty()) text += "; " + scaling;
  return text;
}

Json Profile::ToJson() const {
  Json latencies = Json::object();
  for (size_t i = 0; i < kOperations; ++i) {
    latencies[std::string(OperationName(static_cast<Operation>(i)))] = first_byte[i].ToJson();
  }
  return {{"name", name},
          {"description", description},
          {"source", source},
          {"first_byte", latencies},
          {"stream_bytes_per_s", stream_bytes_per_s},
          {"total_bytes_per_s", total_bytes_per_s},
          {"reads_per_s", reads_per_s},
          {"writes_per_s", writes_per_s},
          {"rate_burst", rate_burst},
          {"error_rate", error_rate},
          {"retry",
           {{"name", retry.name},
            {"attempts", retry.attempts},
            {"base_ns", retry.base_ns},
            {"factor", retry.factor},
            {"max_ns", retry.max_ns},
            {"jitter", retry.jitter}}},
          {"of_cores", of_cores},
          {"typical_get_bytes", typical_get_bytes},
          {"scaled_to", scaled_to},
          {"scaling", scaling}};
}

Result<Profile> Profile::FromJson(const Json& json) {
  Profile profile;
  profile.name = JsonOr<std::string>(json, "name", "");
  const Json latencies = JsonOr<Json>(json, "first_byte", Json());
  if (profile.name.empty() || !latencies.is_object()) {
    return MakeError(ErrorCode::kCorrupt, "no profile: 'name' or 'first_byte' is missing");
  }
  for (size_t i = 0; i < kOperations; ++i) {
    const std::string operation(OperationName(static_cast<Operation>(i)));
    auto latency = Latency::FromJson(JsonOr<Json>(latencies, operation.c_str(), Json()));
    if (!latency.ok()) return latency.error().WithContext(profile.name + ", " + operation);
    profile.first_byte[i] = std::move(*latency);
  }
  profile.description = JsonOr<std::string>(json, "description", "");
  profile.source = JsonOr<std::string>(json, "source", "");
  profile.stream_bytes_per_s = JsonOr<double>(json, "stream_bytes_per_s", 0);
  profile.total_bytes_per_s = JsonOr<double>(json, "total_bytes_per_s", 0);
  profile.reads_per_s = JsonOr<double>(json, "reads_per_s", 0);
  profile.writes_per_s = JsonOr<double>(json, "writes_per_s", 0);
  profile.rate_burst = JsonOr<int64_t>(json, "rate_burst", 1);
  profile.error_rate = JsonOr<double>(json, "error_rate", 0);
  const Json retry = JsonOr<Json>(json, "retry", Json::object());
  profile.retry.name = JsonOr<std::string>(retry, "name", "none");
  profile.retry.attempts = JsonOr<int>(retry, "attempts", 1);
  profile.retry.base_ns = JsonOr<int64_t>(retry, "base_ns", 0);
  profile.retry.factor = JsonOr<double>(retry, "factor", 2);
  profile.retry.max_ns = JsonOr<int64_t>(retry, "max_ns", 0);
  profile.retry.jitter = JsonOr<bool>(retry, "jitter", false);
  profile.of_cores = JsonOr<int>(json, "of_cores", 0);
  profile.typical_get_bytes = JsonOr<int64_t>(json, "typical_get_bytes", 0);
  profile.scaled_to = JsonOr<int>(json, "scaled_to", 0);
  profile.scaling = JsonOr<std::string>(json, "scaling", "");
  return profile;
}

Profile Profile::Read(const YamlNode& node) {
  Profile profile;
  const YamlMap map = node.Map();
  profile.name = map.Required("name").String();
  profile.description = map.Required("description").String();
  profile.source = map.Required("source").String();

  const YamlMap bandwidth = map.Optional("bandwidth").Map();
  profile.stream_bytes_per_s = bandwidth.Optional("stream").Bandwidth();
  profile.total_bytes_per_s = bandwidth.Optional("total").Bandwidth();

  if (const YamlNode first_byte = map.Optional("first_byte"); first_byte.present()) {
    const YamlMap operations = first_byte.Map();
    const YamlNode get = operations.Required("GET");
    Latency& of_get = profile.first_byte[0];
    if (get.is_map() && get.Map().Has("mean_completed")) {
      of_get = ReadCompleted(get.Map(), profile);
    } else {
      of_get = Latency::Read(get);
    }
    for (size_t i = 1; i < kOperations; ++i) {
      const YamlNode other = operations.Optional(OperationName(static_cast<Operation>(i)));
      profile.first_byte[i] = other.present() ? Latency::Read(other) : of_get;
    }
  }

  const YamlMap rate = map.Optional("rate").Map();
  profile.reads_per_s = rate.Optional("reads_per_s").Real(0.001, kMostPerSecond);
  profile.writes_per_s = rate.Optional("writes_per_s").Real(0.001, kMostPerSecond);
  profile.rate_burst = rate.Optional("burst").Integer(1, 1'000'000, 1);
  profile.error_rate = map.Optional("error_rate").Real(0, 0.99);
  profile.retry = ReadRetry(map.Optional("retry"));
  profile.of_cores = static_cast<int>(map.Optional("of_cores").Integer(1, 1'000'000));
  return profile;
}

std::vector<std::string> BuiltInNames() {
  std::vector<std::string> names = NamesOf(kBuiltIn);
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name == "local"; });
  return names;
}

Result<Profile> ParseProfile(std::string_view yaml, std::string_view origin) {
  const YamlDocument doc = YamlDocument::Parse(yaml, origin);
  Profile profile = Profile::Read(doc.root());
  LG_RETURN_IF_ERROR(doc.status());
  return profile;
}

Result<Profile> LoadProfile(std::string_view name_or_path) {
  LG_ASSIGN_OR_RETURN(const NamedYaml yaml,
                      ReadNamedYaml("profile", name_or_path, kBuiltIn, BuiltInNames()));
  return ParseProfile(yaml.text, yaml.origin);
}

}  // namespace lakegauge::profile
