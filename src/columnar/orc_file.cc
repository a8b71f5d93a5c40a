#include "columnar/orc_file.h"

#include <arrow/adapters/orc/adapter.h>
#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <algorithm>

namespace lakegauge::columnar {
namespace {

namespace orc = arrow::adapters::orc;

Error FromArrow(const arrow::Status& status) {
  const auto code = status.IsNotImplemented() ? ErrorCode::kUnsupported
                    : status.IsIOError()      ? ErrorCode::kUnavailable
                                              : ErrorCode::kInternal;
  return MakeError(code, "ORC: " + status.message());
}

Result<arrow::Compression::type> CompressionOf(const std::string& name) {
  if (name == "none") return arrow::Compression::UNCOMPRESSED;
  if (name == "snappy") return arrow::Compression::SNAPPY;
  if (name == "zstd") return arrow::Compression::ZSTD;
  if (name == "lz4") return arrow::Compression::LZ4;
  return MakeError(ErrorCode::kUnsupported, "unknown compression '" + name + "' of ORC");
}

std::string SqlType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return "BOOLEAN";
    case arrow::Type::INT8:
      return "TINYINT";
    case arrow::Type::INT16:
      return "SMALLINT";
    case arrow::Type::INT32:
      return "INTEGER";
    case arrow::Type::INT64:
      return "BIGINT";
    case arrow::Type::FLOAT:
      return "FLOAT";
    case arrow::Type::DOUBLE:
      return "DOUBLE";
    case arrow::Type::STRING:
      return "VARCHAR";
    case arrow::Type::BINARY:
      return "BLOB";
    case arrow::Type::DATE32:
      return "DATE";
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).timezone().empty()
                 ? "TIMESTAMP"
                 : "TIMESTAMP WITH TIME ZONE";
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      return "DECIMAL(" + std::to_string(decimal.precision()) + "," +
             std::to_string(decimal.scale()) + ")";
    }
    default:
      return type.ToString();
  }
}

// Arrow's output stream over a sink; keeps the sink's own error.
class SinkStream : public arrow::io::OutputStream {
 public:
  explicit SinkStream(OrcSinkFn sink) : sink_(std::move(sink)) {}
  arrow::Status Write(const void* data, int64_t n) override {
    const auto status = sink_({static_cast<const char*>(data), static_cast<size_t>(n)});
    if (!status.ok()) {
      failed_ = status;
      return arrow::Status::IOError(status.error().message);
    }
    position_ += n;
    return arrow::Status::OK();
  }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> Tell() const override { return position_; }
  bool closed() const override { return closed_; }
  const Status& failed() const { return failed_; }

 private:
  OrcSinkFn sink_;
  Status failed_;
  int64_t position_ = 0;
  bool closed_ = false;
};

}  // namespace

Result<int64_t> WriteOrc(const std::function<Status(ArrowSchema*)>& schema,
                         const std::function<Result<bool>(ArrowArray*)>& next,
                         const std::string& compression, int64_t stripe_bytes, OrcSinkFn sink) {
  ArrowSchema described{};
  LG_RETURN_IF_ERROR(schema(&described));
  const auto imported = arrow::ImportSchema(&described);
  if (!imported.ok()) return FromArrow(imported.status());
  orc::WriteOptions options;
  LG_ASSIGN_OR_RETURN(options.compression, CompressionOf(compression));
  options.stripe_size = stripe_bytes;
  SinkStream stream(std::move(sink));
  const auto check = [&](const arrow::Status& status) -> Status {
    if (status.ok()) return {};
    if (!stream.failed().ok()) return stream.failed();
    return FromArrow(status);
  };
  const auto writer = orc::ORCFileWriter::Open(&stream, options);
  if (!writer.ok()) return FromArrow(writer.status());
  int64_t rows = 0;
  for (;;) {
    ArrowArray array{};
    LG_ASSIGN_OR_RETURN(const bool more, next(&array));
    if (!more) break;
    const auto batch = arrow::ImportRecordBatch(&array, *imported);
    if (!batch.ok()) return FromArrow(batch.status());
    rows += (*batch)->num_rows();
    LG_RETURN_IF_ERROR(check((*writer)->Write(**batch)));
  }
  if (rows == 0) {  // the writer begins its file with the first batch
    const auto empty = arrow::RecordBatch::MakeEmpty(*imported);
    if (!empty.ok()) return FromArrow(empty.status());
    LG_RETURN_IF_ERROR(check((*writer)->Write(**empty)));
  }
  LG_RETURN_IF_ERROR(check((*writer)->Close()));
  return rows;
}

struct OrcReader::Impl {
  std::unique_ptr<orc::ORCFileReader> reader;
  std::shared_ptr<arrow::Schema> schema;
  int64_t stripe = 0;
};

OrcReader::OrcReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OrcReader::~OrcReader() = default;
int64_t OrcReader::rows() const { return impl_->reader->NumberOfRows(); }
std::vector<OrcReader::Column> OrcReader::columns() const {
  std::vector<Column> columns;
  for (const auto& field : impl_->schema->fields()) {
    columns.push_back({field->name(), SqlType(*field->type())});
  }
  return columns;
}

Result<std::unique_ptr<OrcReader>> OrcReader::Open(const std::string& path) {
  auto file = arrow::io::ReadableFile::Open(path);
  if (!file.ok()) return FromArrow(file.status());
  auto impl = std::make_unique<Impl>();
  auto reader = orc::ORCFileReader::Open(*file, arrow::default_memory_pool());
  if (!reader.ok()) return FromArrow(reader.status()).WithContext(path);
  impl->reader = std::move(*reader);
  auto schema = impl->reader->ReadSchema();
  if (!schema.ok()) return FromArrow(schema.status());
  impl->schema = *schema;
  return std::unique_ptr<OrcReader>(new OrcReader(std::move(impl)));
}

Status OrcReader::Schema(const std::vector<std::string>& columns, ArrowSchema* out) {
  arrow::FieldVector fields;
  for (const auto& name : columns) {
    auto field = impl_->schema->GetFieldByName(name);
    if (field == nullptr) return MakeError(ErrorCode::kCorrupt, "ORC file has no column " + name);
    fields.push_back(std::move(field));
  }
  const auto status = arrow::ExportSchema(*arrow::schema(fields), out);
  if (!status.ok()) return FromArrow(status);
  return {};
}

Result<bool> OrcReader::Next(const std::vector<std::string>& columns, ArrowArray* out) {
  if (impl_->stripe >= impl_->reader->NumberOfStripes()) return false;
  auto batch = impl_->reader->ReadStripe(impl_->stripe++, columns);
  if (!batch.ok()) return FromArrow(batch.status());
  // ORC gives the columns in the file's order.
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const auto& name : columns) {
    fields.push_back((*batch)->schema()->GetFieldByName(name));
    arrays.push_back((*batch)->GetColumnByName(name));
  }
  const auto ordered =
      arrow::RecordBatch::Make(arrow::schema(fields), (*batch)->num_rows(), std::move(arrays));
  const auto status = arrow::ExportRecordBatch(*ordered, out);
  if (!status.ok()) return FromArrow(status);
  return true;
}

}  // namespace lakegauge::columnar
