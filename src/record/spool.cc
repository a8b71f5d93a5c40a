#include "record/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/clock.h"
#include "base/files.h"
#include "columnar/record_table.h"

namespace lakegauge::record {
namespace {

namespace fs = std::filesystem;
namespace columnar = lakegauge::columnar::records;
using columnar::ColumnType;
using columnar::Table;

constexpr std::string_view kExtension = ".arrows";
constexpr int kRequestsVersion = 1;
constexpr char kVersionKey[] = "lakegauge.v";
constexpr char kRecordKey[] = "lakegauge.record";
constexpr char kSpoolKey[] = "lakegauge.spool";    // a spool's own id
constexpr char kSpoolsKey[] = "lakegauge.spools";  // ids of the spools a compacted file holds

// Order of the columns on disk; docs/formats.md describes them.
enum ColumnIndex {
  kExecution,
  kLane,
  kThread,
  kHandle,
  kOperation,
  kKey,
  kOffset,
  kLength,
  kStart,
  kFirstByte,
  kEnd,
  kCpuStart,
  kCpuEnd,
  kAttempt,
  kStatus,
  kBytes,
  kAsked,
  kAskedFirst,
  kLateness,
  kScan,
};

const std::vector<columnar::ColumnSpec>& Columns() {
  static const std::vector<columnar::ColumnSpec> columns = {
      {"execution", ColumnType::kInt64, true},     {"lane", ColumnType::kInt32, false},
      {"thread", ColumnType::kInt32, false},       {"handle", ColumnType::kInt64, true},
      {"operation", ColumnType::kText, false},     {"key", ColumnType::kText, false},
      {"offset_bytes", ColumnType::kInt64, false}, {"length", ColumnType::kInt64, false},
      {"start_ns", ColumnType::kInt64, false},     {"first_byte_ns", ColumnType::kInt64, true},
      {"end_ns", ColumnType::kInt64, false},       {"cpu_start_ns", ColumnType::kInt64, false},
      {"cpu_end_ns", ColumnType::kInt64, false},   {"attempt", ColumnType::kInt32, false},
      {"status", ColumnType::kInt32, false},       {"size_bytes", ColumnType::kInt64, false},
      {"asked_ns", ColumnType::kInt64, true},      {"asked_first_ns", ColumnType::kInt64, true},
      {"lateness_ns", ColumnType::kInt64, true},   {"scan", ColumnType::kInt64, true},
  };
  return columns;
}

columnar::TableSpec Spec(const char* key, const std::string& value) {
  return {
      Columns(),
      {{kVersionKey, std::to_string(kRequestsVersion)}, {kRecordKey, "requests"}, {key, value}}};
}

template <typename Get>
void Fill(columnar::Column& column, const std::vector<Request>& requests, const Get& get) {
  column.integers.reserve(requests.size());
  for (const auto& r : requests) column.integers.push_back(get(r));
}

// As Fill, with `unseen` as null.
template <typename Get>
void FillOrNull(columnar::Column& column, const std::vector<Request>& requests, int64_t unseen,
                const Get& get) {
  Fill(column, requests, get);
  column.null.reserve(requests.size());
  for (const int64_t value : column.integers) column.null.push_back(value == unseen);
}

// `key` gives the text of a Request::key.
template <typename Key>
Table ToTable(const std::vector<Request>& requests, const Key& key) {
  Table table;
  table.rows = requests.size();
  table.columns.resize(Columns().size());
  auto& c = table.columns;
  FillOrNull(c[kExecution], requests, -1, [](const Request& r) { return r.execution; });
  Fill(c[kLane], requests, [](const Request& r) { return r.lane; });
  Fill(c[kThread], requests, [](const Request& r) { return r.thread; });
  FillOrNull(c[kHandle], requests, 0, [](const Request& r) { return r.handle; });
  for (int i = 0; i <= static_cast<int>(Operation::kCopy); ++i) {
    c[kOperation].dictionary.emplace_back(OperationName(static_cast<Operation>(i)));
  }
  Fill(c[kOperation], requests, [](const Request& r) { return static_cast<int64_t>(r.operation); });
  std::unordered_map<uint32_t, int64_t> codes;
  Fill(c[kKey], requests, [&](const Request& r) {
    const auto [at, added] = codes.emplace(r.key, static_cast<int64_t>(codes.size()));
    if (added) c[kKey].dictionary.push_back(key(r.key));
    return at->second;
  });
  Fill(c[kOffset], requests, [](const Request& r) { return r.offset; });
  Fill(c[kLength], requests, [](const Request& r) { return r.length; });
  Fill(c[kStart], requests, [](const Request& r) { return r.start_ns; });
  FillOrNull(c[kFirstByte], requests, 0, [](const Request& r) { return r.first_byte_ns; });
  Fill(c[kEnd], requests, [](const Request& r) { return r.end_ns; });
  Fill(c[kCpuStart], requests, [](const Request& r) { return r.cpu_start_ns; });
  Fill(c[kCpuEnd], requests, [](const Request& r) { return r.cpu_end_ns; });
  Fill(c[kAttempt], requests, [](const Request& r) { return r.attempt; });
  Fill(c[kStatus], requests, [](const Request& r) { return r.status; });
  Fill(c[kBytes], requests, [](const Request& r) { return r.bytes; });
  FillOrNull(c[kAsked], requests, -1, [](const Request& r) { return r.asked_ns; });
  FillOrNull(c[kAskedFirst], requests, -1, [](const Request& r) { return r.asked_first_ns; });
  Fill(c[kLateness], requests, [](const Request& r) { return r.lateness_ns; });
  for (const auto& r : requests) c[kLateness].null.push_back(r.asked_ns < 0);
  FillOrNull(c[kScan], requests, -1, [](const Request& r) { return r.scan; });
  return table;
}

class KeyTable {
 public:
  explicit KeyTable(std::vector<std::string>& keys) : keys_(keys) {}
  uint32_t Id(const std::string& key) {
    const auto [at, added] = ids_.emplace(key, static_cast<uint32_t>(ids_.size()));
    if (added) keys_.push_back(key);
    return at->second;
  }

