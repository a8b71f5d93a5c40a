#pragma once
// A plan: every cell and every execution of an experiment in the order they run, with seeds and an
// estimate of what it takes. Written as plan.json, which is all that analysis knows of an
// experiment.
//
// Threads: values. Errors: kInvalidArgument and kUnsupported where parts do not fit (an engine that
// cannot read a format). Units: bytes, nanoseconds.
//
// Threads of the engine ("auto"): 64 in a cell whose store answers slowly (its profile's mean first
// byte is 2 ms or more), since DuckDB fetches ranges one after another in each thread and a waiting
// thread costs no core; else the machine's cores. Each cell records what it was.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "run/experiment.h"
#include "workload/workload.h"

namespace lakegauge::run {

inline constexpr int kSlowStoreThreads = 64;
inline constexpr int64_t kSlowStoreFirstByteNs = 2'000'000;

// Of one pass through the workload by all streams of a cell.
struct CellEstimate {
  double pass_s = 0;
  double requests = 0;
  double bytes_read = 0;
};

struct PlanCell {
  std::string id;                              // engine.store.layout.dataset
  std::string engine, store, layout, dataset;  // ids of the experiment
  std::string engine_kind;
  std::string dataset_name, layout_name;
  dataset::DatasetSpec dataset_spec;
  dataset::LayoutSpec layout_spec;
  std::string store_uri;
  std::map<std::string, std::string> store_facts;
  RequestPrice price;
  Json profile;              // null: not shaped
  std::string profile_text;  // one line for people
  bool emulated = false;
  std::map<std::string, std::string> engine_settings;
  int threads = 0;
  CellEstimate estimate;
};

struct PlanQuery {
  std::string name, source, sql;
  workload::ResultOrder order;
  std::map<std::string, std::string> sql_of;  // dataset id -> text, where it is not `sql`
  const std::string& SqlFor(const std::string& dataset) const;
};

struct PlanExecution {
  int64_t id = 0;
  int cell = 0;  // index into cells
  int32_t stream = 0;
  int32_t iteration = 1;  // 1.. ; warm-up passes count from 1 too
  int32_t position = 1;
  int query = 0;  // index into queries
  bool warmup = false;
  bool repeat = false;  // added later, because an earlier one looked suspect
};

struct Estimate {
  double wall_s = 0;     // of the executions
  double prepare_s = 0;  // of generating, writing and copying what is not there yet
  double requests = 0;
  double bytes_read = 0;
  int64_t disk_bytes = 0;  // still to be written
  double cost = 0;         // of the requests, by the prices the stores state
  std::string method;      // how it was found, in words
};

struct Plan {
  std::string run;
  std::string experiment, title, question;
  std::vector<std::string> stands_in_for;
  uint64_t seed = 0;
  std::string compare_layout, compare_store;
  int64_t iterations = 0, streams = 1, warmup = 0, timeout_ns = 0;
  Limits limits;
  std::string prices, prices_text;  // the experiment's price sheet; empty: none
  std::string data_dir;             // as given when the plan was made
  std::string run_dir;              // where the run lay when it began; empty: there is none yet
  CachePolicy cache = CachePolicy::kCold;
  std::vector<MetricsItem> metrics;
  std::vector<PlanCell> cells;
  std::vector<PlanQuery> queries;
  std::vector<PlanExecution> executions;
  Estimate estimate;

  Json ToJson() const;
  static Result<Plan> FromJson(const Json& json);
};

// `data_dir` is looked at for manifests that already are there; nothing is written.
Result<Plan> MakePlan(const Experiment& experiment, const std::string& data_dir);

// What `lakegauge plan` prints: every cell in order, what each takes, and the sums.
std::string PlanText(const Plan& plan);

// Seed of the draws of a cell's store: from the experiment's seed and the cell's id alone.
uint64_t CellSeed(uint64_t seed, const std::string& cell);

}  // namespace lakegauge::run
