#pragma once
// The files that spools are, and what their metadata says: names, ids, the record and version they
// hold. What requests and samples share; only record's own sources include this.
//
// Threads: independent calls. Errors: values with the path.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "columnar/record_table.h"

namespace lakegauge::record::spool_files {

inline constexpr char kVersionKey[] = "lakegauge.v";
inline constexpr char kRecordKey[] = "lakegauge.record";
inline constexpr char kSpoolKey[] = "lakegauge.spool";  // a spool's own id
inline constexpr char kSpoolsKey[] =
    "lakegauge.spools";  // ids of the spools a compacted file holds

// What a file says it is; kCorrupt where it is another record, kUnsupported for a later version.
struct RecordKind {
  std::string_view name;  // "requests"
  int version = 1;
};
Status CheckKind(const columnar::records::TableReader& reader, const std::string& origin,
                 const RecordKind& kind);
std::map<std::string, std::string> Metadata(const RecordKind& kind, const char* key,
                                            const std::string& value);

// A new stream <dir>/<name>.arrows, or <dir>/<name>.<n>.arrows with the first free n.
Result<std::unique_ptr<columnar::records::TableWriter>> CreateSpool(
    const std::string& dir, const std::string& name,
    const std::vector<columnar::records::ColumnSpec>& columns, const RecordKind& kind);

// Names in `dir` of "<name>.arrows", "<name>.<n>.arrows", "<name>.<session>.<n>.arrows", in the
// order in which they were made.
Result<std::vector<std::string>> SpoolsOf(const std::string& dir, const std::string& name);
// The id of a spool; empty of one that was killed before it had any.
Result<std::string> SpoolId(const std::string& path);

// What a compaction has before it: spools that the compacted file does not hold yet.
struct Pending {
  bool there = false;              // the compacted file is
  std::vector<std::string> all;    // names of all spools
  std::vector<std::string> fresh;  // of those that are not in the file yet
  std::string holds;               // ids of all, for the new file's metadata
};
Result<Pending> FindPending(const std::string& spool_dir, const std::string& name,
                            const std::string& compacted,
                            const std::vector<columnar::records::ColumnSpec>& columns,
                            const RecordKind& kind);
// Renames the finished `temporary` to `compacted`, durably.
Status PutInPlace(const std::string& temporary, const std::string& compacted);
Status Remove(const std::string& spool_dir, const std::vector<std::string>& names);

// Hands each batch to `take`; false where the file ends inside a batch.
template <typename Take>
Result<bool> EachBatch(Result<std::unique_ptr<columnar::records::TableReader>> opened,
                       const std::string& origin, const RecordKind& kind, const Take& take) {
  if (!opened.ok()) return opened.error();
  columnar::records::TableReader& reader = **opened;
  // Killed before its schema was whole: an empty spool.
  if (reader.truncated() && reader.metadata().empty()) return false;
  LG_RETURN_IF_ERROR(CheckKind(reader, origin, kind));
  while (true) {
    LG_ASSIGN_OR_RETURN(const auto table, reader.Next());
    if (!table.has_value()) return !reader.truncated();
    LG_RETURN_IF_ERROR(take(*table));
  }
}

}  // namespace lakegauge::record::spool_files
