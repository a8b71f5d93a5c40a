// Measures how well shaping keeps what its profile asked for, on this machine: for each profile and
// number of streams the time requests took against the time drawn for them, the bytes and requests
// that came against the bandwidth and the rate there were, and where lateness came from.
// bench/shaping runs it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
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

// How far what was delivered may be off what was asked.
constexpr double kMeanBar = 0.02;  // and p50
constexpr double kP99Bar = 0.05;
constexpr double kBandwidthBar = 0.03;  // a stream and in all; and the request rate
constexpr int kTries = 3;  // other work on the machine delays us: the best of these counts
constexpr int64_t kObjectBytes = 8 * kMiB;

struct Case {
  std::string name;
  profile::Profile profile;
  int64_t read_bytes;
  int requests;       // of one stream alone
  bool shared_limit;  // binds all streams together: they share these requests
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
      {"s3-express", Load("s3-express", 0), 128 * kKiB, 300, false},
      {"s3-standard", Load("s3-standard", 0), 128 * kKiB, 24, false},
      {"fast-object-store, 2 cores", Load("fast-object-store", 2), 256 * kKiB, 400, true},
      {"slow-object-store, 2 cores", Load("slow-object-store", 2), 256 * kKiB, 120, true},
      {"p50 = p99 = 7 ms", Parse("first_byte: {GET: {p50: 7ms, p99: 7ms}}"), 4 * kKiB, 300, false},
      {"p99 = 50 x p50 = 100 ms", Parse("first_byte: {GET: {p50: 2ms, p99: 100ms}}"), 4 * kKiB, 300,
       false},
      {"90 MB/s a stream, 1 MiB reads",
       Parse("first_byte: {GET: 2ms}, bandwidth: {stream: 90MB/s}"), kMiB, 100, false},
      {"1 MB/s a stream", Parse("first_byte: {GET: 5ms}, bandwidth: {stream: 1MB/s}"), 64 * kKiB,
       20, false},
      {"1 MB/s in all", Parse("first_byte: {GET: 5ms}, bandwidth: {total: 1MB/s}"), 16 * kKiB, 128,
       true},
      {"10 requests/s",
       Parse("first_byte: {GET: 5ms}, rate: {reads_per_s: 10, burst: 2}, "
             "retry: {attempts: 100, base: 20ms, factor: 1, jitter: true}"),
       4 * kKiB, 24, true},
      {"1,000 requests/s",
       Parse("first_byte: {GET: 2ms}, rate: {reads_per_s: 1000, burst: 2}, "
             "retry: {attempts: 100, base: 8ms, factor: 1, jitter: true}"),
       4 * kKiB, 2000, true},
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

// How long the calling thread was ready to run and not run, all its life (proc(5) schedstat).
double WaitedForCoreNs() {
  std::ifstream file("/proc/thread-self/schedstat");
  double ran = 0;
  double waited = 0;
  file >> ran >> waited;
  return waited;
}

struct Trace {
  std::vector<record::Request> requests;
  double seconds = 0;
  double cpu_s = 0;
  double waited_ns = 0;  // for a core, all streams together
};

Trace RunStreams(const Case& c, int streams) {
  record::RequestLog log;
  auto inner = MakeMemoryStore();
  const std::string content(kObjectBytes, 'x');
  if (!WriteObject(*inner, {}, "object", content).ok()) std::exit(2);
  const auto store = RecordRequests(ShapeRequests(std::move(inner), c.profile, 42), log);
  const int requests = c.shared_limit ? std::max(1, c.requests / streams) : c.requests;
  Trace trace;
  std::vector<double> waited(static_cast<size_t>(streams));
  const int64_t begin = RealClock().NowNs();
  const int64_t cpu_begin = ProcessCpuNs();
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
          auto got = (*reader)->ReadAt(context, i % 8 * c.read_bytes, buffer);
          while (!got.ok() && got.error().code == ErrorCode::kThrottled) {
            got = (*reader)->ReadAt(context, i % 8 * c.read_bytes, buffer);
          }
          if (!got.ok()) {
            fmt::print(stderr, "{}\n", got.error().message);
            std::exit(2);
          }
        }
        waited[static_cast<size_t>(s)] = WaitedForCoreNs();
      });
    }
  }
  trace.seconds = static_cast<double>(RealClock().NowNs() - begin) / 1e9;
  trace.cpu_s = static_cast<double>(ProcessCpuNs() - cpu_begin) / 1e9;
  for (const double ns : waited) trace.waited_ns += ns;
  trace.requests = log.Take();
  return trace;
}

