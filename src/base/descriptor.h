#pragma once
// A file descriptor that is closed when its owner goes; a lock taken by flock(2) goes with it.
//
// Threads: one object, one at a time. Owns: the descriptor. Errors: errno where a function says so.

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace lakegauge {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }
  // errno of the close, 0 where it went well or nothing was open.
  int Close() {
    if (fd_ < 0) return 0;
    const int failed = close(fd_) == 0 ? 0 : errno;
    fd_ = -1;
    return failed;
  }

 private:
  int fd_;
};

}  // namespace lakegauge
