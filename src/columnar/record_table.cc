#include "columnar/record_table.h"

#include <arrow/api.h>
#include <arrow/io/api.h>
#include <arrow/ipc/api.h>
#include <arrow/util/io_util.h>
#include <arrow/util/key_value_metadata.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <type_traits>

namespace lakegauge::columnar::records {
namespace {

// A record batch of ours is far below this; a damaged length must not ask for the machine's memory.
constexpr int64_t kReaderMemoryBytes = int64_t{2} << 30;
constexpr int32_t kMaxMessageHeaderBytes = 16 << 20;
constexpr int64_t kDictionaryPageBytes = 4 << 20;

Error FromArrow(const std::string& origin, const arrow::Status& status, ErrorCode code) {
  if (status.IsOutOfMemory()) code = ErrorCode::kCorrupt;
  return MakeError(code, fmt::format("{}: {}", origin, status.message()));
}

// Errors of writing: Arrow keeps the errno in its detail's text only.
Error WriteError(const std::string& origin, const arrow::Status& status) {
  const int number = arrow::internal::ErrnoFromStatus(status);
  if (number != 0) return ErrnoError(origin, number);
  return FromArrow(origin, status, ErrorCode::kInternal);
}

std::shared_ptr<arrow::DataType> PlainType(ColumnType type) {
  switch (type) {
    case ColumnType::kInt32:
      return arrow::int32();
    case ColumnType::kInt64:
      return arrow::int64();
    case ColumnType::kReal:
      return arrow::float64();
    case ColumnType::kBool:
      return arrow::boolean();
    case ColumnType::kText:
      return arrow::utf8();
  }
  return arrow::null();
}

std::shared_ptr<arrow::Schema> ToArrowSchema(const TableSpec& spec, bool dictionaries) {
  arrow::FieldVector fields;
  for (const auto& column : spec.columns) {
    auto type = PlainType(column.type);
    if (dictionaries && column.type == ColumnType::kText) {
      type = arrow::dictionary(arrow::int32(), arrow::utf8());
    }
    fields.push_back(arrow::field(column.name, type, column.nullable));
  }
  auto metadata = std::make_shared<arrow::KeyValueMetadata>();
  for (const auto& [key, value] : spec.metadata) metadata->Append(key, value);
  return arrow::schema(std::move(fields), std::move(metadata));
}

template <typename Builder, typename Value>
arrow::Result<std::shared_ptr<arrow::Array>> BuildArray(const Column& column, size_t rows,
                                                        const Value& value) {
  // Room for a text is not known beforehand.
  constexpr bool kReserved = std::is_arithmetic_v<std::invoke_result_t<Value, size_t>>;
  Builder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(rows)));
  for (size_t row = 0; row < rows; ++row) {
    if (column.IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
    } else if constexpr (kReserved) {
      builder.UnsafeAppend(value(row));
    } else {
      ARROW_RETURN_NOT_OK(builder.Append(value(row)));
    }
  }
  return builder.Finish();
}

