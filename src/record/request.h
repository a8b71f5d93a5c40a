#pragma once
// One storage request as it is recorded, and the log that requests are put into while queries run.
// docs/formats.md describes each field as it stands on disk.
//
// Threads: RequestLog::Put may be called from any thread and takes no lock shared with other
// putters
//   (a buffer a thread); Take from one thread at a time.
// Units: nanoseconds of CLOCK_MONOTONIC; bytes.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakegauge::record {

enum class Operation : uint8_t { kGet, kHead, kList, kPut, kDelete, kCopy };
std::string_view OperationName(
    Operation operation);  // "GET", "HEAD", "LIST", "PUT", "DELETE", "COPY"

struct Request {
  int64_t execution = -1;  // execution id; -1: not for a query (set-up, copying)
  int32_t lane = 0;        // stream
  int32_t thread = 0;      // kernel thread id
  int64_t handle = 0;      // one open of one object; 0: none
  Operation operation = Operation::kGet;
  uint32_t key = 0;  // id in the log's key table
  int64_t offset = 0;
  int64_t length = 0;  // bytes asked (GET), written (PUT), keys returned (LIST)
  int64_t start_ns = 0;
  int64_t first_byte_ns = 0;  // 0: not seen
  int64_t end_ns = 0;
  int64_t cpu_start_ns = 0;  // CPU time of `thread`
  int64_t cpu_end_ns = 0;
  int32_t attempt = 1;
  int32_t status = 0;     // 0 ok; else HTTP status, or minus errno
  int64_t bytes = 0;      // bytes delivered
  int64_t asked_ns = -1;  // shaped stores: what the profile asked for; -1: not shaped
  int64_t asked_first_ns = -1;
  int64_t lateness_ns = 0;  // end after the deadline that shaping set
  int64_t scan = -1;        // scan id where known; null on disk when -1
};

// Kernel thread id of the caller (asked of the kernel once a thread).
int32_t CurrentThread();

class RequestLog {
 public:
  RequestLog();
  ~RequestLog();
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;
  // The id of a key, the same for the same text during this log's life.
  uint32_t KeyId(std::string_view key);
  std::string Key(uint32_t id) const;
  void Put(const Request& request);
  // All requests put so far, ordered by start, and forgets them.
  std::vector<Request> Take();
  // Requests put since the log was made (for --max-requests), and bytes.
  int64_t count() const;
  int64_t bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace lakegauge::record
