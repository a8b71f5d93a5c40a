#pragma once
// What every reader of another tool's results makes of a file: timed executions, and the lines it
// could not read. What a file does not say is empty or absent here, never zero.
//
// Threads: values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/journal.h"

namespace lakegauge::imports {

// One query run once.
struct Sample {
  std::string engine, store, layout, dataset;  // empty: not said
  std::string query;                           // as the file calls it
  std::optional<int64_t> iteration;            // absent: the n-th time a query comes is iteration n
  std::string stream;  // whose: a number or a thread's name; empty: one user
  bool warmup = false;
  record::ExecutionStatus status = record::ExecutionStatus::kOk;
  std::string error;
  std::optional<int64_t> elapsed_ns;
  std::optional<int64_t> start_utc_ns;
  std::optional<int64_t> rows;
  std::vector<record::Metric> metrics;
  int64_t batch = 0;  // iterations count anew in each: files, and experiments within one
  int64_t file = 0;   // index of the file it came from
  int64_t line = 0;   // from 1
};

struct BadLine {
  std::string file;
  int64_t line = 0;  // from 1; 0: the file as a whole
  std::string why;
};

struct Parsed {
  std::vector<Sample> samples;
  std::vector<BadLine> bad;
  std::vector<std::string> notes;  // what was left out on purpose, and other things to know
  Json engine = Json::object();    // {version, configuration} where the file says them
  std::optional<int64_t> started_utc_ns;
};

}  // namespace lakegauge::imports
