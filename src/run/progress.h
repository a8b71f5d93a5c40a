#pragma once
// How a run tells where it is: one event type and a sink. Drawing on a terminal is the CLI's.
//
// Threads: a run calls its sink from one thread at a time. Units: nanoseconds.

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>

#include "record/journal.h"

namespace lakegauge::run {

struct ProgressEvent {
  enum class Kind {
    kPhase,        // text as dataset::Progress::what; fraction where known
    kCellStarted,  // cell
    kQueryStarted,
    kQueryFinished,  // status, elapsed_ns, error
    kNote,           // text: something the user should see (cache not dropped, resumed, ...)
    kFinished,       // text: how it ended
  };
  Kind kind = Kind::kNote;
  std::string text;
  double fraction = -1;  // of a phase; -1 unknown
  std::string cell;
  int cell_number = 0, cells = 0;  // from 1
  int64_t iteration = 0, iterations = 0;
  bool warmup = false;
  int stream = 0;
  std::string query;
  record::ExecutionStatus status = record::ExecutionStatus::kOk;
  int64_t elapsed_ns = 0;  // of the query
  std::string error;
  int64_t done = 0, total = 0;  // executions of the whole run
  int64_t run_elapsed_ns = 0;
  int64_t left_ns = -1;  // expected; -1 unknown
};

class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void On(const ProgressEvent& event) = 0;
};

// Plain lines, for pipes and logs: one a tenth of a phase, a cell, an iteration and a failure, not
// one a table or query.
std::unique_ptr<ProgressSink> MakeLineProgress(std::ostream& out);

}  // namespace lakegauge::run
