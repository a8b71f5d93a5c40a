#include "run/cell_profile.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "profile/profile.h"

namespace lakegauge::run {

int MachineCores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

Result<CellProfile> LoadCellProfile(const StoreItem& store) {
  CellProfile cell;
  if (store.profile.empty()) {
    cell.text = "not shaped: as fast as it is";
    return cell;
  }
  LG_ASSIGN_OR_RETURN(auto profile, profile::LoadProfile(store.profile));
  if (store.cores != 0) {
    const int cores =
        store.cores == StoreItem::kMachineCores ? MachineCores() : static_cast<int>(store.cores);
    LG_ASSIGN_OR_RETURN(profile, profile.ScaledToCores(cores));
  }
  cell.text = profile.ToText();
  if (profile.is_off()) return cell;
  cell.json = profile.ToJson();
  cell.mean_first_byte_ns =
      static_cast<int64_t>(std::llround(profile.latency(profile::Operation::kGet).mean_ns()));
  cell.mean_list_ns = profile.latency(profile::Operation::kList).mean_ns();
  cell.stream_bytes_per_s = profile.stream_bytes_per_s;
  cell.total_bytes_per_s = profile.total_bytes_per_s;
  return cell;
}

}  // namespace lakegauge::run
