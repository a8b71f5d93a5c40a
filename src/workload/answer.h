#pragma once
// An answer to a query and the one rule by which answers are compared, everywhere.
//
// The rule (docs/formats.md, "answers", says the same):
//  - Same number of columns and rows; names of columns do not matter.
//  - A column is floating where either side's type is FLOAT, DOUBLE or REAL, exact where both are
//    integers or DECIMAL, else text. NULL equals NULL only.
//  - Exact: equal as decimals (1.50 = 1.5). Text: byte for byte, trailing spaces aside. Floating:
//    within kFloatTolerance of the larger magnitude or kFloatAbsolute, and, where the other side is
//    exact, also within half a unit of the last digit it wrote (that engine rounded). NaN equals
//    NaN, infinity the same infinity.
//  - Rows are matched one to one in any order. Where the query's order is known (ResultOrder), the
//    actual rows must also stand in that order, as far as its keys are columns of the answer. NULLs
//    may stand at either end unless the query says which; all of a column's stand at the same.
//  - Where the query limits its rows and the limit is reached, rows that tie with the last one in
//    those keys may be others: of them only the number and the keys are compared.
// The fingerprint is the fast path: equal fingerprints are rows that match by this rule, whatever
// order they stand in (OutOfOrder says whether it is the right one).
//
// Threads: values. Cost: an answer holds all its rows in memory.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge::workload {

inline constexpr double kFloatTolerance = 1e-6;
inline constexpr double kFloatAbsolute = 1e-9;

struct AnswerColumn {
  std::string name;
  std::string type;  // SQL type as the engine names it: "INTEGER", "decimal(7,2)", "DOUBLE"
};

struct Answer {
  std::vector<AnswerColumn> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;  // nullopt: NULL
};

// What a query's text promises about the order of its rows.
struct SortKey {
  int column = -1;   // index of an output column; -1: find it by name
  std::string name;  // of the output column, where `column` is -1
  bool descending = false;
  enum class Nulls { kEither, kFirst, kLast } nulls = Nulls::kEither;
};
struct ResultOrder {
  std::vector<SortKey> keys;  // the leading ORDER BY keys that are output columns
  int64_t limit = -1;         // -1: none
};

// Reads ORDER BY and LIMIT of a query (its last statement). What cannot be parsed promises nothing.
ResultOrder OrderOfSql(std::string_view sql);

// 16 hex digits: XXH3-64 of the number of columns and the rows, sorted, each value normalised by
// the rule above with floating point cut to 7 significant digits.
std::string Fingerprint(const Answer& answer);

// Empty when equal by the rule; else one line that says where they first differ.
std::string Difference(const Answer& expected, const Answer& actual, const ResultOrder& order = {});

// The part of the rule that a fingerprint cannot see: empty where the rows stand in the query's
// order, else one line about the first that does not.
std::string OutOfOrder(const Answer& actual, const ResultOrder& order);

Json ToJson(const Answer& answer);
Result<Answer> AnswerFromJson(const Json& json);

}  // namespace lakegauge::workload
