#pragma once
// Errors as values: Result<T> holds a T or an Error; nothing in lakegauge's own code throws across
// a room's door (third-party exceptions are caught in their adapter).
//
// Threads: values, no shared state.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace lakegauge {

// What kind of thing went wrong. The message says it to a person; the code lets a caller decide.
enum class ErrorCode {
  kInvalidArgument,   // the caller or the user gave something that cannot be right
  kNotFound,          // the named thing does not exist
  kAlreadyExists,     // it exists and may not be overwritten
  kPermissionDenied,  // it exists and we may not touch it
  kUnavailable,       // a server or device does not answer now; retrying may help
  kThrottled,         // a server asked us to slow down (HTTP 503/429)
  kOutOfSpace,        // disk or quota full
  kTimeout,           // a deadline passed
  kCancelled,         // somebody asked us to stop
  kCorrupt,           // data is there and is not what it should be
  kUnsupported,       // right question, wrong engine or store
  kLimitReached,      // --max-requests, --max-cost or --max-time
  kInternal,          // a bug of ours, or of a library's
};

std::string_view ErrorCodeName(ErrorCode code);

// An error for one clear line: `message` needs no prefix, suffix or newline and never holds a
// secret.
struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  bool retryable = false;
  int http_status = 0;  // 0 where no HTTP answer was seen
  int os_errno = 0;     // 0 where no system call failed

  // The same error with "context: " put before its message.
  Error WithContext(std::string_view context) const {
    Error e = *this;
    e.message = std::string(context) + ": " + message;
    return e;
  }
};

// Error from an errno: code chosen from it, message "what: strerror".
Error ErrnoError(std::string_view what, int os_errno);

inline Error MakeError(ErrorCode code, std::string message) {
  return Error{code, std::move(message), false, 0, 0};
}

template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  Result(Error error) : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}  // NOLINT
  bool ok() const { return this->has_value(); }
};

using Status = Result<void>;

#define LG_CONCAT_INNER(a, b) a##b
#define LG_CONCAT(a, b) LG_CONCAT_INNER(a, b)

// Returns the error of an expression that gives a Result from the enclosing function.
#define LG_RETURN_IF_ERROR(expr)                                \
  do {                                                          \
    auto lg_status_ = (expr);                                   \
    if (!lg_status_.ok()) return std::move(lg_status_).error(); \
  } while (false)

#define LG_ASSIGN_OR_RETURN(lhs, expr) LG_ASSIGN_IMPL(LG_CONCAT(lg_result_, __LINE__), lhs, expr)
#define LG_ASSIGN_IMPL(result, lhs, expr)             \
  auto result = (expr);                               \
  if (!result.ok()) return std::move(result).error(); \
  lhs = std::move(*result)

}  // namespace lakegauge
