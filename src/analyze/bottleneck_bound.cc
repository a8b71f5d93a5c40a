#include "analyze/bottleneck_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/model.h"
#include "base/units.h"

namespace lakegauge::analyze {
namespace {

double Over(double a, double b) { return b > 0 ? a / b : 0; }

std::string Rate(double bytes_per_s) {
  return bytes_per_s >= 1e9       ? fmt::format("{:.2f} GB/s", bytes_per_s / 1e9)
         : bytes_per_s >= 99.95e6 ? fmt::format("{:.0f} MB/s", bytes_per_s / 1e6)
                                  : fmt::format("{:.1f} MB/s", bytes_per_s / 1e6);
}

std::string Percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

std::string AtOnce(double n) { return fmt::format("{:.{}f}", n, n < 1 ? 2 : 1); }

std::string BusyText(const CellFigures& f) {
  constexpr double kWorthTelling = 0.1;  // cores
  const double busy = Over(f.busy_s, f.elapsed_s);
  std::string text = f.cores > 0 ? fmt::format("{:.2f} of {} cores were busy", busy, f.cores)
                                 : fmt::format("{:.2f} cores were busy", busy);
  if (f.others >= kWorthTelling) text += fmt::format(", {:.2f} of them with other work", f.others);
  return text;
}

std::string BestText(const CellFigures& f) {
  if (!f.best_s) {
    return fmt::format("{} of the time no lane computed and at least one waited for storage",
                       Percent(Over(f.storage_s, f.elapsed_s)));
  }
  return fmt::format("a free store would save {} of the time ({})",
                     Percent(std::max(0.0, 1 - Over(*f.best_s, f.elapsed_s))),
                     RatioText(Over(f.elapsed_s, *f.best_s)) + " as fast");
}

}  // namespace

WaitShares SharesOf(const Waits& w) {
  const double all = w.all();
  if (!(all > 0)) return {};
  return {w.first_byte_s / all, w.stream_s / all, w.pipe_s / all, w.refused_s / all,
          w.late_s / all};
}

Bound NameBound(const CellFigures& f) {
  const double stays = f.best_s ? Over(*f.best_s, f.elapsed_s) : 1 - Over(f.storage_s, f.elapsed_s);
  const WaitShares shares = SharesOf(f.waits);
  const double concurrency = Over(f.request_wall_s, f.elapsed_s);
  const std::string ends = fmt::format("; {}; {}.", BestText(f), BusyText(f));
  const double blocked = Over(f.storage_s, f.elapsed_s);
  if (f.best_s && stays >= 0.5 && blocked >= 0.5 && f.requests > 0) {
    return {
        "uncertain",
        fmt::format("{} of the time no lane computed and at least one waited for storage, yet {}; "
                    "{}: repeat it on a machine that does nothing else.",
                    Percent(blocked), BestText(f), BusyText(f))};
  }
  if (stays >= 0.5 || f.requests == 0) {
    return {"CPU-bound", fmt::format("{}; {}.", BusyText(f), BestText(f))};
  }
  const std::string told = f.waits_fitted ? "By a line through requests' times and sizes "
                                          : "Of the waiting for storage ";
  const double most = std::max({shares.latency, shares.network, shares.bandwidth, shares.rate});
  const double rate = Over(static_cast<double>(f.requests), f.elapsed_s);
  const double bytes = Over(static_cast<double>(f.bytes), f.elapsed_s);
  if (most == shares.rate && most > 0) {
    const double allowed = f.profile != nullptr ? f.profile->reads_per_s : 0;
    return {"request-rate-bound",
            fmt::format("{}{} went to answers that said slow down and the pauses after them; {} "
                        "requests a second were answered{}{}",
                        told, Percent(most), FormatCount(std::llround(rate)),
                        allowed > 0 ? fmt::format(" where {} are allowed",
                                                  FormatCount(static_cast<int64_t>(allowed)))
                                    : "",
                        ends)};
  }
  if (most == shares.bandwidth && most > 0) {
    const double allowed = f.profile != nullptr ? f.profile->total_bytes_per_s : 0;
    return {"store-bandwidth-bound",
            fmt::format("{}{} went to bytes{}; {} came{}{}", told, Percent(most),
                        f.waits_fitted ? "" : " held up by what all streams share", Rate(bytes),
                        allowed > 0 ? fmt::format(" where the store gives {}", Rate(allowed)) : "",
                        ends)};
  }
  if (most == shares.network && most > 0) {
    const double stream = f.profile != nullptr ? f.profile->stream_bytes_per_s : 0;
    return {"network-bound",
            fmt::format("{}{} went to bytes at the speed of their streams; {} came over {} "
                        "requests at once{}{}",
                        told, Percent(most), Rate(bytes), AtOnce(concurrency),
                        stream > 0 ? fmt::format(", where a stream gives {}", Rate(stream)) : "",
                        ends)};
  }
  return {"latency-bound",
          fmt::format("{}{} went to first bytes; a request took {:.3g} ms and {} were under way "
                      "on average{}",
                      told, Percent(shares.latency),
                      1e3 * Over(f.request_wall_s, static_cast<double>(f.requests)),
                      AtOnce(concurrency), ends)};
}

}  // namespace lakegauge::analyze
