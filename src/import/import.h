#pragma once
// Results that others made become a run: files of spark-sql-perf, JMeter or plain CSV are read,
// matched into cells, queries and iterations, and written as a run directory that every report and
// comparison accepts. What the files do not say (requests, CPU, cold or warm, answers) is absent
// there, never zero.
//
// Threads: independent calls. Errors: kInvalidArgument for options, files and columns that cannot
// be right, kNotFound for files that are not there; nothing is written then. A line that cannot be
// read is named in Import::bad, and the others are kept.

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "import/sample.h"

namespace lakegauge::imports {

struct Options {
  std::vector<std::string> files;    // or folders of Spark's part files
  std::string format;                // spark-sql-perf, jmeter, csv; empty: by what stands in each
  std::vector<std::string> maps;     // "FIELD=COLUMN+COLUMN" (mapping.h)
  std::vector<std::string> sets;     // "FIELD=TEXT"
  std::vector<std::string> compare;  // "store=ID", "layout=ID": what others are compared with
  std::string name;                  // of the experiment; empty: the first file's
  std::string title;                 // empty: the name
};

struct Import {
  std::string experiment;  // safe as the name of a folder
  Json plan;               // plan.json, but for `run`
  Json environment;
  std::vector<record::Execution> executions;  // in the order of their ids
  std::vector<std::string> cells;
  int64_t failures = 0;  // executions that were not ok
  std::vector<BadLine> bad;
  std::vector<std::string> notes;
};

// Reads all files and matches them; writes nothing. `by` is this program, `utc_ns` now.
Result<Import> Read(const Options& options, const std::string& by, int64_t utc_ns);

// Writes plan.json, environment.json and journal.jsonl into a folder that is there and empty.
// `command` is kept as what made the run.
Status Write(const Import& import, const std::string& run_dir,
             const std::vector<std::string>& command, int64_t utc_ns);

}  // namespace lakegauge::imports