arrow::Result<std::shared_ptr<arrow::Array>> ToArray(const Column& column, ColumnType type,
                                                     size_t rows, bool dictionaries) {
  switch (type) {
    case ColumnType::kInt32:
      return BuildArray<arrow::Int32Builder>(
          column, rows, [&](size_t row) { return static_cast<int32_t>(column.integers[row]); });
    case ColumnType::kInt64:
      return BuildArray<arrow::Int64Builder>(column, rows,
                                             [&](size_t row) { return column.integers[row]; });
    case ColumnType::kReal:
      return BuildArray<arrow::DoubleBuilder>(column, rows,
                                              [&](size_t row) { return column.reals[row]; });
    case ColumnType::kBool:
      return BuildArray<arrow::BooleanBuilder>(
          column, rows, [&](size_t row) { return column.integers[row] != 0; });
    case ColumnType::kText:
      break;
  }
  if (!dictionaries) {
    return BuildArray<arrow::StringBuilder>(
        column, rows, [&](size_t row) -> std::string_view { return column.Text(row); });
  }
  if (column.dictionary.empty()) {
    return BuildArray<arrow::StringDictionary32Builder>(
        column, rows, [&](size_t row) -> std::string_view { return column.texts[row]; });
  }
  ARROW_ASSIGN_OR_RAISE(auto indexes,
                        BuildArray<arrow::Int32Builder>(column, rows, [&](size_t row) {
                          return static_cast<int32_t>(column.integers[row]);
                        }));
  arrow::StringBuilder texts;
  ARROW_RETURN_NOT_OK(texts.AppendValues(column.dictionary));
  ARROW_ASSIGN_OR_RAISE(auto dictionary, texts.Finish());
  return arrow::DictionaryArray::FromArrays(arrow::dictionary(arrow::int32(), arrow::utf8()),
                                            indexes, dictionary);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ToBatch(
    const Table& table, const TableSpec& spec, const std::shared_ptr<arrow::Schema>& schema,
    bool dictionaries) {
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < spec.columns.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(
        auto array, ToArray(table.columns.at(i), spec.columns[i].type, table.rows, dictionaries));
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(schema, static_cast<int64_t>(table.rows), std::move(arrays));
}

// ---- Writers

class StreamWriter : public TableWriter {
 public:
  static arrow::Result<std::unique_ptr<TableWriter>> Create(const std::string& path, int fd,
                                                            const TableSpec& spec) {
    auto self = std::make_unique<StreamWriter>();
    self->path_ = path;
    self->spec_ = spec;
    self->schema_ = ToArrowSchema(spec, true);
    ARROW_ASSIGN_OR_RAISE(self->sink_, arrow::io::FileOutputStream::Open(fd));
    ARROW_ASSIGN_OR_RAISE(self->writer_, arrow::ipc::MakeStreamWriter(self->sink_, self->schema_));
    ARROW_RETURN_NOT_OK(self->sink_->Flush());
    return std::unique_ptr<TableWriter>(std::move(self));
  }
  ~StreamWriter() override {
    if (sink_ != nullptr && !sink_->closed()) (void)sink_->Close();
  }
  Status Append(const Table& table) override {
    const auto written = [&]() -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(auto batch, ToBatch(table, spec_, schema_, true));
      ARROW_RETURN_NOT_OK(writer_->WriteRecordBatch(*batch));
      return sink_->Flush();
    }();
    if (!written.ok()) return WriteError(path_, written);
    return {};
  }
  Status Close() override {
    auto closed = writer_->Close();
    if (closed.ok()) closed = sink_->Close();
    if (!closed.ok()) return WriteError(path_, closed);
    return {};
  }

 private:
  std::string path_;
  TableSpec spec_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::FileOutputStream> sink_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

class ParquetTableWriter : public TableWriter {
 public:
  static arrow::Result<std::unique_ptr<TableWriter>> Create(const std::string& path,
                                                            const TableSpec& spec) {
    auto self = std::make_unique<ParquetTableWriter>();
    self->path_ = path;
    self->spec_ = spec;
    self->schema_ = ToArrowSchema(spec, false);
    ARROW_ASSIGN_OR_RAISE(self->sink_, arrow::io::FileOutputStream::Open(path));
    auto properties = parquet::WriterProperties::Builder()
                          .compression(parquet::Compression::ZSTD)
                          ->dictionary_pagesize_limit(kDictionaryPageBytes)
                          ->created_by("lakegauge")
                          ->build();
    auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
    ARROW_ASSIGN_OR_RAISE(self->writer_, parquet::arrow::FileWriter::Open(
                                             *self->schema_, arrow::default_memory_pool(),
                                             self->sink_, properties, arrow_properties));
    return std::unique_ptr<TableWriter>(std::move(self));
  }
  ~ParquetTableWriter() override {
    if (sink_ != nullptr && !sink_->closed()) (void)sink_->Close();
  }
  Status Append(const Table& table) override {
    if (table.rows == 0) return {};
    const auto written = [&]() -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(auto batch, ToBatch(table, spec_, schema_, false));
      return writer_->WriteRecordBatch(*batch);
    }();
    if (!written.ok()) return WriteError(path_, written);
    return {};
  }
  Status Close() override {
    auto closed = writer_->Close();
    if (closed.ok() && fsync(sink_->file_descriptor()) != 0) return ErrnoError(path_, errno);
    if (closed.ok()) closed = sink_->Close();
    if (!closed.ok()) return WriteError(path_, closed);
    return {};
  }

 private:
  std::string path_;
  TableSpec spec_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::io::FileOutputStream> sink_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

// ---- Readers

template <typename ArrayType>
void CopyIntegers(const arrow::Array& array, Column& column) {
  const auto& typed = static_cast<const ArrayType&>(array);
  column.integers.resize(static_cast<size_t>(typed.length()));
  for (int64_t i = 0; i < typed.length(); ++i) {
    column.integers[static_cast<size_t>(i)] = typed.IsNull(i) ? 0 : typed.Value(i);
  }
}

Result<Column> FromArray(const arrow::Array& array, const ColumnSpec& spec,
                         const std::string& origin) {
  Column column;
  const auto rows = static_cast<size_t>(array.length());
  if (array.null_count() > 0) {
    if (!spec.nullable) {
      return MakeError(ErrorCode::kCorrupt,
                       fmt::format("{}: column {} has nulls; allowed none", origin, spec.name));
    }
    column.null.resize(rows);
    for (size_t i = 0; i < rows; ++i) column.null[i] = array.IsNull(static_cast<int64_t>(i));
  }
  const auto mismatch = [&] {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: column {} is {}; allowed {}", origin, spec.name,
                                 array.type()->ToString(), PlainType(spec.type)->ToString()));
  };
  if (spec.type == ColumnType::kText) {
    const arrow::Array* texts = &array;
    const arrow::DictionaryArray* coded = nullptr;
    if (array.type_id() == arrow::Type::DICTIONARY) {
      coded = static_cast<const arrow::DictionaryArray*>(&array);
      texts = coded->dictionary().get();
    }
    if (texts->type_id() != arrow::Type::STRING) return mismatch();
    const auto& strings = static_cast<const arrow::StringArray&>(*texts);
    auto& out = coded == nullptr ? column.texts : column.dictionary;
    out.reserve(static_cast<size_t>(strings.length()));
    for (int64_t i = 0; i < strings.length(); ++i) {
      out.push_back(strings.IsNull(i) ? std::string() : strings.GetString(i));
    }
    if (coded != nullptr) {
      if (out.empty()) out.emplace_back();  // all rows null
      column.integers.resize(rows);
      for (size_t i = 0; i < rows; ++i) {
        const auto row = static_cast<int64_t>(i);
        column.integers[i] = coded->IsNull(row) ? 0 : coded->GetValueIndex(row);
      }
    }
    return column;
  }
  if (array.type_id() != PlainType(spec.type)->id()) return mismatch();
  switch (spec.type) {
    case ColumnType::kInt32:
      CopyIntegers<arrow::Int32Array>(array, column);
      break;
    case ColumnType::kInt64:
      CopyIntegers<arrow::Int64Array>(array, column);
      break;
    case ColumnType::kBool:
      CopyIntegers<arrow::BooleanArray>(array, column);
      break;
    case ColumnType::kReal: {
      const auto& typed = static_cast<const arrow::DoubleArray&>(array);
      column.reals.resize(rows);
      for (size_t i = 0; i < rows; ++i) {
        const auto row = static_cast<int64_t>(i);
        column.reals[i] = typed.IsNull(row) ? 0 : typed.Value(row);
      }
      break;
    }
    case ColumnType::kText:
      break;
  }
  return column;
}

