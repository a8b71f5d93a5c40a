#pragma once
// Whether two runs ran the same thing: which rows and files each cell read, and the texts of the
// queries.
//
// Threads: independent calls. Errors: as ReadJsonFile.

#include <map>
#include <set>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge::analyze {

// What a cell ran over, from its manifest; empty where there is none.
struct CellData {
  std::map<std::string, std::string> rows;  // table -> content fingerprint
  std::set<std::string> files;              // key and hash of each
};
Result<CellData> ReadCellData(const std::string& run_dir, const Json& plan_cell);

// query -> SQL
std::map<std::string, std::string> QueryTexts(const Json& plan);

}  // namespace lakegauge::analyze
