#include "sql/sql.h"

#include <duckdb.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "sql/values.h"

namespace lakegauge::sql {
namespace {

// Below this the waiting thread would burn a core; DuckDB's C API offers no condition to wait on.
constexpr int64_t kPendingPollNs = 100'000;

Error DuckDbError(const char* message, duckdb_error_type type) {
  Error e;
  e.message = MessageLine(message == nullptr ? "DuckDB failed without saying why" : message);
  switch (type) {
    case DUCKDB_ERROR_INTERRUPT:
      e.code = ErrorCode::kCancelled;
      break;
    case DUCKDB_ERROR_PARSER:
    case DUCKDB_ERROR_BINDER:
    case DUCKDB_ERROR_CATALOG:
    case DUCKDB_ERROR_SYNTAX:
    case DUCKDB_ERROR_CONVERSION:
    case DUCKDB_ERROR_INVALID_INPUT:
      e.code = ErrorCode::kInvalidArgument;
      break;
    default:
      e.code = ErrorCode::kInternal;
      break;
  }
  if (e.message.find("No space left") != std::string::npos) e.code = ErrorCode::kOutOfSpace;
  return e;
}

Error DuckDbError(duckdb_result* result) {
  Error e = DuckDbError(duckdb_result_error(result), duckdb_result_error_type(result));
  duckdb_destroy_result(result);
  return e;
}

// A message without a type: the type stands at its beginning ("Parser Error: ...").
Error DuckDbError(const char* message) {
  const std::string_view text = message == nullptr ? "" : message;
  duckdb_error_type type = DUCKDB_ERROR_INVALID;
  for (const auto& [prefix, known] : {std::pair{"Parser Error", DUCKDB_ERROR_PARSER},
                                      std::pair{"Binder Error", DUCKDB_ERROR_BINDER},
                                      std::pair{"Catalog Error", DUCKDB_ERROR_CATALOG},
                                      std::pair{"Conversion Error", DUCKDB_ERROR_CONVERSION},
                                      std::pair{"INTERRUPT", DUCKDB_ERROR_INTERRUPT}}) {
    if (text.starts_with(prefix)) type = known;
  }
  return DuckDbError(message, type);
}

void Nap() {
  const timespec t{0, kPendingPollNs};
  nanosleep(&t, nullptr);
}

struct ResultHolder {
  duckdb_result result{};
  bool held = false;
  ~ResultHolder() {
    if (held) duckdb_destroy_result(&result);
  }
};

Rows ReadRows(duckdb_result& result) {
  Rows rows;
  const idx_t columns = duckdb_column_count(&result);
  std::vector<duckdb_logical_type> types;
  for (idx_t c = 0; c < columns; ++c) {
    types.push_back(duckdb_column_logical_type(&result, c));
    rows.columns.push_back({duckdb_column_name(&result, c), TypeName(types.back())});
  }
  rows.changed = static_cast<int64_t>(duckdb_rows_changed(&result));
  while (duckdb_data_chunk chunk = duckdb_fetch_chunk(result)) {
    const idx_t n = duckdb_data_chunk_get_size(chunk);
    for (idx_t r = 0; r < n; ++r) {
      auto& row = rows.rows.emplace_back();
      row.reserve(columns);
      for (idx_t c = 0; c < columns; ++c) {
        row.push_back(ReadValue(duckdb_data_chunk_get_vector(chunk, c), types[c], r));
      }
    }
    duckdb_destroy_data_chunk(&chunk);
  }
  for (auto& type : types) duckdb_destroy_logical_type(&type);
  return rows;
}

}  // namespace

struct Database::Handle {
  duckdb_database database = nullptr;
  ~Handle() { duckdb_close(&database); }
};

struct Connection::Impl {
  std::shared_ptr<Database::Handle> database;
  duckdb_connection connection = nullptr;
  ~Impl() {
    if (connection != nullptr) duckdb_disconnect(&connection);
  }

  Status RunPending(duckdb_prepared_statement statement, bool streaming, duckdb_result* out) const {
    duckdb_pending_result pending = nullptr;
    const auto made = streaming ? duckdb_pending_prepared_streaming(statement, &pending)
                                : duckdb_pending_prepared(statement, &pending);
    const auto fail = [&] {
      Error e = DuckDbError(duckdb_pending_error(pending));
      duckdb_destroy_pending(&pending);
      return e;
    };
    if (made != DuckDBSuccess) return fail();
    for (;;) {
      const duckdb_pending_state state = duckdb_pending_execute_task(pending);
      if (state == DUCKDB_PENDING_ERROR) return fail();
      if (duckdb_pending_execution_is_finished(state)) break;
      if (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE) Nap();
    }
    const bool ok = duckdb_execute_pending(pending, out) == DuckDBSuccess;
    duckdb_destroy_pending(&pending);
    if (!ok) return DuckDbError(out);
    return {};
  }

