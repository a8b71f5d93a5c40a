#pragma once
// A run directory opened for reading as SQL tables: plan, journal, requests and manifests. Hides
// which of them are there yet.
//
// Threads: one thread at a time. Owns: an in-memory database. Errors: kNotFound for what is no run
// directory, kUnsupported for a version above ours, kCorrupt with file and line. What a run that is
// not finished has not written yet is a note, no error. Nothing below the run directory is written.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "record/annotations.h"
#include "record/journal.h"
#include "sql/sql.h"

namespace lakegauge::analyze {

// Cells as text, ready to be written; NULL is "".
struct TextTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

class Records {
 public:
  static Result<Records> Open(const std::string& run_dir);

  const Json& plan() const { return plan_; }
  const Json& environment() const { return environment_; }  // {} where there is none
  const record::Journal& journal() const { return journal_; }
  // Executions that a person marked invalid, by id: in no statistic.
  const std::map<int64_t, record::Annotation>& invalid() const { return invalid_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // Every statement that was run and can be, in order, for a reader in the run's folder.
  Json SqlTexts() const;
  std::string SqlScript() const;

  // Rows of a result table (table_sql.h) as objects. Columns "x_json" come parsed, as "x".
  Result<Json> Rows(std::string_view table);
  Result<TextTable> Text(std::string_view table);

 private:
  explicit Records(sql::Connection connection) : connection_(std::move(connection)) {}
  std::string run_dir_;
  Json plan_;
  Json environment_ = Json::object();
  record::Journal journal_;
  std::map<int64_t, record::Annotation> invalid_;
  std::vector<std::string> notes_;
  std::vector<std::pair<std::string, std::string>> base_sql_;  // name, text
  sql::Connection connection_;
};

}  // namespace lakegauge::analyze