 private:
  std::vector<std::string>& keys_;
  std::unordered_map<std::string, uint32_t> ids_;
};

Status FromTable(const Table& table, const std::string& origin, KeyTable& keys,
                 std::vector<Request>& out) {
  const auto& c = table.columns;
  const auto or_unseen = [&](ColumnIndex column, size_t row, int64_t unseen) {
    return c[column].IsNull(row) ? unseen : c[column].integers[row];
  };
  out.reserve(out.size() + table.rows);
  for (size_t row = 0; row < table.rows; ++row) {
    Request r;
    r.execution = or_unseen(kExecution, row, -1);
    r.lane = static_cast<int32_t>(c[kLane].integers[row]);
    r.thread = static_cast<int32_t>(c[kThread].integers[row]);
    r.handle = or_unseen(kHandle, row, 0);
    const std::string& operation = c[kOperation].Text(row);
    int code = 0;
    while (code <= static_cast<int>(Operation::kCopy) &&
           OperationName(static_cast<Operation>(code)) != operation) {
      ++code;
    }
    if (code > static_cast<int>(Operation::kCopy)) {
      return MakeError(ErrorCode::kCorrupt,
                       fmt::format("{}: operation '{}'; allowed GET, HEAD, LIST, PUT, DELETE, COPY",
                                   origin, operation));
    }
    r.operation = static_cast<Operation>(code);
    r.key = keys.Id(c[kKey].Text(row));
    r.offset = c[kOffset].integers[row];
    r.length = c[kLength].integers[row];
    r.start_ns = c[kStart].integers[row];
    r.first_byte_ns = or_unseen(kFirstByte, row, 0);
    r.end_ns = c[kEnd].integers[row];
    r.cpu_start_ns = c[kCpuStart].integers[row];
    r.cpu_end_ns = c[kCpuEnd].integers[row];
    r.attempt = static_cast<int32_t>(c[kAttempt].integers[row]);
    r.status = static_cast<int32_t>(c[kStatus].integers[row]);
    r.bytes = c[kBytes].integers[row];
    r.asked_ns = or_unseen(kAsked, row, -1);
    r.asked_first_ns = or_unseen(kAskedFirst, row, -1);
    r.lateness_ns = or_unseen(kLateness, row, 0);
    r.scan = or_unseen(kScan, row, -1);
    out.push_back(r);
  }
  return {};
}

Status CheckVersion(const columnar::TableReader& reader, const std::string& origin) {
  const auto& metadata = reader.metadata();
  const auto record = metadata.find(kRecordKey);
  if (record == metadata.end() || record->second != "requests") {
    return MakeError(ErrorCode::kCorrupt, origin + ": not a file of requests");
  }
  const auto version = metadata.find(kVersionKey);
  int number = 0;
  if (version != metadata.end()) {
    const auto& text = version->second;
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  if (number < 1 || number > kRequestsVersion) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("{}: version {}; this lakegauge reads up to {}", origin,
                    version == metadata.end() ? "none" : version->second, kRequestsVersion));
  }
  return {};
}

// Hands each batch's requests to `take`; false where the file ends inside a batch.
template <typename Take>
Result<bool> EachBatch(Result<std::unique_ptr<columnar::TableReader>> opened,
                       const std::string& origin, const Take& take) {
  if (!opened.ok()) return opened.error();
  columnar::TableReader& reader = **opened;
  // Killed before its schema was whole: an empty spool.
  if (reader.truncated() && reader.metadata().empty()) return false;
  LG_RETURN_IF_ERROR(CheckVersion(reader, origin));
  while (true) {
    LG_ASSIGN_OR_RETURN(const auto table, reader.Next());
    if (!table.has_value()) return !reader.truncated();
    LG_RETURN_IF_ERROR(take(*table));
  }
}

Result<StoredRequests> ReadAll(Result<std::unique_ptr<columnar::TableReader>> opened,
                               const std::string& origin) {
  StoredRequests stored;
  KeyTable keys(stored.keys);
  LG_ASSIGN_OR_RETURN(const bool whole,
                      EachBatch(std::move(opened), origin, [&](const Table& table) {
                        return FromTable(table, origin, keys, stored.requests);
                      }));
  stored.truncated = !whole;
  return stored;
}

class ArrowSpoolWriter : public SpoolWriter {
 public:
  explicit ArrowSpoolWriter(std::unique_ptr<columnar::TableWriter> stream)
      : stream_(std::move(stream)) {}
  Status Append(const std::vector<Request>& requests, const RequestLog& keys) override {
    if (requests.empty()) return {};
    return stream_->Append(ToTable(requests, [&](uint32_t id) { return keys.Key(id); }));
  }
  Status Close() override { return stream_->Close(); }

