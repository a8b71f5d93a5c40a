#pragma once
// PrepareBase for a caller that already holds the dataset's Workplace. Private to this room.

#include "dataset/dataset.h"
#include "dataset/workplace.h"

namespace lakegauge::dataset {

Result<Base> PrepareBaseLocked(const DatasetSpec& spec, const PrepareOptions& options,
                               const Workplace& place);

// That nobody reads the layout which stands there, if one does. The caller holds the Workplace, so
// nobody begins to meanwhile.
Status CheckReplaceable(const std::string& layout_dir);

}  // namespace lakegauge::dataset
