#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "run/experiment.h"
#include "run/experiment_reader.h"

namespace lakegauge::run {
namespace {

bool IsPlain(const std::string& text) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  };
  if (text.empty() || text.size() > 60 || text.front() == '-' || text == "true" ||
      text == "false" || text == "null" || text == "yes" || text == "no" || text == "on" ||
      text == "off") {
    return false;
  }
  return std::all_of(text.begin(), text.end(), is_word);
}

// Text that a literal block can hold unchanged.
bool IsBlock(const std::string& text) {
  if (text.find('\n') == std::string::npos || text.front() == ' ' || text.front() == '\n')
    return false;
  return std::none_of(text.begin(), text.end(), [](char c) {
    return c == '\r' || c == '\t' || (static_cast<unsigned char>(c) < 32 && c != '\n') || c == 127;
  });
}

std::string Scalar(const OrderedJson& value) {
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  return IsPlain(text) ? text : value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

void Emit(const OrderedJson& value, int depth, std::string& out);

// What follows "key:" or "-".
void EmitValue(const OrderedJson& value, int depth, std::string& out) {
  const std::string indent(static_cast<size_t>(2 * depth), ' ');
  if (value.is_structured() && !value.empty()) {
    out += '\n';
    Emit(value, depth, out);
  } else if (value.is_string() && IsBlock(value.get_ref<const std::string&>())) {
    std::string text = value.get<std::string>();
    const size_t last = text.find_last_not_of('\n');
    const size_t newlines = text.size() - last - 1;
    out += newlines == 0 ? " |-\n" : newlines == 1 ? " |\n" : " |+\n";
    if (newlines > 0) text.pop_back();
    size_t from = 0;
    while (from <= text.size()) {
      const size_t end = std::min(text.find('\n', from), text.size());
      const std::string line = text.substr(from, end - from);
      out += line.empty() ? "\n" : indent + line + "\n";
      from = end + 1;
    }
  } else {
    out += " " + Scalar(value) + "\n";
  }
}

void Emit(const OrderedJson& value, int depth, std::string& out) {
  const std::string indent(static_cast<size_t>(2 * depth), ' ');
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      out += indent + Scalar(OrderedJson(key)) + ":";
      EmitValue(item, depth + 1, out);
    }
  } else {
    for (const auto& item : value) {
      out += indent + "-";
      EmitValue(item, depth + 1, out);
    }
  }
}

// 8388608 -> "8MiB": exact, and what the parser reads.
std::string ExactBytes(int64_t bytes) {
  if (bytes % kGiB == 0) return fmt::format("{}GiB", bytes / kGiB);
  if (bytes % kMiB == 0) return fmt::format("{}MiB", bytes / kMiB);
  if (bytes % kKiB == 0) return fmt::format("{}KiB", bytes / kKiB);
  return fmt::format("{}", bytes);
}

std::string ExactDuration(int64_t ns) {
  if (ns % kNsPerS == 0) return fmt::format("{}s", ns / kNsPerS);
  if (ns % kNsPerMs == 0) return fmt::format("{}ms", ns / kNsPerMs);
  return fmt::format("{}ns", ns);
}

OrderedJson DatasetYaml(const dataset::DatasetSpec& spec) {
  OrderedJson json{{"kind", spec.kind}};
  if (spec.kind == "tpcds") {
    json["scale"] = spec.scale;
    json["generator"] = spec.generator.empty() ? "duckdb" : spec.generator;
  } else if (spec.kind == "bulk") {
    json["schema"] = spec.schema;
    json["rows"] = spec.rows;
    json["partitions"] = spec.partitions;
    json["value_columns"] = spec.value_columns;
    json["clustering_columns"] = spec.clustering_columns;
    json["seed"] = spec.seed;
  } else {
    json["tables"] = spec.tables;
  }
  return json;
}

OrderedJson LayoutYaml(const dataset::LayoutSpec& spec) {
  if (spec.as_is) return {{"as_is", true}};
  OrderedJson json{{"format", spec.format},
                   {"compression", spec.compression},
                   {"file_size", spec.target_file_bytes == 0 ? "unlimited"
                                                             : ExactBytes(spec.target_file_bytes)}};
  if (spec.row_group_bytes > 0) json["row_group_size"] = ExactBytes(spec.row_group_bytes);
  if (!spec.tables.empty()) json["tables"] = spec.tables;
  if (!spec.partition_by.empty()) json["partition_by"] = spec.partition_by;
  if (!spec.sort_by.empty()) json["sort_by"] = spec.sort_by;
  return json;
}