// Bytes a second while any transfer was under way.
double TotalBytesPerS(std::vector<record::Request> requests) {
  std::sort(requests.begin(), requests.end(),
            [](const auto& a, const auto& b) { return a.first_byte_ns < b.first_byte_ns; });
  double bytes = 0;
  int64_t busy_ns = 0;
  int64_t until_ns = 0;
  for (const auto& r : requests) {
    bytes += static_cast<double>(r.bytes);
    busy_ns += std::max<int64_t>(0, r.end_ns - std::max(until_ns, r.first_byte_ns));
    until_ns = std::max(until_ns, r.end_ns);
  }
  return bytes / (static_cast<double>(busy_ns) / 1e9);
}

// Bytes a second of a request, from its first byte to its end.
double StreamBytesPerS(const std::vector<record::Request>& requests) {
  double bytes = 0;
  double seconds = 0;
  for (const auto& r : requests) {
    bytes += static_cast<double>(r.bytes);
    seconds += static_cast<double>(r.end_ns - r.first_byte_ns) / 1e9;
  }
  return bytes / seconds;
}

// Requests answered a second, the burst at the beginning aside.
double RequestsPerS(const std::vector<record::Request>& requests, int64_t burst) {
  std::vector<int64_t> ends;
  for (const auto& r : requests) {
    if (r.status == 0) ends.push_back(r.end_ns);
  }
  std::sort(ends.begin(), ends.end());
  return static_cast<double>(static_cast<int64_t>(ends.size()) - burst) /
         (static_cast<double>(ends.back() - ends.front()) / 1e9);
}

// What so many streams could ask for, one read after another, were there no limit.
double MostReadsPerS(const profile::Profile& profile, int64_t read_bytes, int streams) {
  return streams / (profile.MeanCompletedGetNs(read_bytes) / 1e9);
}

// One figure against its bar.
struct Judged {
  double off = 0;  // share by which what was delivered is off
  double bar = 1;
  bool Missed() const { return std::abs(off) > bar; }
};

