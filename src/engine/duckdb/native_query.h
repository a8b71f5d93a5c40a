#pragma once
// What DuckDB's C API cannot do: put our file system under it, tag what a connection asks of
// stores, and run a query so that the calling thread works on it or sleeps, but never spins, and
// binds it once only. Hides DuckDB's C++ headers.
//
// Threads: one NativeConnection belongs to one thread at a time; Wake may be called from any.
// Owns: the connection handed over stays the caller's and outlives the NativeConnection.
// Errors: kCancelled after an interrupt, kInvalidArgument for wrong SQL, else by DuckDB's message.
// Source: DuckDB 1.5.5. Its C++ interface is stable in one version only, so another library is
//   refused (CheckLibrary).

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "engine/duckdb/store_paths.h"
#include "workload/answer.h"

namespace lakegauge::engine {

// Who asks a store for something.
struct Asking {
  int64_t execution = -1;
  int32_t lane = 0;
  std::stop_token stop;
};

// Refuses a DuckDB library of another version than the headers this was built with.
Status CheckLibrary();

// Makes "lgstore://" paths readable in a database; `connection` is a duckdb_connection.
Status InstallStores(void* connection, std::shared_ptr<const StorePaths> paths);

class NativeConnection {
 public:
  explicit NativeConnection(void* connection);
  ~NativeConnection();
  // Tags all that the connection asks of stores from now on.
  void SetAsking(Asking asking);

  struct Ran {
    int64_t end_ns = 0;      // when the result was whole, before it was turned into an Answer
    int64_t planned_ns = 0;  // when the last statement was bound and planned
    Result<workload::Answer> answer = workload::Answer();
  };
  // Runs all statements of `sql`; the answer is the last one's.
  Ran Run(const std::string& sql);
  // Makes a Run that waits look again (after an interrupt).
  void Wake();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lakegauge::engine
