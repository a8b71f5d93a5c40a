#include "analyze/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analyze/bottleneck_best_case.h"
#include "analyze/bottleneck_bound.h"
#include "analyze/bottleneck_division.h"
#include "analyze/schedule.h"
#include "profile/profile.h"
#include "record/spool.h"

namespace lakegauge::analyze {
namespace {

constexpr double kNs = 1e-9;
// Of requests or bytes that part between stores. Plans whose reads do not depend on timing read the
// same to the byte; what is less than this moves no best case.
constexpr double kTimedReads = 0.01;

// Sums over the executions of one query in one cell.
struct QuerySums {
  int64_t n = 0;
  double elapsed_s = 0, storage_s = 0, idle_s = 0, cpu_s = 0, wait_lane_s = 0;
  double best_s = 0, path_s = 0, replayed_s = 0;
  bool divided = true;  // idle_s, cpu_s and the estimates are known
};

// Files of a layout by their key, as the engine asked for them.
class Layout {
 public:
  static Layout Read(const std::string& path) {
    Layout layout;
    const auto manifest = ReadJsonFile(path);
    if (!manifest.ok()) return layout;  // Records has told of it
    std::map<std::string, int32_t> tables;
    for (const Json& file : manifest->value("files", Json::array())) {
      KeyFacts facts;
      const auto next = static_cast<int32_t>(tables.size());
      facts.table = tables.try_emplace(JsonOr<std::string>(file, "table", ""), next).first->second;
      facts.size = JsonOr<int64_t>(file, "size", -1);
      facts.row_group_offsets = JsonOr<std::vector<int64_t>>(file, "row_group_offsets", {});
      layout.files_.emplace(JsonOr<std::string>(file, "key", ""), std::move(facts));
    }
    layout.tables_ = static_cast<int32_t>(tables.size());
    return layout;
  }
  int32_t tables() const { return tables_; }
  // A key in the store ends with the file's key in its layout.
  KeyFacts Find(std::string_view key) const {
    for (;;) {
      if (const auto at = files_.find(key); at != files_.end()) return at->second;
      const size_t slash = key.find('/');
      if (slash == std::string_view::npos) return {};
      key.remove_prefix(slash + 1);
    }
  }

 private:
  std::map<std::string, KeyFacts, std::less<>> files_;
  int32_t tables_ = 0;
};

class CellAnalysis {
 public:
  CellAnalysis(const Json& plan_cell, bool shared_threads, int64_t cores)
      : cell_(plan_cell), shared_(shared_threads) {
    figures_.cores = cores;
    if (const Json profile = cell_.value("profile", Json()); profile.is_object()) {
      if (auto read = profile::Profile::FromJson(profile); read.ok()) profile_ = *std::move(read);
    }
    if (profile_) figures_.profile = &*profile_;
    machine_ = {static_cast<double>(cores), static_cast<int>(JsonOr<int64_t>(cell_, "threads", 1))};
  }

  Status Read(const std::string& run_dir) {
    const std::string path =
        run_dir + "/requests/" + JsonOr<std::string>(cell_, "id", "") + ".parquet";
    if (!std::filesystem::exists(path)) return {};
    LG_ASSIGN_OR_RETURN(stored_, record::ReadRequests(path));
    kept_ = true;
    const Layout layout = Layout::Read(run_dir + "/" + JsonOr<std::string>(cell_, "manifest", ""));
    std::map<std::string_view, int32_t> folders;  // of files the manifest does not name
    for (const std::string& key : stored_.keys) {
      KeyFacts& facts = keys_.emplace_back(layout.Find(key));
      if (facts.table >= 0) continue;
      const std::string_view folder = std::string_view(key).substr(0, key.rfind('/') + 1);
      facts.table = layout.tables() + folders.try_emplace(folder, folders.size()).first->second;
    }
    const auto earlier = [](const auto& a, const auto& b) { return a.execution < b.execution; };
    if (!std::is_sorted(stored_.requests.begin(), stored_.requests.end(), earlier)) {
      std::stable_sort(stored_.requests.begin(), stored_.requests.end(), earlier);
    }
    return {};
  }