 private:
  std::unique_ptr<columnar::TableWriter> stream_;
};

// The numbers of "<cell>.arrows", "<cell>.<n>.arrows", "<cell>.<session>.<n>.arrows"; nothing where
// the file is no spool of the cell. In their order, spools are in the order in which they were
// made.
std::optional<std::vector<int64_t>> SpoolNumbers(std::string_view file, std::string_view cell) {
  if (!file.starts_with(cell) || !file.ends_with(kExtension) ||
      file.size() < cell.size() + kExtension.size()) {
    return std::nullopt;
  }
  std::string_view between =
      file.substr(cell.size(), file.size() - cell.size() - kExtension.size());
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

Result<std::vector<std::string>> SpoolsOf(const std::string& dir, const std::string& cell) {
  std::vector<std::pair<std::vector<int64_t>, std::string>> found;
  std::error_code failed;
  for (fs::directory_iterator at(dir, failed), end; !failed && at != end; at.increment(failed)) {
    std::string name = at->path().filename().string();
    if (auto numbers = SpoolNumbers(name, cell)) {
      found.emplace_back(*std::move(numbers), std::move(name));
    }
  }
  if (failed && failed != std::errc::no_such_file_or_directory) {
    return ErrnoError(dir, failed.value());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [numbers, name] : found) names.push_back(std::move(name));
  return names;
}

Status SyncDir(const std::string& dir) {
  const int fd = open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(dir, errno);
  const int failed = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  if (failed != 0) return ErrnoError(dir, failed);
  return {};
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

Result<std::string> SpoolId(const std::string& path) {
  LG_ASSIGN_OR_RETURN(const auto reader, columnar::OpenStream(path, {}));
  const auto id = reader->metadata().find(kSpoolKey);
  return id == reader->metadata().end() ? std::string() : id->second;
}

}  // namespace

Result<std::unique_ptr<SpoolWriter>> SpoolWriter::Open(const std::string& dir,
                                                       const std::string& name) {
  LG_RETURN_IF_ERROR(MakeDirs(dir));
  for (int n = 0;; ++n) {
    const std::string number = n == 0 ? "" : fmt::format(".{}", n);
    auto stream = columnar::CreateStream(fmt::format("{}/{}{}{}", dir, name, number, kExtension),
                                         Spec(kSpoolKey, NewSpoolId()));
    if (stream.ok()) {
      return std::unique_ptr<SpoolWriter>(std::make_unique<ArrowSpoolWriter>(std::move(*stream)));
    }
    if (stream.error().code != ErrorCode::kAlreadyExists) return stream.error();
  }
}

Result<StoredRequests> ReadSpool(const std::string& path) {
  return ReadAll(columnar::OpenStream(path, Columns()), path);
}

Result<StoredRequests> ParseSpool(std::span<const std::byte> bytes, const std::string& origin) {
  return ReadAll(columnar::OpenStreamBytes(bytes, origin, Columns()), origin);
}

Result<StoredRequests> ReadRequests(const std::string& path) {
  return ReadAll(columnar::OpenParquet(path, Columns()), path);
}

Status CompactSpools(const std::string& spool_dir, const std::string& cell,
                     const std::string& requests_dir, const std::vector<int64_t>& keep) {
  LG_RETURN_IF_ERROR(MakeDirs(requests_dir));
  LG_ASSIGN_OR_RETURN(const auto spools, SpoolsOf(spool_dir, cell));
  const std::string path = fmt::format("{}/{}.parquet", requests_dir, cell);

  // A call that was killed after its rename left a file that holds some or all of the spools.
  std::set<std::string> held;
  const bool there = access(path.c_str(), F_OK) == 0;
  if (there) {
    LG_ASSIGN_OR_RETURN(const auto existing, columnar::OpenParquet(path, Columns()));
    LG_RETURN_IF_ERROR(CheckVersion(*existing, path));
    const auto names = existing->metadata().find(kSpoolsKey);
    if (names != existing->metadata().end()) held = SplitLines(names->second);
  }
  std::vector<std::string> fresh;
  std::set<std::string> holds = held;
  for (const auto& name : spools) {
    LG_ASSIGN_OR_RETURN(const std::string id, SpoolId(spool_dir + "/" + name));
    if (held.contains(id)) continue;
    fresh.push_back(name);
    if (!id.empty()) holds.insert(id);
  }

  if (!there || !fresh.empty()) {
    const std::string temporary = path + ".tmp";
    LG_ASSIGN_OR_RETURN(
        const auto writer,
        columnar::CreateParquet(temporary,
                                Spec(kSpoolsKey, fmt::format("{}", fmt::join(holds, "\n")))));
    std::vector<std::string> sources;
    if (there) sources.push_back(path);
    for (const auto& name : fresh) sources.push_back(spool_dir + "/" + name);
    const auto open = [&](size_t source, const std::vector<columnar::ColumnSpec>& columns) {
      return there && source == 0 ? columnar::OpenParquet(path, columns)
                                  : columnar::OpenStream(sources[source], columns);
    };

    // An execution that was killed after its requests were spooled ran again in a later session:
    // its requests are those of the last spool that has any.
    std::map<int64_t, size_t> source_of;
    for (const int64_t id : keep) source_of[id] = sources.size();
    for (size_t i = 0; i < sources.size(); ++i) {
      auto seen = EachBatch(open(i, {Columns()[kExecution]}), sources[i],
                            [&](const Table& table) -> Status {
                              const columnar::Column& executions = table.columns[0];
                              for (size_t row = 0; row < table.rows; ++row) {
                                if (executions.IsNull(row)) continue;
                                const auto kept = source_of.find(executions.integers[row]);
                                if (kept != source_of.end()) kept->second = i;
                              }
                              return {};
                            });
      if (!seen.ok()) return seen.error();
    }
    for (size_t i = 0; i < sources.size(); ++i) {
      auto copied = EachBatch(open(i, Columns()), sources[i], [&](const Table& table) -> Status {
        StoredRequests batch;
        KeyTable keys(batch.keys);
        LG_RETURN_IF_ERROR(FromTable(table, sources[i], keys, batch.requests));
        std::erase_if(batch.requests, [&](const Request& r) {
          if (r.execution < 0) return false;
          const auto kept = source_of.find(r.execution);
          return kept == source_of.end() || kept->second != i;
        });
        return writer->Append(ToTable(batch.requests, [&](uint32_t id) { return batch.keys[id]; }));
      });
      if (!copied.ok()) return copied.error();
    }
    LG_RETURN_IF_ERROR(writer->Close());
    if (rename(temporary.c_str(), path.c_str()) != 0) return ErrnoError(path, errno);
    LG_RETURN_IF_ERROR(SyncDir(requests_dir));
  }
  for (const auto& name : spools) {
    const std::string spool = spool_dir + "/" + name;
    if (unlink(spool.c_str()) != 0 && errno != ENOENT) return ErrnoError(spool, errno);
  }
  return {};
}

}  // namespace lakegauge::record
