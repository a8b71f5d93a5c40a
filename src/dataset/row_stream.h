#pragma once
// A table in one row order, cut into units, for all the layouts that share that order: what to
// read, how to encode it, and the encoded units themselves. Private to this room.
//
// Threads: a RowStream is read only once it is built; an encoder belongs to one worker.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "columnar/content_fingerprint.h"
#include "columnar/parquet_assembly.h"
#include "dataset/table_plan.h"
#include "sql/sql.h"

namespace lakegauge::dataset {

// Rows that stand in one folder: a Hive partition, or the whole table.
struct Segment {
  int64_t begin = 0;
  int64_t end = 0;
  std::string folder;  // below the table's: "" or "year=2001/month=1"
};

enum class StreamFormat { kParquet, kCsv };

struct RowStream {
  const TablePlan* plan = nullptr;
  std::string source;  // table as SQL names it, rows in the stream's order
  StreamFormat format = StreamFormat::kParquet;
  int64_t unit_rows = 1;
  std::vector<Segment> segments;  // ascending, without gaps
  std::vector<size_t> stored;     // columns that the files hold (partition columns do not)
  std::vector<columnar::ColumnPlan> columns;  // plans of `stored`
  std::vector<std::string> codecs;
  // [codec][stored column]; empty bytes where there is no dictionary.
  std::vector<std::vector<columnar::Page>> dictionaries;
  std::string csv_header;
  bool fingerprints = false;  // the one stream of its table that computes the content's fingerprint
};

// Some rows, encoded once and compressed by each codec that any layout wants.
struct EncodedUnit {
  struct Stored {
    std::string bytes;                  // pages one after another, or CSV text
    std::vector<uint32_t> ends;         // where each column's page ends
    std::vector<int64_t> uncompressed;  // each page's, header included
  };
  int64_t rows = 0;
  std::vector<Stored> by_codec;
  std::vector<columnar::Bounds> bounds;
};
using UnitPtr = std::shared_ptr<const EncodedUnit>;

// The values of a unit (all the table's columns), kept until every layout has decided whether one
// of its files ends within.
using RawRows = std::shared_ptr<const std::vector<columnar::ColumnValues>>;

struct Unit {
  UnitPtr encoded;
  RawRows raw;
};

// What an encoder makes of one range of rows.
struct EncodedRange {
  std::vector<Unit> units;  // in order; none crosses a segment
  columnar::ContentFingerprint fingerprint;
};

// Encodes rows by the stream's plans and compresses them by `codecs` (names).
Result<std::unique_ptr<EncodedUnit>> EncodeRows(const RowStream& stream,
                                                const std::vector<columnar::ColumnValues>& values,
                                                const std::vector<std::string>& codecs);

// Reads and encodes ranges; one for each worker.
class RangeEncoder {
 public:
  // `held` counts the bytes of units and raw rows that are alive.
  RangeEncoder(sql::Connection connection, std::atomic<int64_t>* held)
      : connection_(std::move(connection)), held_(held) {}
  Result<EncodedRange> Encode(const RowStream& stream, int64_t begin, int64_t end);

 private:
  // The same object, counted as held while anyone has it.
  template <typename T>
  std::shared_ptr<const T> Counted(std::shared_ptr<const T> alive, int64_t bytes);
  sql::Connection connection_;
  std::atomic<int64_t>* held_;
};

}  // namespace lakegauge::dataset
