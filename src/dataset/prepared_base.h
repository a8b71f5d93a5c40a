#pragma once
// PrepareBase for a caller that already holds the dataset's Workplace. Private to this room.

#include "dataset/dataset.h"
#include "dataset/workplace.h"

namespace lakegauge::dataset {

Result<Base> PrepareBaseLocked(const DatasetSpec& spec, const PrepareOptions& options,
                               const Workplace& place);

}  // namespace lakegauge::dataset
