#include <string_view>
#include <utility>

#include "base/yaml.h"
#include "run/experiment.h"
#include "run/experiment_reader.h"

namespace lakegauge::run {
namespace {

// What an editor shows beside a key; '*' stands for a name of the experiment's own.
constexpr std::pair<std::string_view, std::string_view> kDescriptions[] = {
    {"name", "File-name safe; results/<name>-<time> is named after it."},
    {"title", "One line for people."},
    {"question", "What the experiment is to answer."},
    {"stands_in_for", "Real parts that this experiment imitates; shown on the first screen."},
    {"datasets", "What rows there are, each under a name."},
    {"datasets.*.kind",
     "tpcds: generated; bulk: the one-table scan study; files: your own tables."},
    {"datasets.*.scale", "tpcds: scale factor; 1 is about 1 GB of text."},
    {"datasets.*.generator",
     "tpcds: duckdb (with official answers) or tpcgen (faster, other rows)."},
    {"datasets.*.schema", "bulk: schema1 and 2 hold integers, 3 and 4 one text."},
    {"datasets.*.rows", "bulk: rows in all."},
    {"datasets.*.partitions", "bulk: distinct ids."},
    {"datasets.*.tables", "files: table name to the path or glob of .parquet or .csv files."},
    {"layouts", "How datasets are written, each under a name."},
    {"layouts.*.format", "parquet, orc or csv; an engine that cannot read it is refused."},
    {"layouts.*.file_size",
     "Target size of a file: unlimited (one a table) or a size such as 8MiB."},
    {"layouts.*.row_group_size", "Parquet and ORC; the file's size, at most 128 MiB, unless told."},
    {"layouts.*.tables", "Only these tables; all unless told."},
    {"layouts.*.partition_by", "Table name to columns: Hive-style folders."},
    {"layouts.*.sort_by", "Table name to columns that its rows are sorted by."},
    {"layouts.*.as_is", "files: read where they lie, write nothing."},
    {"stores", "Places that hold the bytes, each under a name."},
    {"stores.*.uri", "file: (the data folder), file:/a/folder or mem:."},
    {"stores.*.profile", "Makes the store as slow as a built-in profile or a profile file says."},
    {"stores.*.cores", "Shrinks the profile's bandwidth from its cluster's cores to so many."},
    {"stores.*.facts",
     "Text facts that are recorded and shown: hardware, nodes, price an hour, ..."},
    {"stores.*.price", "Dollars; what limits.max_cost counts with."},
    {"engines", "Who asks, each under a name; two configurations are two engines."},
    {"engines.*.kind", "The engine's name unless told."},
    {"engines.*.threads", "auto: 64 where the store is slow, else twice the cores; or a number."},
    {"engines.*.memory_limit", "Such as 4GB."},
    {"engines.*.settings", "The engine's own settings."},
    {"metrics", "Servers to watch meanwhile by their Prometheus endpoints, each under a name."},
    {"metrics.*.url", "Such as http://10.0.0.5:9100/metrics; never with a password in it."},
    {"metrics.*.kind",
     "Which metrics are taken: node_exporter's, minio's, presto's own, or other."},
    {"metrics.*.names", "Metrics taken besides, by name; * stands for anything."},
    {"metrics.*.of", "What it serves, for readers: store s3, worker 3."},
    {"metrics.*.token_env",
     "Environment variable that holds a bearer token; only its name is kept."},
    {"metrics.*.every", "How often it is asked; 1s unless told."},
    {"metrics.*.timeout", "How long an answer may take; 900ms unless told."},
    {"workload", "What is asked, how often, in which order."},
    {"workload.queries", "all, or a list of TPC-DS numbers, .sql files and folders of them."},
    {"workload.scans", "bulk: rows (whole rows) and columns (two columns)."},
    {"workload.iterations", "Passes through the workload in each cell."},
    {"workload.order", "fixed, or a seeded shuffle for each iteration and stream."},
    {"workload.interleave", "cells: every cell once, then again; none: cell after cell."},
    {"workload.streams", "Concurrent users, each with an order of its own."},
    {"workload.warmup", "Passes before, recorded but left out of statistics."},
    {"workload.cache", "cold: caches dropped before each query, and proved dropped."},
    {"workload.timeout", "A query's; none unless told."},
    {"workload.seed", "Of every draw and order."},
    {"cross", "Which cells; all combinations unless told."},
    {"cross.only", "Cells that fit one of these patterns."},
    {"cross.exclude", "Not the cells that fit one of these."},
    {"compare", "What others are compared with; the first layout and store unless told."},
    {"limits", "Stop cleanly, resumable, when reached."},
    {"limits.max_cost", "Dollars of requests, by the stores' prices."},
    {"prices", "A price sheet, built in or a file: the report then has a section on cost."},
    {"relative_to", "Absolute folder that relative paths start from; the file's own unless told."},
    {"quick", "What --quick changes: dotted path to value."},
    {"resolved", "Written into resolved.yaml by a run; not read."},
};

// The schema of a dotted path, or null.
Json* At(Json& schema, std::string_view path) {
  Json* at = &schema;
  while (!path.empty()) {
    const size_t dot = path.find('.');
    const std::string step(path.substr(0, dot));
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    if (at->contains("anyOf")) {
      for (Json& alternative : (*at)["anyOf"]) {
        if (JsonOr<std::string>(alternative, "type", "") == "object") at = &alternative;
      }
    }
    if (step == "*") {
      if (!at->contains("additionalProperties")) return nullptr;
      at = &(*at)["additionalProperties"];
    } else {
      if (!at->contains("properties") || !(*at)["properties"].contains(step)) return nullptr;
      at = &(*at)["properties"][step];
    }
  }
  return at;
}

}  // namespace

Json ExperimentSchema() {
  Json schema = DescribeYaml([](const YamlNode& root) { ReadExperiment(root, "-"); });
  for (const auto& [path, text] : kDescriptions) {
    Json* at = At(schema, path);
    // Said aloud in the schema itself, so that the test that compares it fails.
    if (at == nullptr || !at->is_object()) {
      schema["x-unknown"].push_back(path);
    } else {
      (*at)["description"] = text;
    }
  }
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "lakegauge experiment";
  return schema;
}

std::string ExampleExperiment() {
  return R"(# An experiment crosses datasets, layouts, stores and engines; each combination is a cell, and
# each cell runs the workload. docs/experiments.md explains every key.
name: my-study
title: What my storage does to my queries
question: Which file size suits this store?

datasets:
  # Rows of TPC-DS, generated once and kept in the data folder.
  tpcds: {kind: tpcds, scale: 0.1}
  # Your own tables instead:
  # mine: {kind: files, tables: {orders: data/orders/*.parquet, customers: data/customers.csv}}

layouts:
  # The same rows written several ways. file_size: unlimited means one file a table.
  unlimited: {format: parquet, compression: snappy, file_size: unlimited}
  8MiB: {format: parquet, compression: snappy, file_size: 8MiB}

stores:
  # file: is the data folder itself; file:/mnt/other gets a verified copy.
  local: {uri: "file:"}
  # The same bytes, as slow as an object store (lakegauge profiles lists the built-in ones).
  object-store: {uri: "file:", profile: s3-standard}

engines:
  duckdb: {threads: auto}

workload:
  queries: [3, 42, 52, 55, 96]   # TPC-DS numbers, all, .sql files, or folders of them: queries/
  iterations: 3
  order: fixed
  cache: cold
  timeout: 5min

# What everything is compared with.
compare: {layout: unlimited, store: local}

# What --quick changes.
quick:
  workload.iterations: 2
)";
}

}  // namespace lakegauge::run
