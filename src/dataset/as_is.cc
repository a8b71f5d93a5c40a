#include "dataset/as_is.h"

#include <map>

#include "columnar/parquet_facts.h"
#include "dataset/generators.h"
#include "dataset/hashed_file.h"
#include "sql/sql.h"

namespace lakegauge::dataset {

Result<Manifest> DescribeAsIs(const DatasetSpec& spec, const LayoutSpec& layout) {
  if (spec.kind != "files") {
    return MakeError(
        ErrorCode::kInvalidArgument,
        "as_is is for datasets of kind files: there is nothing yet to read where it lies");
  }
  LG_ASSIGN_OR_RETURN(const Json sources, DescribeSources(spec));
  Manifest m;
  m.dataset = spec.Name();
  m.dataset_spec = spec.ToJson();
  m.layout = layout.Name();
  m.layout_spec = layout.ToJson();
  m.generator = "files";
  std::map<std::string, TableEntry> tables;
  for (const auto& source : sources) {
    const std::string path = source.at("path");
    const std::string table = source.at("table");
    FileEntry file;
    file.table = table;
    file.key = path.substr(path.starts_with("/") ? 1 : 0);
    LG_ASSIGN_OR_RETURN(const auto hashes, HashFile(path));
    file.size = hashes.size;
    file.xxh3 = hashes.xxh3;
    file.sha256 = hashes.sha256;
    file.rows = -1;
    auto& entry = tables[table];
    entry.name = table;
    entry.bytes += file.size;
    if (path.ends_with(".parquet")) {
      LG_ASSIGN_OR_RETURN(const auto facts, columnar::ReadParquetFacts(path));
      file.rows = facts.rows;
      file.row_group_offsets = facts.row_group_offsets;
      file.row_group_rows = facts.row_group_rows;
      entry.rows += facts.rows;
    } else {
      entry.rows = -1;  // unknown without reading it all
    }
    m.files.push_back(std::move(file));
  }
  for (auto& [name, entry] : tables) {
    LG_ASSIGN_OR_RETURN(entry.columns, DescribeColumns(name, spec.tables.at(name)));
    m.tables.push_back(std::move(entry));
  }
  return m;
}

}  // namespace lakegauge::dataset
