#pragma once
// Two small tables as Parquet files, and what is true of them; for tests of engines.
//
//   numbers(id BIGINT, kind INTEGER, value DECIMAL(9,2))  kNumbersRows rows in kNumbersFiles files
//   names(id INTEGER, name VARCHAR, note VARCHAR)         kNamesRows rows in one
//
// Threads: any.

#include <string>
#include <utility>
#include <vector>

#include "workload/answer.h"

namespace lakegauge::engine::testing {

inline constexpr int kNumbersRows = 3000;
inline constexpr int kNumbersFiles = 3;
inline constexpr int kNamesRows = 5;

// Key ("numbers/part-0.parquet") and content.
std::vector<std::pair<std::string, std::string>> SmallTableFiles();
std::vector<std::pair<std::string, std::string>> ColumnsOf(const std::string& table);
// SELECT name, sum(value) ... GROUP BY name ORDER BY name.
workload::Answer SumsByName();
std::string NamesFileWithOneNameChanged();
// Content of a file that DuckDB writes for "COPY (`select`) TO ... (`options`)".
std::string WrittenByDuckDb(const std::string& select, const std::string& options);

}  // namespace lakegauge::engine::testing
