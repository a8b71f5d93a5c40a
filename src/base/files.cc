#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/descriptor.h"
#include "base/json.h"
#include "base/json_problem.h"

namespace lakegauge {

Result<std::string> ReadFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(path, errno);
  std::string content;
  struct stat info {};
  if (fstat(fd, &info) == 0 && info.st_size > 0) content.reserve(static_cast<size_t>(info.st_size));
  char buffer[65536];
  ssize_t n = 0;
  while ((n = read(fd, buffer, sizeof buffer)) != 0) {
    if (n < 0) {
      if (errno == EINTR) continue;
      const int failed = errno;
      close(fd);
      return ErrnoError(path, failed);
    }
    content.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  return content;
}

Status WriteFileAtomically(const std::string& path, std::string_view content) {
  const auto parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) LG_RETURN_IF_ERROR(MakeDirs(parent.string()));
  const std::string temporary = path + ".tmp." + std::to_string(getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return ErrnoError(temporary, errno);
  const auto fail = [&](int failed) {
    close(fd);
    unlink(temporary.c_str());
    return ErrnoError(path, failed);
  };
  while (!content.empty()) {
    const ssize_t n = write(fd, content.data(), content.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return fail(errno);
    }
    content.remove_prefix(static_cast<size_t>(n));
  }
  if (fsync(fd) != 0) return fail(errno);
  close(fd);
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int failed = errno;
    unlink(temporary.c_str());
    return ErrnoError(path, failed);
  }
  return {};
}

Status MakeDirs(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return ErrnoError(path, failed.value());
  return {};
}

Status SyncFolder(const std::string& folder) {
  const Descriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0 || fsync(fd.get()) != 0) return ErrnoError(folder, errno);
  return {};
}

Status SyncFileSystemOf(const std::string& path) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return ErrnoError(path, errno);
  if (syncfs(fd.get()) != 0) return ErrnoError("sync " + path, errno);
  return {};
}

Result<Json> ParseJson(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    return MakeError(ErrorCode::kCorrupt, "not valid JSON at byte " + std::to_string(e.byte) +
                                              " of " + std::to_string(text.size()));
  } catch (const Json::exception& e) {
    return MakeError(ErrorCode::kCorrupt, JsonProblem(e));
  }
}

Result<Json> ReadJsonFile(const std::string& path) {
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  if (text.empty()) return MakeError(ErrorCode::kCorrupt, path + ": is empty");
  auto json = ParseJson(text);
  if (!json.ok()) return json.error().WithContext(path);
  if (!json->is_object()) {
    return MakeError(ErrorCode::kCorrupt, path + ": holds no JSON object but " +
                                              (json->is_array() ? "a list" : json->type_name()));
  }
  return json;
}

}  // namespace lakegauge
