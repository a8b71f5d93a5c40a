#pragma once
// DuckDB behind a narrow door: databases, connections, queries that can be interrupted, typed rows
// and Arrow streams. Only the C API is used here.
//
// Threads: a Database may be shared by threads; a Connection belongs to one thread at a time,
// except
//   Interrupt(), which any thread may call.
// Owns: a Connection keeps its Database alive. Errors: DuckDB's MessageLine,
// kInvalidArgument
//   for SQL that is wrong, kCancelled after Interrupt, kOutOfSpace, kInternal else.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

struct ArrowArray;
struct ArrowSchema;

namespace lakegauge::sql {

struct DatabaseOptions {
  std::string path;                             // empty: in memory
  std::map<std::string, std::string> settings;  // e.g. {"threads","2"}, {"memory_limit","1GB"}
  std::vector<std::string> extensions;  // "tpcds", "httpfs": loaded from third_party, offline
  bool read_only = false;
};

// One value as it came. Decimals, dates, timestamps and nested values come as their SQL text.
using Value = std::variant<std::monostate, bool, int64_t, double, std::string>;

struct Column {
  std::string name;
  std::string type;  // SQL type name: "INTEGER", "DECIMAL(7,2)", "VARCHAR"
};

struct Rows {
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;
  int64_t changed = 0;  // rows inserted, updated, deleted
};

std::string ToText(const Value& value);  // NULL is ""; doubles by shortest round trip
double ToDouble(const Value& value, double fallback = 0);
int64_t ToInt(const Value& value, int64_t fallback = 0);

// DuckDB's message as one line, without the piece of SQL and the advice that may stand below it.
std::string MessageLine(std::string_view message);

// 'it''s' and "a""b".
std::string QuoteLiteral(std::string_view text);
std::string QuoteName(std::string_view name);

// Whether DuckDB takes the path for a pattern, and `path` so that a pattern with it matches just
// itself: every path that goes to glob() or to a function that reads files needs it, elements of a
// list too.
bool HasGlob(std::string_view path);
std::string EscapeGlob(std::string_view path);
// ['a', 'b']: files by their paths, for a function that reads files.
std::string QuoteFiles(const std::vector<std::string>& paths);

// Folder of the signed extensions; LAKEGAUGE_EXTENSIONS overrides the one the build knows.
std::string ExtensionFolder();
std::string DuckDbVersion();

class Connection;

class Database {
 public:
  static Result<Database> Open(const DatabaseOptions& options);
  Result<Connection> Connect();
  struct Handle;
  // For the one adapter that registers a file system (engine/duckdb): duckdb_database as void*.
  void* raw() const;

 private:
  friend class Connection;
  std::shared_ptr<Handle> handle_;
};

// Streams of record batches: `next` fills an ArrowArray (release is the caller's) and says whether
// there was one. The schema is the caller's to release as well.
struct ArrowSource {
  std::function<Status(ArrowSchema*)> schema;
  std::function<Result<bool>(ArrowArray*)> next;
};

class Connection {
 public:
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;
  ~Connection();

  // Runs one or several ';'-separated statements; rows of the last one.
  Result<Rows> Query(std::string_view sql);
  Status Execute(std::string_view sql);
  // Binds and plans statements and runs none of them; what comes after one that is no query may
  // need it, and is left out.
  Status Check(std::string_view sql);
  // Streams the result in chunks of DuckDB's vector size (2,048 rows), in order, without
  // materialising it. The connection is busy until the source is dropped.
  Result<ArrowSource> Stream(std::string_view sql);
  // Makes the running query end with kCancelled; the connection stays usable.
  void Interrupt();
  // 0 to 100, or -1 where DuckDB cannot tell.
  double ProgressPercent();
  void* raw() const;  // duckdb_connection, for engine/duckdb

 private:
  friend class Database;
  struct Impl;
  explicit Connection(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lakegauge::sql