  // Hands over each statement of `sql`, prepared, and whether it is the last, until one fails or
  // `use` has enough (false).
  using UseFn = std::function<Result<bool>(duckdb_prepared_statement statement, bool last)>;
  Status ForEach(std::string_view sql, const UseFn& use) const {
    duckdb_extracted_statements statements = nullptr;
    const idx_t n = duckdb_extract_statements(connection, std::string(sql).c_str(), &statements);
    if (n == 0) {
      const char* message = duckdb_extract_statements_error(statements);
      Error e = DuckDbError(message != nullptr ? message : "Parser Error: no SQL statement");
      duckdb_destroy_extracted(&statements);
      return e;
    }
    Result<bool> more = true;
    for (idx_t i = 0; i < n && more.ok() && *more; ++i) {
      duckdb_prepared_statement prepared = nullptr;
      if (duckdb_prepare_extracted_statement(connection, statements, i, &prepared) !=
          DuckDBSuccess) {
        more = DuckDbError(duckdb_prepare_error(prepared));
      } else {
        more = use(prepared, i + 1 == n);
      }
      duckdb_destroy_prepare(&prepared);
    }
    duckdb_destroy_extracted(&statements);
    if (!more.ok()) return more.error();
    return {};
  }

  // Runs all statements; leaves the last one's result in *out.
  Status Run(std::string_view sql, bool streaming, ResultHolder* out) const {
    return ForEach(sql, [&](duckdb_prepared_statement statement, bool last) -> Result<bool> {
      if (out->held) duckdb_destroy_result(&out->result);
      out->held = false;
      LG_RETURN_IF_ERROR(RunPending(statement, streaming && last, &out->result));
      out->held = true;
      return true;
    });
  }
};

std::string ToText(const Value& value) {
  struct Visitor {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return s; }
  };
  return std::visit(Visitor{}, value);
}

double ToDouble(const Value& value, double fallback) {
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? 1 : 0;
  if (const auto* s = std::get_if<std::string>(&value)) {
    double parsed = 0;
    const auto [end, ec] = std::from_chars(s->data(), s->data() + s->size(), parsed);
    if (ec == std::errc() && end == s->data() + s->size()) return parsed;
  }
  return fallback;
}

int64_t ToInt(const Value& value, int64_t fallback) {
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  if (const auto* s = std::get_if<std::string>(&value)) {
    int64_t parsed = 0;
    const auto [end, ec] = std::from_chars(s->data(), s->data() + s->size(), parsed);
    if (ec == std::errc() && end == s->data() + s->size()) return parsed;
  }
  if (std::holds_alternative<std::monostate>(value)) return fallback;
  return static_cast<int64_t>(ToDouble(value, static_cast<double>(fallback)));
}

