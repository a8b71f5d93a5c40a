#pragma once
// One name for a query that tools call by many.
//
// Threads: pure function.
// Source: names of spark-sql-perf ("q14a-v2.4"), of spark-rapids' NDS ("query14_part1") and of
// query
//   folders ("query14_1.sql", "q14a"). TPC-DS 14, 23, 24 and 39 have two parts each.

#include <string>
#include <string_view>

namespace lakegauge::imports {

// "q14a" of "q14a-v2.4", "query14_1", "query14_part1", "Q14A" and "query14a.sql"; "q03" of "q3",
// "query3" and "3". Other names lose a version at their end ("ss_max-v2.4") and the blanks around
// them, and stay as they are else.
std::string NormalQueryName(std::string_view name);

}  // namespace lakegauge::imports
