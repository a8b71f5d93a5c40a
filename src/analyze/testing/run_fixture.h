#pragma once
// Run directories made by hand for tests: what ran and what it took is said in a spec, the files
// are written with the writers of record.
//
// Threads: independent calls. Errors: values of those writers.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/journal.h"

namespace lakegauge::analyze::testing {

struct FixtureStore {
  std::string id;
  bool emulated = false;
  double get_ms = 0.1;    // asked of each request where emulated
  double late_ms = 0.04;  // how much later than that it is delivered
};

struct FixtureLayout {
  std::string id;
  int64_t target_bytes = 0;
  std::string format = "parquet";
  // One table "t": its files' sizes. Content hashes follow from size and place, so two layouts with
  // equal sizes coincide.
  std::vector<int64_t> file_sizes = {4'000'000};
};

struct FixtureDataset {
  std::string id = "tpcds";
  double scale = 0.01;
  std::string kind = "tpcds";
};

// What the runner noticed while an execution ran.
struct FixtureDisturbance {
  std::string reason = "load";
  double share = 0.5;
  double over = 1;  // part of the execution that it overlaps
};

// What one execution came to.
struct FixtureOutcome {
  double seconds = 0.1;
  record::ExecutionStatus status = record::ExecutionStatus::kOk;
  std::string error = "";
  int requests = 4;  // GETs, after one LIST
  std::string fingerprint = "00000000000000aa";
  std::string answer_check = "cells";
  std::string cache = "cold";
  bool finished = true;  // false: begun and killed; nothing after it is on record
  std::vector<FixtureDisturbance> disturbances = {};
  std::string invalid = "";  // why a person marked it so; empty: nobody did
};

struct FixtureExecution {
  std::string engine, store, layout, dataset, query;
  int iteration = 1;
  int stream = 0;
};

struct FixtureRun {
  std::string name = "fixture";
  std::vector<std::string> engines = {"duckdb"};
  std::vector<FixtureStore> stores = {{"local"}};
  std::vector<FixtureLayout> layouts = {{"unlimited"}};
  std::vector<FixtureDataset> datasets = {{}};
  std::vector<std::string> queries = {"q01"};
  int iterations = 3;
  int streams = 1;
  int warmup = 0;  // passes before the first, of the same outcome
  std::string build_type = "Release";
  bool watched = false;  // somebody looked out for disturbances
  std::function<FixtureOutcome(const FixtureExecution&)> outcome;
};

// Writes the run directory; cells in the order dataset, layout, store, engine. The last cell's
// spool is left as it is when the run was killed in it.
Status WriteFixture(const FixtureRun& run, const std::string& dir);

}  // namespace lakegauge::analyze::testing
