#pragma once
// An engine that answers SQL over tables that lie in a store, and sessions of it. DuckDB runs
// inside this process; others are processes driven from here. Two configurations are two engines.
//
// Threads: an Engine from one thread; each Session from one thread at a time, except Cancel, from
// any. Owns: sessions end before their engine stops; stores handed over outlive both. Errors: a
// failed query is an Outcome, not an Error; an Error means the session or engine is gone. Units:
// nanoseconds of CLOCK_MONOTONIC.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "dataset/dataset.h"
#include "record/journal.h"
#include "store/store.h"
#include "workload/answer.h"

namespace lakegauge::engine {

// Where a table lies. `uri` begins with the store's URI for engines that read it themselves; the
// embedded engine is handed the Store and a key prefix instead.
struct TableLocation {
  std::string name;
  std::string uri;
  std::string format;                          // parquet, csv, orc
  std::map<std::string, std::string> options;  // hive_partitioning=true, delimiter=...
  store::Store* store = nullptr;               // embedded engine only
  std::string prefix;  // keys below the store's root: "tpcds-sf1/.../store_sales/"
  std::vector<std::pair<std::string, std::string>> columns;  // name, SQL type; needed for CSV
};

struct EngineDescription {
  std::string name;                  // "duckdb"
  std::string version;               // "1.5.5"
  std::vector<std::string> formats;  // it can read
  bool embedded = false;
  Json configuration;  // effective and whole
};

struct Task {
  int64_t execution = 0;  // execution id, tagged on every request
  int32_t stream = 0;     // lane
  std::string query;      // name
  std::string sql;
  int64_t deadline_ns = 0;  // CLOCK_MONOTONIC; 0: none
};

struct Outcome {
  record::ExecutionStatus status = record::ExecutionStatus::kOk;  // ok, failed, timeout, cancelled
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t rows = 0;
  workload::Answer answer;
  std::string error;    // one line
  int64_t cpu_ns = -1;  // of this query; -1 where threads are shared
  int64_t main_thread = 0;
  std::vector<record::ThreadCpu> threads;
  double machine_busy_s = 0;
  std::vector<record::Metric> metrics;
};

class Session {
 public:
  virtual ~Session() = default;
  // Makes `tables` the names that queries see; replaces earlier ones.
  virtual Status Bind(const std::vector<TableLocation>& tables) = 0;
  virtual Result<Outcome> Execute(const Task& task) = 0;
  virtual void Cancel() = 0;
  // Forgets what the engine itself cached of files and metadata (not the page cache).
  virtual Status DropCaches() = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual EngineDescription Describe() const = 0;
  virtual Status Start() = 0;
  virtual Result<std::unique_ptr<Session>> OpenSession(int32_t stream) = 0;
  virtual void Stop() = 0;
};

// engine: "duckdb"; settings as in the experiment ("threads", "memory_limit", "cores", ...), with
// unknown ones named in the error.
Result<std::unique_ptr<Engine>> MakeEngine(const std::string& engine,
                                           const std::map<std::string, std::string>& settings);
// What the engine refuses of settings, by their names: one that it does not have, a value that it
// cannot be given. Tried on an engine that is thrown away.
Result<std::map<std::string, std::string>> SettingProblems(
    const std::string& engine, const std::map<std::string, std::string>& settings);
// Of each query the first table that it names and that is none of `tables` (nor one that it makes
// itself); empty where there is none, or where only running the query would tell.
Result<std::vector<std::string>> MissingTables(const std::string& engine,
                                               const std::vector<dataset::TableDef>& tables,
                                               const std::vector<std::string>& queries);
// Formats an engine reads, for `plan` to refuse others; empty for an unknown engine.
std::vector<std::string> FormatsOf(const std::string& engine);
std::vector<std::string> EngineNames();

}  // namespace lakegauge::engine
