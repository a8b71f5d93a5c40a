#pragma once
// Figures as the text reporters print them: three significant digits, units, and "-" for what is
// not known.
//
// Threads: pure functions over a summary's JSON.

#include <string>
#include <string_view>

#include "base/json.h"

namespace lakegauge::report {

std::string Seconds(const Json& value);  // "12.3", "0.412", "-": three significant digits, no unit
std::string Count(const Json& value);    // "1,234"
std::string Bytes(const Json& value);    // "8 MiB"
std::string Ratio(const Json& value);    // "5.1x"
std::string Percent(const Json& share);  // 0.985 -> "98.5%"
// "5.1x (4.8 to 5.4)" of an object with ratio or value, ci_low and ci_high; "-" where null.
std::string RatioWithInterval(const Json& comparison);
std::string Milliseconds(const Json& value);
std::string Probability(const Json& p);          // "0.032", "< 0.001"
std::string SmallestEffect(const Json& effect);  // 0.041 -> "4.1%"; analyze::EffectPercent
// Whether the interval leaves out 1 and the mark says noise all the same: likely, not certain.
bool IsUncertain(const Json& comparison);
// The mark in words; "not certain, p 0.031" of what is so. `kind` is that of a query's row:
// "layout" or "store".
std::string MarkText(const Json& comparison);
std::string MarkText(const Json& query, const std::string& kind);
bool IsEmulated(const Json& summary, std::string_view store);
// "EMULATED" beside a store's name where it is.
std::string StoreLabel(const Json& summary, std::string_view store);
bool IsNumber(const Json& object, std::string_view key);
Json Member(const Json& object, std::string_view key);  // null where missing

}  // namespace lakegauge::report
