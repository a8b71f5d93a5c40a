// Measures how well shaping keeps what its profile asked for, on this machine's clock: for each
// profile and number of streams, the time each request took against the deadline that was set for
// it, and the bytes that came against the bandwidth there was. bench/shaping runs it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/units.h"
#include "profile/profile.h"
#include "record/request.h"
#include "store/memory_store.h"
#include "store/recording.h"
#include "store/shaping.h"

namespace lakegauge::store {
namespace {

// A statistic of what was delivered over that of what was asked. 64 streams that wake at the same
// moment are served one after the other by few cores.
constexpr double kBar = 1.05;
constexpr int kTries = 3;  // other work on the machine delays us: the best of these counts
constexpr int64_t kObjectBytes = 8 * kMiB;

struct Case {
  std::string name;
  profile::Profile profile;
  int64_t read_bytes;
  int requests;  // a stream, with one stream; with more streams fewer where a shared limit binds
  bool shared_limit;
};

profile::Profile Parse(const std::string& rest) {
  auto profile = profile::ParseProfile(
      "{name: odd, description: d, source: this benchmark, " + rest + "}", "bench");
  if (!profile.ok()) {
    fmt::print(stderr, "{}\n", profile.error().message);
    std::exit(2);
  }
  return *std::move(profile);
}

profile::Profile Load(const char* name, int cores) {
  auto profile = profile::LoadProfile(name);
  if (profile.ok() && cores > 0) profile = profile->ScaledToCores(cores);
  if (!profile.ok()) {
    fmt::print(stderr, "{}\n", profile.error().message);
    std::exit(2);
  }
  return *std::move(profile);
}

std::vector<Case> Cases() {
  return {
      {"s3-express", Load("s3-express", 0), 128 * kKiB, 400, false},
      {"s3-standard", Load("s3-standard", 0), 128 * kKiB, 30, false},
      {"fast-object-store, 2 cores", Load("fast-object-store", 2), 256 * kKiB, 400, true},
      {"slow-object-store, 2 cores", Load("slow-object-store", 2), 256 * kKiB, 200, true},
      {"p50 = p99 = 7 ms", Parse("first_byte: {GET: {p50: 7ms, p99: 7ms}}"), 4 * kKiB, 400, false},
      {"p99 = 50 x p50 = 100 ms", Parse("first_byte: {GET: {p50: 2ms, p99: 100ms}}"), 4 * kKiB, 300,
       false},
      {"1 MB/s in all", Parse("first_byte: {GET: 5ms}, bandwidth: {total: 1MB/s}"), 64 * kKiB, 64,
       true},
      {"10 requests/s",
       Parse("first_byte: {GET: 5ms}, rate: {reads_per_s: 10}, "
             "retry: {attempts: 100, base: 2s, factor: 1, jitter: true}"),
       4 * kKiB, 24, true},
  };
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// Nearest rank, the same for both sides.
double Percentile(const std::vector<double>& sorted, double p) {
  const auto rank = static_cast<size_t>(std::ceil(p * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

// Runs one case and prints its line; the worst ratio of a statistic, at least 1.
double RunCase(const Case& c, int streams) {
  record::RequestLog log;
  auto inner = MakeMemoryStore();
  const std::string content(kObjectBytes, 'x');
  if (!WriteObject(*inner, {}, "object", content).ok()) std::exit(2);
  const auto store = RecordRequests(ShapeRequests(std::move(inner), c.profile, 42), log);
  const int requests = c.shared_limit ? std::max(2, c.requests / streams) : c.requests;
  const int64_t begin = RealClock().NowNs();
  {
    std::vector<std::jthread> threads;
    for (int s = 0; s < streams; ++s) {
      threads.emplace_back([&, s] {
        RequestContext context;
        context.lane = s;
        std::vector<std::byte> buffer(static_cast<size_t>(c.read_bytes));
        const auto reader = store->OpenRead(context, "object", {.size = kObjectBytes});
        for (int i = 0; i < requests; ++i) {
          context.execution = s * requests + i;
          const auto got = (*reader)->ReadAt(context, i % 16 * c.read_bytes, buffer);
          if (!got.ok()) {
            fmt::print(stderr, "{}\n", got.error().message);
            std::exit(2);
          }
        }
      });
    }
  }
  const double seconds = static_cast<double>(RealClock().NowNs() - begin) / 1e9;
  std::vector<double> asked;
  std::vector<double> delivered;
  double bytes = 0;
  for (const auto& r : log.Take()) {
    asked.push_back(static_cast<double>(r.asked_ns) / 1e6);
    delivered.push_back(static_cast<double>(r.end_ns - r.start_ns) / 1e6);
    bytes += static_cast<double>(r.bytes);
  }
  std::sort(asked.begin(), asked.end());
  std::sort(delivered.begin(), delivered.end());
  const double mean = Mean(delivered) / Mean(asked);
  const double p50 = Percentile(delivered, 0.5) / Percentile(asked, 0.5);
  const double p99 = Percentile(delivered, 0.99) / Percentile(asked, 0.99);
  const double rate = bytes / seconds / 1e6;
  const double total = c.profile.total_bytes_per_s / 1e6;
  fmt::print("{:<28}{:>8}{:>9}{:>11.3f}{:>11.3f}{:>8.3f}{:>8.3f}{:>8.3f}{:>10.1f}{:>10}\n", c.name,
             streams, asked.size(), Mean(asked), Mean(delivered), mean, p50, p99, rate,
             total > 0 ? fmt::format("{:.1f}", total) : "-");
  double worst = std::max({mean, p50, p99});
  // What came through a pipe that streams kept full, against what it is.
  if (total > 0 && streams >= 8) worst = std::max({worst, total / rate, rate / total});
  return worst;
}

// CPU nanoseconds a ReadAt of 4 KiB through the decorators with the profile off, over the bare
// store.
double OverheadNs() {
  record::RequestLog log;
  constexpr int kReads = 200'000;
  const auto best_of = [&](Store& store) {
    double best = 1e18;
    std::vector<std::byte> buffer(4096);
    const auto reader = store.OpenRead({}, "k", {.size = 4096});
    for (int round = 0; round < 5; ++round) {
      const int64_t start = ThreadCpuNs();
      for (int i = 0; i < kReads; ++i) {
        if (!(*reader)->ReadAt({}, 0, buffer).ok()) std::exit(2);
      }
      best = std::min(best, static_cast<double>(ThreadCpuNs() - start) / kReads);
      log.Take();
    }
    return best;
  };
  const auto bare = MakeMemoryStore();
  auto inner = MakeMemoryStore();
  const std::string content(4096, 'x');
  if (!WriteObject(*bare, {}, "k", content).ok()) std::exit(2);
  if (!WriteObject(*inner, {}, "k", content).ok()) std::exit(2);
  const auto wrapped = RecordRequests(ShapeRequests(std::move(inner), Load("local", 0), 1), log);
  const double without = best_of(*bare);
  return best_of(*wrapped) - without;
}

}  // namespace
}  // namespace lakegauge::store

// "--quick" runs 8 streams alone; "--overhead" only what recording costs.
int main(int argc, char** argv) {
  using namespace lakegauge::store;
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const bool quick = mode == "--quick";
  fmt::print(
      "recording and shaping with the profile off: {:.0f} ns of CPU a read over the bare store\n\n",
      OverheadNs());
  if (mode == "--overhead") return 0;
  fmt::print("{:<28}{:>8}{:>9}{:>11}{:>11}{:>8}{:>8}{:>8}{:>10}{:>10}\n", "profile", "streams",
             "requests", "asked ms", "took ms", "mean", "p50", "p99", "MB/s", "of MB/s");
  double worst = 1;
  for (const auto& c : Cases()) {
    for (const int streams : quick ? std::vector<int>{8} : std::vector<int>{1, 8, 64}) {
      double best = RunCase(c, streams);
      for (int again = 1; again < kTries && best > kBar; ++again) {
        best = std::min(best, RunCase(c, streams));
      }
      worst = std::max(worst, best);
    }
  }
  fmt::print("shaping ratio={:.3f} bar={:.2f}\n", worst, kBar);
  return worst <= kBar ? 0 : 1;
}
