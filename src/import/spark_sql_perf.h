#pragma once
// Results of databricks/spark-sql-perf: JSON lines, one an iteration of an experiment.
//
// Threads: independent calls. Errors: kInvalidArgument where it is no such file; a line or a result
// that cannot be read is a BadLine.
// Source: github.com/databricks/spark-sql-perf, results.scala (ExperimentRun,
// BenchmarkConfiguration,
//   BenchmarkResult, Failure), Query.scala and Benchmarkable.scala. Times are milliseconds. A
//   query's time is the sum of parsing, analysis, optimization, planning and execution: from text
//   to answer, as the tool's own notebook (tpcds_run) adds them.

#include <string>
#include <string_view>

#include "base/result.h"
#include "import/mapping.h"
#include "import/sample.h"

namespace lakegauge::imports {

// Fields that are mapped name tags ("tags.storage", or "storage"). Tags called engine, store,
// layout or dataset are understood without being told. A tag that differs between the iterations of
// one experiment and is not mapped makes different engines: a variation is another configuration.
Result<Parsed> ParseSparkSqlPerf(std::string_view text, const std::string& path,
                                 const Mapping& mapping);

bool LooksLikeSparkSqlPerf(std::string_view text);

}  // namespace lakegauge::imports
