#include "dataset/as_is.h"

#include "columnar/parquet_facts.h"
#include "dataset/hashed_file.h"

namespace lakegauge::dataset {

Result<Manifest> DescribeAsIs(const DatasetSpec& spec, const LayoutSpec& layout) {
  if (spec.kind != "files") {
    return MakeError(
        ErrorCode::kInvalidArgument,
        "as_is is for datasets of kind files: there is nothing yet to read where it lies");
  }
  std::vector<InspectedTable> tables;
  for (const auto& [name, pattern] : spec.tables) {
    LG_ASSIGN_OR_RETURN(auto table, InspectSource(name, pattern));
    tables.push_back(std::move(table));
  }
  LG_RETURN_IF_ERROR(CheckAsIs(tables));
  Manifest m;
  m.dataset = spec.Name();
  m.dataset_spec = spec.ToJson();
  m.layout = layout.Name();
  m.layout_spec = layout.ToJson();
  m.generator = "files";
  for (auto& table : tables) {
    TableEntry entry{table.name, std::move(table.columns), 0, 0, ""};
    for (const auto& found : table.files) {
      FileEntry file;
      file.table = table.name;
      file.key = found.path.substr(found.path.starts_with("/") ? 1 : 0);
      LG_ASSIGN_OR_RETURN(const auto hashes, HashFile(found.path));
      file.size = hashes.size;
      file.xxh3 = hashes.xxh3;
      file.sha256 = hashes.sha256;
      file.rows = found.rows;
      entry.bytes += file.size;
      if (table.format == "parquet") {
        LG_ASSIGN_OR_RETURN(const auto facts, columnar::ReadParquetFacts(found.path));
        file.row_group_offsets = facts.row_group_offsets;
        file.row_group_rows = facts.row_group_rows;
        entry.rows += facts.rows;
      } else {
        entry.rows = -1;  // unknown without reading it all
      }
      m.files.push_back(std::move(file));
    }
    m.tables.push_back(std::move(entry));
  }
  return m;
}

}  // namespace lakegauge::dataset
