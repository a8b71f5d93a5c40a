#include "cli/command.h"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/units.h"
#include "run/runs.h"

namespace lakegauge::cli {
namespace {

constexpr int64_t kPlainLineEveryNs = 5 * kNsPerS;
constexpr int64_t kRedrawEveryNs = kNsPerS / 10;

std::atomic<int> output_errno{0};  // why standard output could not be written; 0: it could

std::string EnvironmentOr(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? value : fallback;
}

CLI::Validator Check(const std::string& allowed,
                     const std::function<bool(std::string_view)>& fits) {
  return CLI::Validator(
      [allowed, fits](std::string& text) {
        return fits(text) ? "" : fmt::format("found '{}'; allowed {}", text, allowed);
      },
      "");
}

}  // namespace

int ExitStatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kUnsupported:
      return kExitUsage;
    case ErrorCode::kCancelled:
      return kExitInterrupted;
    default:
      return kExitFailed;
  }
}

int Fail(const Error& error) {
  std::string_view rest = error.message;
  while (true) {
    const size_t end = rest.find('\n');
    PrintNote("lakegauge: {}\n", rest.substr(0, end));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return ExitStatusOf(error.code);
}

void Write(std::FILE* to, std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), to) != text.size() && to == stdout) {
    output_errno = errno;
  }
}

int FinishOutput(int exit_status) {
  errno = 0;
  if (std::fflush(stdout) != 0 && output_errno == 0) output_errno = errno;
  if (output_errno == 0 || output_errno == EPIPE) return exit_status;
  Fail(ErrnoError("standard output", output_errno));
  return kExitFailed;
}

CLI::Validator NumberAbove0() {
  return Check("a number above 0", [](std::string_view text) {
    const auto number = NumberIn<double>(text);
    return number && std::isfinite(*number) && *number > 0;
  });
}

CLI::Validator IntegerFrom1() {
  return Check("an integer from 1", [](std::string_view text) {
    const auto number = NumberIn<int64_t>(text);
    return number && *number >= 1;
  });
}

CLI::Validator ScaleFactor() {
  return Check(
      fmt::format("a number from {} to {}", dataset::kMinTpcdsScale, dataset::kMaxTpcdsScale),
      [](std::string_view text) {
        const auto number = NumberIn<double>(text);
        return number && *number >= dataset::kMinTpcdsScale && *number <= dataset::kMaxTpcdsScale;
      });
}

void PrintJson(const Json& json) {
  Print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
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

Result<std::string> FindRun(const Context& context, const std::string& name) {
  if (name != "latest") return run::FindRun(name, context.results_dir);
  LG_ASSIGN_OR_RETURN(run::RunEntry latest, run::LatestRun(context.results_dir));
  if (const std::string lacks = run::Shortfall(latest); !lacks.empty()) {
    PrintNote("latest is {}: {}\n", latest.id, lacks);
  }
  return std::move(latest.path);
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
    if (progress.note) {
      PrintNote("{}{}\n", state->terminal ? "\r\033[K" : "", progress.what);
      return;
    }
    // "phase: detail"; a plain line is worth a new phase, not a new detail.
    const std::string phase =
        state->terminal ? progress.what : progress.what.substr(0, progress.what.find(": "));
    const bool done = progress.fraction >= 1;
    const int64_t every = state->terminal ? kRedrawEveryNs : kPlainLineEveryNs;
    if (!done && phase == state->last_what && now - state->last_ns < every) return;
    state->last_ns = now;
    state->last_what = phase;
    std::string line = phase;
    if (progress.fraction >= 0) line += fmt::format("  {:.0f}%", progress.fraction * 100);
    if (progress.bytes > 0) line += "  " + FormatBytes(progress.bytes);
    if (state->terminal) {
      PrintNote("\r\033[K{}{}", FitColumns(line, TerminalWidth() - 1), done ? "\n" : "");
    } else {
      PrintNote("{}\n", line);
    }
    std::fflush(stderr);
  };
}

}  // namespace lakegauge::cli
