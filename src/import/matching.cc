#include "import/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <compare>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "import/query_name.h"

namespace lakegauge::imports {
namespace {

constexpr int64_t kLargestIteration = 1'000'000;  // kept as it is; a time stamp is none
// A plan much larger than what was read is no plan: queries then have names of their own each time.
constexpr size_t kMostPlanned = 4;

std::string FileSafe(const std::string& text) {
  std::string safe = text;
  std::replace_if(
      safe.begin(), safe.end(),
      [](unsigned char c) {
        return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.' && c != '=';
      },
      '_');
  return safe;
}

std::string OrNotSaid(const std::string& text) { return text.empty() ? kNotSaid : text; }

class Matcher {
 public:
  explicit Matcher(const std::vector<std::string>& files) : files_(files) {}

  Matched Run(const std::vector<Sample>& samples) {
    std::vector<size_t> cell_of;
    for (const Sample& s : samples) cell_of.push_back(CellOf(s));
    NumberIterations(samples, cell_of);
    for (size_t i = 0; i < samples.size(); ++i) Take(samples[i], cell_of[i]);
    AddMissing();
    return std::move(out_);
  }

 private:
  using Axes = std::tuple<std::string, std::string, std::string, std::string>;
  using BatchIteration = std::pair<int64_t, int64_t>;
  struct Key {
    size_t cell = 0;
    bool warmup = false;
    int32_t stream = 0;
    int32_t iteration = 0;
    size_t query = 0;
    auto operator<=>(const Key&) const = default;
  };

  size_t CellOf(const Sample& s) {
    Cell cell{"", OrNotSaid(s.engine), OrNotSaid(s.store), OrNotSaid(s.layout),
              OrNotSaid(s.dataset)};
    const auto [at, added] = cells_.try_emplace(
        Axes(cell.engine, cell.store, cell.layout, cell.dataset), out_.cells.size());
    if (!added) return at->second;
    const std::string id =
        FileSafe(fmt::format("{}.{}.{}.{}", cell.engine, cell.store, cell.layout, cell.dataset));
    cell.id = id;
    for (int n = 2; !cell_ids_.insert(cell.id).second; ++n) cell.id = fmt::format("{}_{}", id, n);
    out_.cells.push_back(std::move(cell));
    return at->second;
  }

  // Iterations keep their numbers where these count from 1 and mean one thing; else they are
  // counted in the order of batches.
  void NumberIterations(const std::vector<Sample>& samples, const std::vector<size_t>& cell_of) {
    std::map<size_t, std::set<BatchIteration>> said;
    for (size_t i = 0; i < samples.size(); ++i) {
      if (samples[i].iteration) said[cell_of[i]].insert({samples[i].batch, *samples[i].iteration});
    }
    for (const auto& [cell, pairs] : said) {
      const bool plain = pairs.begin()->first == pairs.rbegin()->first &&
                         pairs.begin()->second >= 1 && pairs.rbegin()->second <= kLargestIteration;
      int32_t next = 0;
      for (const BatchIteration& pair : pairs) {
        ++next;
        iterations_[{cell, pair}] = plain ? static_cast<int32_t>(pair.second) : next;
      }
    }
  }

  size_t QueryOf(const std::string& called) {
    const std::string name = NormalQueryName(called);
    const auto [at, added] = query_of_.try_emplace(name, out_.queries.size());
    if (added) out_.queries.push_back({name, {}});
    auto& names = out_.queries[at->second].called;
    if (std::find(names.begin(), names.end(), called) == names.end()) names.push_back(called);
    return at->second;
  }

  // Streams of a cell are numbered as they come.
  int32_t StreamOf(size_t cell, const std::string& stream) {
    auto& streams = streams_[cell];
    return streams.try_emplace(stream, static_cast<int32_t>(streams.size())).first->second;
  }

