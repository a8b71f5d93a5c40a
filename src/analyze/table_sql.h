#pragma once
// The SQL behind each table of a report. The texts run in plain DuckDB in the order of AllTables(),
// from the run's folder; SqlFor puts another folder's path in.
//
// Threads: constants. Units: as in docs/formats.md.

#include <string>
#include <string_view>
#include <vector>

namespace lakegauge::analyze {

struct TableSql {
  std::string name;  // "sources", "passes", ...: the key of summary.json's sql
  std::string sql;   // {run} stands for the run folder with a trailing '/', or nothing
};

// What differs between run directories, so that the texts fit the one at hand.
struct SqlInputs {
  bool has_requests = true;      // there is a requests/*.parquet
  bool has_manifests = true;     // there is a manifests/*/*.json
  bool has_annotations = false;  // there is an annotations.jsonl
  bool has_samples = false;      // there is a samples.parquet
  int max_degrees = 30;          // Student t values wanted: 1 ... max_degrees
};

// Tables that others build on: made once, in this order.
std::vector<TableSql> BaseTables(const SqlInputs& inputs);
// SELECTs whose rows are the report's tables, by name.
const std::vector<TableSql>& ResultTables();
const std::string& ResultSql(std::string_view name);

// The text with {run} replaced, safe inside the quotes it stands in.
std::string SqlFor(std::string_view sql, const std::string& run_dir);

}  // namespace lakegauge::analyze
