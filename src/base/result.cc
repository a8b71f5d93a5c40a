#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace lakegauge {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kAlreadyExists:
      return "already_exists";
    case ErrorCode::kPermissionDenied:
      return "permission_denied";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kThrottled:
      return "throttled";
    case ErrorCode::kOutOfSpace:
      return "out_of_space";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kLimitReached:
      return "limit_reached";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

Error ErrnoError(std::string_view what, int os_errno) {
  Error e;
  e.os_errno = os_errno;
  e.message = std::string(what) + ": " + std::generic_category().message(os_errno);
  switch (os_errno) {
    case ENOENT:
    case ENOTDIR:
      e.code = ErrorCode::kNotFound;
      break;
    case EEXIST:
    case ENOTEMPTY:
      e.code = ErrorCode::kAlreadyExists;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      e.code = ErrorCode::kPermissionDenied;
      break;
    case ENOSPC:
    case EDQUOT:
      e.code = ErrorCode::kOutOfSpace;
      break;
    case EINVAL:
    case ENAMETOOLONG:
    case EISDIR:
      e.code = ErrorCode::kInvalidArgument;
      break;
    case ETIMEDOUT:
      e.code = ErrorCode::kTimeout;
      e.retryable = true;
      break;
    case EAGAIN:
    case EINTR:
    case ECONNREFUSED:
    case ECONNRESET:
      e.code = ErrorCode::kUnavailable;
      e.retryable = true;
      break;
    case EIO:
      e.code = ErrorCode::kCorrupt;
      break;
    default:
      e.code = ErrorCode::kInternal;
      break;
  }
  return e;
}

}  // namespace lakegauge
