#include "run/metrics_poller.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "run/metrics_http.h"
#include "run/metrics_text.h"

namespace lakegauge::run {

struct MetricsPoller::Connection {
  std::optional<PageGetter> getter;
};

MetricsPoller::MetricsPoller(std::vector<MetricsItem> servers, int64_t session, Clock& clock,
                             Sink sink, GetToken token_of)
    : servers_(std::move(servers)),
      session_(session),
      clock_(clock),
      sink_(std::move(sink)),
      token_of_(token_of ? std::move(token_of) : [](const std::string& name) {
        const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): never set
        return std::string(value == nullptr ? "" : value);
      }) {}

void MetricsPoller::Start() {
  threads_.reserve(servers_.size());
  for (const MetricsItem& server : servers_) {
    threads_.emplace_back([this, &server](const std::stop_token& stop) { Loop(server, stop); });
  }
}

void MetricsPoller::Stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

void MetricsPoller::Loop(const MetricsItem& server, const std::stop_token& stop) {
  Connection connection;
  int64_t next_ns = clock_.NowNs();
  while (!stop.stop_requested()) {
    next_ns += ((clock_.NowNs() - next_ns) / server.every_ns + 1) * server.every_ns;
    sink_(LookOver(server, connection));
    if (!clock_.WaitUntil(next_ns, stop)) return;
  }
}

std::vector<record::Sample> MetricsPoller::Look(const MetricsItem& server) {
  Connection connection;
  return LookOver(server, connection);
}

std::vector<record::Sample> MetricsPoller::LookOver(const MetricsItem& server,
                                                    Connection& connection) {
  const int64_t asked_ns = clock_.NowNs();
  const auto get = [&]() -> Result<std::string> {
    if (!connection.getter) {
      const std::string token = server.token_env.empty() ? "" : token_of_(server.token_env);
      if (!server.token_env.empty() && token.empty()) {
        return MakeError(ErrorCode::kPermissionDenied,
                         "the environment variable " + server.token_env + " is not set");
      }
      LG_ASSIGN_OR_RETURN(connection.getter,
                          PageGetter::Open(server.url, server.timeout_ns, token));
    }
    return connection.getter->Get();
  };
  const auto page = get();
  // The server took its figures somewhere between question and answer.
  const int64_t time_ns = asked_ns + (clock_.NowNs() - asked_ns) / 2;
  std::vector<record::Sample> samples;
  const auto put = [&](std::string metric, std::string labels, record::SampleKind kind,
                       double value) {
    samples.push_back(
        {session_, time_ns, server.id, std::move(metric), std::move(labels), kind, value});
  };
  std::string problem = page.ok() ? "" : page.error().message;
  if (page.ok()) {
    MetricsText text =
        ParseMetricsText(*page, [&](std::string_view name) { return Wants(server, name); });
    if (text.values.empty()) {
      problem = "it answered, but with none of the metrics that were asked for";
    }
    for (MetricsText::Value& v : text.values) {
      put(std::move(v.name), std::move(v.labels), v.kind, v.value);
    }
  }
  put("up", "", record::SampleKind::kGauge, problem.empty() ? 1 : 0);
  const std::scoped_lock lock(mutex_);
  Gaps& gaps = gaps_[server.id];
  ++gaps.looks;
  if (!problem.empty()) {
    ++gaps.gaps;
    if (gaps.first_problem.empty()) gaps.first_problem = problem;
  }
  return samples;
}

std::map<std::string, MetricsPoller::Gaps> MetricsPoller::gaps() const {
  const std::scoped_lock lock(mutex_);
  return gaps_;
}

}  // namespace lakegauge::run
