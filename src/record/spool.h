#pragma once
// Requests on disk: a spool that grows while a cell runs (Arrow IPC stream, one file a cell and
// session) and the Parquet file that a finished cell's spools become.
//
// Threads: one SpoolWriter belongs to one thread. Errors: values with the path.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/request.h"

namespace lakegauge::record {

class SpoolWriter {
 public:
  // <dir>/<name>.arrows, or <dir>/<name>.<n>.arrows with the first free n where earlier sessions
  // left theirs: appends never touch what an earlier session wrote. `name` is the cell's id, with
  // ".<session>" behind it or without.
  static Result<std::unique_ptr<SpoolWriter>> Open(const std::string& dir, const std::string& name);
  virtual ~SpoolWriter() = default;
  // One record batch, flushed to the kernel before it returns.
  virtual Status Append(const std::vector<Request>& requests, const RequestLog& keys) = 0;
  virtual Status Close() = 0;
};

// Requests read back; Request::key is an index into `keys`.
struct StoredRequests {
  std::vector<Request> requests;
  std::vector<std::string> keys;
  bool truncated = false;  // the file stopped inside its last batch, which was dropped
};

// Errors: kCorrupt for what is no spool of requests, kUnsupported for a later version's.
Result<StoredRequests> ReadSpool(const std::string& path);
Result<StoredRequests> ParseSpool(std::span<const std::byte> bytes, const std::string& origin);
// A compacted file.
Result<StoredRequests> ReadRequests(const std::string& path);

// Writes <requests_dir>/<cell>.parquet from all spools <spool_dir>/<cell>.arrows and
// <cell>.<numbers>.arrows, atomically, then deletes them. A truncated last batch is dropped.
// Requests of executions that `keep` does not list (killed in flight) are left out; of one that was
// killed and ran again, those of the last spool that has any are taken; those of no execution (-1)
// stay. No spool at all is fine: an empty file with the schema is written. A call that was killed
// at any moment is made good by the next one: a file that is there is kept, and only spools it does
// not hold yet are added.
Status CompactSpools(const std::string& spool_dir, const std::string& cell,
                     const std::string& requests_dir, const std::vector<int64_t>& keep);

}  // namespace lakegauge::record
