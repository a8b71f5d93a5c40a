#pragma once
// Compression of one block at a time.
//
// Threads: one object, one thread at a time. Errors: kUnsupported for an unknown name.

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lakegauge::columnar {

class BlockCodec {
 public:
  // "none", "snappy", "zstd", "lz4" (raw blocks).
  static Result<BlockCodec> Make(const std::string& name);
  BlockCodec(BlockCodec&&) noexcept;
  BlockCodec& operator=(BlockCodec&&) noexcept;
  ~BlockCodec();

  // Number of the codec in Parquet's footers.
  int parquet_number() const { return parquet_number_; }
  // Appends `block`, compressed.
  Status Append(std::string_view block, std::string* out) const;

 private:
  struct Impl;
  BlockCodec(std::unique_ptr<Impl> impl, int number);
  std::unique_ptr<Impl> impl_;  // null: no compression
  int parquet_number_;
};

}  // namespace lakegauge::columnar
