#include "cli/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/clock.h"
#include "base/units.h"

namespace lakegauge::cli {
namespace {

constexpr int64_t kPlainLineEveryNs = 5 * kNsPerS;
constexpr int64_t kRedrawEveryNs = kNsPerS / 10;

std::string EnvironmentOr(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? value : fallback;
}

}  // namespace

int Fail(const Error& error, int exit_status) {
  fmt::print(stderr, "lakegauge: {}\n", error.message);
  return exit_status;
}

void PrintJson(const Json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void AddDataOption(CLI::App& command, Context& context) {
  context.data_dir = EnvironmentOr("LAKEGAUGE_DATA", "data");
  command.add_option("--data", context.data_dir,
                     "Folder of datasets and layouts (default: $LAKEGAUGE_DATA or ./data)");
}

void AddResultsOption(CLI::App& command, Context& context) {
  context.results_dir = EnvironmentOr("LAKEGAUGE_RESULTS", "results");
  command.add_option("--results", context.results_dir,
                     "Folder of runs (default: $LAKEGAUGE_RESULTS or ./results)");
}

dataset::ProgressFn PrepareProgress() {
  struct State {
    bool terminal = isatty(STDERR_FILENO) != 0;
    int64_t last_ns = 0;
    std::string last_what;
  };
  auto state = std::make_shared<State>();
  return [state](const dataset::Progress& progress) {
    const int64_t now = RealClock().NowNs();
    const bool done = progress.fraction >= 1;
    const int64_t every = state->terminal ? kRedrawEveryNs : kPlainLineEveryNs;
    if (!done && progress.what == state->last_what && now - state->last_ns < every) return;
    state->last_ns = now;
    state->last_what = progress.what;
    std::string line = progress.what;
    if (progress.fraction >= 0) line += fmt::format("  {:.0f}%", progress.fraction * 100);
    if (progress.bytes > 0) line += "  " + FormatBytes(progress.bytes);
    if (state->terminal) {
      fmt::print(stderr, "\r\033[K{}{}", line, done ? "\n" : "");
    } else {
      fmt::print(stderr, "{}\n", line);
    }
    std::fflush(stderr);
  };
}

}  // namespace lakegauge::cli
