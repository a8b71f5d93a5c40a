#include "dataset/layout_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "base/units.h"
#include "dataset/file_cutter.h"
#include "dataset/generators.h"
#include "dataset/orc_layout.h"
#include "dataset/stream_builder.h"

namespace lakegauge::dataset {
namespace {

// DuckDB stores this many rows together, and finds rows by their id only as fast as whole groups.
constexpr int64_t kBaseRowGroup = 122'880;
constexpr double kRangeBytes = 16 * kMiB;  // encoded
constexpr int64_t kDefaultMemory = kGiB;

// Rows that one worker encodes in one go: whole row groups of the base and whole units,
// as few as that, for wide rows fewer.
int64_t RangeRows(int64_t unit_rows, double row_bytes) {
  int64_t rows = std::lcm(kBaseRowGroup, unit_rows);
  while (rows / 2 % unit_rows == 0 && static_cast<double>(rows) * row_bytes > kRangeBytes)
    rows /= 2;
  return rows;
}

struct Range {
  size_t stream = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

// One stream on its way: ranges come back in any order and are taken in the table's.
struct StreamState {
  PlannedStream* planned = nullptr;
  std::vector<FileCutter> cutters;          // one a member
  std::map<int64_t, EncodedRange> waiting;  // by first row
  int64_t next_row = 0;
  size_t segment = 0;
  columnar::ContentFingerprint fingerprint;
};

// A file's jobs in order; at most one worker writes a file.
struct FileQueue {
  std::deque<WriteJob> jobs;
  bool listed = false;  // in the list of files to write, or being written
};

class Pipeline {
 public:
  Pipeline(sql::Database database, std::deque<PlannedStream>& streams,
           std::vector<LayoutInMaking>& layouts, const PrepareOptions& options, int threads,
           int64_t hold_limit)
      : database_(std::move(database)),
        layouts_(layouts),
        options_(options),
        threads_(threads),
        hold_limit_(hold_limit) {
    for (auto& planned : streams) AddStream(planned);
  }

  Status Run() {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads_; ++i) workers.emplace_back([this] { Work(); });
    workers.clear();
    return status_;
  }

  // Content fingerprints of the tables, by name.
  std::map<std::string, std::string> Fingerprints() const {
    std::map<std::string, std::string> out;
    for (const auto& s : streams_) {
      if (s.planned->stream.fingerprints) out[s.planned->stream.plan->name] = s.fingerprint.Text();
    }
    return out;
  }

 private:
  void AddStream(PlannedStream& planned) {
    const size_t index = streams_.size();
    auto& state = streams_.emplace_back();
    state.planned = &planned;
    const RowStream& stream = planned.stream;
    for (const auto& member : planned.members) {
      const size_t layout = member.layout;
      state.cutters.emplace_back(stream, member.codec, layouts_[layout].spec,
                                 layouts_[layout].folder,
                                 [this, layout](WriteJob job) { Enqueue(layout, std::move(job)); });
    }
    const int64_t rows = stream.plan->rows;
    const int64_t range_rows = RangeRows(stream.unit_rows, stream.plan->row_bytes);
    for (int64_t begin = 0; begin < rows;) {
      int64_t end = std::min(rows, begin + range_rows);
      end = UnitEnd(stream, begin, end);
      ranges_.push_back({index, begin, end});
      begin = end;
    }
    if (rows == 0) {
      for (auto& cutter : state.cutters) cutter.EndSegment();
    }
    total_rows_ += rows;
  }

  // The last row, from `end` down, at which a unit ends: units count from their segment's beginning
  // and must not depend on where ranges lie.
  static int64_t UnitEnd(const RowStream& stream, int64_t begin, int64_t end) {
    const auto segment =
        std::lower_bound(stream.segments.begin(), stream.segments.end(), end,
                         [](const Segment& s, int64_t row) { return s.end < row; });
    if (segment->end == end) return end;
    const int64_t units = (end - segment->begin) / stream.unit_rows;
    const int64_t at = segment->begin + units * stream.unit_rows;
    return at > begin ? at : std::min(segment->end, at + stream.unit_rows);
  }

  // Under the lock (or before the workers start).
  void Enqueue(size_t layout, WriteJob job) {
    OutputFile* key = job.file.get();
    auto& queue = files_[key];
    layout_of_[key] = layout;
    queue.jobs.push_back(std::move(job));
    if (!queue.listed) {
      queue.listed = true;
      ready_.push_back(key);
    }
  }

