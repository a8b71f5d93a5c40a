#pragma once
// An experiment file: what it may hold, read and checked whole before anything runs. Hides YAML,
// the defaults, the overrides of the command line and what fits with what.
//
// Threads: values. Errors: kInvalidArgument with one line a problem: "file:line:column: found X;
// allowed Y; did you mean Z?". Units: bytes, nanoseconds, dollars.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "dataset/dataset.h"
#include "run/metrics_spec.h"
#include "workload/workload.h"

namespace lakegauge::run {

struct DatasetItem {
  std::string id;
  dataset::DatasetSpec spec;
  std::vector<dataset::InspectedTable> sources;  // kind files: what LoadExperiment found there
};

struct LayoutItem {
  std::string id;
  dataset::LayoutSpec spec;
};

// Dollars for 1,000 requests, and for a gigabyte (10^9 bytes) read; what --max-cost counts with.
struct RequestPrice {
  double get_per_1000 = 0;  // GET and HEAD
  double list_per_1000 = 0;
  double read_per_gb = 0;
  bool any() const { return get_per_1000 > 0 || list_per_1000 > 0 || read_per_gb > 0; }
};

struct StoreItem {
  std::string id;
  std::string uri;      // "file:" is the data folder itself: nothing is copied
  std::string profile;  // name of a built-in one, or path of a file; empty: as fast as it is
  // Bandwidth of the profile is that of a studied cluster; shrink it to this share of its cores: 0
  // not at all, else the cores that stand here.
  static constexpr int64_t kMachineCores = -1;
  int64_t cores = 0;
  std::map<std::string, std::string>
      facts;  // hardware, nodes, rated_throughput, ...: shown, not used
  RequestPrice price;
};

struct EngineItem {
  std::string id;
  std::string kind;     // "duckdb"
  int64_t threads = 0;  // 0: auto (run/plan.h has the rule)
  std::map<std::string, std::string> settings;
};

enum class Interleave { kNone, kCells };
enum class CachePolicy { kCold, kWarm };

struct WorkloadSpec {
  workload::QuerySelection queries;
  int64_t iterations = 3;
  workload::Order order = workload::Order::kFixed;
  Interleave interleave = Interleave::kNone;
  int64_t streams = 1;
  int64_t warmup = 0;  // passes that are recorded as warm-up and left out of statistics
  CachePolicy cache = CachePolicy::kCold;
  int64_t timeout_ns = 0;  // a query; 0: none
  uint64_t seed = 1;
};

// Which cells: each part a pattern in which * stands for anything.
struct CellPattern {
  std::string engine = "*";
  std::string store = "*";
  std::string layout = "*";
  std::string dataset = "*";
};

struct Limits {
  int64_t max_requests = 0;  // 0: none, in each field
  int64_t max_time_ns = 0;
  double max_cost = 0;  // dollars
};

struct Experiment {
  std::string name;
  std::string title;
  std::string question;
  std::vector<std::string> stands_in_for;  // real parts that this one imitates
  std::vector<DatasetItem> datasets;
  std::vector<LayoutItem> layouts;
  std::vector<StoreItem> stores;
  std::vector<EngineItem> engines;
  std::vector<MetricsItem> metrics;  // servers that are watched meanwhile
  WorkloadSpec workload;
  std::vector<CellPattern> only;  // empty: all
  std::vector<CellPattern> exclude;
  std::string compare_layout;
  std::string compare_store;
  Limits limits;
  std::string prices;       // a price sheet, built in or a path; empty: none
  std::string prices_text;  // its text, where the caller has read it (run does not know prices)
  bool quick = false;       // the quick: block was applied; there was one

  std::string source;                  // the file's text as given
  std::string origin;                  // its path as given
  std::string base_dir;                // folder that relative paths in it start from; absolute
  std::vector<std::string> overrides;  // "--set a.b=c" as applied, in order

  // Whether engine x store x layout x dataset is one of its cells.
  bool Has(const std::string& engine, const std::string& store, const std::string& layout,
           const std::string& dataset) const;
};

// What the command line changes; applied to the file's tree before it is checked.
struct Overrides {
  std::vector<std::string> sets;  // "workload.iterations=5"
  std::optional<double> scale;    // of every tpcds dataset
  bool quick = false;             // apply the quick: block, before the others
};

Result<Experiment> ParseExperiment(std::string_view text, const std::string& origin,
                                   const Overrides& overrides = {});
// As ParseExperiment; relative paths start from the file's folder, and what it names (files,
// tables, columns, settings) is looked for, so that what is found here can be run.
Result<Experiment> LoadExperiment(const std::string& path, const Overrides& overrides = {});

// The experiment as it came to, in YAML, with `extra` (profiles, query texts) below it.
std::string ToYaml(const Experiment& experiment, const Json& extra);

// The experiment's text as given, with a line more that says from where its relative paths start:
// so that a copy of it elsewhere says the same.
std::string TextForCopy(const Experiment& experiment);

// JSON Schema of experiment files, for editors; schemas/experiment.schema.json is this.
Json ExperimentSchema();

// A commented experiment to start from, for `init`.
std::string ExampleExperiment();

}  // namespace lakegauge::run
