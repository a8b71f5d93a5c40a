#pragma once
// Reads many queries' ORDER BY and LIMIT with one parser. Private to this room; OrderOfSql of
// answer.h is the same for a single one.
//
// Threads: a reader belongs to one thread. It must be gone before the thread ends: DuckDB cannot be
// closed while a thread's own variables are being destroyed.

#include <optional>
#include <string_view>

#include "sql/sql.h"
#include "workload/answer.h"

namespace lakegauge::workload {

class OrderReader {
 public:
  OrderReader();
  ResultOrder Read(std::string_view sql);

 private:
  std::optional<sql::Connection> parser_;  // none where DuckDB did not open: nothing is promised
};

}  // namespace lakegauge::workload
