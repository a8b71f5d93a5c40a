#include "analyze/resources.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/units.h"

namespace lakegauge::analyze {
namespace {

constexpr size_t kMostBands = 400;  // more than that cannot be told apart

OrderedJson Picked(const Json& row, std::initializer_list<const char*> keys) {
  OrderedJson out;
  for (const char* key : keys) out[key] = OrderedJson(row.value(key, Json()));
  return out;
}

// What the store of each cell is rated at, as the experiment states it; in bytes a second.
std::map<std::string, double> Ratings(const Json& plan) {
  std::map<std::string, double> ratings;
  for (const Json& cell : plan.value("cells", Json::array())) {
    const auto text =
        JsonOr<std::string>(cell.value("store_facts", Json::object()), "rated_throughput", "");
    const auto rated = ParseBandwidth(text);
    if (rated.ok() && *rated > 0) ratings[JsonOr<std::string>(cell, "id", "")] = *rated;
  }
  return ratings;
}

}  // namespace

OrderedJson ResourcesJson(const ResourceRows& rows, const Json& plan) {
  OrderedJson json = {
      {"definitions",
       {{"query_time", "the time in which a cell's queries ran, the pauses between them cut out"},
        {"peak", "most bytes that GETs delivered in one second of query time"},
        {"sustained",
         fmt::format("highest average over {} seconds of query time in a row", kSustainedSeconds)},
        {"average", "bytes delivered over the whole query time"},
        {"cpu",
         "shares of all cores of the machine: samples once a second, weighted by how much of each "
         "the cell's queries filled"},
        {"engine_cpu", "CPU time of the engine's threads over query time and cores"},
        {"headroom", "what the store is stated to be rated at, over the peak that was measured"}}},
      {"cells", OrderedJson::array()},
      {"servers", OrderedJson::array()},
      {"timeline", nullptr}};
  const auto ratings = Ratings(plan);
  for (const Json& row : rows.resources) {
    OrderedJson cell = Picked(row, {"cell",
                                    "query_s",
                                    "peak_gb_s",
                                    "sustained_gb_s",
                                    "average_gb_s",
                                    "get_mean_ms",
                                    "get_p50_ms",
                                    "get_p99_ms",
                                    "looks",
                                    "cpu_user",
                                    "cpu_system",
                                    "cpu_iowait",
                                    "cpu_steal",
                                    "cpu_peak",
                                    "engine_cpu",
                                    "disk_read_bytes_s",
                                    "disk_written_bytes_s",
                                    "received_bytes_s",
                                    "sent_bytes_s",
                                    "swapped_bytes",
                                    "resident_peak_bytes",
                                    "available_least_bytes"});
    const auto rated = ratings.find(JsonOr<std::string>(row, "cell", ""));
    const double peak = JsonOr<double>(row, "peak_gb_s", 0);
    cell["rated_gb_s"] = rated == ratings.end() ? OrderedJson() : OrderedJson(rated->second / 1e9);
    cell["headroom"] = rated == ratings.end() || peak <= 0
                           ? OrderedJson()
                           : OrderedJson(rated->second / 1e9 / peak);
    json["cells"].push_back(std::move(cell));
  }
  for (const Json& row : rows.servers) {
    json["servers"].push_back(Picked(row, {"cell", "source", "looks", "gaps", "cpu", "metrics"}));
  }
  if (rows.timeline.empty()) return json;
  OrderedJson timeline = {{"step_s", OrderedJson(rows.timeline.at(0).value("step_s", Json()))}};
  for (const char* key : {"session", "at_s", "cpu_user", "cpu_system", "cpu_iowait", "cpu_steal",
                          "engine_cpu", "delivered_bytes_s", "disk_bytes_s"}) {
    timeline[key] = OrderedJson::array();
    for (const Json& row : rows.timeline)
      timeline[key].push_back(OrderedJson(row.value(key, Json())));
  }
  timeline["bands"] = OrderedJson::array();
  for (const Json& row : rows.bands) {
    if (timeline["bands"].size() == kMostBands) break;
    timeline["bands"].push_back(
        Picked(row, {"cell", "session", "iteration", "warmup", "from_s", "to_s", "executions"}));
  }
  json["timeline"] = std::move(timeline);
  return json;
}

}  // namespace lakegauge::analyze
