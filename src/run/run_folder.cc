#include "run/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/files.h"

namespace lakegauge::run {
namespace {

namespace fs = std::filesystem;
constexpr int kMostRunsASecond = 1000;

// "20260131-120000" of "2026-01-31T12:00:00.123456Z".
std::string Stamp(const std::string& utc) {
  std::string digits;
  for (const char c : utc.substr(0, 19)) {
    if (c >= '0' && c <= '9') digits += c;
    if (c == 'T') digits += '-';
  }
  return digits;
}

}  // namespace

Result<FolderLock> FolderLock::Try(const std::string& folder) {
  const std::string path = folder + "/.lock";
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.get() < 0) return ErrnoError(path, errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return FolderLock(std::move(file));
  if (errno != EWOULDBLOCK) return ErrnoError(path, errno);
  return MakeError(ErrorCode::kUnavailable, "another lakegauge is running " + folder);
}

Result<RunFolder> RunFolder::Create(const std::string& results_dir, const std::string& out,
                                    const std::string& experiment, Clock& clock) {
  std::string path = out;
  if (!out.empty()) {
    std::error_code failed;
    if (fs::exists(out, failed) && !fs::is_empty(out, failed)) {
      return MakeError(
          ErrorCode::kAlreadyExists,
          fmt::format("{} is there already and not empty; name another folder, or go on "
                      "with the run in it: lakegauge resume {}",
                      out, out));
    }
    LG_RETURN_IF_ERROR(MakeDirs(out));
  } else {
    LG_RETURN_IF_ERROR(MakeDirs(results_dir));
    const std::string first =
        fmt::format("{}/{}-{}", results_dir, experiment, Stamp(FormatUtc(clock.UtcNs())));
    path = first;
    for (int n = 2; mkdir(path.c_str(), 0755) != 0; ++n) {
      if (errno != EEXIST || n > kMostRunsASecond) return ErrnoError(path, errno);
      path = fmt::format("{}-{}", first, n);
    }
  }
  LG_ASSIGN_OR_RETURN(FolderLock lock, FolderLock::Try(path));
  return RunFolder(std::move(path), std::move(lock));
}

Result<RunFolder> RunFolder::Open(const std::string& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) {
    return MakeError(ErrorCode::kNotFound, path + " is not a run directory");
  }
  LG_ASSIGN_OR_RETURN(FolderLock lock, FolderLock::Try(path));
  return RunFolder(path, std::move(lock));
}

std::string RunFolder::id() const {
  std::error_code failed;
  fs::path whole = fs::absolute(path_, failed).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  return whole.filename().string();
}

}  // namespace lakegauge::run
