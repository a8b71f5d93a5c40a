#pragma once
// Watches servers while a run goes on: asks each for its metrics again and again, and hands on what
// it said, or that it said nothing. A server that is gone is a gap in the record, never a failure.
//
// Threads: one a server between Start and Stop; the sink is called from them. Owns: connections.
// Errors: none; the first reason of each server's gaps is told by problems().

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "record/samples.h"
#include "run/metrics_spec.h"

namespace lakegauge::run {

class MetricsPoller {
 public:
  using Sink = std::function<void(std::vector<record::Sample>)>;
  using GetToken = std::function<std::string(const std::string& name)>;

  // `token_of` gives the value of an environment variable; the process's own unless told.
  MetricsPoller(std::vector<MetricsItem> servers, int64_t session, Clock& clock, Sink sink,
                GetToken token_of = {});
  ~MetricsPoller() { Stop(); }
  MetricsPoller(const MetricsPoller&) = delete;
  MetricsPoller& operator=(const MetricsPoller&) = delete;

  void Start();
  void Stop();
  // One look at one server, from the caller's thread: metric "up" is 1 with what it said, or 0.
  std::vector<record::Sample> Look(const MetricsItem& server);

  struct Gaps {
    int64_t looks = 0, gaps = 0;
    std::string first_problem;
  };
  std::map<std::string, Gaps> gaps() const;

 private:
  struct Connection;
  std::vector<record::Sample> LookOver(const MetricsItem& server, Connection& connection);
  void Loop(const MetricsItem& server, const std::stop_token& stop);

  const std::vector<MetricsItem> servers_;
  const int64_t session_;
  Clock& clock_;
  const Sink sink_;
  const GetToken token_of_;
  mutable std::mutex mutex_;
  std::map<std::string, Gaps> gaps_;
  std::vector<std::jthread> threads_;
};

}  // namespace lakegauge::run
