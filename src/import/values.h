#pragma once
// Numbers, states and moments as other tools write them in text.
//
// Threads: pure functions. Errors: kInvalidArgument with what was found and what is allowed.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "record/journal.h"

namespace lakegauge::imports {

// A time in nanoseconds: "12.5" in a unit of `ns_per_unit`, or with a unit of its own ("250 ms").
// A decimal comma is understood. From 0 to 30 years; no "nan" and no "inf".
Result<int64_t> ReadTime(std::string_view text, double ns_per_unit);
Result<int64_t> ReadInteger(std::string_view text);  // not negative
Result<bool> ReadBool(std::string_view text);
// "ok", "true", "success", "passed", "failed", "timeout" and the like; empty is ok.
Result<record::ExecutionStatus> ReadStatus(std::string_view text);
// Nanoseconds since 1970 of "2026-01-31T12:00:00.123Z" (also with a blank for T) or of milliseconds
// since 1970. Other dates do not say their zone and are refused.
Result<int64_t> ReadMoment(std::string_view text);
// A name of an engine, a store, a query: trimmed. Refused: empty, longer than 256 bytes, not UTF-8,
// or with control characters.
Result<std::string> ReadName(std::string_view text);

bool IsUtf8(std::string_view text);

}  // namespace lakegauge::imports