  void Work() {
    auto connection = database_.Connect();
    if (!connection.ok()) return Fail(connection.error());
    RangeEncoder encoder(std::move(*connection), &held_);
    std::unique_lock lock(mutex_);
    for (;;) {
      if (options_.stop.stop_requested() && status_.ok()) {
        status_ = MakeError(ErrorCode::kCancelled, "writing layouts was stopped");
      }
      if (!status_.ok()) break;
      if (!ready_.empty()) {
        WriteNext(lock);
      } else if (next_range_ < ranges_.size() && (held_ < hold_limit_ || active_ == 0)) {
        EncodeNext(encoder, lock);
      } else if (active_ == 0 && next_range_ == ranges_.size()) {
        break;
      } else {
        changed_.wait(lock);
      }
    }
    changed_.notify_all();
  }

  void WriteNext(std::unique_lock<std::mutex>& lock) {
    OutputFile* key = ready_.front();
    ready_.pop_front();
    WriteJob job = std::move(files_[key].jobs.front());
    files_[key].jobs.pop_front();
    ++active_;
    lock.unlock();
    Status status = job.file->Write(job.pieces);
    job.pieces.clear();  // gives their bytes back before anyone is woken
    Result<FileEntry> entry = FileEntry{};
    if (status.ok() && job.last) {
      entry = job.file->Finish();
      if (!entry.ok()) status = entry.error();
    }
    lock.lock();
    --active_;
    if (!status.ok()) {
      if (status_.ok()) status_ = status;
    } else if (job.last) {
      bytes_ += entry->size;
      layouts_[layout_of_[key]].files.push_back(std::move(*entry));
      files_.erase(key);
      layout_of_.erase(key);
    } else if (files_[key].jobs.empty()) {
      files_[key].listed = false;
    } else {
      ready_.push_back(key);
    }
    changed_.notify_all();
  }

  void EncodeNext(RangeEncoder& encoder, std::unique_lock<std::mutex>& lock) {
    const Range range = ranges_[next_range_++];
    StreamState& state = streams_[range.stream];
    ++active_;
    lock.unlock();
    auto encoded = encoder.Encode(state.planned->stream, range.begin, range.end);
    lock.lock();
    --active_;
    if (!encoded.ok()) {
      if (status_.ok()) status_ = encoded.error();
    } else {
      state.waiting.emplace(range.begin, std::move(*encoded));
      Take(state);
      done_rows_ += range.end - range.begin;
      if (options_.progress) {
        options_.progress({state.planned->stream.plan->name,
                           static_cast<double>(done_rows_) / static_cast<double>(total_rows_),
                           bytes_});
      }
    }
    changed_.notify_all();
  }

  // Hands on what is next in the table's order.
  void Take(StreamState& state) {
    const auto& segments = state.planned->stream.segments;
    for (auto it = state.waiting.begin(); it != state.waiting.end() && it->first == state.next_row;
         it = state.waiting.begin()) {
      EncodedRange range = std::move(it->second);
      state.waiting.erase(it);
      state.fingerprint.Merge(range.fingerprint);
      for (const auto& unit : range.units) {
        for (auto& cutter : state.cutters) cutter.Add(unit);
        state.next_row += unit.encoded->rows;
        if (state.next_row == segments[state.segment].end) {
          for (auto& cutter : state.cutters) cutter.EndSegment();
          ++state.segment;
        }
      }
    }
  }

  void Fail(const Error& error) {
    std::scoped_lock lock(mutex_);
    if (status_.ok()) status_ = error;
    changed_.notify_all();
  }

  sql::Database database_;
  std::vector<LayoutInMaking>& layouts_;
  const PrepareOptions options_;
  const int threads_;
  const int64_t hold_limit_;
  std::atomic<int64_t> held_{0};

