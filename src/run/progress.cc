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
        // "layout store_sales", "layout item", ...: the first of a kind says it.
        if (const std::string kind = e.text.substr(0, e.text.find(' ')); kind != phase_) {
          out_ << e.text << '\n';
          phase_ = kind;
        }
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

  std::ostream& out_;
  std::string phase_;
  int64_t iteration_ = 0;
  bool warmup_ = false;
};

}  // namespace

std::unique_ptr<ProgressSink> MakeLineProgress(std::ostream& out) {
  return std::make_unique<LineProgress>(out);
}

}  // namespace lakegauge::run
