#pragma once
// Single values of answers as the comparing rule sees them: what kind of column they stand in, and
// the one text that equal exact values share. Private to this room.
//
// Threads: pure.

#include <optional>
#include <string>
#include <string_view>

namespace lakegauge::workload {

enum class ValueKind { kUnknown, kText, kExact, kFloat };

// Of an SQL type name; "" is kUnknown.
ValueKind KindOfType(std::string_view type);
// Of a column that one side has as `a` and the other as `b`.
ValueKind Joint(ValueKind a, ValueKind b);

// "+01.50" -> "1.5", "-0.00" -> "0"; nullopt where the text is no plain decimal number.
std::optional<std::string> CanonicalDecimal(std::string_view text);
// Any finite number, exponents included.
std::optional<double> ParseFinite(std::string_view text);
// Half a unit of the last digit written: "12.30" -> 0.005, "7" -> 0.5.
double HalfLastDigit(std::string_view text);
std::string_view WithoutTrailingSpaces(std::string_view text);

// `value` as the fingerprint has it: cut to 7 significant digits, so that equal texts are values
// within kFloatTolerance. Neighbouring cells meet at 0.381966 of a unit instead of one half:
// averages of money often end in exactly 5, and would fall on either side by their last bit.
std::string CutToSevenDigits(double value);

}  // namespace lakegauge::workload
