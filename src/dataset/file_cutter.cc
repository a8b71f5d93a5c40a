#include "dataset/file_cutter.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dataset/hive_path.h"

namespace lakegauge::dataset {
namespace {

constexpr double kLeastPart = 0.02;    // of a file or row group
constexpr int64_t kPageOverhead = 25;  // header of one more page

}  // namespace

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

Result<OutputFile::Ready> OutputFile::Encoded(const Piece& piece) const {
  if (piece.encoded != nullptr) return Ready{piece.encoded, codec_};
  std::vector<columnar::ColumnValues> values(piece.raw->size());
  for (const size_t c : stream_.stored) {
    values[c] = (*piece.raw)[c].Slice(stream_.plan->types[c].physical, piece.begin, piece.rows);
  }
  LG_ASSIGN_OR_RETURN(auto unit, EncodeRows(stream_, values, {stream_.codecs[codec_]}));
  unit->rows = piece.rows;
  return Ready{UnitPtr(std::move(unit)), 0};
}

Status OutputFile::WriteParquet(const std::vector<Ready>& units) {
  columnar::RowGroupFacts group;
  for (const auto& ready : units) group.rows += ready.unit->rows;
  entry_.row_group_offsets.push_back(file_->size());
  entry_.row_group_rows.push_back(group.rows);
  for (size_t c = 0; c < stream_.columns.size(); ++c) {
    columnar::ChunkFacts chunk;
    chunk.offset = file_->size();
    const auto& dictionary = stream_.dictionaries[codec_][c];
    LG_RETURN_IF_ERROR(file_->Append(dictionary.bytes));
    chunk.dictionary_bytes = static_cast<int64_t>(dictionary.bytes.size());
    chunk.uncompressed = dictionary.uncompressed;
    for (const auto& ready : units) {
      const auto& stored = ready.stored();
      const uint32_t begin = c == 0 ? 0 : stored.ends[c - 1];
      LG_RETURN_IF_ERROR(
          file_->Append(std::string_view(stored.bytes).substr(begin, stored.ends[c] - begin)));
      chunk.uncompressed += stored.uncompressed[c];
      columnar::Merge(stream_.columns[c].type, ready.unit->bounds[c], &chunk.bounds);
    }
    chunk.data_pages = static_cast<int64_t>(units.size());
    chunk.compressed = file_->size() - chunk.offset;
    group.chunks.push_back(std::move(chunk));
  }
  groups_.push_back(std::move(group));
  return {};
}

Status OutputFile::Write(const std::vector<Piece>& pieces) {
  LG_RETURN_IF_ERROR(Open());
  std::vector<Ready> units;
  for (const auto& piece : pieces) {
    LG_ASSIGN_OR_RETURN(auto ready, Encoded(piece));
    entry_.rows += piece.rows;
    units.push_back(std::move(ready));
  }
  if (stream_.format == StreamFormat::kParquet) {
    return units.empty() ? Status() : WriteParquet(units);
  }
  for (const auto& ready : units) LG_RETURN_IF_ERROR(file_->Append(ready.stored().bytes));
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

// The footer's size follows from the first unit's: names and types are the same in every file,
// bounds much alike, and offsets differ by a byte or two.
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
  const auto with_one =
      static_cast<int64_t>(columnar::MakeFooter(stream_.columns, 1, {group}).size());
  file_overhead_ = 4 + empty;
  part_overhead_ = kPageOverhead * columns;
  group_overhead_ = with_one - empty + dictionaries;
}

int64_t FileCutter::FileRoom() const {
  if (target_ == 0) return std::numeric_limits<int64_t>::max();
  return target_ - file_overhead_ - closed_bytes_ - group_overhead_ - pieces_bytes_;
}

int64_t FileCutter::GroupRoom() const {
  if (row_group_limit_ == 0) return std::numeric_limits<int64_t>::max();
  return row_group_limit_ - pieces_bytes_;
}

int64_t FileCutter::RowsWithin(const Piece& piece, int64_t room, int64_t limit) const {
  const double a_row = static_cast<double>(piece.bytes) / static_cast<double>(piece.rows);
  const auto rows = static_cast<int64_t>(static_cast<double>(room) / std::max(a_row, 1e-3));
  // Parts too small to matter are not split off.
  const int64_t least =
      std::max<int64_t>(1, static_cast<int64_t>(kLeastPart * static_cast<double>(limit) / a_row));
  if (rows < least) return 0;
  if (rows > piece.rows - least) return piece.rows;
  return rows;
}

Piece FileCutter::Split(Piece* piece, int64_t rows) const {
  const auto share = [&](int64_t n) { return piece->bytes * n / piece->rows + part_overhead_; };
  Piece first{nullptr, piece->raw, piece->begin, rows, share(rows)};
  Piece rest{nullptr, piece->raw, piece->begin + rows, piece->rows - rows,
             share(piece->rows - rows)};
  *piece = std::move(rest);
  return first;
}

void FileCutter::Append(Piece piece) {
  pieces_bytes_ += piece.bytes;
  pieces_.push_back(std::move(piece));
}

void FileCutter::Add(const Unit& unit) {
  if (!learnt_) Learn(*unit.encoded);
  Piece piece{unit.encoded, unit.raw, 0, unit.encoded->rows,
              static_cast<int64_t>(unit.encoded->by_codec[codec_].bytes.size())};
  for (;;) {
    const int64_t file_room = FileRoom();
    const int64_t group_room = GroupRoom();
    const bool file_ends = file_room <= group_room;
    const int64_t room = file_ends ? file_room : group_room;
    if (piece.bytes <= room) {
      piece.raw = piece.encoded != nullptr ? nullptr : piece.raw;  // kept no longer than needed
      return Append(std::move(piece));
    }
    int64_t rows = RowsWithin(piece, room, file_ends ? target_ : row_group_limit_);
    const bool strict =
        !file_ends && row_group_limit_ >= kLargestRowGroup;  // never beyond the largest
    if (strict && !pieces_.empty()) rows = 0;
    // A row larger than its file or row group stands alone.
    if (rows == 0 && pieces_.empty() && (!file_ends || closed_bytes_ == 0)) rows = 1;
    if (rows >= piece.rows) {
      piece.raw = piece.encoded != nullptr ? nullptr : piece.raw;
      Append(std::move(piece));
      return CloseRowGroup(file_ends);
    }
    if (rows > 0) Append(Split(&piece, rows));
    CloseRowGroup(file_ends);
  }
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
  closed_bytes_ += pieces_bytes_ + group_overhead_;
  pieces_bytes_ = 0;
  emit_({file_, std::move(pieces_), last});
  pieces_.clear();
  if (last) {
    file_.reset();
    closed_bytes_ = 0;
  }
}

void FileCutter::EndSegment() {
  if (!pieces_.empty() || file_ != nullptr || part_ == 0) CloseRowGroup(true);
  ++segment_;
  part_ = 0;
}

}  // namespace lakegauge::dataset
