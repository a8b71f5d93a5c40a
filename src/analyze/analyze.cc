#include "analyze/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "analyze/bottleneck.h"
#include "analyze/cost_of_run.h"
#include "analyze/delivered.h"
#include "analyze/disturbances.h"
#include "analyze/effect_json.h"
#include "analyze/headline.h"
#include "analyze/model.h"
#include "analyze/outliers.h"
#include "analyze/resources.h"
#include "analyze/side_by_side.h"
#include "analyze/statistics.h"
#include "analyze/trust.h"

namespace lakegauge::analyze {
namespace {

// "results.json (spark-sql-perf, 515 executions), b.csv (csv, 3 executions)".
std::string SourcesText(const Json& imported) {
  constexpr size_t kMost = 4;
  const Json files = imported.value("files", Json::array());
  std::vector<std::string> named;
  for (const Json& file : files) {
    if (named.size() == kMost && files.size() > kMost + 1) {
      named.push_back(Counted(static_cast<int64_t>(files.size() - kMost), "more", "more"));
      break;
    }
    named.push_back(
        fmt::format("{} ({}, {})", JsonOr<std::string>(file, "name", "?"),
                    JsonOr<std::string>(file, "format", "?"),
                    Counted(JsonOr<int64_t>(file, "executions", 0), "execution", "executions")));
  }
  return Joined(named);
}

// What a reader of an imported run must know first; empty of one that lakegauge made.
std::string ImportedNote(const Json& plan) {
  if (!plan.contains("imported")) return "";
  const Json& imported = plan.at("imported");
  int64_t bad = 0;
  for (const Json& file : imported.value("files", Json::array())) {
    bad += JsonOr<int64_t>(file, "bad_lines", 0);
  }
  return fmt::format(
      "IMPORTED from {}. lakegauge did not run these queries: requests, CPU, blocked time, cold or "
      "warm, and whether the answers and the data were the same are not known.{}",
      SourcesText(imported),
      bad == 0 ? ""
               : " " + Counted(bad, "line could not be read and is left out.",
                               "lines could not be read and are left out."));
}

// A row's member as it is; null where there is none.
OrderedJson At(const Json& row, const char* key) {
  const auto at = row.find(key);
  return at == row.end() ? OrderedJson() : OrderedJson(*at);
}

OrderedJson OrNull(const std::optional<double>& value) {
  return value ? OrderedJson(*value) : OrderedJson();
}

// A text of a section of environment.json; empty where it is not known.
std::string EnvironmentText(const Json& environment, const char* section, const char* key) {
  return JsonOr<std::string>(environment.value(section, Json()), key, "");
}

// A word as a shell takes it.
std::string ShellWord(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The command as it was given to the first session; empty where it was not recorded.
std::string CommandOf(const record::Journal& journal) {
  for (const auto& session : journal.session_infos) {
    std::string command;
    for (const auto& word : JsonOr<std::vector<std::string>>(session.facts, "command", {})) {
      // The program by its name: its folder says nothing on another machine.
      command += command.empty() ? word.substr(word.rfind('/') + 1) : " " + ShellWord(word);
    }
    if (!command.empty()) return command;
  }
  return "";
}

OrderedJson ComparisonJson(const std::optional<Comparison>& c) {
  if (!c) return nullptr;
  OrderedJson json = {{"baseline", c->baseline}};
  AddEffect(c->effect, &json);
  json["queries"] = c->queries;
  json["queries_asked"] = c->queries_asked;
  json["n"] = c->cell.n;
  json["baseline_n"] = c->base.n;
  return json;
}

OrderedJson CellJson(const Json& row, const Cell& cell, const Json& plan_cell) {
  OrderedJson suite;
  suite["n"] = cell.suite.n;
  for (const char* key : {"min_s", "max_s", "avg_s", "stddev_s", "median_s"}) {
    suite[key] = At(row, key);
  }
  const auto interval = MeanInterval(cell.suite);
  suite["ci95_low_s"] = interval ? OrderedJson(interval->low) : OrderedJson();
  suite["ci95_high_s"] = interval ? OrderedJson(interval->high) : OrderedJson();
  for (const char* key : {"total_s", "geomean_s", "stability_pct"}) suite[key] = At(row, key);
  suite["iterations_s"] = row.contains("iterations") && row["iterations"].is_array()
                              ? OrderedJson(row["iterations"])
                              : OrderedJson::array();
  OrderedJson json = {{"id", cell.id},
                      {"engine", cell.engine},
                      {"store", cell.store},
                      {"layout", cell.layout},
                      {"dataset", cell.dataset},
                      {"threads", At(plan_cell, "threads")},
                      {"emulated", cell.emulated},
                      {"suite", std::move(suite)},
                      {"requests_per_pass", At(row, "requests")},
                      {"bytes_per_pass", At(row, "bytes_read")},
                      {"blocked_s_per_pass", At(row, "blocked_s")},
                      {"cpu_s_per_pass", At(row, "cpu_s")},
                      {"requests_by_op", At(row, "ops")},
                      {"executions", cell.executions},
                      {"failures", cell.failures},
                      {"cancelled", cell.cancelled},
                      {"invalid", cell.invalid},
                      {"cache", {{"cold", cell.cold}, {"warm", cell.warm}}},
                      {"busy_cores", OrNull(cell.busy_cores)},
                      {"vs_layout", ComparisonJson(cell.vs_layout)},
                      {"vs_store", ComparisonJson(cell.vs_store)},
                      {"files",
                       {{"count", At(row, "files")},
                        {"bytes", At(row, "file_bytes")},
                        {"target_bytes", cell.target_bytes},
                        {"median_bytes", At(row, "median_bytes")},
                        {"within_10pct", At(row, "within_10pct")}}}};
  return json;
}

OrderedJson QueryJson(const Json& row, const Effect& by_layout, const Effect& by_store) {
  OrderedJson json;
  for (const char* key : {"query", "cell", "n", "failed", "invalid", "min_s", "max_s", "avg_s",
                          "stddev_s", "median_s", "ci95_low_s", "ci95_high_s", "requests",
                          "bytes_read", "blocked_s", "cpu_s", "rows"}) {
    json[key] = At(row, key);
  }
  AddQueryEffect(by_layout, "layout", &json);
  AddQueryEffect(by_store, "store", &json);
  json["ratio_to_best"] = At(row, "ratio_to_best");
  return json;
}

// How many of a query's times are outliers, and what its figures are without them.
void AddWithout(const OrderedJson& outliers, OrderedJson* queries) {
  for (OrderedJson& row : *queries) {
    int64_t flagged = 0;
    row["avg_without_s"] = nullptr;
    row["stddev_without_s"] = nullptr;
    for (const OrderedJson& outlier : outliers) {
      if (outlier["cell"] != row["cell"] || outlier["query"] != row["query"]) continue;
      ++flagged;
      row["avg_without_s"] = outlier["without"]["avg_s"];
      row["stddev_without_s"] = outlier["without"]["stddev_s"];
    }
    row["outliers"] = flagged;
    if (flagged == 0) {
      row["avg_without_s"] = row["avg_s"];
      row["stddev_without_s"] = row["stddev_s"];
    }
  }
}

OrderedJson Picked(const Json& rows, std::initializer_list<const char*> keys) {
  OrderedJson out = OrderedJson::array();
  for (const Json& row : rows) {
    OrderedJson object;
    for (const char* key : keys) object[key] = At(row, key);
    out.push_back(std::move(object));
  }
  return out;
}

OrderedJson StoresJson(const Json& plan) {
  OrderedJson stores = OrderedJson::array();
  std::set<std::string> seen;
  for (const Json& cell : plan.value("cells", Json::array())) {
    const auto id = JsonOr<std::string>(cell, "store", "");
    if (!seen.insert(id).second) continue;
    const auto uri = JsonOr<std::string>(cell, "store_uri", "");
    const Json profile = cell.value("profile", Json());
    stores.push_back(
        {{"id", id},
         {"uri", uri},
         {"kind", uri.empty() ? OrderedJson() : OrderedJson(uri.substr(0, uri.find(':')))},
         {"emulated", JsonOr<bool>(cell, "emulated", false)},
         {"profile", profile.is_object() ? At(profile, "name") : OrderedJson()},
         {"profile_text", JsonOr<std::string>(cell, "profile_text", "")},
         {"facts", OrderedJson(cell.value("store_facts", Json::object()))}});
  }
  return stores;
}

OrderedJson LayoutsJson(const Json& plan, const Model& model) {
  OrderedJson layouts = OrderedJson::array();
  std::set<std::string> seen;
  for (const Json& cell : plan.value("cells", Json::array())) {
    const auto id = JsonOr<std::string>(cell, "layout", "");
    if (!seen.insert(id).second) continue;
    const Json spec = cell.value("layout_spec", Json::object());
    // Those that coincide in every dataset the layout stands in.
    std::optional<std::set<std::string>> coincides;
    for (const std::string& dataset : model.datasets) {
      std::set<std::string> here;
      if (const auto at = model.coinciding.find(dataset); at != model.coinciding.end()) {
        if (const auto same = at->second.find(id); same != at->second.end()) {
          here.insert(same->second.begin(), same->second.end());
        }
      }
      if (!coincides) {
        coincides = here;
      } else {
        std::erase_if(*coincides, [&](const std::string& other) { return !here.contains(other); });
      }
    }
    layouts.push_back(
        {{"id", id},
         {"name", JsonOr<std::string>(cell, "layout_name", "")},
         {"format", JsonOr<std::string>(spec, "format", "")},
         {"compression", JsonOr<std::string>(spec, "compression", "")},
         {"target_file_bytes", JsonOr<int64_t>(spec, "target_file_bytes", 0)},
         {"coincides_with", OrderedJson(coincides.value_or(std::set<std::string>{}))}});
  }
  return layouts;
}

// "2 executions are marked invalid and left out of every statistic: backup ran (2)."; empty for
// none.
std::string AnnotatedNote(const Json& rows) {
  if (rows.empty()) return "";
  std::vector<std::pair<std::string, int64_t>> reasons;  // in the order they are first met
  for (const Json& row : rows) {
    const auto reason = JsonOr<std::string>(row, "reason", "");
    auto at = std::find_if(reasons.begin(), reasons.end(),
                           [&](const auto& known) { return known.first == reason; });
    if (at == reasons.end()) at = reasons.insert(reasons.end(), {reason, 0});
    ++at->second;
  }
  std::vector<std::string> counted;
  for (const auto& [reason, count] : reasons) {
    counted.push_back(fmt::format("\"{}\" ({})", reason, count));
  }
  return fmt::format("{} marked invalid by a person and left out of every statistic: {}.",
                     Counted(static_cast<int64_t>(rows.size()), "execution is", "executions are"),
                     Joined(counted));
}

// Each reason why reads were not made cold, once.
std::vector<std::string> WhyWarm(const Records& records) {
  std::vector<std::string> reasons;
  const auto add = [&](const std::string& why) {
    if (std::find(reasons.begin(), reasons.end(), why) == reasons.end()) reasons.push_back(why);
  };
  const Json workload = records.plan().value("workload", Json::object());
  if (JsonOr<std::string>(workload, "cache", "") == "warm") add("caches were left as they were");
  for (const auto& [cell, facts] : records.journal().cell_facts) {
    const auto problem = JsonOr<std::string>(facts, "cold_problem", "");
    if (!problem.empty()) add(problem);
  }
  return reasons;
}

// For the first screen; empty where all is cold.
std::string WarmNote(const Model& model, const std::vector<std::string>& why_warm) {
  int64_t warm = 0;
  int64_t all = 0;
  for (const Cell& c : model.cells) {
    warm += c.warm;
    all += c.warm + c.cold;
  }
  if (warm == 0) return "";
  return fmt::format("WARM: {} of {} read what caches may have held{}.", warm,
                     Counted(all, "execution", "executions"),
                     why_warm.empty() ? "" : ": " + Joined(why_warm));
}

OrderedJson HeadlineRatioJson(const HeadlineRatio& ratio) {
  OrderedJson all;
  AddEffect(ratio.effect, &all);
  return {{"value", all["ratio"]},
          {"ci_low", all["ci_low"]},
          {"ci_high", all["ci_high"]},
          {"delta_s", all["delta_s"]},
          {"delta_low_s", all["delta_low_s"]},
          {"delta_high_s", all["delta_high_s"]},
          {"p", all["p"]},
          {"marked_below", ratio.effect.level},
          {"smallest", all["smallest"]},
          {"mark", all["mark"]},
          {"method", kRatioMethod},
          {"what", ratio.what},
          {"store", ratio.store.empty() ? OrderedJson() : OrderedJson(ratio.store)}};
}

// "2 executions that had failed ran once more in a later session and count as they ended last: 1
// ok, 1 failed."; empty for none.
std::string RetriedNote(const Json& rows) {
  std::map<int64_t, std::string> now;  // by execution: it may have been retried more than once
  for (const Json& row : rows) {
    now[JsonOr<int64_t>(row, "execution", -1)] = JsonOr<std::string>(row, "now", "");
  }
  if (now.empty()) return "";
  std::map<std::string, int64_t> by_status;
  for (const auto& [execution, status] : now) ++by_status[status];
  std::vector<std::string> counted;
  for (const auto& [status, count] : by_status) counted.push_back(Counted(count, status, status));
  return fmt::format(
      "{} that had failed or timed out ran once more in a later session and {} as ended last: {}.",
      Counted(static_cast<int64_t>(now.size()), "execution", "executions"),
      now.size() == 1 ? "counts" : "count", Joined(counted));
}

OrderedJson HeadlineJson(const Headline& headline) {
  OrderedJson json = {{"sentence", headline.sentence},
                      {"ratio", nullptr},
                      {"beside", OrderedJson::array()},
                      {"notes", headline.notes}};
  if (headline.ratio) json["ratio"] = HeadlineRatioJson(*headline.ratio);
  for (const HeadlineRatio& ratio : headline.beside) {
    json["beside"].push_back(HeadlineRatioJson(ratio));
  }
  return json;
}

OrderedJson Detectable(const Model& model, const std::vector<Effect>& by_layout,
                       const std::vector<Effect>& by_store) {
  std::vector<Effect> totals;
  for (const Cell& cell : model.cells) {
    if (cell.vs_layout) totals.push_back(cell.vs_layout->effect);
    if (cell.vs_store) totals.push_back(cell.vs_store->effect);
  }
  std::vector<Effect> queries = by_layout;
  queries.insert(queries.end(), by_store.begin(), by_store.end());
  return DetectableJson(totals, queries, model.queries.size());
}

OrderedJson EstimatorsJson() {
  return {
      {"average", "arithmetic mean of the executions that were ok and are not marked invalid"},
      {"stddev", "sample standard deviation (n - 1)"},
      {"median", "median: R-7"},
      {"ci95",
       "95% confidence interval of the mean: Student t interval of its logarithm (delta method), "
       "n - 1 degrees of freedom"},
      {"geomean", "geometric mean of the queries' average times"},
      {"stability", "coefficient of variation of the pass times, percent"},
      {"quantile", "R-7: linear between order statistics at (n - 1) p"},
      {"ratio", kRatioMethod},
      {"marks", kMarkMethod},
      {"smallest",
       "the relative slowdown that would have been marked in 9 of 10 such comparisons, from the "
       "standard error that was seen"},
      {"outliers", kOutlierMethod},
      {"pass",
       "sum of the query times of one iteration (with several streams their average); only "
       "passes in which every query was ok and none is marked invalid"}};
}

// What runs the same again: what the experiment came to, in the run's folder, since the file it was
// made of may have changed or be gone.
std::string CommandToRepeat(const Json& plan, const std::string& command) {
  const auto run_dir = JsonOr<std::string>(plan, "run_dir", "");
  const auto data_dir = JsonOr<std::string>(plan, "data_dir", "");
  std::string repeat =
      "lakegauge run " + ShellWord((run_dir.empty() ? "" : run_dir + "/") + "resolved.yaml");
  if (!data_dir.empty()) repeat += " --data " + ShellWord(data_dir);
  constexpr char kDropAll[] = " --drop-all-caches";
  return command.find(kDropAll) == std::string::npos ? repeat : repeat + kDropAll;
}

OrderedJson RepeatJson(const Json& plan, const std::string& command, const std::string& version,
                       bool imported) {
  OrderedJson steps = OrderedJson::array();
  if (imported) {
    steps.push_back("The measurements are another tool's: repeat them with it.");
    steps.push_back("Import its files again: " + command);
    return {{"command", command}, {"steps", std::move(steps)}};
  }
  const std::string repeat = CommandToRepeat(plan, command);
  steps.push_back("Install lakegauge" + (version.empty() ? "" : " " + version) +
                  " as its README says (./setup, then ./run builds it).");
  steps.push_back(repeat);
  steps.push_back(
      "Where this run's folder or its data lie elsewhere now, name its resolved.yaml (what the "
      "experiment came to) and --data there; without the data they are made again.");
  steps.push_back(
      "Make this report again from the run's records alone: lakegauge report <run folder>");
  return {{"command", repeat}, {"steps", std::move(steps)}};
}

}  // namespace

Result<Summary> Analyze(const std::string& run_dir) {
  LG_ASSIGN_OR_RETURN(Records records, Records::Open(run_dir));
  std::map<std::string, Json> tables;
  for (const char* name :
       {"cells",         "comparisons", "queries",   "latency",    "shaping",   "shaping_limits",
        "sizes",         "coinciding",  "answers",   "times",      "failures",  "annotated",
        "requests_kept", "run",         "disturbed", "watched",    "resources", "servers",
        "timeline",      "bands",       "repeated",  "retried_now"}) {
    LG_ASSIGN_OR_RETURN(tables[name], records.Rows(name));
  }
  const Json& plan = records.plan();
  const Json& run = tables["run"].at(0);
  Model model = MakeModel(plan, tables["cells"], tables["comparisons"], tables["coinciding"]);
  model.planned = JsonOr<int64_t>(run, "planned", 0);
  model.done = JsonOr<int64_t>(run, "done", 0);
  model.complete = model.planned > 0 && model.done >= model.planned;
  std::set<int64_t> iterations, streams;
  for (const Json& e : plan.value("executions", Json::array())) {
    if (JsonOr<bool>(e, "warmup", false) || JsonOr<bool>(e, "repeat", false)) continue;
    iterations.insert(JsonOr<int64_t>(e, "iteration", 1));
    streams.insert(JsonOr<int64_t>(e, "stream", 0));
  }
  model.iterations = static_cast<int64_t>(iterations.size());
  model.streams = static_cast<int64_t>(streams.size());
  model.retried = static_cast<int64_t>(tables["retried_now"].size());

  const Json& environment = records.environment();
  const std::string build = EnvironmentText(environment, "build", "type");
  const std::string version = EnvironmentText(environment, "build", "lakegauge");
  const auto cores = JsonOr<int64_t>(environment.value("machine", Json()), "cores", 0);
  const std::string command = CommandOf(records.journal());
  Headline headline = MakeHeadline(model);
  if (const std::string note = ImportedNote(plan); !note.empty()) {
    headline.notes.insert(headline.notes.begin(), note);
  }
  if (const std::string note = AnnotatedNote(tables["annotated"]); !note.empty()) {
    headline.notes.push_back(note);
  }
  headline.notes.insert(headline.notes.end(), records.notes().begin(), records.notes().end());
  std::vector<std::string> not_kept;
  for (const Json& row : tables["requests_kept"]) {
    if (row.at("kept").is_null() && JsonOr<int64_t>(row, "journal", 0) > 0) {
      not_kept.push_back(JsonOr<std::string>(row, "cell", ""));
    }
  }
  if (const std::string note = RepeatedNote(tables["repeated"]); !note.empty()) {
    headline.notes.push_back(note);
  }
  if (const std::string note = RetriedNote(tables["retried_now"]); !note.empty()) {
    headline.notes.push_back(note);
  }
  if (!not_kept.empty()) {
    headline.notes.push_back(
        "Requests are not compacted yet, so kinds and latency are missing, for " +
        Joined(not_kept) + ". Their counts are the journal's.");
  }
  const std::vector<std::string> why_warm = WhyWarm(records);
  if (const std::string note = WarmNote(model, why_warm); !note.empty()) {
    headline.notes.insert(headline.notes.begin(), note);
  }
  const bool emulated =
      std::any_of(model.cells.begin(), model.cells.end(), [](const Cell& c) { return c.emulated; });

  Summary summary;
  OrderedJson& s = summary.json;
  s["v"] = kSummaryVersion;
  s["run"] = {{"id", JsonOr<std::string>(plan, "run", "")},
              {"experiment", JsonOr<std::string>(plan, "experiment", "")},
              {"title", JsonOr<std::string>(plan, "title", "")},
              {"question", JsonOr<std::string>(plan, "question", "")},
              {"stands_in_for", OrderedJson(plan.value("stands_in_for", Json::array()))},
              {"started_utc", At(run, "started_utc")},
              {"finished_utc", At(run, "finished_utc")},
              {"wall_s", At(run, "wall_s")},
              {"complete", model.complete},
              {"emulated", emulated},
              {"command", command},
              {"lakegauge_version", version},
              {"build_type", build},
              {"executions_planned", model.planned},
              {"executions_done", model.done},
              {"imported", At(plan, "imported")}};
  if (model.imported && s["run"]["started_utc"].is_null()) {
    s["run"]["started_utc"] = At(plan.at("imported"), "started_utc");
  }
  s["headline"] = HeadlineJson(headline);
  const std::vector<Delivered> delivered =
      MakeDelivered(plan, tables["shaping"], tables["shaping_limits"]);
  s["trust"] = OrderedJson::array();
  for (const Light& light :
       MakeLights({model, tables["answers"], tables["sizes"], delivered, tables["requests_kept"],
                   tables["disturbed"], tables["watched"], why_warm, build, cores})) {
    s["trust"].push_back(
        {{"id", light.id}, {"state", light.state}, {"text", light.text}, {"detail", light.detail}});
  }
  s["axes"] = {{"engines", model.engines}, {"stores", model.stores},
               {"layouts", model.layouts}, {"datasets", model.datasets},
               {"queries", model.queries}, {"iterations", model.iterations},
               {"streams", model.streams}};
  s["compare"] = {{"layout", model.compare_layout}, {"store", model.compare_store}};
  s["stores"] = StoresJson(plan);
  s["layouts"] = LayoutsJson(plan, model);
  s["cells"] = OrderedJson::array();
  for (size_t i = 0; i < model.cells.size(); ++i) {
    s["cells"].push_back(CellJson(tables["cells"][i], model.cells[i], plan.at("cells").at(i)));
  }
  s["queries"] = OrderedJson::array();
  const auto by_layout = QueryEffects(tables["queries"], "layout");
  const auto by_store = QueryEffects(tables["queries"], "store");
  for (size_t i = 0; i < by_layout.size(); ++i) {
    s["queries"].push_back(QueryJson(tables["queries"][i], by_layout[i], by_store[i]));
  }
  s["outliers"] = OutliersJson(tables["times"]);
  AddWithout(s["outliers"], &s["queries"]);
  s["detectable"] = Detectable(model, by_layout, by_store);
  s["side_by_side"] = SideBySide(model, s["queries"]);
  s["doubling"] = OrderedJson::array();
  for (const Doubling& d : FindDoublings(model)) {
    s["doubling"].push_back({{"engine", d.engine},
                             {"dataset", d.dataset},
                             {"store", d.store},
                             {"layout", d.layout.empty() ? OrderedJson() : OrderedJson(d.layout)},
                             {"text", d.text}});
  }
  s["latency"] =
      Picked(tables["latency"], {"store", "layout", "op", "count", "errors", "mean_ms", "p50_ms",
                                 "p90_ms", "p99_ms", "max_ms", "asked_mean_ms", "asked_p50_ms",
                                 "asked_p99_ms", "late_mean_ms", "late_p99_ms", "histogram"});
  s["delivered"] = ToJson(delivered);
  s["sizes"] = Picked(tables["sizes"],
                      {"layout", "dataset", "table", "files", "rows", "bytes", "target_bytes",
                       "min_bytes", "median_bytes", "max_bytes", "within_10pct", "histogram"});
  LG_ASSIGN_OR_RETURN(s["bottleneck"], Bottlenecks(run_dir, records));
  s["resources"] = ResourcesJson(
      {tables["resources"], tables["servers"], tables["timeline"], tables["bands"]}, plan);
  s["disturbances"] = DisturbancesJson(tables["disturbed"], tables["watched"]);
  s["failures"] = Picked(tables["failures"], {"execution", "cell", "query", "stream", "iteration",
                                              "status", "error", "invalid"});
  s["retried"] = Picked(tables["retried_now"], {"execution", "cell", "query", "stream", "iteration",
                                                "session", "status", "error", "now"});
  s["annotations"] =
      Picked(tables["annotated"], {"execution", "cell", "query", "stream", "iteration", "warmup",
                                   "status", "seconds", "reason", "at_utc"});
  LG_ASSIGN_OR_RETURN(s["cost"], CostBlock(records));
  s["estimators"] = EstimatorsJson();
  s["environment"] = OrderedJson(environment);
  s["repeat"] = RepeatJson(plan, command, version, model.imported);
  s["sql"] = OrderedJson(records.SqlTexts());
  LG_ASSIGN_OR_RETURN(summary.queries, records.Text("queries_csv"));
  LG_ASSIGN_OR_RETURN(summary.runs, records.Text("runs_csv"));
  summary.sql = records.SqlScript();
  return summary;
}

}  // namespace lakegauge::analyze
