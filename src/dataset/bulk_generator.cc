#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "dataset/generators.h"

namespace lakegauge::dataset {
namespace {

// Values are uniform below this, as random rows of small integers; ten of them and their commas are
// some seventy characters as text.
constexpr int64_t kValueRange = 1'000'000;
constexpr int64_t kFirstTimestamp = 1'460'000'000'000;  // milliseconds; April 2016
constexpr int64_t kMaxColumns = 1000;

// A value that depends on nothing but the seed, the row and the column.
std::string Value(uint64_t seed, int64_t column) {
  return fmt::format("CAST(hash({}::UBIGINT, i, {}) % {} AS INTEGER)", seed, column, kValueRange);
}

Status Check(const DatasetSpec& spec) {
  const auto bad = [](std::string text) {
    return MakeError(ErrorCode::kInvalidArgument, std::move(text));
  };
  if (spec.rows < 1) return bad("a bulk dataset needs rows: at least 1");
  if (spec.partitions < 0 || spec.partitions > spec.rows) {
    return bad(
        fmt::format("{} partitions of {} rows: must be 1 to rows", spec.partitions, spec.rows));
  }
  if (spec.schema != "schema1" && spec.schema != "schema2" && spec.schema != "schema3" &&
      spec.schema != "schema4") {
    return bad(
        fmt::format("unknown schema '{}' of a bulk dataset; there are schema1, schema2 (integers; "
                    "clustered, composite key), schema3, schema4 (one text; likewise)",
                    spec.schema));
  }
  if (spec.value_columns < 1 || spec.value_columns > kMaxColumns) {
    return bad(fmt::format("{} value columns: must be 1 to {}", spec.value_columns, kMaxColumns));
  }
  if (spec.clustering_columns < 1 || spec.clustering_columns > kMaxColumns) {
    return bad(fmt::format("{} clustering columns: must be 1 to {}", spec.clustering_columns,
                           kMaxColumns));
  }
  return {};
}

bool HoldsText(const DatasetSpec& spec) {
  return spec.schema == "schema3" || spec.schema == "schema4";
}

}  // namespace

TableDef BulkTable(const DatasetSpec& spec) {
  TableDef table{"bulk", {{"id", "VARCHAR"}, {"timestamp", "BIGINT"}}};
  for (int64_t c = 1; c < spec.clustering_columns; ++c) {
    table.columns.push_back({fmt::format("cluster{}", c), "INTEGER"});
  }
  if (HoldsText(spec)) {
    table.columns.push_back({"data", "VARCHAR"});
    return table;
  }
  for (int64_t c = 1; c <= spec.value_columns; ++c) {
    table.columns.push_back({fmt::format("val{}", c), "INTEGER"});
  }
  return table;
}

Result<Generated> GenerateBulk(const DatasetSpec& spec, const PrepareOptions& options,
                               const std::string& database) {
  LG_RETURN_IF_ERROR(Check(spec));
  const bool as_text = HoldsText(spec);
  const int64_t partitions = std::min(spec.rows, spec.partitions == 0 ? 1000 : spec.partitions);
  const int64_t rows_a_partition = (spec.rows + partitions - 1) / partitions;
  std::string columns =
      fmt::format("format('id{{:08d}}', i // {0}) AS id, {1} + i % {0} AS \"timestamp\"",
                  rows_a_partition, kFirstTimestamp);
  for (int64_t c = 1; c < spec.clustering_columns; ++c) {
    columns += fmt::format(", CAST((i + {0}) % {1} AS INTEGER) AS cluster{0}", c, rows_a_partition);
  }
  std::string text;
  for (int64_t c = 1; c <= spec.value_columns; ++c) {
    if (as_text) {
      text += (text.empty() ? "" : ", ") + Value(spec.seed, c);
    } else {
      columns += fmt::format(", {} AS val{}", Value(spec.seed, c), c);
    }
  }
  if (as_text) columns += fmt::format(", concat_ws(',', {}) AS data", text);

  const int64_t memory = options.memory_limit_bytes > 0 ? options.memory_limit_bytes : kGiB;
  LG_ASSIGN_OR_RETURN(auto opened,
                      sql::Database::Open(BaseDatabase(database, WorkerCount(options), memory)));
  LG_ASSIGN_OR_RETURN(auto connection, opened.Connect());
  LG_RETURN_IF_ERROR(
      RunLong(connection,
              fmt::format("CREATE TABLE bulk AS SELECT {} FROM range({}) t(i)", columns, spec.rows),
              "generate " + spec.Name(), database, 0, options));
  LG_RETURN_IF_ERROR(connection.Execute("CHECKPOINT"));
  return Generated{"lakegauge-bulk", sql::DuckDbVersion(), Json::array()};
}

}  // namespace lakegauge::dataset