// Runs one case once and prints its line; how far the worst figure is off, in shares of its bar.
double RunCase(const Case& c, int streams) {
  const Trace trace = RunStreams(c, streams);
  std::vector<double> asked;
  std::vector<double> took;
  std::vector<double> late;
  for (const auto& r : trace.requests) {
    asked.push_back(static_cast<double>(r.asked_ns) / 1e6);
    took.push_back(static_cast<double>(r.end_ns - r.start_ns) / 1e6);
    late.push_back(static_cast<double>(r.lateness_ns) / 1e3);
  }
  std::sort(asked.begin(), asked.end());
  std::sort(took.begin(), took.end());
  std::sort(late.begin(), late.end());
  const auto off = [](double got, double wanted) { return got / wanted - 1; };
  std::vector<Judged> judged = {{off(Mean(took), Mean(asked)), kMeanBar},
                                {off(Percentile(took, 0.5), Percentile(asked, 0.5)), kMeanBar},
                                {off(Percentile(took, 0.99), Percentile(asked, 0.99)), kP99Bar}};
  std::string limit = "-";
  const auto judge_limit = [&](double got, double wanted, const char* unit) {
    judged.push_back({off(got, wanted), kBandwidthBar});
    limit = fmt::format("{:.4g} of {:.4g} {} {:+.1f}%", got, wanted, unit, 100 * off(got, wanted));
  };
  const profile::Profile& p = c.profile;
  // Of a read that takes a moment, the stream's bandwidth is what the machine's clock can show.
  if (p.stream_bytes_per_s > 0 && p.total_bytes_per_s == 0 &&
      static_cast<double>(c.read_bytes) / p.stream_bytes_per_s >= 0.01) {
    judge_limit(StreamBytesPerS(trace.requests) / 1e6, p.stream_bytes_per_s / 1e6, "MB/s a stream");
  } else if (p.total_bytes_per_s > 0) {
    judge_limit(TotalBytesPerS(trace.requests) / 1e6, p.total_bytes_per_s / 1e6, "MB/s");
  } else if (p.reads_per_s > 0 && c.shared_limit &&
             MostReadsPerS(p, c.read_bytes, streams) > 1.2 * p.reads_per_s) {
    judge_limit(RequestsPerS(trace.requests, p.rate_burst), p.reads_per_s, "/s");
  }
  double worst = 0;
  for (const Judged& j : judged) worst = std::max(worst, std::abs(j.off) / j.bar);
  const auto n = static_cast<double>(asked.size());
  fmt::print(
      "{:<30}{:>4}{:>7}{:>9.3f}{:>9.3f}{:>+7.1f}{:>+7.1f}{:>+7.1f}{:>8.0f}{:>8.0f}{:>8.0f}{:>7.1f}"
      "{:>6.2f}  {:<34}{}\n",
      c.name, streams, asked.size(), Mean(asked), Mean(took), 100 * judged[0].off,
      100 * judged[1].off, 100 * judged[2].off, Mean(late), Percentile(late, 0.99),
      trace.waited_ns / 1e3 / n, trace.cpu_s * 1e6 / n, trace.cpu_s / trace.seconds, limit,
      worst > 1 ? "missed" : "");
  std::fflush(stdout);
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

// "--quick" runs 8 streams alone; "--overhead" only what recording costs; "--only TEXT" the
// profiles whose names hold it.
int main(int argc, char** argv) {
  using namespace lakegauge::store;
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const std::string_view only = mode == "--only" && argc > 2 ? argv[2] : "";
  if (only.empty()) {
    fmt::print(
        "recording and shaping with the profile off: {:.0f} ns of CPU a read over the bare "
        "store\n\n",
        OverheadNs());
  }
  if (mode == "--overhead") return 0;
  fmt::print("{:<30}{:>4}{:>7}{:>9}{:>9}{:>7}{:>7}{:>7}{:>8}{:>8}{:>8}{:>7}{:>6}  {}\n", "", "", "",
             "asked", "took", "mean", "p50", "p99", "late", "late", "for a", "CPU", "cores", "");
  fmt::print("{:<30}{:>4}{:>7}{:>9}{:>9}{:>7}{:>7}{:>7}{:>8}{:>8}{:>8}{:>7}{:>6}  {}\n", "profile",
             "by", "n", "ms", "ms", "off %", "off %", "off %", "us", "p99 us", "core us", "us",
             "busy", "bandwidth or rate");
  int cases = 0;
  int missed = 0;
  double furthest = 0;
  for (const auto& c : Cases()) {
    if (c.name.find(only) == std::string::npos) continue;
    for (const int streams :
         mode == "--quick" ? std::vector<int>{8} : std::vector<int>{1, 4, 16, 64}) {
      double best = RunCase(c, streams);
      for (int again = 1; again < kTries && best > 1; ++again) {
        best = std::min(best, RunCase(c, streams));
      }
      ++cases;
      missed += best > 1;
      furthest = std::max(furthest, best);
    }
  }
  fmt::print(
      "{} of {} cases missed; the furthest off against its bar (mean and p50 {:.0f}%, p99 {:.0f}%, "
      "bandwidth and rate {:.0f}%):\n"
      "shaping ratio={:.3f} bar=1\n",
      missed, cases, 100 * kMeanBar, 100 * kP99Bar, 100 * kBandwidthBar, furthest);
  return missed == 0 ? 0 : 1;
}
