// lakegauge: what storage does to SQL, measured. One file a subcommand; this one reads the command
// line and turns signals into a request to stop.

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <stop_token>
#include <thread>

#include "cli/command.h"
#include "run/environment.h"

namespace {

using namespace lakegauge;  // NOLINT

// The first SIGINT or SIGTERM asks to stop at a safe place, the second ends the process. Called
// before any other thread exists, so that all of them inherit the blocked signals.
std::stop_source& StopOnSignal() {
  static std::stop_source source;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    fmt::print(stderr, "\nstopping; once more to stop at once\n");
    source.request_stop();
    sigwait(&signals, &signal);
    _exit(cli::kExitInterrupted);
  }).detach();
  return source;
}

int Main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  cli::Context context;
  context.arguments.assign(argv, argv + argc);
  context.stop = StopOnSignal().get_token();

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
  cli::AddList(app, context);
  cli::AddClean(app, context);
  cli::AddInit(app, context);
  cli::AddGenerate(app, context);
  cli::AddLayout(app, context);
  cli::AddInspect(app, context);
  cli::AddProfiles(app, context);
  cli::AddDoctor(app, context);
  cli::AddBundle(app, context);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? cli::kExitOk : cli::kExitUsage;
  }
  return context.action ? context.action() : cli::kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "lakegauge: unexpected failure: {}\n", error.what());
    return cli::kExitFailed;
  }
}