OrderedJson StoreYaml(const StoreItem& store) {
  OrderedJson json{{"uri", store.uri}};
  if (!store.profile.empty()) json["profile"] = store.profile;
  if (store.cores == StoreItem::kMachineCores) json["cores"] = "machine";
  if (store.cores > 0) json["cores"] = store.cores;
  if (!store.facts.empty()) json["facts"] = store.facts;
  if (store.price.any()) {
    json["price"] = {{"get_per_1000", store.price.get_per_1000},
                     {"list_per_1000", store.price.list_per_1000},
                     {"read_per_gb", store.price.read_per_gb}};
  }
  return json;
}

OrderedJson EngineYaml(const EngineItem& engine) {
  OrderedJson json{{"kind", engine.kind}};
  if (engine.threads == 0) {
    json["threads"] = "auto";
  } else {
    json["threads"] = engine.threads;
  }
  auto settings = engine.settings;
  if (const auto memory = settings.find("memory_limit"); memory != settings.end()) {
    json["memory_limit"] = memory->second;
    settings.erase(memory);
  }
  if (!settings.empty()) json["settings"] = settings;
  return json;
}

OrderedJson MetricsYaml(const MetricsItem& server) {
  OrderedJson json{{"url", server.url}, {"kind", server.kind}};
  if (!server.names.empty()) json["names"] = server.names;
  if (!server.of.empty()) json["of"] = server.of;
  if (!server.token_env.empty()) json["token_env"] = server.token_env;
  json["every"] = ExactDuration(server.every_ns);
  json["timeout"] = ExactDuration(server.timeout_ns);
  return json;
}

OrderedJson WorkloadYaml(const WorkloadSpec& w, const std::string& base_dir) {
  OrderedJson json = OrderedJson::object();
  OrderedJson queries = OrderedJson::array();
  if (w.queries.all_tpcds) queries.push_back("all");
  for (const int number : w.queries.tpcds) queries.push_back(number);
  for (const std::string& path : w.queries.paths) {
    queries.push_back(ResolvePath(base_dir, path));
  }
  if (!queries.empty()) json["queries"] = queries;
  if (!w.queries.scans.empty()) json["scans"] = w.queries.scans;
  json["iterations"] = w.iterations;
  json["order"] = w.order == workload::Order::kFixed ? "fixed" : "random";
  json["interleave"] = w.interleave == Interleave::kNone ? "none" : "cells";
  json["streams"] = w.streams;
  json["warmup"] = w.warmup;
  json["cache"] = w.cache == CachePolicy::kCold ? "cold" : "warm";
  if (w.timeout_ns > 0) json["timeout"] = ExactDuration(w.timeout_ns);
  json["seed"] = w.seed;
  return json;
}

OrderedJson PatternsYaml(const std::vector<CellPattern>& patterns) {
  OrderedJson list = OrderedJson::array();
  for (const CellPattern& p : patterns) {
    list.push_back(
        {{"engine", p.engine}, {"store", p.store}, {"layout", p.layout}, {"dataset", p.dataset}});
  }
  return list;
}

}  // namespace

std::string ToYaml(const Experiment& e, const Json& extra) {
  OrderedJson json{{"name", e.name}, {"title", e.title}};
  if (!e.question.empty()) json["question"] = e.question;
  if (!e.stands_in_for.empty()) json["stands_in_for"] = e.stands_in_for;
  for (const auto& item : e.datasets) json["datasets"][item.id] = DatasetYaml(item.spec);
  for (const auto& item : e.layouts) json["layouts"][item.id] = LayoutYaml(item.spec);
  for (const auto& item : e.stores) json["stores"][item.id] = StoreYaml(item);
  for (const auto& item : e.engines) json["engines"][item.id] = EngineYaml(item);
  for (const auto& item : e.metrics) json["metrics"][item.id] = MetricsYaml(item);
  json["workload"] = WorkloadYaml(e.workload, e.base_dir);
  if (!e.only.empty()) json["cross"]["only"] = PatternsYaml(e.only);
  if (!e.exclude.empty()) json["cross"]["exclude"] = PatternsYaml(e.exclude);
  json["compare"] = {{"layout", e.compare_layout}, {"store", e.compare_store}};
  if (e.limits.max_requests > 0) json["limits"]["max_requests"] = e.limits.max_requests;
  if (e.limits.max_time_ns > 0) json["limits"]["max_time"] = ExactDuration(e.limits.max_time_ns);
  if (e.limits.max_cost > 0) json["limits"]["max_cost"] = e.limits.max_cost;
  if (!e.prices.empty()) json["prices"] = e.prices;
  std::string out;
  Emit(json, 0, out);
  if (!extra.is_null() && !extra.empty()) {
    out +=
        "\n# What the names above stood for when the run was made; not read when it is run "
        "again.\n";
    Emit({{"resolved", OrderedJson(extra)}}, 0, out);
  }
  return out;
}

}  // namespace lakegauge::run
