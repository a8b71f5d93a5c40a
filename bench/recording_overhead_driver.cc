// What recording costs: all TPC-DS queries over one layout, each run by turns without a record and
// with all that a run records (requests, blocked time, spool and journal, flushed), in CPU time of
// the process. For bench/recording_overhead.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "dataset/dataset.h"
#include "engine/blocked.h"
#include "engine/engine.h"
#include "record/journal.h"
#include "record/spool.h"
#include "store/recording.h"
#include "store/store.h"
#include "workload/workload.h"

using namespace lakegauge;  // NOLINT

namespace {

constexpr double kBar = 1.02;

struct Options {
  double scale = 1;
  std::string layout = "1MiB";
  int rounds = 5;
  std::string data_dir = "data";
  std::string record_dir;
};

// One side: a session whose tables lie in a store that records or does not.
struct Side {
  std::unique_ptr<store::Store> store;
  std::unique_ptr<engine::Session> session;
};

struct Records {
  record::RequestLog log;
  std::unique_ptr<record::JournalWriter> journal;
  std::unique_ptr<record::SpoolWriter> spool;
  int64_t requests = 0;
  // CPU time of what is done after a query, by the thread that does it: where the cost lies.
  int64_t take_ns = 0, blocked_ns = 0, spool_ns = 0, journal_ns = 0;
};

Result<Side> OpenSide(engine::Engine& engine, std::unique_ptr<store::Store> store,
                      const dataset::Manifest& manifest) {
  Side side;
  side.store = std::move(store);
  LG_ASSIGN_OR_RETURN(side.session, engine.OpenSession(0));
  std::vector<engine::TableLocation> tables;
  for (const auto& table : manifest.tables) {
    engine::TableLocation location;
    location.name = table.name;
    location.format = "parquet";
    location.store = side.store.get();
    location.prefix = table.name + "/";
    tables.push_back(std::move(location));
  }
  LG_RETURN_IF_ERROR(side.session->Bind(tables));
  return side;
}

Result<engine::Outcome> Execute(Side& side, const workload::Query& query, int64_t execution) {
  LG_ASSIGN_OR_RETURN(auto outcome,
                      side.session->Execute({execution, 0, query.name, query.sql, 0}));
  if (outcome.status != record::ExecutionStatus::kOk) {
    return MakeError(ErrorCode::kInternal, query.name + ": " + outcome.error);
  }
  return outcome;
}

Status ExecuteRecorded(Side& side, const workload::Query& query, int64_t execution,
                       Records& records) {
  record::Execution done;
  done.id = execution;
  done.cell = "recording";
  done.query = query.name;
  int64_t at = ThreadCpuNs();
  const auto since = [&at] {
    const int64_t before = std::exchange(at, ThreadCpuNs());
    return at - before;
  };
  LG_RETURN_IF_ERROR(records.journal->Begin(done));
  records.journal_ns += since();
  LG_ASSIGN_OR_RETURN(const auto outcome, Execute(side, query, execution));
  since();
  const auto requests = records.log.Take();
  records.take_ns += since();
  const auto blocked =
      engine::BlockedTime(requests, outcome.threads, outcome.start_ns, outcome.end_ns,
                          static_cast<int>(std::thread::hardware_concurrency()));
  records.blocked_ns += since();
  LG_RETURN_IF_ERROR(records.spool->Append(requests, records.log));
  records.spool_ns += since();
  done.start_ns = outcome.start_ns;
  done.end_ns = outcome.end_ns;
  done.elapsed_ns = outcome.end_ns - outcome.start_ns;
  done.cpu_ns = outcome.cpu_ns;
  done.rows = outcome.rows;
  done.requests = static_cast<int64_t>(requests.size());
  done.blocked_ns = blocked.blocked_ns;
  done.wait_lane_ns = blocked.wait_lane_ns;
  done.threads = outcome.threads;
  records.requests += done.requests;
  LG_RETURN_IF_ERROR(records.journal->End(done));
  records.journal_ns += since();
  return {};
}

Result<double> Measure(const Options& options) {
  dataset::DatasetSpec spec;
  spec.scale = options.scale;
  dataset::LayoutSpec layout;
  if (options.layout != "unlimited") {
    LG_ASSIGN_OR_RETURN(layout.target_file_bytes, ParseBytes(options.layout));
  }
  dataset::PrepareOptions prepare;
  prepare.data_dir = options.data_dir;
  std::printf("preparing %s, %s\n", spec.Name().c_str(), layout.Name().c_str());
  LG_ASSIGN_OR_RETURN(const auto manifests, dataset::PrepareLayouts(spec, {layout}, prepare));
  const std::string uri = "file:" + dataset::LayoutDir(options.data_dir, spec, layout);

  LG_ASSIGN_OR_RETURN(auto engine, engine::MakeEngine("duckdb", {}));
  LG_RETURN_IF_ERROR(engine->Start());
  Records records;
  LG_RETURN_IF_ERROR(MakeDirs(options.record_dir));
  LG_ASSIGN_OR_RETURN(records.journal,
                      record::JournalWriter::Open(options.record_dir + "/journal.jsonl"));
  LG_ASSIGN_OR_RETURN(records.spool, record::SpoolWriter::Open(options.record_dir, "recording"));

  LG_ASSIGN_OR_RETURN(auto plain_store, store::OpenStore(uri));
  LG_ASSIGN_OR_RETURN(auto inner, store::OpenStore(uri));
  LG_ASSIGN_OR_RETURN(Side plain, OpenSide(*engine, std::move(plain_store), manifests.front()));
  LG_ASSIGN_OR_RETURN(
      Side recording,
      OpenSide(*engine, store::RecordRequests(std::move(inner), records.log), manifests.front()));
  records.log.Take();

  workload::QuerySelection selection;
  selection.all_tpcds = true;
  LG_ASSIGN_OR_RETURN(const auto queries, workload::Resolve(selection, "."));

  // The least of the rounds for each query and side: what disturbs a round only ever adds.
  std::vector<int64_t> least_plain(queries.size(), INT64_MAX);
  std::vector<int64_t> least_recorded(queries.size(), INT64_MAX);
  int64_t execution = 0;
  for (int round = 0; round <= options.rounds; ++round) {
    for (size_t q = 0; q < queries.size(); ++q) {
      const bool recorded_first = (q + static_cast<size_t>(round)) % 2 == 0;
      for (const bool record : {recorded_first, !recorded_first}) {
        const int64_t before = ProcessCpuNs();
        if (record) {
          LG_RETURN_IF_ERROR(ExecuteRecorded(recording, queries[q], execution++, records));
        } else {
          LG_ASSIGN_OR_RETURN(const auto outcome, Execute(plain, queries[q], -1));
        }
        const int64_t cpu = ProcessCpuNs() - before;
        if (round == 0) continue;  // warms the page cache
        auto& least = record ? least_recorded[q] : least_plain[q];
        least = std::min(least, cpu);
      }
    }
    std::printf("round %d of %d done\n", round, options.rounds);
    std::fflush(stdout);
  }
  double plain_s = 0;
  double recorded_s = 0;
  for (size_t q = 0; q < queries.size(); ++q) {
    plain_s += static_cast<double>(least_plain[q]) / 1e9;
    recorded_s += static_cast<double>(least_recorded[q]) / 1e9;
  }
  std::printf("%zu queries, %ld requests a pass: %.3f CPU-s without a record, %.3f with it\n",
              queries.size(), static_cast<long>(records.requests / (options.rounds + 1)), plain_s,
              recorded_s);
  const auto a_pass = [&](int64_t ns) {
    return static_cast<double>(ns) / 1e9 / (options.rounds + 1);
  };
  std::printf(
      "of it after the queries, CPU-s a pass: taking the log %.3f, blocked time %.3f, spool %.3f, "
      "journal %.3f\n",
      a_pass(records.take_ns), a_pass(records.blocked_ns), a_pass(records.spool_ns),
      a_pass(records.journal_ns));
  plain.session.reset();
  recording.session.reset();
  engine->Stop();
  return recorded_s / plain_s;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"CPU time of the 99 queries with recording against without"};
  app.add_option("--scale", options.scale, "TPC-DS scale");
  app.add_option("--layout", options.layout, "file size: 1MiB, 8MiB, ... or unlimited");
  app.add_option("--rounds", options.rounds, "measured rounds")->check(CLI::Range(1, 100));
  app.add_option("--data", options.data_dir, "where datasets are kept");
  CLI11_PARSE(app, argc, argv);
  options.record_dir = options.data_dir + "/recording_overhead";
  const auto ratio = Measure(options);
  std::error_code ignored;
  std::filesystem::remove_all(options.record_dir, ignored);
  if (!ratio.ok()) {
    std::fprintf(stderr, "recording_overhead: %s\n", ratio.error().message.c_str());
    return 2;
  }
  std::printf("recording_overhead ratio=%.4f bar=%.2f\n", *ratio, kBar);
  return *ratio <= kBar ? 0 : 1;
}
