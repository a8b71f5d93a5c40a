#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/json_problem.h"
#include "record/journal.h"
#include "run/plan.h"

namespace lakegauge::run {
namespace {

// A part's value; what is wrong with it is wrong with the plan.
template <typename T>
T Must(Result<T> part) {
  if (!part.ok()) throw Json::other_error::create(501, part.error().message, nullptr);
  return std::move(*part);
}

Json CellToJson(const PlanCell& c) {
  return {{"id", c.id},
          {"engine", c.engine},
          {"store", c.store},
          {"layout", c.layout},
          {"dataset", c.dataset},
          {"engine_kind", c.engine_kind},
          {"dataset_name", c.dataset_name},
          {"layout_name", c.layout_name},
          {"manifest", "manifests/" + c.dataset_name + "/" + c.layout_name + ".json"},
          {"dataset_spec", c.dataset_spec.ToJson()},
          {"layout_spec", c.layout_spec.ToJson()},
          {"store_uri", c.store_uri},
          {"store_facts", c.store_facts},
          {"price",
           {{"get_per_1000", c.price.get_per_1000},
            {"list_per_1000", c.price.list_per_1000},
            {"read_per_gb", c.price.read_per_gb}}},
          {"profile", c.profile},
          {"profile_text", c.profile_text},
          {"emulated", c.emulated},
          {"engine_settings", c.engine_settings},
          {"threads", c.threads},
          {"estimate",
           {{"pass_s", c.estimate.pass_s},
            {"requests", c.estimate.requests},
            {"bytes_read", c.estimate.bytes_read}}}};
}

PlanCell CellFromJson(const Json& json) {
  PlanCell c;
  c.id = json.at("id");
  c.engine = json.at("engine");
  c.store = json.at("store");
  c.layout = json.at("layout");
  c.dataset = json.at("dataset");
  c.engine_kind = json.at("engine_kind");
  c.dataset_name = json.at("dataset_name");
  c.layout_name = json.at("layout_name");
  c.dataset_spec = Must(dataset::DatasetSpec::FromJson(json.at("dataset_spec")));
  c.layout_spec = Must(dataset::LayoutSpec::FromJson(json.at("layout_spec")));
  c.store_uri = json.at("store_uri");
  c.store_facts = json.at("store_facts").get<std::map<std::string, std::string>>();
  c.price.get_per_1000 = json.at("price").at("get_per_1000");
  c.price.list_per_1000 = json.at("price").at("list_per_1000");
  c.price.read_per_gb = json.at("price").at("read_per_gb");
  c.profile = json.at("profile");
  c.profile_text = json.at("profile_text");
  c.emulated = json.at("emulated");
  c.engine_settings = json.at("engine_settings").get<std::map<std::string, std::string>>();
  c.threads = json.at("threads");
  c.estimate.pass_s = json.at("estimate").at("pass_s");
  c.estimate.requests = json.at("estimate").at("requests");
  c.estimate.bytes_read = json.at("estimate").at("bytes_read");
  return c;
}

constexpr std::pair<std::string_view, workload::SortKey::Nulls> kNulls[] = {
    {"either", workload::SortKey::Nulls::kEither},
    {"first", workload::SortKey::Nulls::kFirst},
    {"last", workload::SortKey::Nulls::kLast}};

Json QueryToJson(const PlanQuery& q) {
  Json json{{"name", q.name}, {"source", q.source}, {"sql", q.sql}};
  if (!q.sql_of.empty()) json["sql_of"] = q.sql_of;
  Json keys = Json::array();
  for (const auto& key : q.order.keys) {
    const auto* nulls = std::find_if(std::begin(kNulls), std::end(kNulls),
                                     [&](const auto& n) { return n.second == key.nulls; });
    keys.push_back({{"column", key.column},
                    {"name", key.name},
                    {"descending", key.descending},
                    {"nulls", nulls->first}});
  }
  json["order"] = {{"keys", keys}, {"limit", q.order.limit}};
  return json;
}

PlanQuery QueryFromJson(const Json& json) {
  PlanQuery q;
  q.name = json.at("name");
  q.source = json.at("source");
  q.sql = json.at("sql");
  q.sql_of = JsonOr(json, "sql_of", std::map<std::string, std::string>{});
  q.order.limit = json.at("order").at("limit");
  for (const Json& item : json.at("order").at("keys")) {
    workload::SortKey key;
    key.column = item.at("column");
    key.name = item.at("name");
    key.descending = item.at("descending");
    const std::string nulls = item.at("nulls");
    for (const auto& [name, value] : kNulls) {
      if (name == nulls) key.nulls = value;
    }
    q.order.keys.push_back(std::move(key));
  }
  return q;
}

int IndexOf(const std::map<std::string, int>& indexes, const std::string& name) {
  const auto at = indexes.find(name);
  if (at == indexes.end()) throw Json::other_error::create(501, "unknown name " + name, nullptr);
  return at->second;
}

Plan Read(const Json& json) {
  Plan plan;
  plan.run = json.at("run");
  plan.experiment = json.at("experiment");
  plan.title = json.at("title");
  plan.question = json.at("question");
  plan.stands_in_for = json.at("stands_in_for").get<std::vector<std::string>>();
  plan.seed = json.at("seed");
  plan.compare_layout = json.at("compare").at("layout");
  plan.compare_store = json.at("compare").at("store");
  const Json& workload = json.at("workload");
  plan.iterations = workload.at("iterations");
  plan.streams = workload.at("streams");
  plan.warmup = workload.at("warmup");
  plan.timeout_ns = workload.at("timeout_ns");
  plan.cache = workload.at("cache") == "warm" ? CachePolicy::kWarm : CachePolicy::kCold;
  plan.limits.max_requests = json.at("limits").at("max_requests");
  plan.limits.max_time_ns = json.at("limits").at("max_time_ns");
  plan.limits.max_cost = json.at("limits").at("max_cost");
  const Json prices = json.value("prices", Json());
  plan.prices = JsonOr<std::string>(prices, "name", "");
  plan.prices_text = JsonOr<std::string>(prices, "text", "");
  plan.data_dir = json.at("data_dir");
  plan.run_dir = JsonOr<std::string>(json, "run_dir", "");
  for (const Json& server : json.value("metrics", Json::array())) {
    plan.metrics.push_back(MetricsItemFromJson(server));
  }
  for (const Json& cell : json.at("cells")) plan.cells.push_back(CellFromJson(cell));
  for (const Json& query : json.at("queries")) plan.queries.push_back(QueryFromJson(query));
  std::map<std::string, int> cells;
  std::map<std::string, int> queries;
  for (const auto& c : plan.cells) cells.emplace(c.id, static_cast<int>(cells.size()));
  for (const auto& q : plan.queries) queries.emplace(q.name, static_cast<int>(queries.size()));
  for (const Json& item : json.at("executions")) {
    PlanExecution e;
    e.id = item.at("id");
    e.cell = IndexOf(cells, item.at("cell"));
    e.stream = item.at("stream");
    e.iteration = item.at("iteration");
    e.position = item.at("position");
    e.query = IndexOf(queries, item.at("query"));
    e.warmup = item.at("warmup");
    e.repeat = JsonOr(item, "repeat", false);
    plan.executions.push_back(e);
  }
  const Json& estimate = json.at("estimate");
  plan.estimate.wall_s = estimate.at("wall_s");
  plan.estimate.prepare_s = estimate.at("prepare_s");
  plan.estimate.requests = estimate.at("requests");
  plan.estimate.bytes_read = estimate.at("bytes_read");
  plan.estimate.disk_bytes = estimate.at("disk_bytes");
  plan.estimate.cost = estimate.at("cost");
  plan.estimate.method = estimate.at("method");
  return plan;
}

}  // namespace

Json Plan::ToJson() const {
  Json json{{"v", record::kFormatVersion},
            {"run", run},
            {"experiment", experiment},
            {"title", title},
            {"question", question},
            {"stands_in_for", stands_in_for},
            {"seed", seed},
            {"compare", {{"layout", compare_layout}, {"store", compare_store}}},
            {"workload",
             {{"iterations", iterations},
              {"streams", streams},
              {"warmup", warmup},
              {"timeout_ns", timeout_ns},
              {"cache", cache == CachePolicy::kCold ? "cold" : "warm"}}},
            {"limits",
             {{"max_requests", limits.max_requests},
              {"max_time_ns", limits.max_time_ns},
              {"max_cost", limits.max_cost}}},
            {"data_dir", data_dir},
            {"run_dir", run_dir},
            {"cells", Json::array()},
            {"queries", Json::array()},
            {"executions", Json::array()},
            {"estimate",
             {{"wall_s", estimate.wall_s},
              {"prepare_s", estimate.prepare_s},
              {"requests", estimate.requests},
              {"bytes_read", estimate.bytes_read},
              {"disk_bytes", estimate.disk_bytes},
              {"cost", estimate.cost},
              {"method", estimate.method}}}};
  if (!prices.empty()) json["prices"] = {{"name", prices}, {"text", prices_text}};
  for (const MetricsItem& server : metrics) json["metrics"].push_back(run::ToJson(server));
  for (const PlanCell& cell : cells) json["cells"].push_back(CellToJson(cell));
  for (const PlanQuery& query : queries) json["queries"].push_back(QueryToJson(query));
  for (const PlanExecution& e : executions) {
    json["executions"].push_back({{"id", e.id},
                                  {"cell", cells[static_cast<size_t>(e.cell)].id},
                                  {"stream", e.stream},
                                  {"iteration", e.iteration},
                                  {"position", e.position},
                                  {"query", queries[static_cast<size_t>(e.query)].name},
                                  {"warmup", e.warmup}});
    if (e.repeat) json["executions"].back()["repeat"] = true;
  }
  return json;
}

Result<Plan> Plan::FromJson(const Json& json) {
  const int version = JsonOr(json, "v", 0);
  if (version > record::kFormatVersion) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("a plan of version {}; this lakegauge reads up to {}", version,
                                 record::kFormatVersion));
  }
  try {
    return Read(json);
  } catch (const Json::exception& e) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("not a plan: {}", JsonProblem(e)));
  }
}

}  // namespace lakegauge::run
