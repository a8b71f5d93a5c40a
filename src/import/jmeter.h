#pragma once
// JMeter's results log (.jtl), as CSV or as XML.
//
// Threads: independent calls. Errors: kInvalidArgument where it is no such log; a line that cannot
// be read is a BadLine. Source: Apache JMeter, user's manual, "Introduction to listeners" (CSV log
// format, XML log format
//   2.1 and 2.0) and org.apache.jmeter.save.CSVSaveService. Times are milliseconds; the time stamp
//   is a sample's start as JMeter ships (sampleresult.timestamp.start=true).

#include <string>
#include <string_view>

#include "base/result.h"
#include "import/mapping.h"
#include "import/sample.h"

namespace lakegauge::imports {

// A sample's label is its query and its thread its stream; iterations count how often a thread
// asked the same. In XML only outermost samples are taken: the ones inside are parts of them.
Result<Parsed> ParseJmeter(std::string_view text, const std::string& path, const Mapping& mapping);

bool LooksLikeJmeter(std::string_view text);

}  // namespace lakegauge::imports
