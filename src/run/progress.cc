#include "run/progress.h"

#include <fmt/format.h>

#include <ostream>

#include "base/units.h"

namespace lakegauge::run {
namespace {

class LineProgress : public ProgressSink {
 public:
  explicit LineProgress(std::ostream& out) : out_(out) {}

  void On(const ProgressEvent& e) override {
    using Kind = ProgressEvent::Kind;
    switch (e.kind) {
      case Kind::kPhase:
        OnPhase(e);
        break;
      case Kind::kCellStarted:
        out_ << fmt::format("cell {}/{} {}\n", e.cell_number, e.cells, e.cell);
        iteration_ = 0;
        break;
      case Kind::kQueryStarted:
        if (e.iteration != iteration_ || e.warmup != warmup_) {
          iteration_ = e.iteration;
          warmup_ = e.warmup;
          out_ << fmt::format("  {} {}/{}, {} of {} queries done, {} so far{}\n",
                              e.warmup ? "warm-up" : "iteration", e.iteration, e.iterations, e.done,
                              e.total, FormatDuration(e.run_elapsed_ns), Left(e));
        }
        break;
      case Kind::kQueryFinished:
        if (e.status != record::ExecutionStatus::kOk) {
          out_ << fmt::format("  {} {}: {}\n", e.query, record::ExecutionStatusName(e.status),
                              e.error);
        }
        break;
      case Kind::kNote:
      case Kind::kFinished:
        out_ << e.text << '\n';
        break;
    }
    out_.flush();
  }

 private:
  static std::string Left(const ProgressEvent& e) {
    return e.left_ns < 0 ? "" : fmt::format(", about {} left", FormatDuration(e.left_ns));
  }

  void OnPhase(const ProgressEvent& e) {
    const std::string phase = e.text.substr(0, e.text.find(": "));
    const int tenths = e.fraction < 0 ? 0 : static_cast<int>(e.fraction * kTenths);
    if (phase == phase_ && tenths <= tenths_) return;
    out_ << phase << (tenths > 0 ? fmt::format(", {}%", tenths * kTenths) : "") << '\n';
    phase_ = phase;
    tenths_ = tenths;
  }

  static constexpr int kTenths = 10;
  std::ostream& out_;
  std::string phase_;
  int tenths_ = 0;  // of the phase, told last
  int64_t iteration_ = 0;
  bool warmup_ = false;
};

}  // namespace

std::unique_ptr<ProgressSink> MakeLineProgress(std::ostream& out) {
  return std::make_unique<LineProgress>(out);
}

}  // namespace lakegauge::run
