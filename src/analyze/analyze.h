#pragma once
// Turns a run directory into the result model that every reporter renders (summary.json in
// docs/formats.md). Hides the SQL, the estimators and what to do with a run that is not finished.
//
// A pure function of the directory: it writes nothing, needs nothing else, and works on a run that
// was killed or still runs (run.complete says so; requests that are not compacted yet are missing
// and said to be).
// Threads: independent calls. Errors: as Records (records.h). Units: seconds unless a name says
// else. Cost: one pass over requests/*.parquet; about a second for a million requests.

#include <string>

#include "analyze/records.h"
#include "base/json.h"
#include "base/result.h"

namespace lakegauge::analyze {

inline constexpr int kSummaryVersion = 1;

struct Summary {
  OrderedJson json;   // summary.json
  TextTable queries;  // queries.csv
  TextTable runs;     // runs.csv
  std::string sql;    // summary.sql: every table's SQL, runnable in the run's folder
};

Result<Summary> Analyze(const std::string& run_dir);

}  // namespace lakegauge::analyze
