#include "record/spool_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/files.h"

namespace lakegauge::record::spool_files {
namespace {

namespace fs = std::filesystem;
namespace columnar = lakegauge::columnar::records;

constexpr std::string_view kExtension = ".arrows";

// The numbers of "<name>.arrows", "<name>.<n>.arrows", "<name>.<session>.<n>.arrows"; nothing where
// the file is no spool of that name. In their order, spools are in the order in which they were
// made.
std::optional<std::vector<int64_t>> SpoolNumbers(std::string_view file, std::string_view name) {
  if (!file.starts_with(name) || !file.ends_with(kExtension) ||
      file.size() < name.size() + kExtension.size()) {
    return std::nullopt;
  }
  std::string_view between =
      file.substr(name.size(), file.size() - name.size() - kExtension.size());
  std::vector<int64_t> numbers;
  while (!between.empty()) {
    int64_t number = 0;
    const char* end = between.data() + between.size();
    if (between[0] != '.') return std::nullopt;
    const auto [stop, ec] = std::from_chars(between.data() + 1, end, number);
    if (ec != std::errc() || number < 0) return std::nullopt;
    numbers.push_back(number);
    between = std::string_view(stop, static_cast<size_t>(end - stop));
  }
  return numbers;
}

std::set<std::string> SplitLines(std::string_view text) {
  std::set<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// No two spools have the same, so that one is never taken for another that had its name before.
std::string NewSpoolId() {
  static std::atomic<int> counter{0};
  return fmt::format("{}-{}-{}", RealClock().UtcNs(), getpid(), counter.fetch_add(1));
}

}  // namespace

Status CheckKind(const columnar::TableReader& reader, const std::string& origin,
                 const RecordKind& kind) {
  const auto& metadata = reader.metadata();
  const auto record = metadata.find(kRecordKey);
  if (record == metadata.end() || record->second != kind.name) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("{}: not a file of {}", origin, kind.name));
  }
  const auto version = metadata.find(kVersionKey);
  int number = 0;
  if (version != metadata.end()) {
    const auto& text = version->second;
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  if (number < 1 || number > kind.version) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("{}: version {}; this lakegauge reads up to {}", origin,
                    version == metadata.end() ? "none" : version->second, kind.version));
  }
  return {};
}

std::map<std::string, std::string> Metadata(const RecordKind& kind, const char* key,
                                            const std::string& value) {
  return {{kVersionKey, std::to_string(kind.version)},
          {kRecordKey, std::string(kind.name)},
          {key, value}};
}

Result<std::unique_ptr<columnar::TableWriter>> CreateSpool(
    const std::string& dir, const std::string& name,
    const std::vector<columnar::ColumnSpec>& columns, const RecordKind& kind) {
  LG_RETURN_IF_ERROR(MakeDirs(dir));
  for (int n = 0;; ++n) {
    const std::string number = n == 0 ? "" : fmt::format(".{}", n);
    auto stream = columnar::CreateStream(fmt::format("{}/{}{}{}", dir, name, number, kExtension),
                                         {columns, Metadata(kind, kSpoolKey, NewSpoolId())});
    if (stream.ok() || stream.error().code != ErrorCode::kAlreadyExists) return stream;
  }
}

Result<std::vector<std::string>> SpoolsOf(const std::string& dir, const std::string& name) {
  std::vector<std::pair<std::vector<int64_t>, std::string>> found;
  std::error_code failed;
  for (fs::directory_iterator at(dir, failed), end; !failed && at != end; at.increment(failed)) {
    std::string file = at->path().filename().string();
    if (auto numbers = SpoolNumbers(file, name)) {
      found.emplace_back(*std::move(numbers), std::move(file));
    }
  }
  if (failed && failed != std::errc::no_such_file_or_directory) {
    return ErrnoError(dir, failed.value());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [numbers, file] : found) names.push_back(std::move(file));
  return names;
}

Result<std::string> SpoolId(const std::string& path) {
  LG_ASSIGN_OR_RETURN(const auto reader, columnar::OpenStream(path, {}));
  const auto id = reader->metadata().find(kSpoolKey);
  return id == reader->metadata().end() ? std::string() : id->second;
}

Result<Pending> FindPending(const std::string& spool_dir, const std::string& name,
                            const std::string& compacted,
                            const std::vector<columnar::ColumnSpec>& columns,
                            const RecordKind& kind) {
  Pending pending;
  LG_ASSIGN_OR_RETURN(pending.all, SpoolsOf(spool_dir, name));
  // A call that was killed after its rename left a file that holds some or all of the spools.
  std::set<std::string> held;
  pending.there = access(compacted.c_str(), F_OK) == 0;
  if (pending.there) {
    LG_ASSIGN_OR_RETURN(const auto existing, columnar::OpenParquet(compacted, columns));
    LG_RETURN_IF_ERROR(CheckKind(*existing, compacted, kind));
    const auto names = existing->metadata().find(kSpoolsKey);
    if (names != existing->metadata().end()) held = SplitLines(names->second);
  }
  std::set<std::string> holds = held;
  for (const auto& file : pending.all) {
    LG_ASSIGN_OR_RETURN(const std::string id, SpoolId(spool_dir + "/" + file));
    if (held.contains(id)) continue;
    pending.fresh.push_back(file);
    if (!id.empty()) holds.insert(id);
  }
  pending.holds = fmt::format("{}", fmt::join(holds, "\n"));
  return pending;
}

Status PutInPlace(const std::string& temporary, const std::string& compacted) {
  if (rename(temporary.c_str(), compacted.c_str()) != 0) return ErrnoError(compacted, errno);
  return SyncFolder(fs::path(compacted).parent_path().string());
}

Status Remove(const std::string& spool_dir, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const std::string spool = spool_dir + "/" + name;
    if (unlink(spool.c_str()) != 0 && errno != ENOENT) return ErrnoError(spool, errno);
  }
  return {};
}

}  // namespace lakegauge::record::spool_files
