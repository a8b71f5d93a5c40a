// lakegauge: what storage does to SQL, measured. One file a subcommand; this one reads the command
// line and turns signals into a request to stop.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <exception>
#include <iostream>
#include <stop_token>
#include <thread>

#include "cli/command.h"
#include "cli/command_line.h"
#include "run/environment.h"

namespace {

using namespace lakegauge;  // NOLINT

// The first SIGINT, SIGTERM or SIGHUP asks an action that stops cleanly to do so, the second ends
// the process; other actions end at once. Whoever ignores SIGHUP (nohup) goes on. Called before any
// other thread exists, so that all of them inherit the blocked signals.
std::stop_source& StopOnSignal(const std::atomic<bool>& stops_cleanly) {
  static std::stop_source source;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  struct sigaction hangup {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
    sigaddset(&signals, SIGHUP);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, &stops_cleanly] {
    int signal = 0;
    sigwait(&signals, &signal);
    if (!stops_cleanly) _exit(cli::kExitInterrupted);
    cli::PrintNote("\nstopping; once more to stop at once\n");
    source.request_stop();
    sigwait(&signals, &signal);
    _exit(cli::kExitInterrupted);
  }).detach();
  return source;
}

// A standard stream that was closed (2>&-) would give its number to the next file opened, and what
// is meant for the user would be written into that.
void OpenStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) open("/dev/null", O_RDWR);
  }
}

int Main(int argc, char** argv) {
  OpenStandardStreams();
  signal(SIGPIPE, SIG_IGN);
  static cli::Context context;  // the signals' thread reads it as long as the process lives
  context.arguments.assign(argv, argv + argc);
  context.stop = StopOnSignal(context.stops_cleanly).get_token();

  CLI::App app{
      "Measures what storage does to SQL: the same data laid out many ways, on many stores, under\n"
      "real engines, with every query and every storage request on record."};
  app.name("lakegauge");
  app.set_version_flag("--version", "lakegauge " + run::LakegaugeVersion());
  app.require_subcommand(1);
  cli::AddRun(app, context);
  cli::AddPlan(app, context);
  cli::AddResume(app, context);
  cli::AddReport(app, context);
  cli::AddCompare(app, context);
  cli::AddAnnotate(app, context);
  cli::AddHistory(app, context);
  cli::AddImport(app, context);
  cli::AddList(app, context);
  cli::AddClean(app, context);
  cli::AddInit(app, context);
  cli::AddGenerate(app, context);
  cli::AddLayout(app, context);
  cli::AddInspect(app, context);
  cli::AddProfiles(app, context);
  cli::AddDoctor(app, context);
  cli::AddBundle(app, context);
  cli::AddCost(app, context);
  cli::AddCheckClaim(app, context);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return cli::Fail(cli::CommandLineProblem(app, error));
    app.exit(error);  // --help or --version, to standard output
    std::cout.flush();
    return cli::FinishOutput(cli::kExitOk);
  }
  return cli::FinishOutput(context.action ? context.action() : cli::kExitUsage);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    cli::PrintNote("lakegauge: unexpected failure: {}\n", error.what());
    return cli::kExitFailed;
  }
}
