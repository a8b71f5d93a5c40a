#pragma once
// The runs and prepared data that lie on disk: what there is, and deleting it safely.
//
// Errors: kInvalidArgument for anything that does not lie directly where it should; never follows a
// symbolic link out. Units: bytes.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lakegauge::run {

struct RunEntry {
  std::string id;
  std::string path;
  std::string experiment;
  std::string title;
  std::string started_utc;
  int64_t planned = 0;
  int64_t done = 0;
  int64_t failures = 0;
  bool has_report = false;
  int64_t bytes = 0;
  std::string problem;  // why it cannot be read; empty: it can
};
// Newest first, by when they began. A folder that does not exist holds none.
Result<std::vector<RunEntry>> ListRuns(const std::string& results_dir);
// What it lacks of a run that is done and all ok, in words; empty: nothing.
std::string Shortfall(const RunEntry& run);
Result<RunEntry> LatestRun(const std::string& results_dir);
// A run by its path, its id, or "latest".
Result<std::string> FindRun(const std::string& name, const std::string& results_dir);

struct Deletable {
  enum class Kind { kRun, kLayout, kBase };
  Kind kind = Kind::kRun;
  std::string
      name;  // "quickstart-20260131-120000", "tpcds-sf1/parquet-snappy-8MiB", "tpcds-sf1/base"
  std::string path;
  int64_t bytes = 0;
};
Result<std::vector<Deletable>> FindDeletable(const std::string& results_dir,
                                             const std::string& data_dir);
// Deletes one of FindDeletable's; refuses what does not lie below the two folders, and with
// kUnavailable a run that is being executed, the data of a dataset that is being prepared, and a
// layout that a run reads.
Status Delete(const Deletable& what, const std::string& results_dir, const std::string& data_dir);

}  // namespace lakegauge::run
