#pragma once
// Layout "as_is": the user's own files, read where they lie. Private to this room.

#include "dataset/dataset.h"

namespace lakegauge::dataset {

// A manifest over the files of a dataset of kind "files"; keys are paths below "/". Every file is
// hashed; no row is read, but for those at the beginning that tell what columns a CSV has.
Result<Manifest> DescribeAsIs(const DatasetSpec& spec, const LayoutSpec& layout);

}  // namespace lakegauge::dataset
