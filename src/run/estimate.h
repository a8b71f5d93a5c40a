#pragma once
// What a plan will take: time, requests, bytes read and disk, from the sizes of the layouts (their
// manifests where they are there, the user's files and their footers, else the scale) and from what
// queries name in their text.
//
// Threads: values. Errors: none; the method is stated in the plan.

#include "run/plan.h"

namespace lakegauge::run {

// Fills each cell's estimate and the plan's; `experiment` is the one the plan was made of.
void EstimatePlan(const Experiment& experiment, Plan& plan);

}  // namespace lakegauge::run