Result<Table> FromBatch(const arrow::RecordBatch& batch, const std::vector<ColumnSpec>& columns,
                        const std::string& origin) {
  const auto valid = batch.ValidateFull();
  if (!valid.ok()) return FromArrow(origin, valid, ErrorCode::kCorrupt);
  Table table;
  table.rows = static_cast<size_t>(batch.num_rows());
  for (const auto& spec : columns) {
    const auto array = batch.GetColumnByName(spec.name);
    if (array == nullptr) {
      return MakeError(ErrorCode::kCorrupt, fmt::format("{}: no column {}", origin, spec.name));
    }
    LG_ASSIGN_OR_RETURN(auto column, FromArray(*array, spec, origin));
    table.columns.push_back(std::move(column));
  }
  return table;
}

std::map<std::string, std::string> ToMap(
    const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  std::map<std::string, std::string> map;
  for (int64_t i = 0; metadata != nullptr && i < metadata->size(); ++i) {
    map[metadata->key(i)] = metadata->value(i);
  }
  return map;
}

class StreamReader : public TableReader {
 public:
  StreamReader(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string origin,
               std::vector<ColumnSpec> columns)
      : pool_(arrow::default_memory_pool(), kReaderMemoryBytes),
        file_(std::move(file)),
        origin_(std::move(origin)),
        columns_(std::move(columns)) {}

