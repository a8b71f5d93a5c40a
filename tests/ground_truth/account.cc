#include "account.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace lakegauge::ground_truth {
namespace {

// One thread's reads of one file.
using Place = std::pair<int32_t, std::string>;

}  // namespace

Account Match(const record::StoredRequests& recorded, const std::vector<OsCall>& calls,
              const std::string& root) {
  Account account;
  std::map<Place, std::deque<OsCall>> reads;
  for (const OsCall& call : calls) {
    if (call.IsRead()) reads[{call.thread, call.path}].push_back(call);
  }
  std::vector<record::Request> gets;
  for (const record::Request& r : recorded.requests) {
    if (r.operation == record::Operation::kGet) gets.push_back(r);
  }
  std::stable_sort(gets.begin(), gets.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  for (const record::Request& get : gets) {
    const std::string path = root + "/" + recorded.keys[get.key];
    std::deque<OsCall>& left = reads[{get.thread, path}];
    ++account.requests;
    account.recorded_bytes += get.bytes;
    int64_t bytes = 0;
    bool at_end = false;
    // Reads that begin elsewhere were made by somebody else: they stay, to be found in `outside`.
    auto next = std::find_if(left.begin(), left.end(),
                             [&](const OsCall& c) { return c.offset == get.offset; });
    while (next != left.end() && next->offset == get.offset + bytes && bytes < get.length &&
           !at_end) {
      at_end = next->got == 0;
      bytes += std::max<int64_t>(0, next->got);
      ++account.reads;
      next = left.erase(next);
    }
    account.read_bytes += bytes;
    account.bytes_of_execution[get.execution] += bytes;
    if (bytes != get.bytes) {
      account.mismatches.push_back(
          fmt::format("execution {}, thread {}: {} bytes of {} at {} recorded, {} read",
                      get.execution, get.thread, get.bytes, path, get.offset, bytes));
    }
  }
  for (auto& [place, left] : reads) {
    account.outside.insert(account.outside.end(), left.begin(), left.end());
  }
  return account;
}

}  // namespace lakegauge::ground_truth