  // What other work on the machine used while its queries ran: over all of them, and over those too
  // short to tell it each by itself.
  void SeeOthers(const std::vector<const record::Execution*>& executions) {
    double busy_s = 0, elapsed_s = 0, short_busy_s = 0, short_s = 0;
    for (const record::Execution* e : executions) {
      if (e->cpu_ns < 0) continue;
      busy_s += OthersSeconds(*e);
      elapsed_s += ElapsedSeconds(*e);
      if (ElapsedSeconds(*e) >= kTellsOthersS) continue;
      short_busy_s += OthersSeconds(*e);
      short_s += ElapsedSeconds(*e);
    }
    if (elapsed_s > 0) figures_.others = std::max(0.0, busy_s / elapsed_s);
    if (short_s > 0) others_of_short_ = std::max(0.0, short_busy_s / short_s);
  }

  void Add(const record::Execution& e) {
    const auto [first, last] = std::equal_range(
        stored_.requests.begin(), stored_.requests.end(), record::Request{.execution = e.id},
        [](const auto& a, const auto& b) { return a.execution < b.execution; });
    const std::span<const record::Request> requests(first, last);
    QuerySums& q = queries_[e.query];
    ++q.n;
    const double elapsed_s = ElapsedSeconds(e);
    q.elapsed_s += elapsed_s;
    q.storage_s += static_cast<double>(e.blocked_ns) * kNs;
    q.wait_lane_s += static_cast<double>(e.wait_lane_ns) * kNs;
    figures_.elapsed_s += elapsed_s;
    figures_.storage_s += static_cast<double>(e.blocked_ns) * kNs;
    figures_.busy_s += e.machine_busy_s;
    figures_.requests += e.requests;
    figures_.bytes += e.bytes_read;
    for (const record::Request& r : requests) AddWaits(r);
    q.divided = q.divided && kept_ && !shared_ && e.cpu_ns >= 0 && !e.threads.empty();
    if (!q.divided) return;
    q.cpu_s += static_cast<double>(e.cpu_ns) * kNs;
    q.idle_s += IdleSeconds(e, requests, static_cast<int>(figures_.cores));
    Machine machine = machine_;
    if (machine.cores > 0) machine.cores = CoresLeft(e);
    const BestCase best = EstimateBestCase(
        BuildSchedule(e, requests, keys_, machine_.threads), machine,
        e.elapsed_ns > 0 ? static_cast<double>(e.blocked_ns) / static_cast<double>(e.elapsed_ns)
                         : 0);
    q.best_s += best.elapsed_s;
    q.path_s += best.path_s;
    q.replayed_s += best.replayed_s;
  }

  // Rows of its queries in the order of `names`, then its own.
  OrderedJson Rows(const std::vector<std::string>& names, OrderedJson* rows) {
    QuerySums pass;
    pass.divided = !queries_.empty();
    for (const std::string& name : names) {
      const auto at = queries_.find(name);
      if (at == queries_.end()) continue;
      const QuerySums& q = at->second;
      OrderedJson row = {{"query", name}, {"cell", cell_.at("id")}, {"n", q.n}};
      AddTimes(q, static_cast<double>(q.n), &row);
      rows->push_back(std::move(row));
      const auto n = static_cast<double>(q.n);
      pass.n += q.n;
      pass.elapsed_s += q.elapsed_s / n;
      pass.storage_s += q.storage_s / n;
      pass.idle_s += q.idle_s / n;
      pass.cpu_s += q.cpu_s / n;
      pass.wait_lane_s += q.wait_lane_s / n;
      pass.best_s += q.best_s / n;
      pass.path_s += q.path_s / n;
      pass.replayed_s += q.replayed_s / n;
      pass.divided = pass.divided && q.divided;
    }
    OrderedJson row = {{"cell", cell_.at("id")}, {"n", pass.n}};
    AddTimes(pass, 1, &row);
    if (pass.n == 0) {
      row["bound"] = row["evidence"] = row["numbers"] = nullptr;
      return row;
    }
    if (pass.divided) figures_.best_s = pass.best_s / pass.elapsed_s * figures_.elapsed_s;
    DivideUnshaped();
    const Bound bound = NameBound(figures_);
    row["bound"] = bound.name;
    row["evidence"] = bound.evidence;
    row["numbers"] = Numbers();
    return row;
  }

