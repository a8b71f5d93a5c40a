#include "run/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace lakegauge::run {
namespace {

ProgressEvent Event(ProgressEvent::Kind kind, const std::string& text, double fraction = -1) {
  ProgressEvent event;
  event.kind = kind;
  event.text = text;
  event.fraction = fraction;
  return event;
}

TEST(LineProgress, TellsAPhaseOnceAndThenEachTenthWhateverTheTable) {
  using Kind = ProgressEvent::Kind;
  std::ostringstream out;
  const auto progress = MakeLineProgress(out);
  progress->On(Event(Kind::kPhase, "prepare data in data"));
  progress->On(Event(Kind::kPhase, "writing layouts of tpcds-sf1: item", 0.01));
  progress->On(Event(Kind::kPhase, "writing layouts of tpcds-sf1: store", 0.09));
  progress->On(Event(Kind::kPhase, "writing layouts of tpcds-sf1: store_sales", 0.11));
  progress->On(Event(Kind::kPhase, "writing layouts of tpcds-sf1: item", 0.12));
  progress->On(Event(Kind::kNote, "layout a: b; written again"));
  progress->On(Event(Kind::kPhase, "writing layouts of tpcds-sf1: item", 1));
  progress->On(Event(Kind::kPhase, "writing layouts of tpcds-sf10: item", 0.5));
  EXPECT_EQ(out.str(),
            "prepare data in data\n"
            "writing layouts of tpcds-sf1\n"
            "writing layouts of tpcds-sf1, 10%\n"
            "layout a: b; written again\n"
            "writing layouts of tpcds-sf1, 100%\n"
            "writing layouts of tpcds-sf10, 50%\n");
}

}  // namespace
}  // namespace lakegauge::run
