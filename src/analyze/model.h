#pragma once
// What was measured, as the sentence, the lights and the comparisons need it: cells with their pass
// times and what they are compared with. summary.json is made from this and from the result tables.
//
// Threads: values. Units: seconds unless the name says otherwise.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/significance.h"
#include "analyze/statistics.h"
#include "base/json.h"
#include "base/result.h"

namespace lakegauge::analyze {

// A cell's pass times against another's, over the queries that never failed in either.
struct Comparison {
  std::string baseline;  // id of the layout or store it is compared with
  Sample cell;
  Sample base;
  int64_t queries = 0;        // compared
  int64_t queries_asked = 0;  // of a whole pass
  Effect effect;              // its ratio is there
  const Ratio& ratio() const { return *effect.ratio; }
};

struct Cell {
  std::string id, engine, store, layout, dataset;
  std::string format;
  int64_t target_bytes = 0;  // 0: unlimited
  bool emulated = false;
  Sample suite;  // of complete passes
  std::optional<double> stability_pct;
  int64_t executions = 0, failures = 0, cancelled = 0, cold = 0, warm = 0;
  int64_t invalid = 0;                // marked so by a person: in none of the other figures
  std::optional<double> busy_cores;   // of the whole machine, over the executions
  std::optional<int64_t> file_bytes;  // of the layout
  std::optional<double> within_10pct;
  std::optional<Comparison> vs_layout, vs_store;
};

struct Model {
  std::string compare_layout, compare_store;
  std::vector<std::string> engines, stores, layouts, datasets, queries;  // in plan order
  int64_t iterations = 0, streams = 0;
  std::vector<Cell> cells;
  // dataset -> layout -> layouts whose files are the same
  std::map<std::string, std::map<std::string, std::vector<std::string>>> coinciding;
  std::map<std::string, double> dataset_scale;  // of the datasets that have one
  bool derived_from_tpcds = false;
  bool imported = false;  // another tool measured it: much is not known
  bool complete = false;
  int64_t planned = 0, done = 0;
  int64_t retried = 0;  // failures and timeouts that were run once more in a later session

  const Cell* Find(const std::string& engine, const std::string& store, const std::string& layout,
                   const std::string& dataset) const;
  bool Coincide(const std::string& dataset, const std::string& a, const std::string& b) const;
};

// From plan.json and the rows of the result tables "cells", "comparisons" and "coinciding".
Model MakeModel(const Json& plan, const Json& cells, const Json& comparisons,
                const Json& coinciding);

// How figures read in sentences.
std::string RatioText(double ratio);  // "1.04x", "5.1x", "61x"
// "5.1x (4.8 to 5.4)", "1.02x (0.97 to 1.08, within noise)", "1.04x (1.01 to 1.07, not certain: p
// 0.028)"
std::string RatioText(const Effect& effect);
std::string SecondsText(double seconds);                                      // "61.2 s", "410 ms"
std::string Joined(const std::vector<std::string>& items);                    // "a, b and c"
std::string Counted(int64_t n, std::string_view one, std::string_view many);  // "1 file", "2 files"

}  // namespace lakegauge::analyze