 private:
  void AddWaits(const record::Request& r) {
    figures_.request_wall_s += static_cast<double>(r.end_ns - r.start_ns) * kNs;
    const Waits waits = WaitsOf(r, profile_ ? profile_->stream_bytes_per_s : 0);
    figures_.waits += waits;
    if (r.asked_ns < 0) line_.Add(static_cast<double>(r.bytes), waits.unknown_s);
  }

  double CoresLeft(const record::Execution& e) const {
    constexpr double kLeast = 0.25;
    const double others = ElapsedSeconds(e) >= kTellsOthersS ? OthersSeconds(e) / ElapsedSeconds(e)
                                                             : others_of_short_;
    return std::clamp(machine_.cores - others, std::min(kLeast, machine_.cores), machine_.cores);
  }

  void DivideUnshaped() {
    Waits& w = figures_.waits;
    if (!(w.unknown_s > 0)) return;
    figures_.waits_fitted = true;
    w.first_byte_s += w.unknown_s * line_.request_part();
    w.pipe_s += w.unknown_s * line_.byte_part();
    w.unknown_s = 0;
  }

  void AddTimes(const QuerySums& q, double n, OrderedJson* row) const {
    OrderedJson& r = *row;
    const auto each = [&](double sum) { return q.n > 0 ? OrderedJson(sum / n) : OrderedJson(); };
    const auto known = [&](double sum) { return q.divided ? each(sum) : OrderedJson(); };
    const double idle_s = std::clamp(q.idle_s, 0.0, std::max(0.0, q.elapsed_s - q.storage_s));
    r["elapsed_s"] = each(q.elapsed_s);
    r["compute_s"] = known(q.elapsed_s - q.storage_s - idle_s);
    r["storage_s"] = each(q.storage_s);
    r["idle_s"] = known(idle_s);
    const double lanes = q.elapsed_s * std::max(1, machine_.threads);
    if (q.divided && lanes > 0) {
      const double compute = std::min(1.0, q.cpu_s / lanes);
      const double storage = std::clamp(q.wait_lane_s / lanes, 0.0, 1 - compute);
      r["lanes"] = {{"compute", compute}, {"storage", storage}, {"idle", 1 - compute - storage}};
    } else {
      r["lanes"] = nullptr;
    }
    r["best_case_s"] = known(q.best_s);
    r["speedup"] = q.divided && q.best_s > 0 ? OrderedJson(q.elapsed_s / q.best_s) : OrderedJson();
    r["path_s"] = known(q.path_s);
    r["confidence"] = q.divided && q.n > 0 ? OrderedJson(ConfidenceName(ConfidenceOf(
                                                 {q.best_s, q.path_s, q.replayed_s}, q.elapsed_s)))
                                           : OrderedJson();
  }

  OrderedJson Numbers() const {
    const CellFigures& f = figures_;
    const auto each = [](double a, double b) { return b > 0 ? OrderedJson(a / b) : OrderedJson(); };
    const auto limit = [](double v) { return v > 0 ? OrderedJson(v) : OrderedJson(); };
    OrderedJson numbers = {
        {"busy_cores", each(f.busy_s, f.elapsed_s)},
        {"other_cores", f.others},
        {"cores", f.cores > 0 ? OrderedJson(f.cores) : OrderedJson()},
        {"requests_per_s", each(static_cast<double>(f.requests), f.elapsed_s)},
        {"profile_requests_per_s", limit(f.profile ? f.profile->reads_per_s : 0)},
        {"bytes_per_s", each(static_cast<double>(f.bytes), f.elapsed_s)},
        {"profile_bytes_per_s", limit(f.profile ? f.profile->total_bytes_per_s : 0)},
        {"profile_stream_bytes_per_s", limit(f.profile ? f.profile->stream_bytes_per_s : 0)}};
    numbers["mean_concurrency"] = kept_ ? each(f.request_wall_s, f.elapsed_s) : OrderedJson();
    const WaitShares s = SharesOf(f.waits);
    const bool waits = f.waits.all() > 0;
    const auto share = [&](double v) { return waits ? OrderedJson(v) : OrderedJson(); };
    numbers["latency_share"] = share(s.latency);
    numbers["network_share"] = share(s.network);
    numbers["bandwidth_share"] = share(s.bandwidth);
    numbers["rate_share"] = share(s.rate);
    numbers["late_share"] = share(s.late);
    return numbers;
  }

