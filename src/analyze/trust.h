#pragma once
// The lights that say whether a report can be trusted, each from what was recorded. A check that
// was not made is "unknown", never "good".
//
// Threads: values.

#include <string>
#include <vector>

#include "analyze/delivered.h"
#include "analyze/model.h"
#include "base/json.h"

namespace lakegauge::analyze {

struct Light {
  std::string id;     // answers, file_sizes, cold, build, failures, noise, disturbed, shaping
  std::string state;  // good, warn, bad, unknown
  std::string text;
  std::string detail;
};

struct TrustInputs {
  const Model& model;
  const Json& answers;  // rows of the tables of these names
  const Json& sizes;
  const std::vector<Delivered>& delivered;
  const Json& requests_kept;
  const Json& disturbed;
  const Json& watched;
  std::vector<std::string> why_warm;  // each reason why reads were not made cold, once
  std::string build_type;             // empty: unknown
  int64_t cores = 0;                  // of the machine; 0: unknown
};
std::vector<Light> MakeLights(const TrustInputs& inputs);

}  // namespace lakegauge::analyze