  std::mutex mutex_;
  std::condition_variable changed_;
  Status status_;
  std::deque<StreamState> streams_;
  std::vector<Range> ranges_;
  size_t next_range_ = 0;
  int active_ = 0;
  std::map<OutputFile*, FileQueue> files_;
  std::map<OutputFile*, size_t> layout_of_;
  std::deque<OutputFile*> ready_;
  int64_t total_rows_ = 0;
  int64_t done_rows_ = 0;
  int64_t bytes_ = 0;
};

// Plans of all tables, made by several workers.
Result<std::vector<TablePlan>> PlanTables(sql::Database& database, const Base& base,
                                          const std::string& schema, int threads) {
  std::vector<TablePlan> plans(base.tables.size());
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Status status;
  const auto work = [&] {
    const auto plan = [&]() -> Status {
      LG_ASSIGN_OR_RETURN(auto connection, database.Connect());
      for (size_t i = next++; i < plans.size(); i = next++) {
        LG_ASSIGN_OR_RETURN(
            plans[i], PlanTable(connection, schema + "." + sql::QuoteName(base.tables[i].name),
                                base.tables[i]));
      }
      return {};
    };
    const auto made = plan();
    std::scoped_lock lock(mutex);
    if (!made.ok() && status.ok()) status = made;
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back(work);
  }
  if (!status.ok()) return status.error();
  return plans;
}

// Fingerprints of the tables that no encoded stream went over (all their layouts are ORC).
Status FingerprintRest(sql::Connection& connection, const std::vector<TablePlan>& plans,
                       const std::vector<LayoutInMaking>& layouts,
                       std::map<std::string, std::string>* fingerprints) {
  for (const auto& plan : plans) {
    const bool wanted = std::any_of(
        layouts.begin(), layouts.end(),
        [&](const LayoutInMaking& layout) { return HoldsTable(layout.spec, plan.name); });
    if (!wanted || fingerprints->count(plan.name) != 0) continue;
    LG_ASSIGN_OR_RETURN(auto reader, ReadRows(connection, "base.main." + sql::QuoteName(plan.name),
                                              plan.columns, plan.types, 0, plan.rows));
    columnar::ContentFingerprint fingerprint;
    std::vector<columnar::ColumnValues> values;
    for (;;) {
      LG_ASSIGN_OR_RETURN(const int64_t n, reader.Next(plan.unit_rows, &values));
      if (n == 0) break;
      fingerprint.Add(plan.types, values);
    }
    (*fingerprints)[plan.name] = fingerprint.Text();
  }
  return {};
}

void DescribeTables(const std::vector<TablePlan>& plans,
                    const std::map<std::string, std::string>& fingerprints,
                    LayoutInMaking* layout) {
  std::map<std::string, int64_t> bytes;
  for (const auto& file : layout->files) bytes[file.table] += file.size;
  for (const auto& plan : plans) {
    if (!HoldsTable(layout->spec, plan.name)) continue;
    const auto found = fingerprints.find(plan.name);
    layout->tables.push_back({plan.name, plan.columns, plan.rows, bytes[plan.name],
                              found == fingerprints.end() ? "" : found->second});
  }
}

}  // namespace

Status WriteLayouts(const Base& base, std::vector<LayoutInMaking>& layouts,
                    const std::string& scratch, const PrepareOptions& options) {
  const int threads = WorkerCount(options);
  const int64_t memory =
      options.memory_limit_bytes > 0 ? options.memory_limit_bytes : kDefaultMemory;
  // Workers run their own queries, so DuckDB needs no threads of its own.
  auto open = BaseDatabase("", 1, memory / 4);
  open.settings["temp_directory"] = scratch;
  LG_ASSIGN_OR_RETURN(auto database, sql::Database::Open(open));
  LG_ASSIGN_OR_RETURN(auto connection, database.Connect());
  LG_RETURN_IF_ERROR(connection.Execute(
      fmt::format("ATTACH {} AS base (READ_ONLY); ATTACH {} AS scratch",
                  sql::QuoteLiteral(base.path), sql::QuoteLiteral(scratch + "/sorted.duckdb"))));
  LG_ASSIGN_OR_RETURN(const auto plans, PlanTables(database, base, "base.main", threads));
  StreamBuilder builder(&connection, "base.main", "scratch.main");
  {
    std::stop_callback interrupt(options.stop, [&] { connection.Interrupt(); });
    for (const auto& plan : plans) LG_RETURN_IF_ERROR(builder.Add(plan, layouts));
  }
  // ORC layouts are written one after another once the others stand.
  const auto orc = std::count_if(layouts.begin(), layouts.end(),
                                 [](const LayoutInMaking& l) { return l.spec.format == "orc"; });
  const double share = 1 - static_cast<double>(orc) / static_cast<double>(layouts.size());
  Pipeline pipeline(database, builder.streams(), layouts, Within(options, 0, share), threads,
                    memory / 3);
  LG_RETURN_IF_ERROR(pipeline.Run());
  auto fingerprints = pipeline.Fingerprints();
  LG_RETURN_IF_ERROR(
      WriteOrcLayouts(database, plans, builder, layouts, threads, Within(options, share, 1)));
  LG_RETURN_IF_ERROR(FingerprintRest(connection, plans, layouts, &fingerprints));
  for (auto& layout : layouts) DescribeTables(plans, fingerprints, &layout);
  return {};
}

}  // namespace lakegauge::dataset
