#pragma once
// The profile of a store as a cell uses it: loaded, scaled to cores where asked, and as JSON for
// the plan, from which a later session makes the same again.
//
// Threads: values. Errors: those of the profile room.

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "run/experiment.h"

namespace lakegauge::run {

struct CellProfile {
  Json json;                       // null: the store is not shaped
  std::string text;                // one line for people
  int64_t mean_first_byte_ns = 0;  // of a GET
  double mean_list_ns = 0;
  double stream_bytes_per_s = 0;  // 0: unlimited
  double total_bytes_per_s = 0;   // 0: unlimited
};

Result<CellProfile> LoadCellProfile(const StoreItem& store);

// Cores that "cores: machine" and "threads: auto" count with.
int MachineCores();

}  // namespace lakegauge::run
