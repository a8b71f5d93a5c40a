#pragma once
// A server whose metrics are watched while a run goes on, as the experiment names it, and which of
// its metrics are taken. Hides the names that node_exporter, MinIO and Presto give theirs.
//
// Threads: values. Errors: none here; the reader of experiments refuses what cannot be.
// Secrets: only the name of an environment variable that holds a token, never a token.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace lakegauge::run {

struct MetricsItem {
  std::string id;
  std::string url;                 // http or https, without a user name or password
  std::string kind = "other";      // node_exporter, minio, presto, other
  std::vector<std::string> names;  // taken besides the kind's own; * stands for anything
  std::string token_env;           // environment variable with a bearer token; empty: none
  std::string of;                  // what it serves, for readers: "store s3", "worker 3"
  int64_t every_ns = 1'000'000'000;
  int64_t timeout_ns = 900'000'000;
};

// Kinds by name, and the metrics each takes.
std::vector<std::string_view> MetricsKinds();
std::vector<std::string_view> KnownMetrics(std::string_view kind);
bool Wants(const MetricsItem& item, std::string_view metric);

// Why a URL may not be watched or kept in a record; empty where it may.
std::string UrlProblem(std::string_view url);

Json ToJson(const MetricsItem& item);
MetricsItem MetricsItemFromJson(const Json& json);

}  // namespace lakegauge::run
