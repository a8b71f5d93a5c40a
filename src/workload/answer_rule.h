#pragma once
// The comparing rule of answer.h with its one knob, and the normalised form of values that the rule
// and the fingerprint share. Private to this room.
//
// Threads: pure.

#include <optional>
#include <string>
#include <string_view>

#include "workload/answer.h"
#include "workload/answer_values.h"

namespace lakegauge::workload {

struct CompareOptions {
  // The expected side was written out by something that rounded: numbers agree to half a unit of
  // its last digit too.
  bool expected_is_rounded = false;
};

std::string Compare(const Answer& expected, const Answer& actual, const ResultOrder& order,
                    const CompareOptions& options);

// The text that equal values of a kind share (floating numbers aside).
std::string Normalise(std::string_view value, ValueKind kind);
// Appends it to a row's key so that no two rows run into each other.
void AppendValue(const std::optional<std::string>& value, ValueKind kind, std::string* out);

}  // namespace lakegauge::workload
