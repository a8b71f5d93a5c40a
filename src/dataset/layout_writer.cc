#include "dataset/layout_writer.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "columnar/parquet_facts.h"
#include "dataset/generators.h"
#include "dataset/hashed_file.h"

namespace lakegauge::dataset {

namespace fs = std::filesystem;

Status WriteLayouts(const Base& base, std::vector<LayoutInMaking>& layouts,
                    const PrepareOptions& options) {
  auto read = BaseDatabase(base.path, options.threads, options.memory_limit_bytes);
  read.settings.erase("threads");
  read.read_only = true;
  LG_ASSIGN_OR_RETURN(auto database, sql::Database::Open(read));
  LG_ASSIGN_OR_RETURN(auto connection, database.Connect());
  for (auto& layout : layouts) {
    for (const auto& table : base.tables) {
      const std::string folder = layout.folder + "/" + table.name;
      LG_RETURN_IF_ERROR(MakeDirs(folder));
      const bool split = layout.spec.target_file_bytes > 0;
      LG_RETURN_IF_ERROR(connection.Execute(fmt::format(
          "COPY {} TO {} (FORMAT parquet{})", sql::QuoteName(table.name),
          sql::QuoteLiteral(split ? folder : folder + "/part-00000.parquet"),
          split ? fmt::format(", FILE_SIZE_BYTES {}, OVERWRITE true", layout.spec.target_file_bytes)
                : "")));
      TableEntry entry{table.name, table.columns, 0, 0, ""};
      for (const auto& it : fs::recursive_directory_iterator(folder)) {
        const std::string path = it.path().string();
        LG_ASSIGN_OR_RETURN(const auto hashes, HashFile(path));
        LG_ASSIGN_OR_RETURN(const auto facts, columnar::ReadParquetFacts(path));
        layout.files.push_back({path.substr(layout.folder.size() + 1), table.name, hashes.size,
                                facts.rows, hashes.xxh3, hashes.sha256, facts.row_group_offsets,
                                facts.row_group_rows});
        entry.rows += facts.rows;
        entry.bytes += hashes.size;
      }
      layout.tables.push_back(std::move(entry));
    }
  }
  return {};
}

}  // namespace lakegauge::dataset
