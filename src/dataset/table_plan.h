#pragma once
// How one table of a base is stored in every layout: one encoding a column, chosen once from a
// sample of its rows, and how many rows make a unit, the piece that files are put together from. It
// depends on the table alone, never on which layouts are asked for.
//
// Threads: independent calls on different connections. Private to this room.

#include <string>
#include <vector>

#include "columnar/page_encoder.h"
#include "columnar/unit_reader.h"
#include "dataset/dataset.h"
#include "sql/sql.h"

namespace lakegauge::dataset {

struct TablePlan {
  std::string name;
  std::vector<ColumnDef> columns;
  std::vector<columnar::ColumnType> types;
  std::vector<columnar::ColumnPlan> plans;
  int64_t rows = 0;
  double row_bytes = 1;   // stored as Parquet with snappy, by the sample
  int64_t unit_rows = 1;  // a power of two
};

// `source`: the table as SQL names it.
Result<TablePlan> PlanTable(sql::Connection& connection, const std::string& source,
                            const TableDef& table);

// Rows of a unit, when a row takes so many bytes.
int64_t UnitRows(double row_bytes);

// Rows [begin, end) of a table, in its order.
Result<columnar::UnitReader> ReadRows(sql::Connection& connection, const std::string& source,
                                      const std::vector<ColumnDef>& columns,
                                      const std::vector<columnar::ColumnType>& types, int64_t begin,
                                      int64_t end);

}  // namespace lakegauge::dataset
