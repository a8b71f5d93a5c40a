#include "dataset/file_cutter.h"

#include <fmt/format.h>

#include <algorithm>

#include "dataset/hive_path.h"

namespace lakegauge::dataset {

Status OutputFile::Open() {
  if (file_ != nullptr) return {};
  LG_ASSIGN_OR_RETURN(file_, HashedFile::Create(path_));
  if (stream_.format == StreamFormat::kParquet) return file_->Append(columnar::kParquetMagic);
  // Compressed CSV is a chain of frames; the header is the first.
  LG_ASSIGN_OR_RETURN(const auto codec, columnar::BlockCodec::Make(stream_.codecs[codec_]));
  std::string header;
  LG_RETURN_IF_ERROR(codec.Append(stream_.csv_header, &header));
  return file_->Append(header);
}

Status OutputFile::WriteParquet(const std::vector<UnitPtr>& units) {
  columnar::RowGroupFacts group;
  for (const auto& unit : units) group.rows += unit->rows;
  entry_.row_group_offsets.push_back(file_->size());
  entry_.row_group_rows.push_back(group.rows);
  for (size_t c = 0; c < stream_.columns.size(); ++c) {
    columnar::ChunkFacts chunk;
    chunk.offset = file_->size();
    const auto& dictionary = stream_.dictionaries[codec_][c];
    LG_RETURN_IF_ERROR(file_->Append(dictionary.bytes));
    chunk.dictionary_bytes = static_cast<int64_t>(dictionary.bytes.size());
    chunk.uncompressed = dictionary.uncompressed;
    for (const auto& unit : units) {
      const auto& stored = unit->by_codec[codec_];
      const uint32_t begin = c == 0 ? 0 : stored.ends[c - 1];
      LG_RETURN_IF_ERROR(
          file_->Append(std::string_view(stored.bytes).substr(begin, stored.ends[c] - begin)));
      chunk.uncompressed += stored.uncompressed[c];
      columnar::Merge(stream_.columns[c].type, unit->bounds[c], &chunk.bounds);
    }
    chunk.data_pages = static_cast<int64_t>(units.size());
    chunk.compressed = file_->size() - chunk.offset;
    group.chunks.push_back(std::move(chunk));
  }
  groups_.push_back(std::move(group));
  return {};
}

Status OutputFile::Write(const std::vector<UnitPtr>& units) {
  LG_RETURN_IF_ERROR(Open());
  for (const auto& unit : units) entry_.rows += unit->rows;
  if (stream_.format == StreamFormat::kParquet) {
    return units.empty() ? Status() : WriteParquet(units);
  }
  for (const auto& unit : units) LG_RETURN_IF_ERROR(file_->Append(unit->by_codec[codec_].bytes));
  return {};
}

Result<FileEntry> OutputFile::Finish() {
  LG_RETURN_IF_ERROR(Open());
  if (stream_.format == StreamFormat::kParquet) {
    LG_ASSIGN_OR_RETURN(const auto codec, columnar::BlockCodec::Make(stream_.codecs[codec_]));
    LG_RETURN_IF_ERROR(
        file_->Append(columnar::MakeFooter(stream_.columns, codec.parquet_number(), groups_)));
  }
  LG_ASSIGN_OR_RETURN(const auto hashes, file_->Finish());
  entry_.size = hashes.size;
  entry_.xxh3 = hashes.xxh3;
  entry_.sha256 = hashes.sha256;
  file_.reset();
  return entry_;
}

FileCutter::FileCutter(const RowStream& stream, size_t codec, const LayoutSpec& layout,
                       std::string folder, EmitFn emit)
    : stream_(stream),
      codec_(codec),
      target_(layout.target_file_bytes),
      row_group_limit_(layout.row_group_bytes),
      folder_(std::move(folder)),
      emit_(std::move(emit)) {
  // One row group a file, up to the largest, unless the layout says otherwise.
  if (row_group_limit_ == 0 && (target_ == 0 || target_ > kLargestRowGroup)) {
    row_group_limit_ = kLargestRowGroup;
  }
}

int64_t FileCutter::BytesOf(const EncodedUnit& unit) const {
  return static_cast<int64_t>(unit.by_codec[codec_].bytes.size());
}

// The footer's size follows from the first unit's: names and types are the same in every file, bounds
// much alike, and offsets differ by a byte or two.
void FileCutter::Learn(const EncodedUnit& unit) {
  learnt_ = true;
  if (stream_.format != StreamFormat::kParquet) {
    file_overhead_ = static_cast<int64_t>(stream_.csv_header.size());
    return;
  }
  columnar::RowGroupFacts group;
  group.rows = unit.rows;
  int64_t dictionaries = 0;
  const int64_t usual = target_ == 0 ? kLargestRowGroup : target_;
  const auto columns = static_cast<int64_t>(stream_.columns.size());
  for (size_t c = 0; c < stream_.columns.size(); ++c) {
    columnar::ChunkFacts chunk;
    chunk.dictionary_bytes = static_cast<int64_t>(stream_.dictionaries[codec_][c].bytes.size());
    dictionaries += chunk.dictionary_bytes;
    chunk.offset = usual / 2;
    chunk.compressed = usual / columns;
    chunk.uncompressed = chunk.compressed;
    chunk.data_pages = 100;
    chunk.bounds = unit.bounds[c];
    group.chunks.push_back(std::move(chunk));
  }
  const auto empty = static_cast<int64_t>(columnar::MakeFooter(stream_.columns, 1, {}).size());
  const auto with_one = static_cast<int64_t>(columnar::MakeFooter(stream_.columns, 1, {group}).size());
  file_overhead_ = 4 + empty;
  group_overhead_ = with_one - empty + dictionaries;
}

int64_t FileCutter::SizeWith(int64_t unit_bytes) const {
  return file_overhead_ + closed_bytes_ + group_overhead_ + units_bytes_ + unit_bytes;
}

void FileCutter::Add(const UnitPtr& unit) {
  if (!learnt_) Learn(*unit);
  const int64_t bytes = BytesOf(*unit);
  const bool file_begun = !units_.empty() || closed_bytes_ > 0;
  if (target_ > 0 && file_begun) {
    const int64_t without = units_.empty() ? file_overhead_ + closed_bytes_ : SizeWith(0);
    const int64_t with = SizeWith(bytes);
    if (with > target_ && with - target_ > target_ - without) CloseRowGroup(true);
  }
  if (row_group_limit_ > 0 && !units_.empty()) {
    const int64_t without = units_bytes_;
    const int64_t with = units_bytes_ + bytes;
    // The boundary nearest to what was asked, but never beyond the largest.
    const bool nearer = with - row_group_limit_ > row_group_limit_ - without;
    if (with > row_group_limit_ && (nearer || row_group_limit_ >= kLargestRowGroup)) {
      CloseRowGroup(false);
    }
  }
  units_.push_back(unit);
  units_bytes_ += bytes;
}

void FileCutter::CloseRowGroup(bool last) {
  if (file_ == nullptr) {
    const Segment& segment = stream_.segments[segment_];
    const char* ending = stream_.format == StreamFormat::kParquet ? "parquet"
                         : stream_.codecs[codec_] == "zstd"       ? "csv.zst"
                                                                  : "csv";
    FileEntry entry;
    entry.table = stream_.plan->name;
    entry.key = fmt::format("{}/{}{}part-{:05}.{}", EscapePathPart(entry.table), segment.folder,
                            segment.folder.empty() ? "" : "/", part_++, ending);
    file_ = std::make_shared<OutputFile>(stream_, codec_, folder_ + "/" + entry.key, entry);
  }
  closed_bytes_ += units_bytes_ + group_overhead_;
  units_bytes_ = 0;
  emit_({file_, std::move(units_), last});
  units_.clear();
  if (last) {
    file_.reset();
    closed_bytes_ = 0;
  }
}

void FileCutter::EndSegment() {
  if (!units_.empty() || file_ != nullptr || part_ == 0) CloseRowGroup(true);
  ++segment_;
  part_ = 0;
}

}  // namespace lakegauge::dataset
