#pragma once
// Suspect executions to be run again: read from the file that analysis made, and added to a plan as
// further iterations.
//
// Threads: values. Errors: kCorrupt for what is no such file, kInvalidArgument where it names a
// cell or a query that the plan does not have.

#include <string>
#include <vector>

#include "base/result.h"
#include "run/plan.h"

namespace lakegauge::run {

struct Repeats {
  int64_t times = 1;
  struct Suspect {
    std::string cell, query;
    std::vector<std::string> reasons;
  };
  std::vector<Suspect> suspects;
};
Result<Repeats> ReadRepeats(const std::string& path);

// Each suspect `times` more, in as many rounds through all of them, cell by cell; iterations count
// on from the highest of their cell. With several streams they run in the first alone: what made
// them suspect was not the others' load.
Status AddRepeats(const Repeats& repeats, Plan& plan);

}  // namespace lakegauge::run
