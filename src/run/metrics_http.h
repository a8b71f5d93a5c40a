#pragma once
// A page of a server, got over HTTP with a deadline. Hides libcurl, which no other file includes.
//
// Threads: one PageGetter belongs to one thread; it keeps its connection between calls.
// Errors: kUnavailable where no answer came, kTimeout after the deadline, kPermissionDenied for 401
// and 403, kCorrupt for an answer past 16 MiB; none holds the address or the token.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace lakegauge::run {

class PageGetter {
 public:
  // `token`: sent as a bearer token; empty: none.
  static Result<PageGetter> Open(const std::string& url, int64_t timeout_ns,
                                 const std::string& token);
  PageGetter(PageGetter&&) noexcept;
  PageGetter& operator=(PageGetter&&) noexcept;
  ~PageGetter();
  Result<std::string> Get();

 private:
  struct State;
  explicit PageGetter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lakegauge::run
