// Live progress of a run on a terminal: one line that is redrawn, and a plain line for each cell
// that ended and whatever else is worth keeping on the screen.

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "base/units.h"
#include "cli/command.h"

namespace lakegauge::cli {

size_t TerminalWidth() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

std::string_view FitColumns(std::string_view line, size_t columns) {
  size_t used = 0;
  for (size_t at = 0; at < line.size();) {
    const auto byte = static_cast<unsigned char>(line[at]);
    const size_t bytes = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    used += bytes < 3 ? 1 : 2;
    if (used > columns) return line.substr(0, at);
    at += bytes;
  }
  return line;
}

namespace {

class TerminalProgress : public run::ProgressSink {
 public:
  ~TerminalProgress() override { Clear(); }

  void On(const run::ProgressEvent& event) override {
    using Kind = run::ProgressEvent::Kind;
    switch (event.kind) {
      case Kind::kPhase:
        Draw(event.fraction < 0 ? event.text
                                : fmt::format("{}  {:.0f}%", event.text, event.fraction * 100));
        break;
      case Kind::kNote:
      case Kind::kFinished:
        Keep(event.text);
        break;
      case Kind::kCellStarted:
        Keep(fmt::format("cell {}/{}  {}", event.cell_number, event.cells, event.cell));
        break;
      case Kind::kQueryFinished:
        if (event.status != record::ExecutionStatus::kOk) {
          Keep(fmt::format("  {} iteration {}: {}{}{}", event.query, event.iteration,
                           record::ExecutionStatusName(event.status),
                           event.error.empty() ? "" : ": ", event.error));
        }
        break;
      case Kind::kQueryStarted: {
        const double share =
            event.total == 0 ? 0
                             : static_cast<double>(event.done) / static_cast<double>(event.total);
        Draw(fmt::format("{} {:3.0f}%  {} {} {}/{}  {}  elapsed {}{}", Bar(share), share * 100,
                         event.cell, event.warmup ? "warm-up" : "iteration", event.iteration,
                         event.iterations, event.query, FormatDuration(event.run_elapsed_ns),
                         event.left_ns < 0 ? "" : "  left " + FormatDuration(event.left_ns)));
        break;
      }
    }
  }

 private:
  static std::string Bar(double share) {
    constexpr int kWidth = 16;
    const int filled = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
    return "[" + std::string(static_cast<size_t>(filled), '#') +
           std::string(static_cast<size_t>(kWidth - filled), '.') + "]";
  }
  void Draw(const std::string& line) {
    PrintNote("\r\033[K{}", FitColumns(line, TerminalWidth() - 1));
    std::fflush(stderr);
    drawn_ = true;
  }
  void Keep(const std::string& line) {
    Clear();
    PrintNote("{}\n", line);
  }
  void Clear() {
    if (!drawn_) return;
    PrintNote("\r\033[K");
    std::fflush(stderr);
    drawn_ = false;
  }
  bool drawn_ = false;
};

}  // namespace

std::unique_ptr<run::ProgressSink> RunProgress() {
  if (isatty(STDERR_FILENO) != 0) return std::make_unique<TerminalProgress>();
  return run::MakeLineProgress(std::cerr);
}

}  // namespace lakegauge::cli
