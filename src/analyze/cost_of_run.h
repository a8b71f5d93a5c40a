#pragma once
// What the cells of a run used, out of its records: time of executions, requests by operation,
// bytes, and the files of each layout. Hides the SQL and what a run that is not finished lacks.
//
// Threads: one thread at a time. Errors: as Records (records.h).

#include <map>
#include <string>
#include <vector>

#include "analyze/cost_table.h"
#include "analyze/records.h"
#include "analyze/table_sql.h"
#include "base/json.h"
#include "base/result.h"

namespace lakegauge::analyze {

// Tables and results behind it, for table_sql.cc.
std::vector<TableSql> CostBaseTables(bool has_requests);
std::vector<TableSql> CostResultTables();

// Which store of the sheet a run's store is priced as: what `priced_as` says, else the store of its
// own name, else that of its profile's; empty where the sheet has none.
std::string PricedAs(const PriceSheet& sheet, const std::string& store, const std::string& profile,
                     const std::map<std::string, std::string>& priced_as);

Result<std::vector<CellUsage>> UsageOfRun(Records& records, const PriceSheet& sheet,
                                          const std::map<std::string, std::string>& priced_as);

// The cost of a run by a sheet, as CostTable gives it.
Result<OrderedJson> CostOfRun(const std::string& run_dir, const PriceSheet& sheet,
                              const std::map<std::string, std::string>& priced_as,
                              CostOptions options);

// The cost block of summary.json: by the price sheet that the experiment names, else by the prices
// that its stores state; null where there are neither. A sheet that cannot be read is a note there.
Result<OrderedJson> CostBlock(Records& records);

}  // namespace lakegauge::analyze
