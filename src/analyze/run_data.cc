#include "analyze/run_data.h"

#include <filesystem>

namespace lakegauge::analyze {

Result<CellData> ReadCellData(const std::string& run_dir, const Json& plan_cell) {
  CellData data;
  const std::string path = run_dir + "/" + JsonOr<std::string>(plan_cell, "manifest", "");
  if (!std::filesystem::is_regular_file(path)) return data;
  LG_ASSIGN_OR_RETURN(const Json manifest, ReadJsonFile(path));
  for (const Json& table : manifest.value("tables", Json::array())) {
    data.rows[JsonOr<std::string>(table, "name", "")] =
        JsonOr<std::string>(table, "content_fingerprint", "");
  }
  for (const Json& file : manifest.value("files", Json::array())) {
    const auto sha256 = JsonOr<std::string>(file, "sha256", "");
    data.files.insert(JsonOr<std::string>(file, "key", "") + " " +
                      (sha256.empty() ? JsonOr<std::string>(file, "xxh3", "") : sha256));
  }
  return data;
}

std::map<std::string, std::string> QueryTexts(const Json& plan) {
  std::map<std::string, std::string> texts;
  for (const Json& query : plan.value("queries", Json::array())) {
    texts[JsonOr<std::string>(query, "name", "")] = JsonOr<std::string>(query, "sql", "");
  }
  return texts;
}

}  // namespace lakegauge::analyze
