#pragma once
// Puts one layout's files of one table together from encoded units: decides, by the pages' known
// sizes, where a file and where a row group ends, and hands out what is to be written. A unit in
// which a file ends is split: its parts are encoded again, by whoever writes them.
//
// Threads: a FileCutter belongs to one thread at a time (units come in order); an OutputFile's
// Write is
//   called by one worker at a time. Private to this room.

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dataset/dataset.h"
#include "dataset/hashed_file.h"
#include "dataset/row_stream.h"

namespace lakegauge::dataset {

// Row groups never grow beyond this unless a layout asks for it.
inline constexpr int64_t kLargestRowGroup = int64_t{128} << 20;

// A whole unit, or some rows of one that are encoded when they are written.
struct Piece {
  UnitPtr encoded;  // null: the rows below
  RawRows raw;
  int64_t begin = 0;
  int64_t rows = 0;
  int64_t bytes = 0;  // for rows not yet encoded, expected
};

// A file that is being written, row group after row group.
class OutputFile {
 public:
  OutputFile(const RowStream& stream, size_t codec, std::string path, FileEntry entry)
      : stream_(stream), codec_(codec), path_(std::move(path)), entry_(std::move(entry)) {}
  // Appends one row group.
  Status Write(const std::vector<Piece>& pieces);
  // Writes the footer and closes.
  Result<FileEntry> Finish();

 private:
  Status Open();
  // A piece's bytes in this file's codec, and which of the unit's codecs that is.
  struct Ready {
    UnitPtr unit;
    size_t codec = 0;
    const EncodedUnit::Stored& stored() const { return unit->by_codec[codec]; }
  };
  Result<Ready> Encoded(const Piece& piece) const;
  Status WriteParquet(const std::vector<Ready>& units);
  const RowStream& stream_;
  const size_t codec_;
  const std::string path_;
  FileEntry entry_;
  std::unique_ptr<HashedFile> file_;
  std::vector<columnar::RowGroupFacts> groups_;
};

// Something to write: a row group, and whether the file ends with it.
struct WriteJob {
  std::shared_ptr<OutputFile> file;
  std::vector<Piece> pieces;  // may be empty: a file without rows
  bool last = false;
};

class FileCutter {
 public:
  using EmitFn = std::function<void(WriteJob)>;
  // `folder`: of the layout. `codec`: index in the stream's.
  FileCutter(const RowStream& stream, size_t codec, const LayoutSpec& layout, std::string folder,
             EmitFn emit);
  // The next unit, of the segment that is open.
  void Add(const Unit& unit);
  // Ends the segment (all its units were added): its last file, or one file without rows.
  void EndSegment();

 private:
  void Learn(const EncodedUnit& unit);
  int64_t FileRoom() const;   // bytes until the open file has its size; with no target, no end
  int64_t GroupRoom() const;  // bytes until the open row group has its size
  // Rows of `piece` that should still go in when there is room for so many bytes.
  int64_t RowsWithin(const Piece& piece, int64_t room, int64_t limit) const;
  Piece Split(Piece* piece, int64_t rows) const;  // takes the first rows off
  void Append(Piece piece);
  void CloseRowGroup(bool last);

  const RowStream& stream_;
  const size_t codec_;
  const int64_t target_;
  int64_t row_group_limit_;  // 0: none
  const std::string folder_;
  const EmitFn emit_;

  // Sizes of what stands around the pages.
  int64_t file_overhead_ = 0;
  int64_t group_overhead_ = 0;
  int64_t part_overhead_ = 0;  // of a split unit's parts, each
  bool learnt_ = false;

  size_t segment_ = 0;
  int64_t part_ = 0;
  std::shared_ptr<OutputFile> file_;
  int64_t closed_bytes_ = 0;  // of the open file's row groups that are closed, footer part included
  std::vector<Piece> pieces_;
  int64_t pieces_bytes_ = 0;
};

}  // namespace lakegauge::dataset
