#include "columnar/block_codec.h"

#include <arrow/result.h>
#include <arrow/util/compression.h>

namespace lakegauge::columnar {

struct BlockCodec::Impl {
  std::unique_ptr<arrow::util::Codec> codec;
};

BlockCodec::BlockCodec(std::unique_ptr<Impl> impl, int number)
    : impl_(std::move(impl)), parquet_number_(number) {}
BlockCodec::BlockCodec(BlockCodec&&) noexcept = default;
BlockCodec& BlockCodec::operator=(BlockCodec&&) noexcept = default;
BlockCodec::~BlockCodec() = default;

Result<BlockCodec> BlockCodec::Make(const std::string& name) {
  if (name == "none") return BlockCodec(nullptr, 0);
  arrow::Compression::type type = arrow::Compression::UNCOMPRESSED;
  int number = 0;
  if (name == "snappy") {
    type = arrow::Compression::SNAPPY;
    number = 1;
  } else if (name == "zstd") {
    type = arrow::Compression::ZSTD;
    number = 6;
  } else if (name == "lz4") {
    type = arrow::Compression::LZ4;
    number = 7;
  } else {
    return MakeError(ErrorCode::kUnsupported, "unknown compression '" + name + "'");
  }
  auto codec = arrow::util::Codec::Create(type);
  if (!codec.ok()) return MakeError(ErrorCode::kUnsupported, codec.status().message());
  auto impl = std::make_unique<Impl>();
  impl->codec = std::move(*codec);
  return BlockCodec(std::move(impl), number);
}

Status BlockCodec::Append(std::string_view block, std::string* out) const {
  if (impl_ == nullptr) {
    out->append(block);
    return {};
  }
  const auto* input = reinterpret_cast<const uint8_t*>(block.data());
  const auto length = static_cast<int64_t>(block.size());
  const int64_t most = impl_->codec->MaxCompressedLen(length, input);
  const size_t before = out->size();
  out->resize(before + static_cast<size_t>(most));
  auto written =
      impl_->codec->Compress(length, input, most, reinterpret_cast<uint8_t*>(out->data() + before));
  if (!written.ok()) return MakeError(ErrorCode::kInternal, written.status().message());
  out->resize(before + static_cast<size_t>(*written));
  return {};
}

}  // namespace lakegauge::columnar
