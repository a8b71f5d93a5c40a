#include "analyze/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analyze/analyze.h"
#include "analyze/effect_json.h"
#include "analyze/run_data.h"
#include "analyze/significance.h"

namespace lakegauge::analyze {
namespace {

constexpr int kHistoryVersion = 1;

struct Run {
  std::string dir;
  Json plan, summary;
  std::map<std::string, std::string> texts;
};

Result<Run> ReadRun(const std::string& dir) {
  Run run;
  run.dir = dir;
  LG_ASSIGN_OR_RETURN(const Summary summary, Analyze(dir));
  run.summary = Json(summary.json);
  LG_ASSIGN_OR_RETURN(run.plan, ReadJsonFile(dir + "/plan.json"));
  run.texts = QueryTexts(run.plan);
  return run;
}

std::string Started(const Run& run) {
  return JsonOr<std::string>(run.summary["run"], "started_utc", "");
}

// Of one cell in one run.
struct Point {
  const Run* run = nullptr;
  CellData data;
  Json figures;                   // n, avg_s, stddev_s, ...: of the passes or of the query
  std::vector<Json> all_queries;  // of the cell, for the family that a query is judged in
};

Sample SampleOf(const Json& figures) {
  return {.n = JsonOr<int64_t>(figures, "n", 0),
          .mean = JsonOr<double>(figures, "avg_s", 0),
          .stddev = JsonOr<double>(figures, "stddev_s", 0)};
}

// Why two points of a cell are not compared; empty: they are.
std::string Remark(const Point& before, const Point& after, const std::string& query) {
  if (before.data.rows != after.data.rows || before.data.files != after.data.files) {
    return "other data";
  }
  const auto& a = before.run->texts;
  const auto& b = after.run->texts;
  const bool same =
      query.empty() ? a == b : a.contains(query) && b.contains(query) && a.at(query) == b.at(query);
  return same ? "" : "other queries";
}

// A query is judged among those of its cell that both runs asked, as in a comparison of the two.
Effect ChangeOf(const Point& before, const Point& after, const std::string& query) {
  if (query.empty()) return CompareTotals(SampleOf(after.figures), SampleOf(before.figures));
  std::vector<Sample> a;
  std::vector<Sample> b;
  size_t place = 0;
  for (const Json& mine : after.all_queries) {
    const auto at = std::find_if(before.all_queries.begin(), before.all_queries.end(),
                                 [&](const Json& q) { return q["query"] == mine["query"]; });
    if (at == before.all_queries.end()) continue;
    if (JsonOr<std::string>(mine, "query", "") == query) place = a.size();
    a.push_back(SampleOf(mine));
    b.push_back(SampleOf(*at));
  }
  return CompareQueries(a, b)[place];
}

Result<std::optional<Point>> PointOf(const Run& run, const Json& cell, const std::string& query) {
  Point point;
  point.run = &run;
  if (query.empty()) {
    point.figures = cell["suite"];
  } else {
    for (const Json& row : run.summary["queries"]) {
      if (row["cell"] != cell["id"]) continue;
      point.all_queries.push_back(row);
      if (JsonOr<std::string>(row, "query", "") == query) point.figures = row;
    }
    if (point.figures.is_null()) return std::optional<Point>();
  }
  for (const Json& planned : run.plan.value("cells", Json::array())) {
    if (JsonOr<std::string>(planned, "id", "") != JsonOr<std::string>(cell, "id", "")) continue;
    LG_ASSIGN_OR_RETURN(point.data, ReadCellData(run.dir, planned));
  }
  return std::optional<Point>(std::move(point));
}

OrderedJson PointJson(const Point& point, const Point* before, const std::string& query) {
  const Json& run = point.run->summary["run"];
  OrderedJson json = {{"run", run["id"]}};
  for (const char* key : {"started_utc", "lakegauge_version", "build_type"}) {
    json[key] = OrderedJson(run.value(key, Json()));
  }
  for (const char* key : {"n", "avg_s", "stddev_s", "ci95_low_s", "ci95_high_s"}) {
    json[key] = OrderedJson(point.figures.value(key, Json()));
  }
  const std::string remark = before == nullptr ? "first" : Remark(*before, point, query);
  json["remark"] = remark;
  json["change"] = nullptr;
  if (remark.empty()) {
    OrderedJson change;
    AddEffect(ChangeOf(*before, point, query), &change);
    json["change"] = std::move(change);
  }
  return json;
}

}  // namespace

Result<OrderedJson> History(const std::vector<std::string>& run_dirs, const std::string& query) {
  std::vector<Run> runs;
  OrderedJson left_out = OrderedJson::array();
  for (const std::string& dir : run_dirs) {
    auto run = ReadRun(dir);
    if (run.ok()) {
      runs.push_back(std::move(*run));
    } else {
      left_out.push_back({{"run", dir}, {"why", run.error().message}});
    }
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Run& a, const Run& b) { return Started(a) < Started(b); });
  std::map<std::string, std::vector<Point>> points;
  std::vector<std::string> order;
  std::map<std::string, bool> emulated;
  for (const Run& run : runs) {
    for (const Json& cell : run.summary["cells"]) {
      LG_ASSIGN_OR_RETURN(auto point, PointOf(run, cell, query));
      if (!point) continue;
      const std::string id = cell["id"];
      if (!points.contains(id)) order.push_back(id);
      emulated[id] = emulated[id] || JsonOr<bool>(cell, "emulated", false);
      points[id].push_back(std::move(*point));
    }
  }
  if (order.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     query.empty() ? "no run to show a history of"
                                   : fmt::format("no run has a query '{}'", query));
  }
  OrderedJson cells = OrderedJson::array();
  for (const std::string& id : order) {
    OrderedJson list = OrderedJson::array();
    const Point* before = nullptr;
    for (const Point& point : points[id]) {
      list.push_back(PointJson(point, before, query));
      before = &point;
    }
    cells.push_back({{"cell", id}, {"emulated", emulated[id]}, {"points", std::move(list)}});
  }
  OrderedJson history = {{"v", kHistoryVersion},
                         {"query", query.empty() ? OrderedJson() : OrderedJson(query)}};
  history["cells"] = std::move(cells);
  history["left_out"] = std::move(left_out);
  history["method"] = {{"ratio", kRatioMethod}, {"marks", kMarkMethod}};
  return history;
}

}  // namespace lakegauge::analyze
