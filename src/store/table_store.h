#pragma once
// A table store: a place that holds rows under keys of its own, not bytes under names (Cassandra is
// one). What a bulk-read study needs of it and nothing more; each kind is one adapter.
//
// Threads: calls for different tables from any threads; one table, one thread at a time.
// Errors: values; a table that is not there is kNotFound.
// Units: rows; bytes.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace lakegauge::store {

struct TableColumn {
  std::string name;
  std::string type;  // SQL type: "VARCHAR", "BIGINT", "INTEGER"
};

struct TableSchema {
  std::string name;
  std::vector<TableColumn> columns;
  std::vector<std::string> partition_key;   // at least one column
  std::vector<std::string> clustering_key;  // order of rows within a partition; may be empty
};

// Values as their SQL text, in the schema's order; nullopt is NULL.
using TableRow = std::vector<std::optional<std::string>>;
using TableBatch = std::vector<TableRow>;

class TableStore {
 public:
  virtual ~TableStore() = default;
  // kAlreadyExists where the table is there; kInvalidArgument names what is wrong with the schema.
  virtual Status Create(const RequestContext& context, const TableSchema& schema) = 0;
  // Inserts or replaces by the whole key (partition and clustering columns), as table stores do.
  virtual Status Load(const RequestContext& context, std::string_view table,
                      const TableBatch& batch) = 0;
  // Makes what was loaded lie as it would after days of rest: flushed and compacted.
  virtual Status Settle(const RequestContext& context, std::string_view table) = 0;
  // Every row once, as batches, with only `columns` (empty: all), in no promised order.
  virtual Status Scan(const RequestContext& context, std::string_view table,
                      const std::vector<std::string>& columns,
                      const std::function<Status(const TableBatch&)>& take) = 0;
  // The store's own counters, by name ("rows", "partitions", "bytes_read", ...).
  virtual Result<std::map<std::string, double>> Counters(std::string_view table) = 0;
  // Dropping what is not there is fine.
  virtual Status Drop(const RequestContext& context, std::string_view table) = 0;
};

// In memory, for tests and as the reference that other adapters are held against.
std::unique_ptr<TableStore> MakeMemoryTableStore();

}  // namespace lakegauge::store
