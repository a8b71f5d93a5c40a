#pragma once
// Where each field of a sample comes from: what the user said on the command line, and which names
// of columns are understood without being told.
//
// Threads: values. Errors: kInvalidArgument with what was found and what is allowed.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakegauge::imports {

// engine, store, layout, dataset, query, iteration, stream, seconds, ms, status, error, rows,
// started, warmup.
const std::vector<std::string>& FieldNames();

class Mapping {
 public:
  // `maps`: "FIELD=COLUMN" or "FIELD=COLUMN+COLUMN" (joined by '-'); `sets`: "FIELD=TEXT", in which
  // {file} is the file's name without its ending.
  static Result<Mapping> Parse(const std::vector<std::string>& maps,
                               const std::vector<std::string>& sets);

  // Columns the user named for a field; empty: none.
  const std::vector<std::string>& Columns(const std::string& field) const;
  // The text the user set for a field of this file.
  std::optional<std::string> Constant(const std::string& field, const std::string& path) const;

 private:
  std::map<std::string, std::vector<std::string>> columns_;
  std::map<std::string, std::string> constants_;
};

// Lower case, everything but letters and digits a single '_': how names of columns are compared.
std::string PlainName(std::string_view name);
// Plain names of columns that are understood as a field without being told, best first.
const std::vector<std::string>& KnownColumns(const std::string& field);
// 1e9 for "seconds", "elapsed_s", "time (sec)"; 1e6 for "elapsed_ms"; of a plain name that is a
// time with its unit. 0: a time without one ("elapsed"); absent: no time.
std::optional<double> NsPerUnitOf(std::string_view plain_name);

}  // namespace lakegauge::imports
