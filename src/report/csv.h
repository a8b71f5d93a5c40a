#pragma once
// Tables as CSV by RFC 4180, with one line a row: CRLF is LF here, as every CSV reader takes it.
//
// Threads: pure functions.

#include <string>
#include <string_view>

#include "analyze/records.h"

namespace lakegauge::report {

// Quoted where it holds a comma, a quote, a line break or a space at an end.
std::string CsvField(std::string_view text);
std::string ToCsv(const analyze::TextTable& table);

}  // namespace lakegauge::report
