#include "engine/duckdb/duckdb_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/units.h"
#include "engine/duckdb/native_query.h"
#include "engine/duckdb/table_sql.h"
#include "engine/threads.h"
#include "engine/watchdog.h"

namespace lakegauge::engine {
namespace {

using record::ExecutionStatus;

constexpr size_t kBindAtOnce = 8;

// CPU of this thread and of those of DuckDB's that used any, before and after.
class CpuOfThreads {
 public:
  explicit CpuOfThreads(const std::vector<int32_t>& workers) {
    ids_ = workers;
    ids_.push_back(ThisThreadId());
    for (const int32_t id : ids_) before_.push_back(CpuOfThread(id));
  }
  std::vector<record::ThreadCpu> Finish() const {
    std::vector<record::ThreadCpu> out;
    for (size_t i = 0; i < ids_.size(); ++i) {
      const int64_t after = CpuOfThread(ids_[i]);
      const bool used = after > before_[i] || ids_[i] == ids_.back();
      if (used && before_[i] >= 0 && after >= 0) out.push_back({ids_[i], before_[i], after});
    }
    return out;
  }

 private:
  std::vector<int32_t> ids_;
  std::vector<int64_t> before_;
};

// Whether another execution of the same engine ran in between.
class Alone {
 public:
  explicit Alone(DuckDbCore& core) : core_(core) {
    mine_ = ++core_.begun;
    alone_ = ++core_.running == 1;
  }
  ~Alone() { --core_.running; }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  bool so_far() const { return alone_ && core_.begun == mine_; }

 private:
  DuckDbCore& core_;
  int64_t mine_ = 0;
  bool alone_ = false;
};

class DuckDbSession : public Session {
 public:
  DuckDbSession(std::shared_ptr<DuckDbCore> core, sql::Connection connection, int32_t stream)
      : core_(std::move(core)),
        connection_(std::move(connection)),
        stream_(stream),
        native_(connection_.raw()),
        watchdog_([this] { CallOff(ExecutionStatus::kTimeout); }) {
    native_.SetAsking({-1, stream_, {}});
  }

  Status Bind(const std::vector<TableLocation>& tables) override {
    std::vector<std::string> views;
    const std::string schema = fmt::format("lakegauge_{}", ++core_->schemas);
    for (const auto& table : tables) {
      if (table.store == nullptr) {
        return MakeError(
            ErrorCode::kInvalidArgument,
            fmt::format("table {}: DuckDB reads through a Store, and none was given", table.name));
      }
      LG_ASSIGN_OR_RETURN(std::string view,
                          CreateViewSql(table, schema, core_->paths->RootOf(table.store)));
      views.push_back(std::move(view));
    }
    LG_RETURN_IF_ERROR(connection_.Execute("CREATE SCHEMA " + schema));
    const std::string old = std::exchange(schema_, schema);
    LG_RETURN_IF_ERROR(connection_.Execute("SET schema = " + sql::QuoteLiteral(schema)));
    if (!old.empty()) {
      LG_RETURN_IF_ERROR(connection_.Execute("DROP SCHEMA " + old + " CASCADE"));
    }
    return CreateViews(tables, views);
  }

  Result<Outcome> Execute(const Task& task) override {
    std::stop_source stop;
    {
      std::lock_guard lock(running_mutex_);
      running_ = &stop;
      called_off_ = ExecutionStatus::kOk;
    }
    native_.SetAsking({task.execution, task.stream, stop.get_token()});

    Outcome outcome;
    outcome.main_thread = ThisThreadId();
    const Alone alone(*core_);
    const CpuOfThreads cpu(core_->workers);
    const double busy_before = MachineBusySeconds();
    if (task.deadline_ns > 0) watchdog_.Arm(task.deadline_ns);
    outcome.start_ns = RealClock().NowNs();
    NativeConnection::Ran ran = native_.Run(task.sql);
    outcome.end_ns = ran.end_ns;
    outcome.threads = cpu.Finish();
    outcome.machine_busy_s = MachineBusySeconds() - busy_before;
    if (task.deadline_ns > 0) watchdog_.Disarm();
    {
      std::lock_guard lock(running_mutex_);
      running_ = nullptr;
    }
    native_.SetAsking({-1, stream_, {}});

    if (alone.so_far()) {
      outcome.cpu_ns = 0;
      for (const auto& thread : outcome.threads) outcome.cpu_ns += thread.end_ns - thread.start_ns;
    }
    if (ran.planned_ns > 0) {
      outcome.metrics.push_back(
          {"planning_s", static_cast<double>(ran.planned_ns - outcome.start_ns) / 1e9, "s"});
    }
    Judge(std::move(ran.answer), task, &outcome);
    return outcome;
  }

