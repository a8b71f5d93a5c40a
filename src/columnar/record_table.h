#pragma once
// Small typed tables on disk, without Arrow in sight: an Arrow IPC stream that grows batch by batch
// (for records that must survive a kill) and a Parquet file (for records that are finished).
//
// A stream's batch is readable once Append returned, whatever happens to the process. Readers take
// what is whole: a stream cut anywhere inside its last batch reads as the batches before it, and
// says so.
//
// Threads: one thread a reader or writer.
// Errors: values with the origin; kCorrupt for what is not such a file or lacks an asked column,
//   kUnsupported for a column of another type than asked.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakegauge::columnar::records {

enum class ColumnType { kInt32, kInt64, kReal, kBool, kText };

struct ColumnSpec {
  std::string name;
  ColumnType type = ColumnType::kInt64;
  bool nullable = false;
};

struct TableSpec {
  std::vector<ColumnSpec> columns;
  std::map<std::string, std::string> metadata;  // of the file
};

// One column's values; the vector that its type names is filled, one element a row.
struct Column {
  std::vector<int64_t> integers;  // kInt32, kInt64, kBool; of kText with a dictionary: its indexes
  std::vector<double> reals;
  std::vector<std::string> texts;       // kText
  std::vector<std::string> dictionary;  // kText, when not empty: rows are `integers` into it
  std::vector<bool> null;               // empty: no nulls
  bool IsNull(size_t row) const { return !null.empty() && null[row]; }
  const std::string& Text(size_t row) const {
    return dictionary.empty() ? texts[row] : dictionary[static_cast<size_t>(integers[row])];
  }
};

struct Table {
  size_t rows = 0;
  std::vector<Column> columns;  // as in the TableSpec
};

class TableWriter {
 public:
  virtual ~TableWriter() = default;
  virtual Status Append(const Table& table) = 0;
  virtual Status Close() = 0;
};

// A new Arrow IPC stream at `path`, which must not exist. Each Append hands the batch to the
// kernel.
Result<std::unique_ptr<TableWriter>> CreateStream(const std::string& path, const TableSpec& spec);
// A new Parquet file (zstd, dictionary-encoded texts) at `path`; durable after Close.
Result<std::unique_ptr<TableWriter>> CreateParquet(const std::string& path, const TableSpec& spec);

class TableReader {
 public:
  virtual ~TableReader() = default;
  virtual const std::map<std::string, std::string>& metadata() const = 0;
  // The next batch's columns in the order asked for; nullopt at the end.
  virtual Result<std::optional<Table>> Next() = 0;
  // After the end: whether the stream stopped inside a batch.
  virtual bool truncated() const = 0;
};

// `columns` are those wanted, by name; others are skipped.
Result<std::unique_ptr<TableReader>> OpenStream(const std::string& path,
                                                const std::vector<ColumnSpec>& columns);
// The same from memory, which must outlive the reader.
Result<std::unique_ptr<TableReader>> OpenStreamBytes(std::span<const std::byte> bytes,
                                                     const std::string& origin,
                                                     const std::vector<ColumnSpec>& columns);
Result<std::unique_ptr<TableReader>> OpenParquet(const std::string& path,
                                                 const std::vector<ColumnSpec>& columns);

}  // namespace lakegauge::columnar::records
