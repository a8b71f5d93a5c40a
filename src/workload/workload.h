#pragma once
// What is asked of an engine and in which order: query sets (TPC-DS by number, .sql files and
// folders, generated scans), their texts, and permuted orders for streams. Query texts of TPC-DS
// come from the engine's own extension at run time; none is kept here.
//
// Threads: values.
// Errors: kInvalidArgument/kNotFound with the query or path that was wrong.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "dataset/dataset.h"
#include "workload/answer.h"

namespace lakegauge::workload {

struct Query {
  std::string name;  // "q03" for TPC-DS 3; a file's stem; a generated scan's name
  std::string sql;
  std::string source;  // "tpcds", the file's path, "generated"
  ResultOrder order;   // what the text promises about its rows' order; for comparing answers
};

// What the experiment says: numbers, "all", file paths, folders of .sql, and scans of the fourth
// study; resolved against the folder of the experiment file.
struct QuerySelection {
  std::vector<int> tpcds;  // 1..99; empty with all_tpcds false: none
  bool all_tpcds = false;
  std::vector<std::string> paths;  // .sql file or folder of them
  std::vector<std::string> scans;  // "rows" (whole rows), "columns" (two columns): bulk datasets
};

// Texts, in order: TPC-DS, then paths (a folder's files in natural order: q2 before q10), then
// scans. `bulk` are the tables of the dataset that the scans read (needed only for them).
// Refused: a number outside 1..99, a name that comes twice, a file that is empty, holds only
// comments or is not UTF-8, a folder without .sql, an unknown scan. A file's stem becomes its name
// with everything but letters, digits, '.', '-' and '_' turned into '_'.
Result<std::vector<Query>> Resolve(const QuerySelection& selection, const std::string& base_dir,
                                   const std::vector<dataset::TableDef>& bulk = {});

// "q3", "q03", "Q3", "query3", "3" -> "q03"; other names unchanged.
std::string NormaliseName(std::string_view name);

// SQL of one scan of the fourth study over the dataset's one table: the global maximum of the
// larger of the first two value columns, reading every column ("rows") or only those two
// ("columns"). Values held in one text are split in SQL, as the reading client would.
Result<std::string> ScanSql(std::string_view scan, const std::vector<dataset::TableDef>& bulk);

enum class Order { kFixed, kRandom };
// Order of `n` queries for one stream and iteration, as indexes. Fixed: as given for stream 0, a
// seeded rotation of it for other streams (concurrent users must not run in step; rotations differ
// while there are more queries than streams). Random: a seeded shuffle, another for each stream and
// iteration, the same on every machine.
std::vector<int> OrderOf(int n, Order order, uint64_t seed, int stream, int iteration);

}  // namespace lakegauge::workload
