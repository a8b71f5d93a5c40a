#include "analyze/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/analyze.h"
#include "analyze/effect_json.h"
#include "analyze/model.h"
#include "analyze/run_data.h"
#include "analyze/significance.h"

namespace lakegauge::analyze {
namespace {

constexpr int kComparisonVersion = 1;

struct Side {
  Json plan;
  Json summary;
  std::map<std::string, Json> cells;  // by id, of the summary
  std::map<std::string, Json> plan_cells;
  std::map<std::string, CellData> data;      // by cell
  std::map<std::string, std::string> texts;  // query -> SQL
};

Result<Side> ReadSide(const std::string& dir) {
  Side side;
  LG_ASSIGN_OR_RETURN(Summary summary, Analyze(dir));
  side.summary = Json(summary.json);
  LG_ASSIGN_OR_RETURN(side.plan, ReadJsonFile(dir + "/plan.json"));
  for (const Json& cell : side.summary["cells"]) side.cells[cell["id"]] = cell;
  for (const Json& cell : side.plan.value("cells", Json::array())) {
    const auto id = JsonOr<std::string>(cell, "id", "");
    side.plan_cells[id] = cell;
    LG_ASSIGN_OR_RETURN(side.data[id], ReadCellData(dir, cell));
  }
  side.texts = QueryTexts(side.plan);
  return side;
}

// Facts that change from one moment to the next and say nothing of a difference.
bool Passing(std::string_view name) {
  constexpr std::string_view kPassing[] = {"captured_utc", "free_bytes", "load_average"};
  return std::find(std::begin(kPassing), std::end(kPassing), name) != std::end(kPassing);
}

std::string Shown(const Json& value) {
  if (value.is_null()) return "unknown";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// A list of things that have a name each, by that name; anything else as it is.
Json ByName(const Json& value) {
  if (!value.is_array()) return value;
  Json named = Json::object();
  for (const Json& item : value) {
    const auto name = JsonOr<std::string>(item, "name", "");
    if (name.empty() || named.contains(name)) return value;
    named[name] = item;
  }
  return named;
}

// Leaf by leaf: "engines.duckdb.configuration.threads: 4 -> 8".
void Differences(const std::string& path, const Json& listed_before, const Json& listed_after,
                 std::vector<std::string>* out) {
  if (listed_before == listed_after) return;
  const Json before = ByName(listed_before);
  const Json after = ByName(listed_after);
  if (before.is_object() && after.is_object()) {
    std::set<std::string> keys;
    for (const auto& [key, value] : before.items()) keys.insert(key);
    for (const auto& [key, value] : after.items()) keys.insert(key);
    for (const std::string& key : keys) {
      if (Passing(key)) continue;
      Differences(path.empty() ? key : path + "." + key, before.value(key, Json()),
                  after.value(key, Json()), out);
    }
    return;
  }
  out->push_back(fmt::format("{}: {} -> {}", path, Shown(before), Shown(after)));
}

Sample SampleOf(const Json& object) {
  return {JsonOr<int64_t>(object, "n", 0), JsonOr<double>(object, "avg_s", 0),
          JsonOr<double>(object, "stddev_s", 0)};
}

void AddSides(const Sample& before, const Sample& after, const Effect& effect, OrderedJson* json) {
  (*json)["before_n"] = before.n;
  (*json)["after_n"] = after.n;
  (*json)["before_s"] = before.n > 0 ? OrderedJson(before.mean) : OrderedJson();
  (*json)["after_s"] = after.n > 0 ? OrderedJson(after.mean) : OrderedJson();
  AddEffect(effect, json);
}

// A query of one cell in both runs: its rows of summary.json.
struct QueryPair {
  Json before, after;
};

std::vector<Effect> EffectsOf(const std::vector<QueryPair>& family) {
  std::vector<Sample> before;
  std::vector<Sample> after;
  for (const QueryPair& pair : family) {
    before.push_back(SampleOf(pair.before));
    after.push_back(SampleOf(pair.after));
  }
  return CompareQueries(after, before);
}

// How many of a row's times are outliers, and the averages and ratio without them.
void AddOutliers(const QueryPair& pair, OrderedJson* json) {
  const auto flagged =
      JsonOr<int64_t>(pair.before, "outliers", 0) + JsonOr<int64_t>(pair.after, "outliers", 0);
  (*json)["outliers"] = flagged;
  const double before = JsonOr<double>(pair.before, "avg_without_s", 0);
  const double after = JsonOr<double>(pair.after, "avg_without_s", 0);
  (*json)["ratio_without"] =
      flagged > 0 && before > 0 ? OrderedJson(after / before) : OrderedJson();
}

bool Emulated(const Json& cell) { return JsonOr<bool>(cell, "emulated", false); }

OrderedJson RunJson(const Side& side) {
  const Json& run = side.summary["run"];
  OrderedJson json;
  for (const char* key :
       {"id", "started_utc", "lakegauge_version", "build_type", "complete", "emulated"}) {
    json[key] = OrderedJson(run.value(key, Json()));
  }
  return json;
}

Status SameRows(const std::string& cell, const CellData& before, const CellData& after) {
  if (before.rows.empty() || after.rows.empty()) return {};  // not known
  for (const auto& [table, fingerprint] : before.rows) {
    const auto other = after.rows.find(table);
    if (other == after.rows.end()) {
      return MakeError(
          ErrorCode::kInvalidArgument,
          fmt::format("the data differs: {} has no table {} in the later run", cell, table));
    }
    if (!fingerprint.empty() && !other->second.empty() && fingerprint != other->second) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("the data differs: table {} of {} holds other rows in the later "
                                   "run (fingerprint {} against {})",
                                   table, cell, fingerprint, other->second));
    }
  }
  return {};
}

}  // namespace

