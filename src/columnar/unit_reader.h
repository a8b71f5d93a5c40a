#pragma once
// Re-chunks a stream of Arrow record batches into units of exactly so many rows.
//
// Threads: one at a time. Owns: the stream's arrays while they are being read. Errors: the stream's
// own;
//   kInternal where its columns are not those that were announced.

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "columnar/column_type.h"
#include "columnar/column_values.h"

namespace lakegauge::columnar {

class UnitReader {
 public:
  using SchemaFn = std::function<Status(ArrowSchema*)>;
  using NextFn = std::function<Result<bool>(ArrowArray*)>;
  static Result<UnitReader> Open(const std::vector<ColumnType>& types, const SchemaFn& schema,
                                 NextFn next);
  UnitReader(UnitReader&&) noexcept;
  UnitReader& operator=(UnitReader&&) noexcept;
  ~UnitReader();

  // Replaces what `out` holds (one entry a column) with the next n rows; fewer only at the end.
  Result<int64_t> Next(int64_t n, std::vector<ColumnValues>* out);

 private:
  struct Impl;
  explicit UnitReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lakegauge::columnar
