#include <fmt/format.h>

#include "base/json_problem.h"
#include "dataset/dataset.h"

namespace lakegauge::dataset {
namespace {

constexpr int kManifestVersion = 1;

Json ColumnsToJson(const std::vector<ColumnDef>& columns) {
  Json list = Json::array();
  for (const auto& c : columns) list.push_back({{"name", c.name}, {"type", c.type}});
  return list;
}

std::vector<ColumnDef> ColumnsFromJson(const Json& list) {
  std::vector<ColumnDef> columns;
  for (const auto& c : list) columns.push_back({c.at("name"), c.at("type")});
  return columns;
}

}  // namespace

int64_t Manifest::bytes() const {
  int64_t total = 0;
  for (const auto& file : files) total += file.size;
  return total;
}

Json Manifest::ToJson() const {
  Json json{{"version", version},
            {"dataset", dataset},
            {"dataset_spec", dataset_spec},
            {"layout", layout},
            {"layout_spec", layout_spec},
            {"generator", generator},
            {"generator_version", generator_version},
            {"writer_version", writer_version},
            {"same_as", same_as},
            {"bytes", bytes()},
            {"tables", Json::array()},
            {"files", Json::array()}};
  for (const auto& t : tables) {
    json["tables"].push_back({{"name", t.name},
                              {"columns", ColumnsToJson(t.columns)},
                              {"rows", t.rows},
                              {"bytes", t.bytes},
                              {"content_fingerprint", t.content_fingerprint}});
  }
  for (const auto& f : files) {
    json["files"].push_back({{"key", f.key},
                             {"table", f.table},
                             {"size", f.size},
                             {"rows", f.rows},
                             {"xxh3", f.xxh3},
                             {"sha256", f.sha256},
                             {"row_group_offsets", f.row_group_offsets},
                             {"row_group_rows", f.row_group_rows}});
  }
  return json;
}

Result<Manifest> Manifest::FromJson(const Json& json) {
  Manifest m;
  try {
    m.version = json.at("version");
    if (m.version != kManifestVersion) {
      return MakeError(
          ErrorCode::kUnsupported,
          fmt::format("manifest version {} is unknown; this lakegauge reads version {}", m.version,
                      kManifestVersion));
    }
    m.dataset = json.at("dataset");
    m.dataset_spec = json.at("dataset_spec");
    m.layout = json.at("layout");
    m.layout_spec = json.at("layout_spec");
    m.generator = json.at("generator");
    m.generator_version = json.at("generator_version");
    m.writer_version = json.at("writer_version");
    m.same_as = JsonOr<std::string>(json, "same_as", "");
    for (const auto& t : json.at("tables")) {
      m.tables.push_back({t.at("name"), ColumnsFromJson(t.at("columns")), t.at("rows"),
                          t.at("bytes"), t.at("content_fingerprint")});
    }
    for (const auto& f : json.at("files")) {
      m.files.push_back({f.at("key"), f.at("table"), f.at("size"), f.at("rows"), f.at("xxh3"),
                         f.at("sha256"), f.at("row_group_offsets"), f.at("row_group_rows")});
    }
  } catch (const Json::exception& e) {
    return MakeError(ErrorCode::kCorrupt, fmt::format("not a layout manifest: {}", JsonProblem(e)));
  }
  return m;
}

}  // namespace lakegauge::dataset