Result<OrderedJson> Compare(const std::string& before_dir, const std::string& after_dir) {
  LG_ASSIGN_OR_RETURN(const Side before, ReadSide(before_dir));
  LG_ASSIGN_OR_RETURN(const Side after, ReadSide(after_dir));
  OrderedJson result = {{"v", kComparisonVersion},
                        {"before", RunJson(before)},
                        {"after", RunJson(after)},
                        {"sentence", ""},
                        {"notes", OrderedJson::array()}};
  const bool same_id = result["before"]["id"] == result["after"]["id"];
  if (same_id && result["before"]["started_utc"] == result["after"]["started_utc"]) {
    result["notes"].push_back(
        fmt::format("Both are the same run, {}.", result["before"]["id"].get<std::string>()));
  } else {
    result["notes"].push_back(
        "The runs were made apart: what the machine did between them is in no interval. Stores and "
        "layouts of one run that takes them by turns (interleave: cells) are free of it.");
  }
  // Copies of one run, or runs that were given the same name, are told apart by their folders.
  if (same_id) {
    result["before"]["id"] = before_dir;
    result["after"]["id"] = after_dir;
  }
  std::vector<std::string> environment;
  Differences("", before.summary["environment"], after.summary["environment"], &environment);

  OrderedJson left_out = OrderedJson::array();
  std::set<std::string> matched;
  bool unverified = false;  // of a run that was imported, or has lost its manifests
  for (const auto& [id, cell] : before.cells) {
    if (!after.cells.contains(id)) {
      left_out.push_back({{"run", "before"}, {"cell", id}, {"why", "only in the earlier run"}});
      continue;
    }
    const Json& plan_before = before.plan_cells.at(id);
    const Json& plan_after = after.plan_cells.at(id);
    // What another tool read is known by no more than the cell's name.
    const bool imported = before.plan.contains("imported") || after.plan.contains("imported");
    if (!imported &&
        plan_before.value("dataset_name", Json()) != plan_after.value("dataset_name", Json())) {
      return MakeError(
          ErrorCode::kInvalidArgument,
          fmt::format("the data differs: {} is {} in the earlier run and {} in the later", id,
                      JsonOr<std::string>(plan_before, "dataset_name", "?"),
                      JsonOr<std::string>(plan_after, "dataset_name", "?")));
    }
    LG_RETURN_IF_ERROR(SameRows(id, before.data.at(id), after.data.at(id)));
    const bool known = !before.data.at(id).files.empty() && !after.data.at(id).files.empty();
    unverified = unverified || !known;
    if (known && before.data.at(id).files != after.data.at(id).files) {
      left_out.push_back({{"run", "both"},
                          {"cell", id},
                          {"why", "the layout's files are not the same bytes in both runs"}});
      continue;
    }
    matched.insert(id);
    for (const char* key : {"threads", "engine_settings", "store_uri", "profile", "store_facts"}) {
      Differences(id + "." + key, plan_before.value(key, Json()), plan_after.value(key, Json()),
                  &environment);
    }
  }
  for (const auto& [id, cell] : after.cells) {
    if (!before.cells.contains(id)) {
      left_out.push_back({{"run", "after"}, {"cell", id}, {"why", "only in the later run"}});
    }
  }
  std::set<std::string> changed;
  for (const auto& [name, text] : before.texts) {
    const auto other = after.texts.find(name);
    if (other == after.texts.end() || text.empty() || other->second.empty()) continue;
    if (other->second != text) changed.insert(name);
  }
  if (matched.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "nothing to compare: the runs have no cell (engine.store.layout.dataset) in "
                     "common that was run over the same files");
  }

  std::map<std::pair<std::string, std::string>, Json> earlier;
  for (const Json& q : before.summary["queries"]) earlier[{q["cell"], q["query"]}] = q;
  // The queries of a cell are one family; its rows stay together.
  std::map<std::string, std::vector<QueryPair>> families;
  std::vector<std::string> order;
  for (const Json& q : after.summary["queries"]) {
    const auto at = earlier.find({q["cell"], q["query"]});
    if (at == earlier.end() || !matched.contains(q["cell"]) || changed.contains(q["query"]))
      continue;
    auto& family = families[q["cell"]];
    if (family.empty()) order.push_back(q["cell"]);
    family.push_back({at->second, q});
  }
  OrderedJson queries = OrderedJson::array();
  std::vector<Effect> query_effects;
  size_t most_queries = 0;
  std::map<std::string, int64_t> counts = {
      {"faster", 0}, {"slower", 0}, {"within noise", 0}, {"too few samples", 0}};
  for (const std::string& id : order) {
    const auto& family = families.at(id);
    const auto effects = EffectsOf(family);
    most_queries = std::max(most_queries, family.size());
    for (size_t i = 0; i < family.size(); ++i) {
      OrderedJson row = {{"query", family[i].after["query"]},
                         {"cell", id},
                         {"emulated", Emulated(after.cells.at(id))}};
      AddSides(SampleOf(family[i].before), SampleOf(family[i].after), effects[i], &row);
      AddOutliers(family[i], &row);
      ++counts[row["mark"].get<std::string>()];
      queries.push_back(std::move(row));
    }
    query_effects.insert(query_effects.end(), effects.begin(), effects.end());
  }
  OrderedJson cells = OrderedJson::array();
  std::vector<Effect> totals;
  std::map<std::string, int64_t> cell_counts;
  const bool same_queries =
      changed.empty() && before.texts.size() == after.texts.size() &&
      std::equal(before.texts.begin(), before.texts.end(), after.texts.begin(),
                 [](const auto& a, const auto& b) { return a.first == b.first; });
  for (const Json& cell : after.summary["cells"]) {
    const std::string id = cell["id"];
    if (!matched.contains(id) || !same_queries) continue;
    OrderedJson row = {{"cell", id}, {"emulated", Emulated(cell)}};
    const Sample a = SampleOf(before.cells.at(id)["suite"]);
    const Sample b = SampleOf(cell["suite"]);
    totals.push_back(CompareTotals(b, a));
    AddSides(a, b, totals.back(), &row);
    ++cell_counts[row["mark"].get<std::string>()];
    cells.push_back(std::move(row));
  }
  const auto counted = [](std::map<std::string, int64_t>& by_mark, size_t all, const char* what) {
    return fmt::format(
        "Of {}, {} faster in the later run, {} slower, {} within noise, {} had too few samples.",
        Counted(static_cast<int64_t>(all), what, fmt::format("{}s", what)),
        Counted(by_mark["faster"], "is", "are"), by_mark["slower"], by_mark["within noise"],
        by_mark["too few samples"]);
  };
  result["sentence"] =
      (cells.empty() ? "" : counted(cell_counts, cells.size(), "pass time") + " ") +
      counted(counts, queries.size(), "query time");
  if (unverified) {
    result["notes"].push_back(
        "Whether both runs read the same data is not known: one of them was imported or has no "
        "manifests. Cells are matched by their names.");
  }
  if (!same_queries) {
    result["notes"].push_back(
        "The runs do not ask the same queries, so passes are not compared, only the queries both "
        "ask.");
  }
  for (const auto& name : changed) {
    result["notes"].push_back("The text of " + name + " differs; it was left out.");
  }
  if (!environment.empty()) {
    result["notes"].push_back(
        Counted(static_cast<int64_t>(environment.size()),
                "fact of machine or configuration differs: a change in time may be due to it.",
                "facts of machine or configuration differ: a change in time may be due to them."));
  }
  result["detectable"] = DetectableJson(totals, query_effects, most_queries);
  result["method"] = {{"ratio", kRatioMethod}, {"marks", kMarkMethod}};
  result["environment"] = environment;
  result["left_out"] = std::move(left_out);
  result["counts"] = counts;
  result["cells"] = std::move(cells);
  result["queries"] = std::move(queries);
  return result;
}

}  // namespace lakegauge::analyze