  Status Start() {
    auto size = file_->GetSize();
    if (!size.ok()) return FromArrow(origin_, size.status(), ErrorCode::kUnavailable);
    size_ = *size;
    LG_RETURN_IF_ERROR(CheckFrame());
    if (truncated_) return {};
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.memory_pool = &pool_;
    options.use_threads = false;
    options.max_recursion_depth = 4;
    auto reader = arrow::ipc::RecordBatchStreamReader::Open(file_.get(), options);
    if (!reader.ok()) return Judge(reader.status());
    reader_ = *reader;
    metadata_ = ToMap(reader_->schema()->metadata());
    return {};
  }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }
  bool truncated() const override { return truncated_; }

  Result<std::optional<Table>> Next() override {
    if (truncated_ || ended_) return std::optional<Table>();
    LG_RETURN_IF_ERROR(CheckFrame());
    if (truncated_) return std::optional<Table>();
    std::shared_ptr<arrow::RecordBatch> batch;
    const auto read = reader_->ReadNext(&batch);
    if (!read.ok()) {
      LG_RETURN_IF_ERROR(Judge(read));
      return std::optional<Table>();
    }
    if (batch == nullptr) {
      ended_ = true;
      return std::optional<Table>();
    }
    LG_ASSIGN_OR_RETURN(auto table, FromBatch(*batch, columns_, origin_));
    return std::optional<Table>(std::move(table));
  }

 private:
  // Looks at the next message's frame: 0xFFFFFFFF and the header's length, both little-endian
  // (Arrow columnar format, "Encapsulated message format"). A file that ends where a message would
  // begin was never closed but is whole.
  Status CheckFrame() {
    const auto at = file_->Tell();
    if (!at.ok()) return FromArrow(origin_, at.status(), ErrorCode::kUnavailable);
    const int64_t left = size_ - *at;
    if (left == 0) {
      truncated_ = *at == 0;  // not even a schema
      ended_ = true;
      return {};
    }
    if (left < 8) {
      truncated_ = true;
      return {};
    }
    uint32_t frame[2];
    const auto got = file_->ReadAt(*at, 8, frame);
    if (!got.ok()) return FromArrow(origin_, got.status(), ErrorCode::kUnavailable);
    const auto back = file_->Seek(*at);
    if (!back.ok()) return FromArrow(origin_, back, ErrorCode::kUnavailable);
    if (frame[0] != 0xFFFFFFFFu || frame[1] > static_cast<uint32_t>(kMaxMessageHeaderBytes)) {
      return MakeError(ErrorCode::kCorrupt,
                       fmt::format("{}: no Arrow IPC message at byte {}", origin_, *at));
    }
    truncated_ = static_cast<int64_t>(frame[1]) > left - 8;
    return {};
  }
  // A message that wanted more than the file has: the writer was stopped in the middle of it.
  Status Judge(const arrow::Status& failed) {
    const auto at = file_->Tell();
    if (at.ok() && *at >= size_) {
      truncated_ = true;
      return {};
    }
    return FromArrow(fmt::format("{}: before byte {}", origin_, at.ok() ? *at : 0), failed,
                     ErrorCode::kCorrupt);
  }

  arrow::CappedMemoryPool pool_;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::string origin_;
  std::vector<ColumnSpec> columns_;
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader_;
  std::map<std::string, std::string> metadata_;
  int64_t size_ = 0;
  bool truncated_ = false;
  bool ended_ = false;
};

