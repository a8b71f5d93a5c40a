#include <fmt/format.h>

#include "base/units.h"
#include "dataset/generators.h"

namespace lakegauge::dataset {
namespace {

// Measured: a base at scale 1 is 330 MB and grows with the scale; the dimension tables of fixed
// size come to some 13 MB. Only progress depends on it.
constexpr double kBytesAScale = 320e6;
constexpr double kBytesFixed = 13e6;
// The generator itself is single-threaded; more threads would spin beside it, at twice the CPU
// time.
constexpr int kThreads = 1;
constexpr int64_t kMemoryBytes = 400 * kMiB;

}  // namespace

Result<Generated> GenerateTpcds(const DatasetSpec& spec, const PrepareOptions& options,
                                const std::string& database) {
  auto open = BaseDatabase(database, kThreads, kMemoryBytes);
  open.extensions = {"tpcds"};
  LG_ASSIGN_OR_RETURN(auto opened, sql::Database::Open(open));
  LG_ASSIGN_OR_RETURN(auto connection, opened.Connect());
  const auto expected = static_cast<int64_t>(kBytesFixed + kBytesAScale * spec.scale);
  LG_RETURN_IF_ERROR(RunLong(connection, fmt::format("CALL dsdgen(sf={})", spec.scale),
                             "generate " + spec.Name(), database, expected, options));
  LG_RETURN_IF_ERROR(connection.Execute("CHECKPOINT"));
  return Generated{"duckdb-tpcds", sql::DuckDbVersion(), Json::array()};
}

}  // namespace lakegauge::dataset
