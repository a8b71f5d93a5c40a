#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "store/table_store.h"

namespace lakegauge::store {
namespace {

constexpr size_t kScanBatchRows = 1024;

using Key = std::vector<std::optional<std::string>>;

struct Table {
  TableSchema schema;
  std::vector<size_t> key;  // positions of partition, then clustering columns
  std::map<Key, TableRow> rows;
};

Result<size_t> Position(const TableSchema& schema, std::string_view column) {
  const auto found = std::find_if(schema.columns.begin(), schema.columns.end(),
                                  [&](const TableColumn& c) { return c.name == column; });
  if (found == schema.columns.end()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("table {} has no column '{}'", schema.name, column));
  }
  return static_cast<size_t>(found - schema.columns.begin());
}

class MemoryTableStore : public TableStore {
 public:
  Status Create(const RequestContext&, const TableSchema& schema) override {
    const std::lock_guard lock(mutex_);
    if (tables_.contains(schema.name)) {
      return MakeError(ErrorCode::kAlreadyExists, fmt::format("table {} exists", schema.name));
    }
    if (schema.partition_key.empty()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("table {} has no partition key", schema.name));
    }
    Table table{schema, {}, {}};
    for (const auto* part : {&schema.partition_key, &schema.clustering_key}) {
      for (const auto& column : *part) {
        LG_ASSIGN_OR_RETURN(const size_t position, Position(schema, column));
        table.key.push_back(position);
      }
    }
    tables_.emplace(schema.name, std::move(table));
    return {};
  }

  Status Load(const RequestContext&, std::string_view name, const TableBatch& batch) override {
    const std::lock_guard lock(mutex_);
    LG_ASSIGN_OR_RETURN(Table* const table, Find(name));
    for (const auto& row : batch) {
      if (row.size() != table->schema.columns.size()) {
        return MakeError(ErrorCode::kInvalidArgument,
                         fmt::format("table {} has {} columns, a row has {}", name,
                                     table->schema.columns.size(), row.size()));
      }
      Key key;
      for (const size_t position : table->key) key.push_back(row[position]);
      table->rows.insert_or_assign(std::move(key), row);
    }
    return {};
  }

  Status Settle(const RequestContext&, std::string_view name) override {
    const std::lock_guard lock(mutex_);
    LG_ASSIGN_OR_RETURN([[maybe_unused]] Table* const table, Find(name));
    return {};
  }

  Status Scan(const RequestContext&, std::string_view name, const std::vector<std::string>& columns,
              const std::function<Status(const TableBatch&)>& take) override {
    const std::lock_guard lock(mutex_);
    LG_ASSIGN_OR_RETURN(Table* const table, Find(name));
    std::vector<size_t> positions;
    for (const auto& column : columns) {
      LG_ASSIGN_OR_RETURN(const size_t position, Position(table->schema, column));
      positions.push_back(position);
    }
    TableBatch batch;
    for (const auto& [key, row] : table->rows) {
      auto& out = batch.emplace_back();
      for (const size_t position : positions) out.push_back(row[position]);
      if (columns.empty()) out = row;
      if (batch.size() < kScanBatchRows) continue;
      LG_RETURN_IF_ERROR(take(batch));
      batch.clear();
    }
    if (!batch.empty()) LG_RETURN_IF_ERROR(take(batch));
    return {};
  }

  Result<std::map<std::string, double>> Counters(std::string_view name) override {
    const std::lock_guard lock(mutex_);
    LG_ASSIGN_OR_RETURN(Table* const table, Find(name));
    std::set<Key> partitions;
    const auto width = static_cast<std::ptrdiff_t>(table->schema.partition_key.size());
    for (const auto& [key, row] : table->rows) {
      partitions.insert(Key(key.begin(), key.begin() + width));
    }
    return std::map<std::string, double>{{"rows", static_cast<double>(table->rows.size())},
                                         {"partitions", static_cast<double>(partitions.size())}};
  }

  Status Drop(const RequestContext&, std::string_view name) override {
    const std::lock_guard lock(mutex_);
    const auto found = tables_.find(name);
    if (found != tables_.end()) tables_.erase(found);
    return {};
  }

 private:
  Result<Table*> Find(std::string_view name) {
    const auto found = tables_.find(name);
    if (found == tables_.end()) {
      return MakeError(ErrorCode::kNotFound, fmt::format("no table {}", name));
    }
    return &found->second;
  }

  std::mutex mutex_;
  std::map<std::string, Table, std::less<>> tables_;
};

}  // namespace

std::unique_ptr<TableStore> MakeMemoryTableStore() { return std::make_unique<MemoryTableStore>(); }

}  // namespace lakegauge::store
