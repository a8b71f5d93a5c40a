#pragma once
// Requests on disk: a spool that grows while a cell runs (Arrow IPC stream, one file a cell and
// session) and the Parquet file that a finished cell's spools become.
//
// Threads: one SpoolWriter belongs to one thread. Errors: values with the path.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/request.h"

namespace lakegauge::record {

class SpoolWriter {
 public:
  // <dir>/<name>.arrows; appends never touch what an earlier session wrote (a new file a session).
  static Result<std::unique_ptr<SpoolWriter>> Open(const std::string& dir, const std::string& name);
  virtual ~SpoolWriter() = default;
  // One record batch, flushed to the kernel before it returns.
  virtual Status Append(const std::vector<Request>& requests, const RequestLog& keys) = 0;
  virtual Status Close() = 0;
};

// Writes <requests_dir>/<cell>.parquet from all spools <spool_dir>/<cell>*.arrows, atomically, then
// deletes them. A truncated last batch is dropped. Requests of executions that `keep` does not list
// (killed in flight) are left out. No spool at all is fine: an empty file with the schema is written.
Status CompactSpools(const std::string& spool_dir, const std::string& cell,
                     const std::string& requests_dir, const std::vector<int64_t>& keep);

}  // namespace lakegauge::record
