#pragma once
// An experiment small enough for tests (TPC-DS at scale 0.01, two cells), and its data, made once a
// process.
//
// Threads: one.

#include <string>

#include "base/testing/temporary_folder.h"

namespace lakegauge::run {

// YAML; a line of `changes` that begins with "key:" replaces that of the same key.
std::string TinyExperiment(const std::string& changes = "");

// A data folder that lives until the process ends.
const std::string& SharedTinyData();

}  // namespace lakegauge::run
