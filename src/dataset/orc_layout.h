#pragma once
// ORC layouts. ORC's writer is a library's, so a file's size is known only once it is written: each
// file is made in memory, measured against its target, and made again with more or fewer rows where
// it missed. Private to this room.
//
// Threads: one call; runs `threads` workers, a table each.

#include <vector>

#include "dataset/layout_writer.h"
#include "dataset/stream_builder.h"
#include "sql/sql.h"

namespace lakegauge::dataset {

// Writes those of `layouts` that are ORC.
Status WriteOrcLayouts(sql::Database& database, const std::vector<TablePlan>& plans,
                       StreamBuilder& builder, std::vector<LayoutInMaking>& layouts, int threads,
                       const PrepareOptions& options);

}  // namespace lakegauge::dataset
