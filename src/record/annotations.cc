#include "record/annotations.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "base/json.h"
#include "record/json_lines.h"

namespace lakegauge::record {
namespace {

namespace fs = std::filesystem;

std::string LineOf(const Annotation& a) {
  OrderedJson line = {{"v", kAnnotationsVersion},
                      {"type", a.invalid ? "invalid" : "valid"},
                      {"annotation", a.id},
                      {"execution", a.execution}};
  if (a.invalid) line["reason"] = a.reason;
  line["at_utc"] = a.at_utc;
  // What is typed need not be UTF-8.
  return line.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Result<int64_t> IntegerAt(const Json& line, const char* key) {
  const auto at = line.find(key);
  if (at == line.end()) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("'{}' is missing", key));
  }
  if (!at->is_number_integer() || at->get<int64_t>() < 0) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("'{}' is no integer from 0", key));
  }
  return at->get<int64_t>();
}

Result<Annotation> AnnotationOf(const Json& line) {
  if (!line.is_object()) return MakeError(ErrorCode::kCorrupt, "no JSON object");
  LG_ASSIGN_OR_RETURN(const int64_t version, IntegerAt(line, "v"));
  if (version > kAnnotationsVersion) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("version {}; this lakegauge reads up to {}", version, kAnnotationsVersion));
  }
  const auto type = JsonOr<std::string>(line, "type", "");
  if (type != "invalid" && type != "valid") {
    return MakeError(ErrorCode::kCorrupt,
                     fmt::format("'type' is '{}'; allowed invalid, valid", type));
  }
  Annotation a;
  LG_ASSIGN_OR_RETURN(a.id, IntegerAt(line, "annotation"));
  LG_ASSIGN_OR_RETURN(a.execution, IntegerAt(line, "execution"));
  a.invalid = type == "invalid";
  a.reason = JsonOr<std::string>(line, "reason", "");
  a.at_utc = JsonOr<std::string>(line, "at_utc", "");
  if (a.invalid && a.reason.empty()) {
    return MakeError(ErrorCode::kCorrupt, "an invalid execution without a 'reason'");
  }
  return a;
}

Status WriteAt(int fd, std::string_view text, off_t at) {
  while (!text.empty()) {
    const ssize_t n = pwrite(fd, text.data(), text.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError("write", errno);
    text.remove_prefix(static_cast<size_t>(n));
    at += n;
  }
  if (fdatasync(fd) != 0) return ErrnoError("fdatasync", errno);
  return {};
}

}  // namespace

std::map<int64_t, Annotation> Annotations::Invalid() const {
  std::map<int64_t, Annotation> invalid;
  for (const Annotation& a : all) {
    if (a.invalid) {
      invalid[a.execution] = a;
    } else {
      invalid.erase(a.execution);
    }
  }
  return invalid;
}

Result<Annotations> ParseAnnotations(std::string_view text, const std::string& origin) {
  Annotations annotations;
  LG_RETURN_IF_ERROR(EachJsonLine(text, origin, [&](const Json& line) -> Status {
    LG_ASSIGN_OR_RETURN(Annotation annotation, AnnotationOf(line));
    if (!annotations.all.empty() && annotation.id <= annotations.all.back().id) {
      return MakeError(ErrorCode::kCorrupt, fmt::format("annotation {} stands after {}",
                                                        annotation.id, annotations.all.back().id));
    }
    annotations.all.push_back(std::move(annotation));
    return {};
  }));
  annotations.truncated_tail = WholeLines(text) != text.size();
  return annotations;
}

Result<Annotations> ReadAnnotations(const std::string& path) {
  std::error_code failed;
  if (fs::status(path, failed).type() == fs::file_type::not_found) return Annotations{};
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseAnnotations(text, path);
}

Result<std::vector<Annotation>> AppendAnnotations(const std::string& path,
                                                  std::vector<Annotation> annotations,
                                                  int64_t utc_ns) {
  for (const Annotation& a : annotations) {
    if (a.invalid && a.reason.empty()) {
      return MakeError(ErrorCode::kInvalidArgument, "an invalid execution needs a reason");
    }
  }
  const Descriptor fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (fd.get() < 0) return ErrnoError(path, errno);
  while (flock(fd.get(), LOCK_EX) != 0) {  // until the descriptor is closed
    if (errno != EINTR) return ErrnoError(path, errno);
  }
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  LG_ASSIGN_OR_RETURN(const Annotations before, ParseAnnotations(text, path));
  int64_t next = before.all.empty() ? 0 : before.all.back().id + 1;
  std::string lines;
  for (Annotation& a : annotations) {
    a.id = next++;
    if (a.at_utc.empty()) a.at_utc = FormatUtc(utc_ns);
    lines += LineOf(a);
  }
  const auto end = static_cast<off_t>(WholeLines(text));
  if (before.truncated_tail && ftruncate(fd.get(), end) != 0) return ErrnoError(path, errno);
  if (auto written = WriteAt(fd.get(), lines, end); !written.ok()) {
    // Half of it must not stand; if even this fails, readers drop a torn line all the same.
    if (ftruncate(fd.get(), end) != 0) errno = 0;
    return written.error().WithContext(path);
  }
  if (before.all.empty()) {
    const fs::path folder = fs::path(path).parent_path();
    LG_RETURN_IF_ERROR(SyncFolder(folder.empty() ? "." : folder.string()));
  }
  return annotations;
}

}  // namespace lakegauge::record
