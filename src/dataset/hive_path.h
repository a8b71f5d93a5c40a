#pragma once
// Names and values as parts of a path, escaped as Hive does, so that any table name and any
// partition value makes a folder. Private to this room.
//
// Source: org.apache.hadoop.hive.common.FileUtils.escapePathName.

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lakegauge::dataset {

inline constexpr char kHiveNull[] = "__HIVE_DEFAULT_PARTITION__";

std::string EscapePathPart(std::string_view text);

// What a file's partition folders say, by column: of "t/a=1/b=x%2Fy/part-00000.orc" a is "1" and b
// "x/y"; a null is empty.
std::map<std::string, std::optional<std::string>> PartitionValues(std::string_view path);

}  // namespace lakegauge::dataset
