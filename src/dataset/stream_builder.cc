#include "dataset/stream_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "columnar/csv_encoder.h"
#include "dataset/hive_path.h"

namespace lakegauge::dataset {
namespace {

// Text takes about this many times the bytes of compressed Parquet; only the unit's size depends on
// it.
constexpr double kCsvGrowth = 2.5;

std::vector<std::string> ColumnsOf(const std::map<std::string, std::vector<std::string>>& by,
                                   const std::string& table) {
  const auto found = by.find(table);
  return found == by.end() ? std::vector<std::string>() : found->second;
}

std::string QuotedList(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) {
    if (!out.empty()) out += ", ";
    out += sql::QuoteName(name);
  }
  return out;
}

}  // namespace

std::vector<size_t> StoredColumns(const TablePlan& plan, const LayoutSpec& layout) {
  const auto partition = ColumnsOf(layout.partition_by, plan.name);
  std::vector<size_t> stored;
  for (size_t c = 0; c < plan.columns.size(); ++c) {
    if (std::find(partition.begin(), partition.end(), plan.columns[c].name) == partition.end()) {
      stored.push_back(c);
    }
  }
  return stored;
}

bool HoldsTable(const LayoutSpec& layout, const std::string& table) {
  return layout.tables.empty() ||
         std::find(layout.tables.begin(), layout.tables.end(), table) != layout.tables.end();
}

Status StreamBuilder::Order(const TablePlan& plan, const LayoutSpec& layout, std::string* source,
                            std::vector<Segment>* segments) {
  const auto partition = ColumnsOf(layout.partition_by, plan.name);
  std::vector<std::string> order = partition;
  for (const auto& column : ColumnsOf(layout.sort_by, plan.name)) order.push_back(column);
  *source = base_schema_ + "." + sql::QuoteName(plan.name);
  *segments = {{0, plan.rows, ""}};
  if (order.empty()) return {};

  // rowid makes the order total, so that the same layout is the same bytes every time.
  const std::string by = QuotedList(order);
  const std::string key = plan.name + ": " + by;
  auto& copy = sorted_[key];
  if (copy.empty()) {
    copy = fmt::format("{}.sorted{}", scratch_schema_, sorted_.size());
    LG_RETURN_IF_ERROR(connection_->Execute(
        fmt::format("CREATE TABLE {} AS SELECT * FROM {} ORDER BY {}, rowid", copy, *source, by)));
  }
  *source = copy;
  if (partition.empty()) return {};

  const std::string names = QuotedList(partition);
  std::string as_text;
  for (const auto& name : partition) {
    as_text += fmt::format("CAST({} AS VARCHAR), ", sql::QuoteName(name));
  }
  LG_ASSIGN_OR_RETURN(const auto groups, connection_->Query(fmt::format(
                                             "SELECT {}min(rowid), max(rowid) + 1 FROM {} GROUP "
                                             "BY {} ORDER BY min(rowid)",
                                             as_text, copy, names)));
  segments->clear();
  for (const auto& row : groups.rows) {
    Segment segment;
    for (size_t c = 0; c < partition.size(); ++c) {
      const bool null = std::holds_alternative<std::monostate>(row[c]);
      segment.folder += (c == 0 ? "" : "/") + EscapePathPart(partition[c]) + "=" +
                        (null ? kHiveNull : EscapePathPart(sql::ToText(row[c])));
    }
    segment.begin = sql::ToInt(row[partition.size()]);
    segment.end = sql::ToInt(row[partition.size() + 1]);
    segments->push_back(std::move(segment));
  }
  if (segments->empty()) {  // no rows: one file in the partition of none
    std::string folder;
    for (const auto& name : partition) {
      folder += (folder.empty() ? "" : "/") + EscapePathPart(name) + "=" + kHiveNull;
    }
    segments->push_back({0, 0, folder});
  }
  return {};
}

Status StreamBuilder::Add(const TablePlan& plan, const std::vector<LayoutInMaking>& layouts) {
  std::map<std::string, PlannedStream*> by_key;
  for (size_t i = 0; i < layouts.size(); ++i) {
    const LayoutSpec& layout = layouts[i].spec;
    if (layout.format == "orc" || !HoldsTable(layout, plan.name)) continue;
    const bool csv = layout.format == "csv";
    const int64_t unit_rows = csv ? UnitRows(plan.row_bytes * kCsvGrowth) : plan.unit_rows;
    std::string source;
    std::vector<Segment> segments;
    LG_RETURN_IF_ERROR(Order(plan, layout, &source, &segments));
    const auto stored = StoredColumns(plan, layout);
    std::string key = fmt::format("{}|{}|", source, layout.format);
    for (const size_t c : stored) key += fmt::format("{},", c);
    auto& planned = by_key[key];
    if (planned == nullptr) {
      streams_.emplace_back();
      planned = &streams_.back();
      RowStream& stream = planned->stream;
      stream.plan = &plan;
      stream.source = source;
      stream.format = csv ? StreamFormat::kCsv : StreamFormat::kParquet;
      stream.unit_rows = unit_rows;
      stream.segments = std::move(segments);
      stream.stored = stored;
      std::vector<columnar::ColumnType> types;
      for (const size_t c : stored) {
        stream.columns.push_back(plan.plans[c]);
        types.push_back(plan.types[c]);
      }
      stream.csv_header = columnar::CsvHeader(types);
      stream.fingerprints = by_key.size() == 1;
    }
    RowStream& stream = planned->stream;
    auto codec = std::find(stream.codecs.begin(), stream.codecs.end(), layout.compression);
    if (codec == stream.codecs.end()) {
      stream.codecs.push_back(layout.compression);
      codec = stream.codecs.end() - 1;
      LG_ASSIGN_OR_RETURN(const auto compressor, columnar::BlockCodec::Make(layout.compression));
      auto& dictionaries = stream.dictionaries.emplace_back();
      for (const auto& column : stream.columns) {
        auto& page = dictionaries.emplace_back();
        if (column.dictionary == nullptr) continue;
        LG_ASSIGN_OR_RETURN(page, columnar::MakeDictionaryPage(*column.dictionary, compressor));
      }
    }
    planned->members.push_back({i, static_cast<size_t>(codec - stream.codecs.begin())});
  }
  return {};
}

}  // namespace lakegauge::dataset