  const Json& cell_;
  // The machine's busy time is counted in ticks of 10 ms: from here on it says something.
  static constexpr double kTellsOthersS = 0.25;
  static double ElapsedSeconds(const record::Execution& e) {
    return static_cast<double>(e.elapsed_ns) * kNs;
  }
  static double OthersSeconds(const record::Execution& e) {
    return e.machine_busy_s - static_cast<double>(e.cpu_ns) * kNs;
  }

  const bool shared_;  // threads are, between streams
  double others_of_short_ = 0;
  bool kept_ = false;
  std::optional<profile::Profile> profile_;
  Machine machine_;
  record::StoredRequests stored_;
  std::vector<KeyFacts> keys_;
  std::map<std::string, QuerySums> queries_;
  CellFigures figures_;
  WaitLine line_;
};

}  // namespace

Result<OrderedJson> Bottlenecks(const std::string& run_dir, Records& records) {
  static const Json none = Json::array();
  const Json& plan = records.plan();
  std::vector<std::string> names;
  for (const Json& query : plan.value("queries", Json::array())) {
    names.push_back(JsonOr<std::string>(query, "name", ""));
  }
  std::set<int64_t> streams;
  for (const Json& e : plan.contains("executions") ? plan.at("executions") : none) {
    streams.insert(JsonOr<int64_t>(e, "stream", 0));
  }
  const auto cores =
      JsonOr<int64_t>(records.environment().value("machine", Json::object()), "cores", 0);
  std::map<std::string, std::vector<const record::Execution*>> of_cell;
  for (const record::Execution& e : records.journal().finished) {
    // Of an imported execution it is not known what it waited for.
    const bool counts = !e.warmup && e.status == record::ExecutionStatus::kOk &&
                        e.blocked_ns >= 0 && !records.invalid().contains(e.id);
    if (counts) of_cell[e.cell].push_back(&e);
  }
  OrderedJson cells = OrderedJson::array();
  OrderedJson queries = OrderedJson::array();
  for (const Json& cell : plan.contains("cells") ? plan.at("cells") : none) {
    CellAnalysis analysis(cell, streams.size() > 1, cores);
    LG_RETURN_IF_ERROR(analysis.Read(run_dir));
    const auto& executions = of_cell[JsonOr<std::string>(cell, "id", "")];
    analysis.SeeOthers(executions);
    for (const record::Execution* e : executions) analysis.Add(*e);
    cells.push_back(analysis.Rows(names, &queries));
  }
  LG_ASSIGN_OR_RETURN(const Json vary, records.Rows("reads_vary"));
  std::map<std::pair<std::string, std::string>, Json> reads;
  for (const Json& row : vary) {
    reads[{JsonOr<std::string>(row, "query", ""), JsonOr<std::string>(row, "cell", "")}] =
        row.value("share", Json());
  }
  for (OrderedJson& row : queries) {
    const auto at = reads.find({row["query"].get<std::string>(), row["cell"].get<std::string>()});
    const bool known = at != reads.end() && at->second.is_number();
    row["reads_vary"] = known ? OrderedJson(at->second) : OrderedJson();
    row["timed_reads"] =
        known ? OrderedJson(at->second.get<double>() >= kTimedReads) : OrderedJson();
  }
  return OrderedJson{
      {"method", kBestCaseMethod}, {"cells", std::move(cells)}, {"queries", std::move(queries)}};
}

}  // namespace lakegauge::analyze
