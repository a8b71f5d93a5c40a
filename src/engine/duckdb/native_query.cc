#include "engine/duckdb/native_query.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <duckdb.hpp>
#include <duckdb/main/client_context.hpp>
#include <duckdb/main/pending_query_result.hpp>
#include <exception>

#include "base/clock.h"
#include "base/units.h"
#include "engine/duckdb/lane_state.h"
#include "engine/duckdb/store_file_system.h"
#include "sql/sql.h"

namespace lakegauge::engine {
namespace {

// Values of an answer: rows times columns. What is larger is no answer to compare and would not fit
// into memory as text.
constexpr uint64_t kMostValues = 10'000'000;

Error FromDuckDb(const duckdb::ErrorData& data) {
  Error error;
  error.message = sql::MessageLine(data.Message());
  switch (data.Type()) {
    case duckdb::ExceptionType::INTERRUPT:
      error.code = ErrorCode::kCancelled;
      break;
    case duckdb::ExceptionType::PARSER:
    case duckdb::ExceptionType::SYNTAX:
    case duckdb::ExceptionType::BINDER:
    case duckdb::ExceptionType::CATALOG:
    case duckdb::ExceptionType::CONVERSION:
    case duckdb::ExceptionType::INVALID_INPUT:
      error.code = ErrorCode::kInvalidArgument;
      break;
    case duckdb::ExceptionType::IO:
      error.code = ErrorCode::kUnavailable;
      break;
    case duckdb::ExceptionType::OUT_OF_MEMORY:
      error.code = ErrorCode::kOutOfSpace;
      break;
    default:
      error.code = ErrorCode::kInternal;
      break;
  }
  return error;
}

std::optional<std::string> TextOf(const duckdb::Value& value) {
  if (value.IsNull()) return std::nullopt;
  switch (value.type().id()) {
    case duckdb::LogicalTypeId::DOUBLE:  // shortest text that reads back as the same number
      return fmt::format("{}", value.GetValueUnsafe<double>());
    case duckdb::LogicalTypeId::FLOAT:
      return fmt::format("{}", value.GetValueUnsafe<float>());
    default:
      return value.ToString();
  }
}

Result<workload::Answer> AnswerOf(duckdb::MaterializedQueryResult& result) {
  const uint64_t values = result.RowCount() * result.ColumnCount();
  if (values > kMostValues) {
    return MakeError(
        ErrorCode::kLimitReached,
        fmt::format("the answer has {} rows of {} columns; more than {} values are "
                    "not kept: let the query aggregate or limit them",
                    result.RowCount(), result.ColumnCount(), FormatCount(kMostValues)));
  }
  workload::Answer answer;
  for (size_t c = 0; c < result.names.size(); ++c) {
    answer.columns.push_back({result.names[c], result.types[c].ToString()});
  }
  while (auto chunk = result.Fetch()) {
    for (duckdb::idx_t r = 0; r < chunk->size(); ++r) {
      auto& row = answer.rows.emplace_back();
      row.reserve(answer.columns.size());
      for (duckdb::idx_t c = 0; c < chunk->ColumnCount(); ++c) {
        row.push_back(TextOf(chunk->GetValue(c, r)));
      }
    }
  }
  return answer;
}

}  // namespace

Status CheckLibrary() {
  const std::string_view built_with = LAKEGAUGE_DUCKDB_HEADERS;
  std::string_view found = duckdb_library_version();
  if (found.starts_with('v')) found.remove_prefix(1);
  if (found != built_with) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("the DuckDB library is version {}, this was built with the "
                                 "headers of {}: run ./setup and build again",
                                 found, built_with));
  }
  return {};
}

Status InstallStores(void* connection, std::shared_ptr<const StorePaths> paths) {
  try {
    auto* native = reinterpret_cast<duckdb::Connection*>(connection);
    native->context->db->GetFileSystem().RegisterSubSystem(MakeStoreFileSystem(std::move(paths)));
  } catch (const std::exception& e) {
    return FromDuckDb(duckdb::ErrorData(e));
  }
  return {};
}

struct NativeConnection::Impl {
  duckdb::Connection* connection = nullptr;
  duckdb::shared_ptr<LaneState> lane;

  // Works on the query in this thread while there is work for it, and sleeps while there is none.
  duckdb::PendingExecutionResult Drive(duckdb::PendingQueryResult& pending) const {
    using State = duckdb::PendingExecutionResult;
    const auto idle = [](State s) { return s == State::NO_TASKS_AVAILABLE || s == State::BLOCKED; };
    const auto stop = lane->asking()->stop;
    for (;;) {
      // Again and again: an interrupt that came before the query began was forgotten at its start.
      if (stop.stop_requested()) connection->Interrupt();
      State state = pending.ExecuteTask();
      if (idle(state)) {
        lane->BeginWait();
        state = pending.ExecuteTask();
        if (idle(state)) lane->Wait();
        lane->EndWait();
      }
      if (!idle(state) && state != State::RESULT_NOT_READY) return state;
    }
  }

  duckdb::unique_ptr<duckdb::QueryResult> RunStatement(
      duckdb::unique_ptr<duckdb::SQLStatement> statement, int64_t* planned_ns) const {
    auto pending = connection->PendingQuery(std::move(statement), duckdb::QueryParameters());
    *planned_ns = RealClock().NowNs();
    if (pending->HasError()) {
      return duckdb::make_uniq<duckdb::MaterializedQueryResult>(pending->GetErrorObject());
    }
    Drive(*pending);
    if (pending->HasError()) {
      return duckdb::make_uniq<duckdb::MaterializedQueryResult>(pending->GetErrorObject());
    }
    return pending->Execute();
  }
};

NativeConnection::NativeConnection(void* connection) : impl_(std::make_unique<Impl>()) {
  impl_->connection = reinterpret_cast<duckdb::Connection*>(connection);
  impl_->lane = duckdb::make_shared_ptr<LaneState>();
  impl_->connection->context->registered_state->Insert(LaneState::kKey, impl_->lane);
}

NativeConnection::~NativeConnection() {
  impl_->connection->context->registered_state->Remove(LaneState::kKey);
}

void NativeConnection::SetAsking(Asking asking) { impl_->lane->SetAsking(std::move(asking)); }

void NativeConnection::Wake() { impl_->lane->Wake(); }

NativeConnection::Ran NativeConnection::Run(const std::string& sql) {
  Ran ran;
  duckdb::unique_ptr<duckdb::QueryResult> result;
  try {
    auto statements = impl_->connection->ExtractStatements(sql);
    if (statements.empty()) {
      ran.answer = MakeError(ErrorCode::kInvalidArgument, "no SQL statement");
    }
    for (auto& statement : statements) {
      result = impl_->RunStatement(std::move(statement), &ran.planned_ns);
      if (result->HasError()) break;
    }
    ran.end_ns = RealClock().NowNs();
    if (result && result->HasError()) {
      ran.answer = FromDuckDb(result->GetErrorObject());
    } else if (result) {
      ran.answer = AnswerOf(result->Cast<duckdb::MaterializedQueryResult>());
    }
  } catch (const std::exception& e) {
    ran.end_ns = RealClock().NowNs();
    ran.answer = FromDuckDb(duckdb::ErrorData(e));
  }
  return ran;
}

}  // namespace lakegauge::engine
