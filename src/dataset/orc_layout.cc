#include "dataset/orc_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "base/units.h"
#include "columnar/orc_file.h"
#include "dataset/file_cutter.h"
#include "dataset/hashed_file.h"
#include "dataset/hive_path.h"

namespace lakegauge::dataset {
namespace {

constexpr int64_t kLargestStripe = 64 * kMiB;
// A file within this of its target is kept.
constexpr double kGoodEnough = 0.04;
constexpr int kTries = 6;
// Files up to this are made in memory and tried again; larger ones miss by less and are written at
// once.
constexpr int64_t kInMemory = 256 * kMiB;

struct Task {
  size_t layout = 0;
  const TablePlan* plan = nullptr;
  std::string source;
  std::vector<Segment> segments;
  std::vector<size_t> stored;
};

class TableWriter {
 public:
  TableWriter(sql::Connection& connection, const Task& task, const LayoutInMaking& layout,
              const PrepareOptions& options)
      : connection_(connection), task_(task), layout_(layout), options_(options) {
    for (const size_t c : task.stored) {
      columns_ += (columns_.empty() ? "" : ", ") + sql::QuoteName(task.plan->columns[c].name);
    }
    row_bytes_ = task.plan->row_bytes;
    stripe_ = layout.spec.row_group_bytes > 0 ? layout.spec.row_group_bytes : kLargestStripe;
    if (layout.spec.target_file_bytes > 0) {
      stripe_ = std::min(stripe_, std::max<int64_t>(layout.spec.target_file_bytes, kMiB));
    }
  }

  Result<std::vector<FileEntry>> Write() {
    for (const auto& segment : task_.segments) LG_RETURN_IF_ERROR(WriteSegment(segment));
    return std::move(files_);
  }

 private:
  // Encodes rows [begin, end) into `sink`.
  Status Encode(int64_t begin, int64_t end, const columnar::OrcSinkFn& sink) {
    if (options_.stop.stop_requested()) {
      return MakeError(ErrorCode::kCancelled, "writing layouts was stopped");
    }
    LG_ASSIGN_OR_RETURN(auto stream, connection_.Stream(fmt::format(
                                         "SELECT {} FROM {} WHERE rowid BETWEEN {} AND {}",
                                         columns_, task_.source, begin, end - 1)));
    LG_ASSIGN_OR_RETURN(
        const int64_t rows,
        columnar::WriteOrc(stream.schema, stream.next, layout_.spec.compression, stripe_, sink));
    if (rows != end - begin) {
      return MakeError(ErrorCode::kCorrupt, fmt::format("table {} gave {} rows of {}",
                                                        task_.plan->name, rows, end - begin));
    }
    return {};
  }

  // The file from `begin` that comes nearest to the target, and where it ends.
  Result<std::string> Fit(int64_t begin, int64_t last, int64_t* end) {
    const auto target = static_cast<double>(layout_.spec.target_file_bytes);
    std::string best;
    double best_miss = 0;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const auto rows = static_cast<int64_t>(std::llround(target / row_bytes_));
      const int64_t to = std::clamp(begin + rows, begin + 1, last);
      std::string bytes;
      LG_RETURN_IF_ERROR(Encode(begin, to, [&](std::string_view piece) -> Status {
        bytes.append(piece);
        return {};
      }));
      const auto size = static_cast<double>(bytes.size());
      const double miss = std::abs(size / target - 1);
      row_bytes_ = size / static_cast<double>(to - begin);
      const bool done = miss <= kGoodEnough || (to == last && size < target);
      if (attempt == 0 || miss < best_miss || done) {
        best = std::move(bytes);
        best_miss = miss;
        *end = to;
      }
      if (done) break;
    }
    return best;
  }

  Status WriteSegment(const Segment& segment) {
    const int64_t target = layout_.spec.target_file_bytes;
    int64_t part = 0;
    for (int64_t begin = segment.begin; begin < segment.end || part == 0; ++part) {
      FileEntry entry;
      entry.table = task_.plan->name;
      entry.key = fmt::format("{}/{}{}part-{:05}.orc", EscapePathPart(entry.table), segment.folder,
                              segment.folder.empty() ? "" : "/", part);
      LG_ASSIGN_OR_RETURN(const auto file, HashedFile::Create(layout_.folder + "/" + entry.key));
      int64_t end = segment.end;
      if (target == 0 || target > kInMemory || begin == segment.end) {
        if (target > 0) {
          end =
              std::min(end, begin + static_cast<int64_t>(static_cast<double>(target) / row_bytes_));
        }
        LG_RETURN_IF_ERROR(
            Encode(begin, end, [&](std::string_view piece) { return file->Append(piece); }));
        if (target > 0 && end > begin) {
          row_bytes_ = static_cast<double>(file->size()) / static_cast<double>(end - begin);
        }
      } else {
        LG_ASSIGN_OR_RETURN(const std::string bytes, Fit(begin, segment.end, &end));
        LG_RETURN_IF_ERROR(file->Append(bytes));
      }
      LG_ASSIGN_OR_RETURN(const auto hashes, file->Finish());
      entry.size = hashes.size;
      entry.xxh3 = hashes.xxh3;
      entry.sha256 = hashes.sha256;
      entry.rows = end - begin;
      files_.push_back(std::move(entry));
      begin = end;
    }
    return {};
  }

  sql::Connection& connection_;
  const Task& task_;
  const LayoutInMaking& layout_;
  const PrepareOptions& options_;
  std::string columns_;
  double row_bytes_ = 1;
  int64_t stripe_ = 0;
  std::vector<FileEntry> files_;
};

}  // namespace

Status WriteOrcLayouts(sql::Database& database, const std::vector<TablePlan>& plans,
                       StreamBuilder& builder, std::vector<LayoutInMaking>& layouts, int threads,
                       const PrepareOptions& options) {
  std::vector<Task> tasks;
  for (size_t l = 0; l < layouts.size(); ++l) {
    if (layouts[l].spec.format != "orc") continue;
    for (const auto& plan : plans) {
      if (!HoldsTable(layouts[l].spec, plan.name)) continue;
      Task task;
      task.layout = l;
      task.plan = &plan;
      task.stored = StoredColumns(plan, layouts[l].spec);
      LG_RETURN_IF_ERROR(builder.Order(plan, layouts[l].spec, &task.source, &task.segments));
      tasks.push_back(std::move(task));
    }
  }
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Status status;
  int64_t bytes = 0;
  const auto work = [&]() -> Status {
    LG_ASSIGN_OR_RETURN(auto connection, database.Connect());
    // ORC's writer knows neither text views nor narrow decimals.
    LG_RETURN_IF_ERROR(connection.Execute("SET SESSION arrow_output_version = '1.0'"));
    for (size_t i = next++; i < tasks.size(); i = next++) {
      const Task& task = tasks[i];
      LG_ASSIGN_OR_RETURN(auto files,
                          TableWriter(connection, task, layouts[task.layout], options).Write());
      std::scoped_lock lock(mutex);
      if (!status.ok()) return {};
      for (auto& file : files) {
        bytes += file.size;
        layouts[task.layout].files.push_back(std::move(file));
      }
      if (options.progress) {
        options.progress({task.plan->name,
                          static_cast<double>(i + 1) / static_cast<double>(tasks.size()), bytes});
      }
    }
    return {};
  };
  {
    std::vector<std::jthread> workers;
    for (int t = 0; t < threads; ++t) {
      workers.emplace_back([&] {
        const auto done = work();
        std::scoped_lock lock(mutex);
        if (!done.ok() && status.ok()) status = done;
      });
    }
  }
  return status;
}

}  // namespace lakegauge::dataset
