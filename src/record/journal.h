#pragma once
// The journal of a run: one JSON object a line, flushed (fdatasync) before the next execution
// starts. It is the truth about what was done; docs/formats.md describes its fields.
//
// Threads: Append from any thread (one lock). Errors: kOutOfSpace and the like as values; a
// truncated last line (kill -9 while writing) is dropped on reading and cut before appending; any
// other bad line is kCorrupt with its line number; a version above ours is kUnsupported.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge::record {

inline constexpr int kFormatVersion = 1;

enum class ExecutionStatus { kOk, kFailed, kTimeout, kWrongResult, kCancelled };
std::string_view ExecutionStatusName(
    ExecutionStatus status);  // ok failed timeout wrong_result cancelled
// Of what ended so, whether a later session may run it once more under its id: failed, timeout.
bool MayBeRetried(ExecutionStatus status);

struct Metric {
  std::string name;
  double value = 0;
  std::string unit;
};

// CPU time of one thread over one execution.
struct ThreadCpu {
  int32_t thread = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};

// One execution of one query; the journal's begin line holds the first block, its end line both.
// Of what was imported from another tool much is not known: -1 (null on disk) for a time or a
// count, NaN for machine_busy_s, "unknown" for cache.
struct Execution {
  int64_t id = 0;         // 0, 1, 2 ... in the order of plan.json
  std::string cell;       // cell id of plan.json
  int32_t stream = 0;     // 0 for a single user
  int32_t iteration = 1;  // from 1
  int32_t position = 1;   // from 1, within stream and iteration
  std::string query;
  bool warmup = false;
  std::string cache;  // "cold", "warm"; as proved, not as asked
  // Bytes of the data files that lay in the page cache just before, where cold was asked for; -1
  // (null on disk): not looked at.
  int64_t resident_bytes = -1;
  int64_t session = 0;   // which start of lakegauge ran it (0 first, +1 a resume)
  int64_t start_ns = 0;  // CLOCK_MONOTONIC of that session
  int64_t start_utc_ns = 0;

  ExecutionStatus status = ExecutionStatus::kOk;
  int64_t end_ns = 0;
  int64_t elapsed_ns = 0;
  int64_t cpu_ns = -1;  // -1 (null on disk): threads were shared between streams
  int64_t rows = 0;
  std::string result_fingerprint;
  std::string answer_check;  // "", "official", "cells": what it was compared with; "" no check made
  int64_t requests = 0;      // GET + HEAD + LIST ...
  int64_t bytes_read = 0;
  int64_t blocked_ns =
      0;  // wall time in which no lane computed and at least one waited for storage
  int64_t wait_lane_ns = 0;  // lane-nanoseconds of waiting
  int64_t main_thread = 0;   // kernel thread id that ran the query
  std::vector<ThreadCpu> threads;
  double machine_busy_s = 0;  // CPU seconds of the whole machine over the execution (/proc/stat)
  std::string error;
  std::vector<Metric> metrics;
};

class JournalWriter {
 public:
  // Whether each line is on disk before its call returns; kWhenAsked is for what can be made again.
  enum class Sync { kEachLine, kWhenAsked };
  // Opens or creates; cuts a truncated last line.
  static Result<std::unique_ptr<JournalWriter>> Open(const std::string& path,
                                                     Sync sync = Sync::kEachLine);
  ~JournalWriter();
  Status SessionStart(int64_t session, int64_t monotonic_ns, int64_t utc_ns, const Json& facts);
  Status CellStart(const std::string& cell,
                   const Json& facts);  // cache proof, placement, manifests
  Status CellEnd(const std::string& cell);
  Status Begin(const Execution& execution);
  Status End(const Execution& execution);
  // Anything else worth keeping: {"type":"event","name":..., ...}.
  Status Event(const std::string& name, const Json& facts);
  Status SyncNow();

 private:
  explicit JournalWriter(int fd);
  Status Append(std::string line);
  struct State;
  std::unique_ptr<State> state_;
};

struct SessionInfo {
  int64_t session = 0;
  int64_t monotonic_ns = 0;  // the same moment on both clocks
  int64_t utc_ns = 0;
  Json facts;
};

struct Journal {
  // Those with an end line, in file order; one that was cancelled stands again if it ran again. Of
  // one that failed and ran once more in a later session the last end, the earlier are in retried.
  std::vector<Execution> finished;
  std::vector<Execution> retried;
  std::vector<int64_t> begun_only;  // ids whose last begin has no end: killed in flight
  std::vector<std::string> cells_ended;
  int64_t sessions = 0;  // SessionStart lines seen
  std::vector<SessionInfo> session_infos;
  std::map<std::string, Json> cell_facts;  // of the last CellStart of each cell
  std::vector<std::pair<std::string, Json>> events;
  bool truncated_tail = false;
};
Result<Journal> ReadJournal(const std::string& path);
// The same from memory; `origin` stands in errors.
Result<Journal> ParseJournal(std::string_view text, const std::string& origin);

}  // namespace lakegauge::record
