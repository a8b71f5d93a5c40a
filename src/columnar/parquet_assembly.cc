#include "columnar/parquet_assembly.h"

#include <cstring>

#include "columnar/thrift_compact.h"

namespace lakegauge::columnar {
namespace {

constexpr int kFormatVersion = 2;
constexpr int kOptional = 1;
constexpr int kRle = 3;
constexpr int kDataPage = 0;
constexpr int kDictionaryPage = 2;
constexpr char kCreatedBy[] = "lakegauge version 0.1.0 (build layouts)";

int ConvertedType(const ColumnType& type) {
  switch (type.logical) {
    case Logical::kString:
      return 0;
    case Logical::kDecimal:
      return 5;
    case Logical::kDate:
      return 6;
    case Logical::kTimeMicros:
      return 8;
    case Logical::kTimestampMicros:
      return 10;
    case Logical::kInteger: {
      const int size = type.bits == 8 ? 0 : type.bits == 16 ? 1 : type.bits == 32 ? 2 : 3;
      return (type.is_signed ? 15 : 11) + size;
    }
    default:
      return -1;
  }
}

void PutLogicalType(const ColumnType& type, CompactWriter* w) {
  const auto empty = [&](int id) {
    w->Struct(id);
    w->EndStruct();
  };
  const auto timed = [&](int id, int unit) {
    w->Struct(id);
    w->Bool(1, type.utc);
    w->Struct(2);
    empty(unit);
    w->EndStruct();
    w->EndStruct();
  };
  if (type.logical == Logical::kNone) return;
  w->Struct(10);
  switch (type.logical) {
    case Logical::kString:
      empty(1);
      break;
    case Logical::kDecimal:
      w->Struct(5);
      w->I32(1, type.scale);
      w->I32(2, type.precision);
      w->EndStruct();
      break;
    case Logical::kDate:
      empty(6);
      break;
    case Logical::kTimeMicros:
      timed(7, 2);
      break;
    case Logical::kTimestampMicros:
      timed(8, 2);
      break;
    case Logical::kTimestampNanos:
      timed(8, 3);
      break;
    case Logical::kInteger:
      w->Struct(10);
      w->Byte(1, static_cast<int8_t>(type.bits));
      w->Bool(2, type.is_signed);
      w->EndStruct();
      break;
    case Logical::kNone:
      break;
  }
  w->EndStruct();
}

void PutSchema(const std::vector<ColumnPlan>& plans, CompactWriter* w) {
  w->ListOfStructs(2, plans.size() + 1);
  w->BeginStruct();
  w->Binary(4, "schema");
  w->I32(5, static_cast<int32_t>(plans.size()));
  w->EndStruct();
  for (const auto& plan : plans) {
    const ColumnType& type = plan.type;
    w->BeginStruct();
    w->I32(1, static_cast<int>(type.physical));
    if (type.physical == Physical::kFixed) w->I32(2, type.fixed_length);
    w->I32(3, kOptional);
    w->Binary(4, type.name);
    if (const int converted = ConvertedType(type); converted >= 0) w->I32(6, converted);
    if (type.logical == Logical::kDecimal) {
      w->I32(7, type.scale);
      w->I32(8, type.precision);
    }
    PutLogicalType(type, w);
    w->EndStruct();
  }
}

void PutChunk(const ColumnPlan& plan, int codec_number, int64_t rows, const ChunkFacts& chunk,
              CompactWriter* w) {
  const bool dictionary = chunk.dictionary_bytes > 0;
  const int encoding = static_cast<int>(plan.encoding);
  w->BeginStruct();
  w->I64(2, 0);  // file_offset: deprecated, 0 where the metadata stands only here
  w->Struct(3);
  w->I32(1, static_cast<int>(plan.type.physical));
  w->ListOfI32(2, dictionary ? 3 : 2);
  if (dictionary) w->I32Element(static_cast<int>(Encoding::kPlain));
  w->I32Element(kRle);
  w->I32Element(encoding);
  w->ListOfBinary(3, 1);
  w->BinaryElement(plan.type.name);
  w->I32(4, codec_number);
  w->I64(5, rows);
  w->I64(6, chunk.uncompressed);
  w->I64(7, chunk.compressed);
  w->I64(9, chunk.offset + chunk.dictionary_bytes);
  if (dictionary) w->I64(11, chunk.offset);
  w->Struct(12);
  w->I64(3, chunk.bounds.nulls);
  if (chunk.bounds.known) {
    w->Binary(5, chunk.bounds.max);
    w->Binary(6, chunk.bounds.min);
  }
  w->EndStruct();
  w->ListOfStructs(13, dictionary ? 2 : 1);
  const auto put_count = [&](int page, int page_encoding, int64_t n) {
    w->BeginStruct();
    w->I32(1, page);
    w->I32(2, page_encoding);
    w->I32(3, static_cast<int32_t>(n));
    w->EndStruct();
  };
  if (dictionary) put_count(kDictionaryPage, static_cast<int>(Encoding::kPlain), 1);
  put_count(kDataPage, encoding, chunk.data_pages);
  w->EndStruct();
  w->EndStruct();
}

}  // namespace

Status AppendDataPage(const ColumnPlan& plan, const ColumnValues& values, const std::string& body,
                      const BlockCodec& codec, std::string* out, int64_t* uncompressed) {
  thread_local std::string compressed;
  compressed.clear();
  LG_RETURN_IF_ERROR(codec.Append(body, &compressed));
  const size_t before = out->size();
  CompactWriter w(out);
  w.BeginStruct();
  w.I32(1, kDataPage);
  w.I32(2, static_cast<int32_t>(body.size()));
  w.I32(3, static_cast<int32_t>(compressed.size()));
  w.Struct(5);
  w.I32(1, static_cast<int32_t>(values.rows));
  w.I32(2, static_cast<int32_t>(plan.encoding));
  w.I32(3, kRle);
  w.I32(4, kRle);
  w.EndStruct();
  w.EndStruct();
  *uncompressed = static_cast<int64_t>(out->size() - before + body.size());
  out->append(compressed);
  return {};
}

Result<Page> MakeDictionaryPage(const Dictionary& dictionary, const BlockCodec& codec) {
  std::string compressed;
  LG_RETURN_IF_ERROR(codec.Append(dictionary.page(), &compressed));
  Page page;
  CompactWriter w(&page.bytes);
  w.BeginStruct();
  w.I32(1, kDictionaryPage);
  w.I32(2, static_cast<int32_t>(dictionary.page().size()));
  w.I32(3, static_cast<int32_t>(compressed.size()));
  w.Struct(7);
  w.I32(1, static_cast<int32_t>(dictionary.size()));
  w.I32(2, static_cast<int32_t>(Encoding::kPlain));
  w.EndStruct();
  w.EndStruct();
  page.uncompressed = static_cast<int64_t>(page.bytes.size() + dictionary.page().size());
  page.bytes += compressed;
  return page;
}

std::string MakeFooter(const std::vector<ColumnPlan>& plans, int codec_number,
                       const std::vector<RowGroupFacts>& row_groups) {
  std::string out;
  CompactWriter w(&out);
  int64_t rows = 0;
  for (const auto& group : row_groups) rows += group.rows;
  w.BeginStruct();
  w.I32(1, kFormatVersion);
  PutSchema(plans, &w);
  w.I64(3, rows);
  w.ListOfStructs(4, row_groups.size());
  for (size_t g = 0; g < row_groups.size(); ++g) {
    const RowGroupFacts& group = row_groups[g];
    int64_t uncompressed = 0;
    int64_t compressed = 0;
    for (const auto& chunk : group.chunks) {
      uncompressed += chunk.uncompressed;
      compressed += chunk.compressed;
    }
    w.BeginStruct();
    w.ListOfStructs(1, group.chunks.size());
    for (size_t c = 0; c < group.chunks.size(); ++c) {
      PutChunk(plans[c], codec_number, group.rows, group.chunks[c], &w);
    }
    w.I64(2, uncompressed);
    w.I64(3, group.rows);
    w.I64(5, group.chunks.empty() ? 0 : group.chunks[0].offset);
    w.I64(6, compressed);
    w.I16(7, static_cast<int16_t>(g));
    w.EndStruct();
  }
  w.Binary(6, kCreatedBy);
  // Every column's bounds are in the order of its type: without this, readers ignore min and max.
  w.ListOfStructs(7, plans.size());
  for (size_t c = 0; c < plans.size(); ++c) {
    w.BeginStruct();
    w.Struct(1);
    w.EndStruct();
    w.EndStruct();
  }
  w.EndStruct();
  const auto length = static_cast<uint32_t>(out.size());
  out.append(reinterpret_cast<const char*>(&length), 4);
  out += kParquetMagic;
  return out;
}

}  // namespace lakegauge::columnar