Result<std::unique_ptr<TableReader>> StartStream(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                 const std::string& origin,
                                                 const std::vector<ColumnSpec>& columns) {
  auto reader = std::make_unique<StreamReader>(std::move(file), origin, columns);
  LG_RETURN_IF_ERROR(reader->Start());
  return std::unique_ptr<TableReader>(std::move(reader));
}

class ParquetTableReader : public TableReader {
 public:
  ParquetTableReader(std::unique_ptr<parquet::arrow::FileReader> file,
                     std::unique_ptr<arrow::RecordBatchReader> batches, std::string origin,
                     std::vector<ColumnSpec> columns)
      : file_(std::move(file)),
        batches_(std::move(batches)),
        origin_(std::move(origin)),
        columns_(std::move(columns)),
        metadata_(ToMap(file_->parquet_reader()->metadata()->key_value_metadata())) {
    metadata_.erase("ARROW:schema");
  }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }
  bool truncated() const override { return false; }
  Result<std::optional<Table>> Next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    const auto read = batches_->ReadNext(&batch);
    if (!read.ok()) return FromArrow(origin_, read, ErrorCode::kCorrupt);
    if (batch == nullptr) return std::optional<Table>();
    LG_ASSIGN_OR_RETURN(auto table, FromBatch(*batch, columns_, origin_));
    return std::optional<Table>(std::move(table));
  }

 private:
  std::unique_ptr<parquet::arrow::FileReader> file_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::string origin_;
  std::vector<ColumnSpec> columns_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace

Result<std::unique_ptr<TableWriter>> CreateStream(const std::string& path, const TableSpec& spec) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return ErrnoError(path, errno);
  auto writer = StreamWriter::Create(path, fd, spec);
  if (!writer.ok()) return WriteError(path, writer.status());
  return std::move(*writer);
}

Result<std::unique_ptr<TableWriter>> CreateParquet(const std::string& path, const TableSpec& spec) {
  auto writer = ParquetTableWriter::Create(path, spec);
  if (!writer.ok()) return WriteError(path, writer.status());
  return std::move(*writer);
}

Result<std::unique_ptr<TableReader>> OpenStream(const std::string& path,
                                                const std::vector<ColumnSpec>& columns) {
  auto file = arrow::io::ReadableFile::Open(path);
  if (!file.ok()) return WriteError(path, file.status());
  return StartStream(*file, path, columns);
}

Result<std::unique_ptr<TableReader>> OpenStreamBytes(std::span<const std::byte> bytes,
                                                     const std::string& origin,
                                                     const std::vector<ColumnSpec>& columns) {
  auto buffer = std::make_shared<arrow::Buffer>(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int64_t>(bytes.size()));
  return StartStream(std::make_shared<arrow::io::BufferReader>(std::move(buffer)), origin, columns);
}

Result<std::unique_ptr<TableReader>> OpenParquet(const std::string& path,
                                                 const std::vector<ColumnSpec>& columns) {
  auto file = arrow::io::ReadableFile::Open(path);
  if (!file.ok()) return WriteError(path, file.status());
  auto reader = parquet::arrow::OpenFile(*file, arrow::default_memory_pool());
  if (!reader.ok()) return FromArrow(path, reader.status(), ErrorCode::kCorrupt);
  auto batches = (*reader)->GetRecordBatchReader();
  if (!batches.ok()) return FromArrow(path, batches.status(), ErrorCode::kCorrupt);
  return std::unique_ptr<TableReader>(
      std::make_unique<ParquetTableReader>(std::move(*reader), std::move(*batches), path, columns));
}

}  // namespace lakegauge::columnar::records