  void Cancel() override { CallOff(ExecutionStatus::kCancelled); }

  Status DropCaches() override {
    if (core_->settings["parquet_metadata_cache"] == "true") {
      return MakeError(ErrorCode::kUnsupported,
                       "DuckDB cannot forget Parquet footers while parquet_metadata_cache is on");
    }
    if (core_->settings["enable_external_file_cache"] == "true") {
      LG_RETURN_IF_ERROR(connection_.Execute("SET enable_external_file_cache=false"));
      LG_RETURN_IF_ERROR(connection_.Execute("SET enable_external_file_cache=true"));
    }
    return {};
  }

 private:
  // From any thread: ends what is running, wherever it is: computing, waiting for a store, or
  // waiting for DuckDB's other threads.
  void CallOff(ExecutionStatus why) {
    std::lock_guard lock(running_mutex_);
    if (running_ == nullptr) return;
    if (called_off_ == ExecutionStatus::kOk) called_off_ = why;
    running_->request_stop();
    connection_.Interrupt();
    native_.Wake();
  }

  // Each view asks the store for a listing and a footer: on a slow one, several at once.
  Status CreateViews(const std::vector<TableLocation>& tables,
                     const std::vector<std::string>& views) const {
    std::vector<Status> made(views.size());
    std::atomic<size_t> next{0};
    {
      std::vector<std::jthread> workers;
      for (size_t w = 0; w < std::min(kBindAtOnce, views.size()); ++w) {
        workers.emplace_back([&] {
          auto connection = core_->database->Connect();
          std::optional<NativeConnection> native;
          if (connection.ok()) {
            native.emplace(connection->raw());
            native->SetAsking({-1, stream_, {}});
          }
          for (size_t i = next++; i < views.size(); i = next++) {
            made[i] = connection.ok() ? connection->Execute(views[i]) : Status(connection.error());
          }
        });
      }
    }
    for (size_t i = 0; i < made.size(); ++i) {
      if (made[i].ok()) continue;
      made[i].error().message = core_->paths->ForPeople(made[i].error().message);
      return made[i].error().WithContext("table " + tables[i].name);
    }
    return {};
  }

  void Judge(Result<workload::Answer> answer, const Task& task, Outcome* outcome) const {
    if (answer.ok()) {
      outcome->answer = *std::move(answer);
      outcome->rows = static_cast<int64_t>(outcome->answer.rows.size());
      return;
    }
    if (called_off_ == ExecutionStatus::kTimeout) {
      outcome->status = ExecutionStatus::kTimeout;
      outcome->error =
          fmt::format("stopped at its deadline, after {}",
                      FormatDuration(std::max<int64_t>(0, task.deadline_ns - outcome->start_ns)));
    } else if (called_off_ == ExecutionStatus::kCancelled) {
      outcome->status = ExecutionStatus::kCancelled;
      outcome->error = "cancelled";
    } else {
      outcome->status = ExecutionStatus::kFailed;
      outcome->error = core_->paths->ForPeople(answer.error().message);
    }
  }

  const std::shared_ptr<DuckDbCore> core_;
  sql::Connection connection_;
  const int32_t stream_;
  NativeConnection native_;
  std::string schema_;  // of its views; empty: none bound yet

  std::mutex running_mutex_;
  std::stop_source* running_ = nullptr;  // of the execution under way
  ExecutionStatus called_off_ = ExecutionStatus::kOk;

  Watchdog watchdog_;  // last: its thread uses the rest
};

}  // namespace

Result<std::unique_ptr<Session>> OpenDuckDbSession(std::shared_ptr<DuckDbCore> core,
                                                   int32_t stream) {
  LG_ASSIGN_OR_RETURN(sql::Connection connection, core->database->Connect());
  for (const auto& [name, value] : core->local_settings) {
    LG_RETURN_IF_ERROR(
        connection.Execute(fmt::format("SET {} = {}", name, sql::QuoteLiteral(value))));
  }
  std::unique_ptr<Session> session =
      std::make_unique<DuckDbSession>(std::move(core), std::move(connection), stream);
  return session;
}

}  // namespace lakegauge::engine
