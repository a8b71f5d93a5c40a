#pragma once
// Whether what an experiment names is there: the user's tables can be read, layouts name tables and
// columns that their datasets have, queries too, and engines take their settings. Only
// experiment.cc includes this.
//
// Threads: one. Cost: opens the user's files (footers, first rows) and runs no query. Errors: what
// is wrong with the experiment is noted in the node's document; an error is what kept it from being
// looked at.

#include "base/yaml.h"
#include "run/experiment.h"

namespace lakegauge::run {

// Of an experiment that ReadExperiment found no fault with; keeps what it saw of the user's tables
// in DatasetItem::sources.
Status CheckNames(const YamlNode& root, Experiment* experiment);

}  // namespace lakegauge::run
