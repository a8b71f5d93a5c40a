#pragma once
// ORC through Arrow: writes record batches of a stream to a sink, and reads a file back as such a
// stream.
//
// Threads: one object, one thread at a time. Errors: kUnsupported for types that ORC or Arrow's ORC
//   writer does not have.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct ArrowArray;
struct ArrowSchema;

namespace lakegauge::columnar {

// Writes a stream of record batches as one ORC file into a sink; tells how many rows there were.
// `compression`: "none", "snappy", "zstd", "lz4".
using OrcSinkFn = std::function<Status(std::string_view)>;
Result<int64_t> WriteOrc(const std::function<Status(ArrowSchema*)>& schema,
                         const std::function<Result<bool>(ArrowArray*)>& next,
                         const std::string& compression, int64_t stripe_bytes, OrcSinkFn sink);

class OrcReader {
 public:
  static Result<std::unique_ptr<OrcReader>> Open(const std::string& path);
  ~OrcReader();
  int64_t rows() const;
  struct Column {
    std::string name;
    std::string type;  // as DuckDB would print it; Arrow's name where SQL has none
  };
  std::vector<Column> columns() const;
  // The caller releases what it is given. Batches hold the columns named, in that order.
  Status Schema(const std::vector<std::string>& columns, ArrowSchema* out);
  Result<bool> Next(const std::vector<std::string>& columns, ArrowArray* out);

 private:
  struct Impl;
  explicit OrcReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lakegauge::columnar
