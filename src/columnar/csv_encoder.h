#pragma once
// A unit of rows as CSV text (RFC 4180, line feeds). Null is an empty field; an empty text is
// quoted.
//
// Threads: independent calls.

#include <string>
#include <vector>

#include "columnar/column_type.h"
#include "columnar/column_values.h"

namespace lakegauge::columnar {

std::string CsvHeader(const std::vector<ColumnType>& types);
void EncodeCsv(const std::vector<ColumnType>& types,
               const std::vector<const ColumnValues*>& columns, std::string* out);

}  // namespace lakegauge::columnar
