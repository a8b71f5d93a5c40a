#pragma once
// Samples put into the order a run has: which cell, stream, iteration and position each one is, and
// which executions of a pass are missing. A pass with a line that could not be read must not look
// like a short pass, so every query of a cell is planned in each of its iterations.
//
// Threads: pure function.

#include <string>
#include <vector>

#include "import/sample.h"
#include "record/journal.h"

namespace lakegauge::imports {

struct Cell {
  std::string id;  // "engine.store.layout.dataset", safe as the name of a file
  std::string engine, store, layout, dataset;
};

struct Query {
  std::string name;                 // normalised
  std::vector<std::string> called;  // in the files
};

struct Matched {
  std::vector<Cell> cells;                    // in the order they first come
  std::vector<Query> queries;                 // likewise
  std::vector<record::Execution> executions;  // by id: those of the files, in their order
  std::vector<record::Execution> missing;     // planned, and not in the files; ids go on
  std::vector<BadLine> bad;                   // a query that stands twice in an iteration
};

// What is not said becomes kNotSaid. `files` are their names.
Matched Match(const std::vector<Sample>& samples, const std::vector<std::string>& files);

inline constexpr const char* kNotSaid = "unknown";

}  // namespace lakegauge::imports
