#include <fmt/format.h>

#include <algorithm>

#include "sql/sql.h"
#include "workload/workload.h"

namespace lakegauge::workload {
namespace {

using dataset::ColumnDef;

// The columns of src/dataset/bulk_generator.cc: id, timestamp, further clustering columns, then the
// values as val1, val2, ... or joined by commas in one text.
constexpr std::string_view kValuePrefix = "val";
constexpr std::string_view kValuesAsText = "data";

std::string LargerOf(const std::vector<std::string>& values) {
  return fmt::format("max(greatest({}, {})) AS largest", values.at(0), values.at(1));
}

}  // namespace

Result<std::string> ScanSql(std::string_view scan, const std::vector<dataset::TableDef>& bulk) {
  if (scan != "rows" && scan != "columns") {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("there is no scan '{}'; allowed: rows, columns", scan));
  }
  std::vector<std::string> values;
  std::vector<std::string> others;
  if (bulk.size() == 1) {
    for (const ColumnDef& column : bulk.front().columns) {
      if (column.name == kValuesAsText) {
        for (int i = 1; i <= 2; ++i) {
          values.push_back(
              fmt::format("CAST(split_part({}, ',', {}) AS INTEGER)", kValuesAsText, i));
        }
      } else if (column.name.starts_with(kValuePrefix) && values.size() < 2) {
        values.push_back(sql::QuoteName(column.name));
      } else {
        others.push_back(sql::QuoteName(column.name));
      }
    }
  }
  if (values.size() < 2) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("the scan '{}' needs a dataset of kind bulk with at least two "
                                 "value columns",
                                 scan));
  }
  std::string select = LargerOf(values);
  if (scan == "rows") {
    // An aggregate over each other column: nothing less makes an engine read it from every row
    // (a count is answered from statistics).
    for (const auto& column : others) select += fmt::format(", max({})", column);
  }
  return fmt::format("SELECT {} FROM {}", select, sql::QuoteName(bulk.front().name));
}

}  // namespace lakegauge::workload
