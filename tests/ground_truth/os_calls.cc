#include "os_calls.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "base/files.h"

namespace lakegauge::ground_truth {
namespace {

Error Unreadable(const std::string& file, const std::string& line) {
  return MakeError(ErrorCode::kCorrupt, file + ": cannot read the line: " + line);
}

}  // namespace

std::string OsCall::Text() const {
  return fmt::format("thread {}: {} of {}, {} bytes at {}: {}", thread, call, path, asked, offset,
                     got);
}

bool OsCall::IsRead() const {
  return call != "open" && call != "opendir" && call != "mmap" && call != "fopen";
}

bool OsCall::IsReadableMap() const { return call == "mmap" && (got & PROT_READ) != 0; }

Result<std::vector<OsCall>> ReadWatchLog(const std::string& path) {
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::vector<OsCall> calls;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    OsCall c;
    int64_t start_ns = 0;
    int64_t end_ns = 0;
    words >> c.call >> c.thread >> start_ns >> end_ns >> c.offset >> c.asked >> c.got >> std::ws;
    if (!std::getline(words, c.path)) return Unreadable(path, line);
    calls.push_back(std::move(c));
  }
  return calls;
}

Result<std::vector<OsCall>> ReadStrace(const std::string& prefix, const std::string& root) {
  namespace fs = std::filesystem;
  // pread64(12</data/a>, ""..., 16384, 4) = 16384
  static const std::regex kCall(R"((\w+)\((.*)\) += (-?\w+).*)");
  static const std::regex kFile(R"(\b\d+<([^<>]*)>)");
  static const std::regex kLastNumbers(R"(, (\d+)(?:, (\d+))?$)");
  const fs::path whole(prefix);
  std::vector<OsCall> calls;
  for (const auto& entry : fs::directory_iterator(whole.parent_path())) {
    const std::string name = entry.path().filename().string();
    const std::string stem = whole.filename().string() + ".";
    if (!name.starts_with(stem)) continue;
    LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(entry.path().string()));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("<" + root + "/") == std::string::npos) continue;
      std::smatch parts;
      std::smatch file;
      if (!std::regex_match(line, parts, kCall)) return Unreadable(name, line);
      const std::string arguments = parts[2];
      if (!std::regex_search(arguments, file, kFile)) return Unreadable(name, line);
      OsCall c;
      c.call = parts[1];
      c.thread = std::stoi(name.substr(stem.size()));
      c.path = file[1];
      if (c.call == "mmap") {
        c.got = arguments.find("PROT_READ") != std::string::npos ? PROT_READ : PROT_NONE;
      } else {
        c.got = std::stoll(parts[3]);
        std::smatch numbers;
        if (c.call == "pread64" && std::regex_search(arguments, numbers, kLastNumbers)) {
          c.asked = std::stoll(numbers[1]);
          c.offset = std::stoll(numbers[2]);
        }
      }
      calls.push_back(std::move(c));
    }
  }
  return calls;
}

}  // namespace lakegauge::ground_truth
