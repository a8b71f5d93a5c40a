#include "analyze/testing/run_fixture.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "base/units.h"
#include "record/annotations.h"
#include "record/request.h"
#include "record/spool.h"

namespace lakegauge::analyze::testing {
namespace {

constexpr int64_t kStartUtcNs = 1'767'225'600'000'000'000;  // 2026-01-01T00:00:00Z
constexpr int64_t kPauseNs = 10 * kNsPerMs;                 // between two executions
constexpr int64_t kGetBytes = 65'536;

struct PlannedCell {
  std::string id, engine;
  const FixtureStore* store;
  const FixtureLayout* layout;
  const FixtureDataset* dataset;
};

std::string LayoutName(const FixtureLayout& layout) { return layout.format + "-" + layout.id; }
std::string DatasetName(const FixtureDataset& d) {
  return fmt::format("{}-sf{:g}", d.kind, d.scale);
}
std::string ManifestPath(const PlannedCell& c) {
  return fmt::format("manifests/{}/{}.json", DatasetName(*c.dataset), LayoutName(*c.layout));
}

std::vector<PlannedCell> CellsOf(const FixtureRun& run) {
  std::vector<PlannedCell> cells;
  for (const auto& dataset : run.datasets) {
    for (const auto& layout : run.layouts) {
      for (const auto& store : run.stores) {
        for (const auto& engine : run.engines) {
          cells.push_back({fmt::format("{}.{}.{}.{}", engine, store.id, layout.id, dataset.id),
                           engine, &store, &layout, &dataset});
        }
      }
    }
  }
  return cells;
}

struct Step {
  const PlannedCell* cell;
  FixtureExecution what;
  int64_t id;
  int position;
  bool warmup;
};

std::vector<Step> StepsOf(const FixtureRun& run, const std::vector<PlannedCell>& cells) {
  std::vector<Step> steps;
  for (const auto& cell : cells) {
    for (int pass = 1 - run.warmup; pass <= run.iterations; ++pass) {
      for (int stream = 0; stream < run.streams; ++stream) {
        for (size_t q = 0; q < run.queries.size(); ++q) {
          const int iteration = pass < 1 ? pass + run.warmup : pass;
          steps.push_back({&cell,
                           {cell.engine, cell.store->id, cell.layout->id, cell.dataset->id,
                            run.queries[q], iteration, stream},
                           static_cast<int64_t>(steps.size()),
                           static_cast<int>(q) + 1,
                           pass < 1});
        }
      }
    }
  }
  return steps;
}

Json PlanOf(const FixtureRun& run, const std::vector<PlannedCell>& cells,
            const std::vector<Step>& steps) {
  Json plan = {{"v", 1},
               {"run", run.name},
               {"experiment", run.name},
               {"title", "A run made by hand"},
               {"question", "As files shrink, how much slower does each store get?"},
               {"stands_in_for", Json::array({"an object store: a local disk, slowed"})},
               {"seed", 1},
               {"compare", {{"layout", run.layouts[0].id}, {"store", run.stores[0].id}}},
               {"cells", Json::array()},
               {"queries", Json::array()},
               {"executions", Json::array()}};
  for (const auto& c : cells) {
    plan["cells"].push_back(
        {{"id", c.id},
         {"engine", c.engine},
         {"store", c.store->id},
         {"layout", c.layout->id},
         {"dataset", c.dataset->id},
         {"dataset_name", DatasetName(*c.dataset)},
         {"layout_name", LayoutName(*c.layout)},
         {"manifest", ManifestPath(c)},
         {"dataset_spec", {{"kind", c.dataset->kind}, {"scale", c.dataset->scale}}},
         {"layout_spec",
          {{"format", c.layout->format},
           {"compression", "snappy"},
           {"target_file_bytes", c.layout->target_bytes}}},
         {"store_uri", "file:"},
         {"store_facts", c.store->emulated ? Json{{"class", "made up"}} : Json::object()},
         {"profile", c.store->emulated ? Json{{"name", c.store->id}} : Json()},
         {"profile_text",
          c.store->emulated ? fmt::format("GET {:g} ms (EMULATED)", c.store->get_ms) : ""},
         {"emulated", c.store->emulated},
         {"engine_settings", Json::object()},
         {"threads", 2}});
  }
  for (const auto& q : run.queries) {
    plan["queries"].push_back({{"name", q}, {"source", "generated"}, {"sql", "SELECT 1"}});
  }
  for (const auto& s : steps) {
    plan["executions"].push_back({{"id", s.id},
                                  {"cell", s.cell->id},
                                  {"stream", s.what.stream},
                                  {"iteration", s.what.iteration},
                                  {"position", s.position},
                                  {"query", s.what.query},
                                  {"warmup", s.warmup}});
  }
  return plan;
}

Json ManifestOf(const PlannedCell& c) {
  Json files = Json::array();
  int64_t bytes = 0;
  for (size_t i = 0; i < c.layout->file_sizes.size(); ++i) {
    const int64_t size = c.layout->file_sizes[i];
    bytes += size;
    files.push_back({{"key", fmt::format("t/part-{:05}.{}", i, c.layout->format)},
                     {"table", "t"},
                     {"size", size},
                     {"rows", size / 100},
                     {"xxh3", fmt::format("{:032x}", size * 1000 + static_cast<int64_t>(i))},
                     {"sha256", fmt::format("{:064x}", size * 1000 + static_cast<int64_t>(i))}});
  }
  return {{"v", 1},
          {"dataset", DatasetName(*c.dataset)},
          {"layout", LayoutName(*c.layout)},
          {"generator", "made-by-hand"},
          {"tables", Json::array({{{"name", "t"},
                                   {"rows", bytes / 100},
                                   {"bytes", bytes},
                                   {"content_fingerprint", "fp-" + DatasetName(*c.dataset)}}})},
          {"files", files}};
}

std::vector<record::Request> RequestsOf(const Step& step, const FixtureOutcome& outcome,
                                        int64_t start_ns, record::RequestLog* log) {
  std::vector<record::Request> requests;
  const auto asked_ns = static_cast<int64_t>(step.cell->store->get_ms * 1e6);
  const auto late_ns = static_cast<int64_t>(step.cell->store->late_ms * 1e6);
  for (int i = 0; i <= outcome.requests; ++i) {
    record::Request r;
    r.execution = step.id;
    r.lane = step.what.stream;
    r.thread = 1;
    r.operation = i == 0 ? record::Operation::kList : record::Operation::kGet;
    r.handle = i == 0 ? 0 : 1;
    r.key = log->KeyId(i == 0 ? "t/" : "t/part-00000.parquet");
    r.length = i == 0 ? 1 : kGetBytes;
    r.bytes = i == 0 ? 0 : kGetBytes;
    r.start_ns = start_ns + i * kNsPerUs;
    r.end_ns = r.start_ns + asked_ns + late_ns;
    if (step.cell->store->emulated) {
      r.asked_ns = asked_ns;
      r.asked_first_ns = asked_ns / 2;
      r.lateness_ns = late_ns;
    }
    requests.push_back(r);
  }
  return requests;
}

}  // namespace

Status WriteFixture(const FixtureRun& run, const std::string& dir) {
  std::error_code ignored;
  std::filesystem::remove_all(dir, ignored);
  const auto cells = CellsOf(run);
  const auto steps = StepsOf(run, cells);
  LG_RETURN_IF_ERROR(WriteFileAtomically(dir + "/plan.json", PlanOf(run, cells, steps).dump(1)));
  const Json environment = {{"v", 1},
                            {"build", {{"lakegauge", "0.1.0"}, {"type", run.build_type}}},
                            {"machine", {{"cores", 2}, {"cpu_model", "a processor"}}}};
  LG_RETURN_IF_ERROR(WriteFileAtomically(dir + "/environment.json", environment.dump(1)));
  for (const auto& c : cells) {
    LG_RETURN_IF_ERROR(WriteFileAtomically(dir + "/" + ManifestPath(c), ManifestOf(c).dump(1)));
  }

  LG_ASSIGN_OR_RETURN(auto journal, record::JournalWriter::Open(dir + "/journal.jsonl"));
  int64_t now = kNsPerS;
  LG_RETURN_IF_ERROR(journal->SessionStart(
      0, now, kStartUtcNs + now, {{"command", {"lakegauge", "run", run.name + ".yaml"}}}));
  if (run.watched) {
    LG_RETURN_IF_ERROR(journal->Event("sampling", {{"session", 0}, {"problem", ""}}));
  }
  std::unique_ptr<record::SpoolWriter> spool;
  std::vector<int64_t> kept;
  record::RequestLog keys;
  const PlannedCell* open_cell = nullptr;
  const auto close_cell = [&]() -> Status {
    if (open_cell == nullptr) return {};
    LG_RETURN_IF_ERROR(spool->Close());
    LG_RETURN_IF_ERROR(
        record::CompactSpools(dir + "/spool", open_cell->id, dir + "/requests", kept));
    kept.clear();
    return journal->CellEnd(open_cell->id);
  };
  for (const Step& step : steps) {
    if (step.cell != open_cell) {
      LG_RETURN_IF_ERROR(close_cell());
      open_cell = step.cell;
      LG_RETURN_IF_ERROR(journal->CellStart(open_cell->id, Json::object()));
      LG_ASSIGN_OR_RETURN(spool, record::SpoolWriter::Open(dir + "/spool", open_cell->id));
    }
    const FixtureOutcome outcome = run.outcome ? run.outcome(step.what) : FixtureOutcome{};
    record::Execution e;
    e.id = step.id;
    e.cell = step.cell->id;
    e.stream = step.what.stream;
    e.iteration = step.what.iteration;
    e.position = step.position;
    e.query = step.what.query;
    e.warmup = step.warmup;
    e.cache = outcome.cache;
    e.start_ns = now;
    e.start_utc_ns = kStartUtcNs + now;
    LG_RETURN_IF_ERROR(journal->Begin(e));
    if (!outcome.finished) return spool->Close();
    LG_RETURN_IF_ERROR(spool->Append(RequestsOf(step, outcome, now, &keys), keys));
    e.status = outcome.status;
    e.elapsed_ns = static_cast<int64_t>(outcome.seconds * 1e9 + 0.5);
    e.end_ns = now + e.elapsed_ns;
    e.cpu_ns = e.elapsed_ns / 2;
    e.main_thread = 1;
    e.threads = {{1, 0, e.cpu_ns}};
    const bool ok = outcome.status == record::ExecutionStatus::kOk;
    e.rows = ok ? 10 : 0;
    e.result_fingerprint = ok ? outcome.fingerprint : "";
    e.answer_check = ok ? outcome.answer_check : "";
    e.requests = outcome.requests + 1;
    e.bytes_read = outcome.requests * kGetBytes;
    e.blocked_ns = e.elapsed_ns / 4;
    e.wait_lane_ns = e.elapsed_ns / 4;
    e.machine_busy_s = outcome.seconds / 2;
    e.error = outcome.error;
    for (const FixtureDisturbance& d : outcome.disturbances) {
      const auto to_ns =
          e.start_ns + static_cast<int64_t>(d.over * static_cast<double>(e.elapsed_ns));
      LG_RETURN_IF_ERROR(
          journal->Event("disturbance", {{"session", 0},
                                         {"disturbances",
                                          {{{"reason", d.reason},
                                            {"from_ns", e.start_ns - kPauseNs / 2},
                                            {"to_ns", to_ns},
                                            {"share", d.share},
                                            {"text", "what " + d.reason + " did"}}}}}));
    }
    LG_RETURN_IF_ERROR(journal->End(e));
    if (!outcome.invalid.empty()) {
      LG_RETURN_IF_ERROR(record::AppendAnnotations(dir + "/" + record::kAnnotationsFile,
                                                   {{0, e.id, true, outcome.invalid, ""}},
                                                   e.start_utc_ns));
    }
    kept.push_back(e.id);
    now = e.end_ns + kPauseNs;
  }
  return close_cell();
}

}  // namespace lakegauge::analyze::testing
