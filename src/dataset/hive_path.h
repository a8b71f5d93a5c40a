#pragma once
// Names and values as parts of a path, escaped as Hive does, so that any table name and any
// partition value makes a folder. Private to this room.
//
// Source: org.apache.hadoop.hive.common.FileUtils.escapePathName.

#include <string>
#include <string_view>

namespace lakegauge::dataset {

inline constexpr char kHiveNull[] = "__HIVE_DEFAULT_PARTITION__";

std::string EscapePathPart(std::string_view text);

}  // namespace lakegauge::dataset
