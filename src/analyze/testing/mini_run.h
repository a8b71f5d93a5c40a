#pragma once
// The run that golden files are made of: 2 stores x 2 layouts x 3 queries x 3 iterations with
// figures chosen so that results can be checked by hand, one failure and one timeout.
//
//   seconds            q01              q02                q03
//   local unlimited    .1  .11 .12      .2 .2 .2           .05 .06 .07
//   local 1MiB         .2  .22 .24      .4 .4 .4           .1  .12 .14
//   slow  unlimited    1   1.1 1.2      2  2  2            .5  .6  .7
//   slow  1MiB         4   4.4 4.8      8  failed  8       2   2.4  timeout
//
// Passes: .35 .37 .39; .7 .74 .78; 3.5 3.7 3.9; 14 and two incomplete ones. So 1MiB is 2x on local,
// and over q01, the one query that never failed there, 4x on slow.

#include "analyze/testing/run_fixture.h"

namespace lakegauge::analyze::testing {

FixtureRun MiniRun();

}  // namespace lakegauge::analyze::testing
