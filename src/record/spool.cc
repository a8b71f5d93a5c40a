#include "record/spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/files.h"
#include "columnar/record_table.h"
#include "record/spool_files.h"

namespace lakegauge::record {
namespace {

namespace columnar = lakegauge::columnar::records;
using columnar::ColumnType;
using columnar::Table;

constexpr spool_files::RecordKind kKind{"requests", 1};

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

Result<StoredRequests> ReadAll(Result<std::unique_ptr<columnar::TableReader>> opened,
                               const std::string& origin) {
  StoredRequests stored;
  KeyTable keys(stored.keys);
  LG_ASSIGN_OR_RETURN(
      const bool whole,
      spool_files::EachBatch(std::move(opened), origin, kKind, [&](const Table& table) {
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

}  // namespace

Result<std::unique_ptr<SpoolWriter>> SpoolWriter::Open(const std::string& dir,
                                                       const std::string& name) {
  LG_ASSIGN_OR_RETURN(auto stream, spool_files::CreateSpool(dir, name, Columns(), kKind));
  return std::unique_ptr<SpoolWriter>(std::make_unique<ArrowSpoolWriter>(std::move(stream)));
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
  const std::string path = fmt::format("{}/{}.parquet", requests_dir, cell);
  LG_ASSIGN_OR_RETURN(const auto pending,
                      spool_files::FindPending(spool_dir, cell, path, Columns(), kKind));
  const bool there = pending.there;

  if (!there || !pending.fresh.empty()) {
    const std::string temporary = path + ".tmp";
    LG_ASSIGN_OR_RETURN(
        const auto writer,
        columnar::CreateParquet(
            temporary,
            {Columns(), spool_files::Metadata(kKind, spool_files::kSpoolsKey, pending.holds)}));
    std::vector<std::string> sources;
    if (there) sources.push_back(path);
    for (const auto& name : pending.fresh) sources.push_back(spool_dir + "/" + name);
    const auto open = [&](size_t source, const std::vector<columnar::ColumnSpec>& columns) {
      return there && source == 0 ? columnar::OpenParquet(path, columns)
                                  : columnar::OpenStream(sources[source], columns);
    };

    // An execution that was killed after its requests were spooled ran again in a later session:
    // its requests are those of the last spool that has any.
    std::map<int64_t, size_t> source_of;
    for (const int64_t id : keep) source_of[id] = sources.size();
    for (size_t i = 0; i < sources.size(); ++i) {
      auto seen = spool_files::EachBatch(
          open(i, {Columns()[kExecution]}), sources[i], kKind, [&](const Table& table) -> Status {
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
      auto copied = spool_files::EachBatch(
          open(i, Columns()), sources[i], kKind, [&](const Table& table) -> Status {
            StoredRequests batch;
            KeyTable keys(batch.keys);
            LG_RETURN_IF_ERROR(FromTable(table, sources[i], keys, batch.requests));
            std::erase_if(batch.requests, [&](const Request& r) {
              if (r.execution < 0) return false;
              const auto kept = source_of.find(r.execution);
              return kept == source_of.end() || kept->second != i;
            });
            return writer->Append(
                ToTable(batch.requests, [&](uint32_t id) { return batch.keys[id]; }));
          });
      if (!copied.ok()) return copied.error();
    }
    LG_RETURN_IF_ERROR(writer->Close());
    LG_RETURN_IF_ERROR(spool_files::PutInPlace(temporary, path));
  }
  return spool_files::Remove(spool_dir, pending.all);
}

}  // namespace lakegauge::record
