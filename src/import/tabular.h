#pragma once
// Rows with named columns made into samples: plain CSV, and JMeter's log where it is CSV.
//
// Threads: independent calls. Errors: kInvalidArgument where the columns cannot be understood (no
// time, no query, a column that was named and is not there); a line that cannot be read is a
// BadLine.

#include <string>
#include <string_view>

#include "base/result.h"
#include "import/mapping.h"
#include "import/sample.h"

namespace lakegauge::imports {

// `path` names the file in errors. With a header line; its column names are matched with `mapping`,
// then with those that are known. Lines before the header that begin with '#' are comments.
Result<Parsed> ParseCsv(std::string_view text, const std::string& path, const Mapping& mapping);

// JMeter's CSV log: the header may be missing, then the columns are those of JMeter's defaults.
// Rows that only sum up a transaction's samples are left out, and counted in the notes.
Result<Parsed> ParseJmeterCsv(std::string_view text, const std::string& path,
                              const Mapping& mapping);

}  // namespace lakegauge::imports