std::string MessageLine(std::string_view message) {
  message = message.substr(0, std::min(message.find("\n\n"), message.find("\nLINE ")));
  std::string out;
  for (const char c : message) {
    if (c != '\n' && c != '\r') {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string QuoteLiteral(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

std::string QuoteName(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

bool HasGlob(std::string_view path) { return path.find_first_of("*?[") != std::string_view::npos; }

std::string EscapeGlob(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (HasGlob({&c, 1})) {
      out += {'[', c, ']'};
    } else {
      out += c;
    }
  }
  return out;
}

std::string QuoteFiles(const std::vector<std::string>& paths) {
  std::string list;
  for (const auto& path : paths) {
    list += (list.empty() ? "" : ", ") + QuoteLiteral(EscapeGlob(path));
  }
  return "[" + list + "]";
}

std::string ExtensionFolder() {
  const char* folder = std::getenv("LAKEGAUGE_EXTENSIONS");
  return folder != nullptr && *folder != 0 ? folder : LAKEGAUGE_EXTENSIONS_DEFAULT;
}

std::string DuckDbVersion() { return duckdb_library_version(); }

Result<Database> Database::Open(const DatabaseOptions& options) {
  duckdb_config config = nullptr;
  if (duckdb_create_config(&config) != DuckDBSuccess) {
    return MakeError(ErrorCode::kInternal, "DuckDB could not make a configuration");
  }
  std::map<std::string, std::string> settings = {{"autoinstall_known_extensions", "false"},
                                                 {"autoload_known_extensions", "false"}};
  if (options.read_only) settings["access_mode"] = "READ_ONLY";
  for (const auto& [key, value] : options.settings) settings[key] = value;
  for (const auto& [key, value] : settings) {
    if (duckdb_set_config(config, key.c_str(), value.c_str()) != DuckDBSuccess) {
      duckdb_destroy_config(&config);
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("DuckDB does not take the setting {} = '{}'", key, value));
    }
  }
  Database database;
  database.handle_ = std::make_shared<Handle>();
  char* message = nullptr;
  const auto opened = duckdb_open_ext(options.path.empty() ? nullptr : options.path.c_str(),
                                      &database.handle_->database, config, &message);
  duckdb_destroy_config(&config);
  if (opened != DuckDBSuccess) {
    Error e = DuckDbError(message);
    duckdb_free(message);
    return e;
  }
  if (!options.extensions.empty()) {
    LG_ASSIGN_OR_RETURN(Connection connection, database.Connect());
    for (const auto& name : options.extensions) {
      LG_RETURN_IF_ERROR(connection.Execute(
          "LOAD " + QuoteLiteral(ExtensionFolder() + "/" + name + ".duckdb_extension")));
    }
  }
  return database;
}

Result<Connection> Database::Connect() {
  auto impl = std::make_unique<Connection::Impl>();
  impl->database = handle_;
  if (duckdb_connect(handle_->database, &impl->connection) != DuckDBSuccess) {
    return MakeError(ErrorCode::kInternal, "DuckDB did not open a connection");
  }
  return Connection(std::move(impl));
}

void* Database::raw() const { return handle_->database; }

Connection::Connection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;
Connection::~Connection() = default;

Result<Rows> Connection::Query(std::string_view sql) {
  ResultHolder holder;
  LG_RETURN_IF_ERROR(impl_->Run(sql, false, &holder));
  return ReadRows(holder.result);
}

Status Connection::Check(std::string_view sql) {
  return impl_->ForEach(sql, [](duckdb_prepared_statement statement, bool) -> Result<bool> {
    return duckdb_prepared_statement_type(statement) == DUCKDB_STATEMENT_TYPE_SELECT;
  });
}

Status Connection::Execute(std::string_view sql) {
  ResultHolder holder;
  return impl_->Run(sql, false, &holder);
}

Result<ArrowSource> Connection::Stream(std::string_view sql) {
  struct State {
    ResultHolder holder;
    duckdb_arrow_options options = nullptr;
    ~State() {
      if (options != nullptr) duckdb_destroy_arrow_options(&options);
    }
  };
  auto state = std::make_shared<State>();
  LG_RETURN_IF_ERROR(impl_->Run(sql, true, &state->holder));
  state->options = duckdb_result_get_arrow_options(&state->holder.result);

  const auto check = [](duckdb_error_data error) -> Status {
    if (error == nullptr) return {};
    Status status;
    if (duckdb_error_data_has_error(error)) {
      status = DuckDbError(duckdb_error_data_message(error), duckdb_error_data_error_type(error));
    }
    duckdb_destroy_error_data(&error);
    return status;
  };

  ArrowSource source;
  source.schema = [state, check](ArrowSchema* out) -> Status {
    std::vector<duckdb_logical_type> types;
    std::vector<const char*> names;
    duckdb_result* result = &state->holder.result;
    for (idx_t c = 0; c < duckdb_column_count(result); ++c) {
      types.push_back(duckdb_column_logical_type(result, c));
      names.push_back(duckdb_column_name(result, c));
    }
    auto status = check(
        duckdb_to_arrow_schema(state->options, types.data(), names.data(), types.size(), out));
    for (auto& type : types) duckdb_destroy_logical_type(&type);
    return status;
  };
  source.next = [state, check](ArrowArray* out) -> Result<bool> {
    duckdb_data_chunk chunk = duckdb_fetch_chunk(state->holder.result);
    if (chunk == nullptr) {
      const char* message = duckdb_result_error(&state->holder.result);
      if (message != nullptr && *message != 0) return DuckDbError(message);
      return false;
    }
    const auto status = check(duckdb_data_chunk_to_arrow(state->options, chunk, out));
    duckdb_destroy_data_chunk(&chunk);
    if (!status.ok()) return status.error();
    return true;
  };
  return source;
}

void Connection::Interrupt() { duckdb_interrupt(impl_->connection); }

double Connection::ProgressPercent() { return duckdb_query_progress(impl_->connection).percentage; }

void* Connection::raw() const { return impl_->connection; }

}  // namespace lakegauge::sql
