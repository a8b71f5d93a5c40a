#include "dataset/row_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "columnar/csv_encoder.h"

namespace lakegauge::dataset {
namespace {

using columnar::BlockCodec;
using columnar::ColumnValues;

Result<std::vector<BlockCodec>> MakeCodecs(const std::vector<std::string>& names) {
  std::vector<BlockCodec> codecs;
  for (const auto& name : names) {
    LG_ASSIGN_OR_RETURN(auto codec, BlockCodec::Make(name));
    codecs.push_back(std::move(codec));
  }
  return codecs;
}

Status EncodePages(const RowStream& stream, const std::vector<ColumnValues>& values,
                   const std::vector<BlockCodec>& codecs, std::string* body, EncodedUnit* unit) {
  for (size_t c = 0; c < stream.stored.size(); ++c) {
    const auto& plan = stream.columns[c];
    const auto& column = values[stream.stored[c]];
    body->clear();
    if (!columnar::EncodePage(plan, column, body)) {
      return MakeError(
          ErrorCode::kCorrupt,
          fmt::format("column {} holds a value that its dictionary lacks", plan.type.name));
    }
    unit->bounds.push_back(columnar::BoundsOf(plan.type, column));
    for (size_t k = 0; k < codecs.size(); ++k) {
      auto& to = unit->by_codec[k];
      int64_t uncompressed = 0;
      LG_RETURN_IF_ERROR(
          columnar::AppendDataPage(plan, column, *body, codecs[k], &to.bytes, &uncompressed));
      to.ends.push_back(static_cast<uint32_t>(to.bytes.size()));
      to.uncompressed.push_back(uncompressed);
    }
  }
  return {};
}

Status EncodeText(const RowStream& stream, const std::vector<ColumnValues>& values,
                  const std::vector<BlockCodec>& codecs, std::string* body, EncodedUnit* unit) {
  std::vector<columnar::ColumnType> types;
  std::vector<const ColumnValues*> columns;
  for (size_t c = 0; c < stream.stored.size(); ++c) {
    types.push_back(stream.columns[c].type);
    columns.push_back(&values[stream.stored[c]]);
  }
  body->clear();
  columnar::EncodeCsv(types, columns, body);
  for (size_t k = 0; k < codecs.size(); ++k) {
    auto& to = unit->by_codec[k];
    LG_RETURN_IF_ERROR(codecs[k].Append(*body, &to.bytes));
    to.ends.push_back(static_cast<uint32_t>(to.bytes.size()));
    to.uncompressed.push_back(static_cast<int64_t>(body->size()));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<EncodedUnit>> EncodeRows(const RowStream& stream,
                                                const std::vector<ColumnValues>& values,
                                                const std::vector<std::string>& names) {
  thread_local std::string body;
  LG_ASSIGN_OR_RETURN(const auto codecs, MakeCodecs(names));
  auto unit = std::make_unique<EncodedUnit>();
  unit->rows = values.empty() ? 0 : values[0].rows;
  unit->by_codec.resize(codecs.size());
  LG_RETURN_IF_ERROR(stream.format == StreamFormat::kCsv
                         ? EncodeText(stream, values, codecs, &body, unit.get())
                         : EncodePages(stream, values, codecs, &body, unit.get()));
  for (auto& stored : unit->by_codec) stored.bytes.shrink_to_fit();
  return unit;
}

template <typename T>
std::shared_ptr<const T> RangeEncoder::Counted(std::shared_ptr<const T> alive, int64_t bytes) {
  *held_ += bytes;
  const T* raw = alive.get();
  return std::shared_ptr<const T>(
      raw, [held = held_, bytes, alive = std::move(alive)](const T*) mutable {
        alive.reset();
        *held -= bytes;
      });
}

Result<EncodedRange> RangeEncoder::Encode(const RowStream& stream, int64_t begin, int64_t end) {
  const TablePlan& plan = *stream.plan;
  LG_ASSIGN_OR_RETURN(auto reader,
                      ReadRows(connection_, stream.source, plan.columns, plan.types, begin, end));
  EncodedRange range;
  std::vector<ColumnValues> values;
  auto segment = std::upper_bound(stream.segments.begin(), stream.segments.end(), begin,
                                  [](int64_t row, const Segment& s) { return row < s.end; });
  for (int64_t at = begin; at < end;) {
    while (at >= segment->end) ++segment;
    const int64_t wanted = std::min({stream.unit_rows, segment->end - at, end - at});
    LG_ASSIGN_OR_RETURN(const int64_t got, reader.Next(wanted, &values));
    if (got != wanted) {
      return MakeError(ErrorCode::kCorrupt,
                       fmt::format("table {} ended at row {} of {}", plan.name, at + got, end));
    }
    if (stream.fingerprints) range.fingerprint.Add(plan.types, values);
    LG_ASSIGN_OR_RETURN(auto encoded, EncodeRows(stream, values, stream.codecs));
    int64_t raw_bytes = 0;
    for (const auto& column : values) raw_bytes += column.bytes_held();
    int64_t encoded_bytes = 0;
    for (const auto& stored : encoded->by_codec) {
      encoded_bytes += static_cast<int64_t>(stored.bytes.size());
    }
    Unit unit;
    unit.encoded = Counted(UnitPtr(std::move(encoded)), encoded_bytes);
    unit.raw =
        Counted(std::make_shared<const std::vector<ColumnValues>>(std::move(values)), raw_bytes);
    values.clear();
    range.units.push_back(std::move(unit));
    at += got;
  }
  return range;
}

}  // namespace lakegauge::dataset
