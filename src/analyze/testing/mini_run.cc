#include "analyze/testing/mini_run.h"

namespace lakegauge::analyze::testing {
namespace {

FixtureOutcome Outcome(const FixtureExecution& e) {
  const bool slow = e.store == "slow";
  const bool small = e.layout == "1MiB";
  FixtureOutcome o;
  const double base = e.query == "q01" ? 0.1 : e.query == "q02" ? 0.2 : 0.05;
  const double step = e.query == "q02" ? 0 : 0.01;
  const double times = (slow ? 10 : 1) * (small ? (slow ? 4 : 2) : 1);
  o.seconds = (base + step * (e.iteration - 1)) * times;
  o.requests = small ? 12 : 3;
  o.fingerprint = "00000000000000" + e.query.substr(1);
  if (slow && small && e.query == "q02" && e.iteration == 2) {
    o.status = record::ExecutionStatus::kFailed;
    o.error = "GET t/part-00003.parquet: 503 \"SlowDown\", 4 attempts";
  }
  if (slow && small && e.query == "q03" && e.iteration == 3) {
    o.status = record::ExecutionStatus::kTimeout;
    o.seconds = 5;
    o.error = "timeout after 5 s";
  }
  if (slow && !small && e.query == "q01" && e.iteration == 2) {
    o.disturbances = {{"load", 0.25, 1}, {"disk", 0.1, 0.1}};
  }
  return o;
}

}  // namespace

FixtureRun MiniRun() {
  FixtureRun run;
  run.name = "mini";
  run.stores = {{"local"}, {"slow", true, 20}};
  run.layouts = {{"unlimited", 0, "parquet", {4'300'000}},
                 {"1MiB", 1 << 20, "parquet", {1'048'000, 1'050'000, 900'000, 1'040'000, 262'000}}};
  run.queries = {"q01", "q02", "q03"};
  run.watched = true;
  run.outcome = Outcome;
  return run;
}

}  // namespace lakegauge::analyze::testing