  void Take(const Sample& s, size_t cell) {
    Key key{cell, s.warmup, StreamOf(cell, s.stream), 0, QueryOf(s.query)};
    if (s.iteration) {
      key.iteration = iterations_.at({cell, {s.batch, *s.iteration}});
    } else {
      key.iteration = ++asked_[std::tuple(cell, s.warmup, key.stream, key.query)];
    }
    const auto [at, added] = seen_.try_emplace(key, std::pair(s.file, s.line));
    if (!added) {
      out_.bad.push_back(
          {files_.at(static_cast<size_t>(s.file)), s.line,
           fmt::format("{} stands twice in iteration {} of {} (first on {}:{})",
                       out_.queries[key.query].name, key.iteration, out_.cells[cell].id,
                       files_.at(static_cast<size_t>(at->second.first)), at->second.second)});
      return;
    }
    record::Execution e = Planned(key);
    e.id = static_cast<int64_t>(out_.executions.size());
    e.status = s.status;
    e.error = s.error;
    e.elapsed_ns = s.elapsed_ns.value_or(-1);
    e.start_utc_ns = s.start_utc_ns.value_or(-1);
    // One clock for all: its moments are those of the wall clock.
    e.start_ns = e.start_utc_ns;
    e.end_ns = e.start_ns >= 0 && e.elapsed_ns >= 0 ? e.start_ns + e.elapsed_ns : -1;
    e.rows = s.rows.value_or(-1);
    e.metrics = s.metrics;
    out_.executions.push_back(std::move(e));
  }

  // An execution of which nothing is known but its place.
  record::Execution Planned(const Key& key) {
    record::Execution e;
    e.cell = out_.cells[key.cell].id;
    e.query = out_.queries[key.query].name;
    e.warmup = key.warmup;
    e.stream = key.stream;
    e.iteration = key.iteration;
    e.position = ++positions_[std::tuple(key.cell, key.warmup, key.stream, key.iteration)];
    e.cache = kNotSaid;
    e.elapsed_ns = e.start_ns = e.start_utc_ns = e.end_ns = e.cpu_ns = e.rows = -1;
    e.requests = e.bytes_read = e.blocked_ns = e.wait_lane_ns = -1;
    e.machine_busy_s = std::numeric_limits<double>::quiet_NaN();
    return e;
  }

  void AddMissing() {
    std::map<size_t, std::set<size_t>> queries;  // of each cell
    std::set<std::tuple<size_t, int32_t, int32_t>> passes;
    for (const auto& [key, where] : seen_) {
      if (key.warmup) continue;
      queries[key.cell].insert(key.query);
      passes.insert({key.cell, key.stream, key.iteration});
    }
    size_t planned = 0;
    for (const auto& [cell, stream, iteration] : passes) planned += queries[cell].size();
    if (planned > kMostPlanned * seen_.size()) return;
    for (const auto& [cell, stream, iteration] : passes) {
      for (const size_t query : queries[cell]) {
        const Key key{cell, false, stream, iteration, query};
        if (seen_.contains(key)) continue;
        record::Execution e = Planned(key);
        e.id = static_cast<int64_t>(out_.executions.size() + out_.missing.size());
        out_.missing.push_back(std::move(e));
      }
    }
  }

  const std::vector<std::string>& files_;
  Matched out_;
  std::map<Axes, size_t> cells_;
  std::set<std::string> cell_ids_;
  std::map<std::string, size_t> query_of_;
  std::map<size_t, std::map<std::string, int32_t>> streams_;
  std::map<std::pair<size_t, BatchIteration>, int32_t> iterations_;
  std::map<std::tuple<size_t, bool, int32_t, size_t>, int32_t> asked_;
  std::map<std::tuple<size_t, bool, int32_t, int32_t>, int32_t> positions_;
  std::map<Key, std::pair<int64_t, int64_t>> seen_;  // file and line
};

}  // namespace

Matched Match(const std::vector<Sample>& samples, const std::vector<std::string>& files) {
  return Matcher(files).Run(samples);
}

}  // namespace lakegauge::imports
