#pragma once
// Compares files with what a manifest says of them. Private to this room.

#include <string>

#include "dataset/dataset.h"

namespace lakegauge::dataset {

// Names and sizes; with `deep` both hashes too. kCorrupt names the first file that differs. Also
// files that the manifest does not know are an error: an engine would read them.
Status VerifyFiles(const Manifest& manifest, const std::string& folder, bool deep);

}  // namespace lakegauge::dataset
