#pragma once
// An answer to a query and the one rule by which answers are compared, everywhere.
//
// The rule: rows are compared as a sequence where the query orders them and no tie can explain a
// difference, else as a multiset; numbers agree within a relative 1e-9 or an absolute 1e-9 for exact
// types' text when equal as decimals, and within `kFloatTolerance` relative for floating point; NULL
// equals NULL only; text byte for byte, trailing spaces of CHAR ignored. The fingerprint (a hash of the
// normalised, sorted rows with floating point rounded to 6 significant digits) is only the fast path:
// equal fingerprints are equal answers, unequal ones are compared row by row.
//
// Threads: values.

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lakegauge::workload {

inline constexpr double kFloatTolerance = 1e-6;

struct AnswerColumn {
  std::string name;
  std::string type;
};

struct Answer {
  std::vector<AnswerColumn> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;  // nullopt: NULL
};

std::string Fingerprint(const Answer& answer);  // 16 hex digits

// Empty when equal by the rule; else one line that says where they first differ.
std::string Difference(const Answer& expected, const Answer& actual);

Json ToJson(const Answer& answer);
Result<Answer> AnswerFromJson(const Json& json);

}  // namespace lakegauge::workload
