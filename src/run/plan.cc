#include "run/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "dataset/dataset.h"
#include "engine/engine.h"
#include "run/cell_profile.h"
#include "run/estimate.h"
#include "run/hash.h"

namespace lakegauge::run {
namespace {

constexpr int kWarmupIterations = 1'000'000;  // where warm-up passes count their orders from
constexpr uint64_t kCellOrderSalt = 0x63656c6c73;

Result<std::vector<PlanQuery>> ResolveQueries(const Experiment& experiment) {
  std::vector<PlanQuery> queries;
  bool first = true;
  for (const DatasetItem& data : experiment.datasets) {
    const bool bulk = data.spec.kind == "bulk";
    if (!first && (!bulk || experiment.workload.queries.scans.empty())) continue;
    std::vector<dataset::TableDef> tables;
    if (bulk) {
      LG_ASSIGN_OR_RETURN(tables, dataset::TablesOf(data.spec));
    }
    LG_ASSIGN_OR_RETURN(const auto resolved, workload::Resolve(experiment.workload.queries,
                                                               experiment.base_dir, tables));
    for (size_t i = 0; i < resolved.size(); ++i) {
      const workload::Query& q = resolved[i];
      if (first) {
        queries.push_back({q.name, q.source, q.sql, q.order, {}});
      } else if (q.sql != queries[i].sql) {
        queries[i].sql_of[data.id] = q.sql;
      }
    }
    first = false;
  }
  if (queries.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "the workload came to no query; allowed at least one");
  }
  return queries;
}

int ThreadsOf(const EngineItem& engine, const CellProfile& profile) {
  if (engine.threads > 0) return static_cast<int>(engine.threads);
  if (profile.mean_first_byte_ns >= kSlowStoreFirstByteNs) return kSlowStoreThreads;
  return 2 * MachineCores();
}

Result<std::vector<PlanCell>> MakeCells(const Experiment& experiment) {
  std::vector<PlanCell> cells;
  for (const DatasetItem& data : experiment.datasets) {
    for (const EngineItem& engine : experiment.engines) {
      for (const StoreItem& store : experiment.stores) {
        auto profile = LoadCellProfile(store);
        if (!profile.ok()) return profile.error().WithContext("store " + store.id);
        for (const LayoutItem& layout : experiment.layouts) {
          if (!experiment.Has(engine.id, store.id, layout.id, data.id)) continue;
          PlanCell cell;
          cell.id = engine.id + "." + store.id + "." + layout.id + "." + data.id;
          cell.engine = engine.id;
          cell.store = store.id;
          cell.layout = layout.id;
          cell.dataset = data.id;
          cell.engine_kind = engine.kind;
          cell.dataset_spec = data.spec;
          cell.layout_spec = layout.spec;
          cell.dataset_name = data.spec.Name();
          cell.layout_name = layout.spec.Name();
          cell.store_uri = store.uri;
          cell.store_facts = store.facts;
          cell.price = store.price;
          cell.profile = profile->json;
          cell.profile_text = profile->text;
          cell.emulated = !profile->json.is_null();
          cell.threads = ThreadsOf(engine, *profile);
          cell.engine_settings = engine.settings;
          cell.engine_settings["threads"] = std::to_string(cell.threads);
          cells.push_back(std::move(cell));
        }
      }
    }
  }
  return cells;
}

// One pass of one cell: its streams, each in its order.
void AddPass(const Experiment& experiment, int cell, int iteration, bool warmup, Plan& plan) {
  const WorkloadSpec& w = experiment.workload;
  const int n = static_cast<int>(plan.queries.size());
  for (int stream = 0; stream < w.streams; ++stream) {
    const std::vector<int> order = workload::OrderOf(
        n, w.order, w.seed, stream, warmup ? kWarmupIterations + iteration : iteration);
    for (int position = 0; position < n; ++position) {
      PlanExecution e;
      e.id = static_cast<int64_t>(plan.executions.size());
      e.cell = cell;
      e.stream = stream;
      e.iteration = iteration;
      e.position = position + 1;
      e.query = order[static_cast<size_t>(position)];
      e.warmup = warmup;
      plan.executions.push_back(e);
    }
  }
}

void AddExecutions(const Experiment& experiment, Plan& plan) {
  const WorkloadSpec& w = experiment.workload;
  const int cells = static_cast<int>(plan.cells.size());
  if (w.interleave == Interleave::kNone) {
    for (int cell = 0; cell < cells; ++cell) {
      for (int i = 1; i <= w.warmup; ++i) AddPass(experiment, cell, i, true, plan);
      for (int i = 1; i <= w.iterations; ++i) AddPass(experiment, cell, i, false, plan);
    }
    return;
  }
  // Interleaved: every cell once, then again; with a random order the cells are shuffled too.
  for (int i = 1; i <= w.warmup + w.iterations; ++i) {
    const bool warmup = i <= w.warmup;
    const int iteration = warmup ? i : static_cast<int>(i - w.warmup);
    for (const int cell : workload::OrderOf(cells, w.order, w.seed ^ kCellOrderSalt, 0, i)) {
      AddPass(experiment, cell, iteration, warmup, plan);
    }
  }
}

}  // namespace

const std::string& PlanQuery::SqlFor(const std::string& dataset) const {
  const auto own = sql_of.find(dataset);
  return own == sql_of.end() ? sql : own->second;
}

uint64_t CellSeed(uint64_t seed, const std::string& cell) { return StableHash(cell, seed); }

Result<Plan> MakePlan(const Experiment& experiment, const std::string& data_dir) {
  Plan plan;
  plan.experiment = experiment.name;
  plan.title = experiment.title;
  plan.question = experiment.question;
  plan.stands_in_for = experiment.stands_in_for;
  plan.seed = experiment.workload.seed;
  plan.compare_layout = experiment.compare_layout;
  plan.compare_store = experiment.compare_store;
  plan.iterations = experiment.workload.iterations;
  plan.streams = experiment.workload.streams;
  plan.warmup = experiment.workload.warmup;
  plan.timeout_ns = experiment.workload.timeout_ns;
  plan.cache = experiment.workload.cache;
  plan.limits = experiment.limits;
  plan.prices = experiment.prices;
  plan.prices_text = experiment.prices_text;
  plan.metrics = experiment.metrics;
  plan.data_dir = data_dir;
  LG_ASSIGN_OR_RETURN(plan.queries, ResolveQueries(experiment));
  LG_ASSIGN_OR_RETURN(plan.cells, MakeCells(experiment));
  AddExecutions(experiment, plan);
  EstimatePlan(experiment, plan);
  return plan;
}

}  // namespace lakegauge::run
