// lakegauge inspect: a table that exists: its files, sizes, row groups, and how it would fare.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/units.h"
#include "cli/command.h"

namespace lakegauge::cli {
namespace {

// What engines are built for. Parquet's documentation recommends row groups of 512 MB to 1 GB on
// HDFS; Spark cuts splits at 128 MB (spark.sql.files.maxPartitionBytes), Trino and Athena advise
// against files below 128 MB. Below 16 MiB the study chunk-sweep found severe slow-downs on object
// stores.
constexpr int64_t kComfortableBytes = 128 * kMiB;
constexpr int64_t kSmallBytes = 16 * kMiB;
constexpr size_t kMostColumnsSaid = 6;

std::string Counted(int64_t n, const char* thing) {
  return fmt::format("{} {}{}", FormatCount(n), thing, n == 1 ? "" : "s");
}

struct Figures {
  int64_t files = 0, bytes = 0, rows = 0, smallest = 0, median = 0, largest = 0;
  int64_t row_groups = 0, small_files = 0;
  bool rows_known = true;
  // What a full scan asks of an object store: footers (two reads a file by DuckDB 1.5: footer
  // length and footer, fetched as one) and one range a row group at the least.
  int64_t least_requests() const { return files + std::max(row_groups, files); }
  int64_t list_requests() const { return std::max<int64_t>(1, (files + 999) / 1000); }
};

Figures FiguresOf(const dataset::InspectedTable& table) {
  Figures f;
  std::vector<int64_t> sizes;
  for (const auto& file : table.files) {
    sizes.push_back(file.size);
    f.bytes += file.size;
    f.row_groups += static_cast<int64_t>(file.row_group_bytes.size());
    f.small_files += file.size < kSmallBytes;
    if (file.rows < 0) f.rows_known = false;
    f.rows += std::max<int64_t>(0, file.rows);
  }
  f.files = static_cast<int64_t>(sizes.size());
  if (!sizes.empty()) {
    std::sort(sizes.begin(), sizes.end());
    f.smallest = sizes.front();
    f.median = sizes[sizes.size() / 2];
    f.largest = sizes.back();
  }
  return f;
}

std::string Verdict(const Figures& f) {
  if (f.files == 0) return "empty: no files";
  if (f.bytes < kSmallBytes) {
    return f.files == 1 ? "small table in one file: nothing to gain"
                        : fmt::format("small table in {} files: one would do", f.files);
  }
  if (f.small_files * 2 > f.files) {
    const int64_t wanted = std::max<int64_t>(1, f.bytes / kComfortableBytes);
    return fmt::format(
        "small files: {} of {} below {}; about {} of {} would hold the same, with {}x fewer "
        "requests",
        f.small_files, f.files, FormatBytes(kSmallBytes), Counted(wanted, "file"),
        FormatBytes(std::min(f.bytes, kComfortableBytes)),
        std::max<int64_t>(1, f.least_requests() / (2 * wanted)));
  }
  if (f.files > 0 && f.row_groups == f.files && f.largest > 4 * kComfortableBytes) {
    return "one large row group a file: scans cannot use more lanes than there are files";
  }
  return "files are of a size that engines like";
}

std::string ColumnsText(const std::vector<dataset::ColumnDef>& columns) {
  std::string text;
  for (size_t c = 0; c < std::min(columns.size(), kMostColumnsSaid); ++c) {
    text += fmt::format("{}{} {}", c == 0 ? "" : ", ", columns[c].name, columns[c].type);
  }
  if (columns.size() > kMostColumnsSaid) {
    text += fmt::format(" and {} more (--json names all)", columns.size() - kMostColumnsSaid);
  }
  return text;
}

Json ToJson(const dataset::InspectedTable& table, const Figures& f) {
  Json columns = Json::array();
  for (const auto& c : table.columns) columns.push_back({{"name", c.name}, {"type", c.type}});
  return {{"table", table.name},
          {"format", table.format},
          {"files", f.files},
          {"bytes", f.bytes},
          {"rows", f.rows_known ? Json(f.rows) : Json(nullptr)},
          {"smallest_bytes", f.smallest},
          {"median_bytes", f.median},
          {"largest_bytes", f.largest},
          {"row_groups", f.row_groups},
          {"list_requests", f.list_requests()},
          {"least_scan_requests", f.least_requests()},
          {"verdict", Verdict(f)},
          {"columns", columns}};
}

int Inspect(const std::string& path, bool json) {
  const auto tables = dataset::Inspect(path);
  if (!tables.ok()) return Fail(tables.error());
  Json all = Json::array();
  for (const auto& table : *tables) {
    const Figures f = FiguresOf(table);
    if (json) {
      all.push_back(ToJson(table, f));
      continue;
    }
    Print("{} ({}): {}, {}, {}, {}\n", table.name, table.format, Counted(f.files, "file"),
          FormatBytes(f.bytes), f.rows_known ? Counted(f.rows, "row") : "rows unknown",
          table.columns.empty() ? "columns unknown"
                                : Counted(static_cast<int64_t>(table.columns.size()), "column"));
    if (!table.columns.empty()) Print("  columns: {}\n", ColumnsText(table.columns));
    Print("  file size: smallest {}, median {}, largest {}; row groups: {}\n",
          FormatBytes(f.smallest), FormatBytes(f.median), FormatBytes(f.largest),
          FormatCount(f.row_groups));
    Print("  a full scan asks an object store for at least {} LIST and {}\n",
          FormatCount(f.list_requests()), Counted(f.least_requests(), "GET request"));
    Print("  {}\n", Verdict(f));
  }
  if (json) PrintJson(all);
  return kExitOk;
}

}  // namespace

void AddInspect(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("inspect", "Look at tables that exist and how they would fare");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("path", *path, "A file, or a folder of Parquet, ORC or CSV files")
      ->required();
  command->add_flag("--json", *json, "Machine-readable result");
  command->callback(
      [&context, path, json] { context.action = [path, json] { return Inspect(*path, *json); }; });
}

}  // namespace lakegauge::cli
