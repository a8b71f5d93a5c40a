#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "base/json_problem.h"
#include "base/units.h"
#include "dataset/dataset.h"

namespace lakegauge::dataset {
namespace {

std::string ShortHash(const Json& json) {
  const std::string text = json.dump();
  return fmt::format("{:08x}", static_cast<uint32_t>(XXH64(text.data(), text.size(), 0)));
}

std::string SizeName(int64_t bytes) {
  if (bytes % kMiB == 0) return fmt::format("{}MiB", bytes / kMiB);
  if (bytes % kKiB == 0) return fmt::format("{}KiB", bytes / kKiB);
  return fmt::format("{}B", bytes);
}

}  // namespace

std::string DatasetSpec::Name() const {
  if (kind == "tpcds") {
    const std::string by = generator.empty() || generator == "duckdb" ? "" : "-" + generator;
    return fmt::format("tpcds-sf{}{}", scale, by);
  }
  if (kind == "bulk") {
    const std::string plain = fmt::format("bulk-{}-{}", schema, rows);
    const bool usual = seed == 0 && value_columns == 10 && clustering_columns == 1 &&
                       (partitions == 0 || partitions == 1000);
    return usual ? plain : plain + "-" + ShortHash(ToJson());
  }
  return fmt::format("{}-{}", kind, ShortHash(ToJson()));
}

Json DatasetSpec::ToJson() const {
  Json json{{"kind", kind}};
  if (kind == "tpcds") {
    json["scale"] = scale;
    json["generator"] = generator.empty() ? "duckdb" : generator;
  } else if (kind == "bulk") {
    json["seed"] = seed;
    json["rows"] = rows;
    json["partitions"] = partitions == 0 ? 1000 : partitions;
    json["schema"] = schema;
    json["key"] = schema == "schema2" || schema == "schema4" ? "composite" : "clustered";
    json["value_columns"] = value_columns;
    json["clustering_columns"] = clustering_columns;
  } else {
    json["tables"] = tables;
  }
  return json;
}

Result<DatasetSpec> DatasetSpec::FromJson(const Json& json) {
  try {
    DatasetSpec spec;
    spec.kind = json.at("kind");
    if (spec.kind == "tpcds") {
      spec.scale = json.at("scale");
      spec.generator = JsonOr<std::string>(json, "generator", "");
      if (spec.generator == "duckdb") spec.generator.clear();
    } else if (spec.kind == "bulk") {
      spec.seed = json.at("seed");
      spec.rows = json.at("rows");
      spec.partitions = json.at("partitions");
      spec.schema = json.at("schema");
      spec.value_columns = json.at("value_columns");
      spec.clustering_columns = json.at("clustering_columns");
    } else {
      spec.tables = json.at("tables").get<std::map<std::string, std::string>>();
    }
    return spec;
  } catch (const Json::exception& e) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("not a dataset: {}", JsonProblem(e)));
  }
}

std::string LayoutSpec::Name() const {
  if (as_is) return "as-is";
  std::string name =
      fmt::format("{}-{}-{}", format, compression,
                  target_file_bytes == 0 ? "unlimited" : SizeName(target_file_bytes));
  if (row_group_bytes != 0 || !tables.empty() || !partition_by.empty() || !sort_by.empty()) {
    name += "-" + ShortHash(ToJson());
  }
  return name;
}

Json LayoutSpec::ToJson() const {
  if (as_is) return Json{{"as_is", true}};
  Json json{{"format", format},
            {"compression", compression},
            {"target_file_bytes", target_file_bytes},
            {"row_group_bytes", row_group_bytes}};
  if (!tables.empty()) {
    auto sorted = tables;
    std::sort(sorted.begin(), sorted.end());
    json["tables"] = sorted;
  }
  if (!partition_by.empty()) json["partition_by"] = partition_by;
  if (!sort_by.empty()) json["sort_by"] = sort_by;
  return json;
}

Result<LayoutSpec> LayoutSpec::FromJson(const Json& json) {
  using Columns = std::map<std::string, std::vector<std::string>>;
  try {
    LayoutSpec spec;
    spec.as_is = JsonOr(json, "as_is", false);
    if (spec.as_is) return spec;
    spec.format = json.at("format");
    spec.compression = json.at("compression");
    spec.target_file_bytes = json.at("target_file_bytes");
    spec.row_group_bytes = json.at("row_group_bytes");
    spec.tables = JsonOr(json, "tables", std::vector<std::string>{});
    spec.partition_by = JsonOr(json, "partition_by", Columns{});
    spec.sort_by = JsonOr(json, "sort_by", Columns{});
    return spec;
  } catch (const Json::exception& e) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("not a layout: {}", JsonProblem(e)));
  }
}

std::string LayoutDir(const std::string& data_dir, const DatasetSpec& spec,
                      const LayoutSpec& layout) {
  if (layout.as_is) return "/";
  return data_dir + "/" + spec.Name() + "/" + layout.Name();
}

}  // namespace lakegauge::dataset
