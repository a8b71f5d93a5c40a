#include "run/testing/metrics_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

extern char** environ;

namespace lakegauge::run {
namespace {

constexpr char kScript[] = R"py(
import http.server, sys, threading

answers = 0

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        global answers
        if self.path == "/slow":
            threading.Event().wait()
        if self.path == "/gone":
            self.connection.close()
            return
        if self.path == "/token" and self.headers["Authorization"] != "Bearer let-me-in":
            self.answer(401, "no")
        elif self.path in ("/metrics", "/token"):
            answers += 1
            self.answer(200, "# TYPE node_load1 gauge\nnode_load1 0.5\nnot_asked 1\n"
                        "# TYPE answers_total counter\nanswers_total %d\n" % answers)
        elif self.path == "/page":
            self.answer(200, "<html>hello</html>")
        else:
            self.answer(404, "no")

    def answer(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
)py";

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void End(pid_t& pid) {
  if (pid <= 0) return;
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  pid = -1;
}

}  // namespace

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  int port = 0;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    port = ntohs(address.sin_port);
  }
  close(fd);
  return port;
}

MetricsServer::MetricsServer() {
  int out[2] = {-1, -1};
  if (pipe2(out, O_CLOEXEC) != 0) return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  // Whoever reads our output must not wait for the server if we are killed.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string python = "python3", flag = "-c", script = kScript;
  char* const arguments[] = {python.data(), flag.data(), script.data(), nullptr};
  posix_spawnp(&pid_, "python3", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  if (FILE* in = fdopen(out[0], "r")) {
    if (std::fscanf(in, "%d", &port_) != 1) port_ = 0;
    std::fclose(in);
  }
}

MetricsServer::~MetricsServer() { Stop(); }

void MetricsServer::Stop() { End(pid_); }

std::string MetricsServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

ServingProcess::ServingProcess(const std::vector<std::string>& command, int port) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int spawned =
      posix_spawnp(&pid_, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) {
    pid_ = -1;
    return;
  }
  while (!serving_ && waitpid(pid_, nullptr, WNOHANG) == 0) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = Loopback(port);
    serving_ = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(fd);
    if (!serving_) sched_yield();
  }
}

ServingProcess::~ServingProcess() { End(pid_); }

}  // namespace lakegauge::run
