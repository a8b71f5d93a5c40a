#include "columnar/parquet_facts.h"

#include <fmt/format.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>
#include <parquet/types.h>

#include <algorithm>

namespace lakegauge::columnar {
namespace {

std::string SqlType(const parquet::ColumnDescriptor& column) {
  const auto& logical = column.logical_type();
  if (logical->is_string()) return "VARCHAR";
  if (logical->is_date()) return "DATE";
  if (logical->is_time()) return "TIME";
  if (logical->is_timestamp()) return "TIMESTAMP";
  if (logical->is_decimal()) {
    return fmt::format("DECIMAL({},{})", column.type_precision(), column.type_scale());
  }
  switch (column.physical_type()) {
    case parquet::Type::BOOLEAN:
      return "BOOLEAN";
    case parquet::Type::INT32:
      return "INTEGER";
    case parquet::Type::INT64:
      return "BIGINT";
    case parquet::Type::INT96:
      return "TIMESTAMP";
    case parquet::Type::FLOAT:
      return "FLOAT";
    case parquet::Type::DOUBLE:
      return "DOUBLE";
    default:
      return "BLOB";
  }
}

// Offset of a row group's first byte: that of its first column's first page.
int64_t FirstByte(const parquet::RowGroupMetaData& group) {
  int64_t first = -1;
  for (int c = 0; c < group.num_columns(); ++c) {
    const auto chunk = group.ColumnChunk(c);
    int64_t at = chunk->data_page_offset();
    if (chunk->has_dictionary_page()) at = std::min(at, chunk->dictionary_page_offset());
    if (first < 0 || at < first) first = at;
  }
  return std::max<int64_t>(first, 0);
}

}  // namespace

Result<ParquetFacts> ReadParquetFacts(const std::string& path) {
  try {
    const auto reader = parquet::ParquetFileReader::OpenFile(path, false);
    const auto metadata = reader->metadata();
    ParquetFacts facts;
    facts.rows = metadata->num_rows();
    for (int c = 0; c < metadata->num_columns(); ++c) {
      const auto* column = metadata->schema()->Column(c);
      facts.columns.push_back({column->path()->ToDotString(), SqlType(*column), 0});
    }
    for (int g = 0; g < metadata->num_row_groups(); ++g) {
      const auto group = metadata->RowGroup(g);
      facts.row_group_offsets.push_back(FirstByte(*group));
      facts.row_group_rows.push_back(group->num_rows());
      int64_t bytes = 0;
      for (int c = 0; c < group->num_columns(); ++c) {
        const int64_t size = group->ColumnChunk(c)->total_compressed_size();
        facts.columns[static_cast<size_t>(c)].bytes += size;
        bytes += size;
      }
      facts.row_group_bytes.push_back(bytes);
    }
    return facts;
  } catch (const std::exception& e) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("{} is not Parquet: {}", path, e.what()));
  }
}

}  // namespace lakegauge::columnar
