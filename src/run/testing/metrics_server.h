#pragma once
// Servers for tests of watching: a small one in Python that answers as its path says, and any
// program that serves on a port of the loopback. Both are real processes with real sockets.
//
// Threads: one. Owns: the process, which ends with it.

#include <sys/types.h>

#include <string>
#include <vector>

namespace lakegauge::run {

class MetricsServer {
 public:
  // Paths: /metrics (two metrics, the second the number of answers so far), /token (the same, to
  // those who bring the token "let-me-in"), /slow (never answers), /gone (closes at once), /page
  // (HTML), /missing (404).
  MetricsServer();
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;
  std::string url(const std::string& path) const;
  // Ends it; from then on nobody listens at its port.
  void Stop();

 private:
  pid_t pid_ = -1;
  int port_ = 0;
};

// A program told to listen on `port` of the loopback, awaited until it takes a connection.
class ServingProcess {
 public:
  ServingProcess(const std::vector<std::string>& command, int port);
  ~ServingProcess();
  ServingProcess(const ServingProcess&) = delete;
  ServingProcess& operator=(const ServingProcess&) = delete;
  bool serving() const { return serving_; }

 private:
  pid_t pid_ = -1;
  bool serving_ = false;
};

// A port of the loopback that nobody listens at.
int FreePort();

}  // namespace lakegauge::run
