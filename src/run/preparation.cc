#include "run/preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <span>

#include "base/files.h"

namespace lakegauge::run {
namespace {

namespace fs = std::filesystem;

// Where a "file:" URI's objects lie; empty for other schemes.
std::string FolderOf(const std::string& uri, const std::string& data_dir) {
  if (uri == "file:") return data_dir;
  if (!uri.starts_with("file:")) return "";
  std::string path = uri.substr(5);
  if (path.starts_with("//")) path = path.substr(2);
  std::error_code failed;
  return fs::absolute(path, failed).lexically_normal().string();
}

std::string FormatOf(const PlanCell& cell, const dataset::Manifest& manifest,
                     const std::string& table) {
  if (!cell.layout_spec.as_is) return cell.layout_spec.format;
  for (const dataset::FileEntry& file : manifest.files) {
    if (file.table == table) return file.key.ends_with(".parquet") ? "parquet" : "csv";
  }
  return "parquet";
}

// What finds exactly a table's files: their one key, or the folder that all of them are below.
std::string PrefixOf(const dataset::Manifest& manifest, const std::string& table) {
  std::string common;
  int files = 0;
  for (const dataset::FileEntry& file : manifest.files) {
    if (file.table != table) continue;
    if (++files == 1) {
      common = file.key;
    } else {
      common.erase(
          std::mismatch(common.begin(), common.end(), file.key.begin(), file.key.end()).first,
          common.end());
    }
  }
  return files == 1 ? common : common.substr(0, common.rfind('/') + 1);
}

// Hive style: folders named column=value.
bool IsPartitioned(const PlanCell& cell, const dataset::Manifest& manifest,
                   const std::string& table) {
  if (!cell.layout_spec.as_is) return cell.layout_spec.partition_by.contains(table);
  return std::any_of(manifest.files.begin(), manifest.files.end(), [&](const auto& file) {
    const size_t folder_end = file.key.rfind('/');
    return file.table == table && folder_end != std::string::npos &&
           file.key.substr(0, folder_end).find('=') != std::string::npos;
  });
}

// The same options, with one phase for the layouts of all cells.
dataset::PrepareOptions Placing(dataset::PrepareOptions options, size_t cell, size_t cells) {
  if (!options.progress) return options;
  options.progress = [outer = std::move(options.progress), cell, cells](dataset::Progress p) {
    p.what = "placing layouts in their stores: " + p.what;
    p.fraction = (static_cast<double>(cell) + p.fraction) / static_cast<double>(cells);
    outer(p);
  };
  return options;
}

}  // namespace

Status StillAnswers(const CellData& data) {
  Status first;
  for (const std::string& key : data.samples) {
    const auto reader = data.store->OpenRead({}, key, {});
    std::byte byte{};
    const auto got = reader.ok() ? (*reader)->ReadAt({}, 0, std::span(&byte, 1))
                                 : Result<size_t>(reader.error());
    if (got.ok()) return {};
    if (first.ok()) first = got.error();
  }
  return first;
}

Status Preparation::Prepare(const Plan& plan, const RunFolder& folder,
                            const dataset::PrepareOptions& options) {
  LG_RETURN_IF_ERROR(PrepareLayoutsOf(plan, options));
  for (const auto& [key, manifest] : manifests_) LG_RETURN_IF_ERROR(KeepManifest(folder, key));
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    const PlanCell& cell = plan.cells[i];
    const Status placed = PlaceCell(cell, Placing(options, i, plan.cells.size()));
    if (!placed.ok()) return placed.error().WithContext("cell " + cell.id);
  }
  return {};
}

Status Preparation::PrepareLayoutsOf(const Plan& plan, const dataset::PrepareOptions& options) {
  struct Wanted {
    dataset::DatasetSpec spec;
    std::vector<dataset::LayoutSpec> layouts;
    std::set<std::string> names;
  };
  std::vector<std::string> order;
  std::map<std::string, Wanted> datasets;
  for (const PlanCell& cell : plan.cells) {
    auto [at, added] = datasets.try_emplace(cell.dataset_name);
    if (added) {
      at->second.spec = cell.dataset_spec;
      order.push_back(cell.dataset_name);
    }
    if (at->second.names.insert(cell.layout_name).second) {
      at->second.layouts.push_back(cell.layout_spec);
    }
  }
  for (const std::string& name : order) {
    const Wanted& wanted = datasets[name];
    auto manifests = dataset::PrepareLayouts(wanted.spec, wanted.layouts, options, &uses_);
    if (!manifests.ok()) return manifests.error().WithContext("dataset " + name);
    for (size_t i = 0; i < wanted.layouts.size(); ++i) {
      manifests_[{name, wanted.layouts[i].Name()}] = std::move((*manifests)[i]);
    }
  }
  return {};
}

Status Preparation::KeepManifest(const RunFolder& folder, const LayoutKey& key) const {
  const std::string path = fmt::format("{}/{}/{}.json", folder.manifests(), key.first, key.second);
  const Json now = manifests_.at(key).ToJson();
  std::error_code failed;
  if (fs::exists(path, failed)) {
    LG_ASSIGN_OR_RETURN(const Json before, ReadJsonFile(path));
    if (JsonOr(before, "files", Json()) == JsonOr(now, "files", Json())) return {};
    return MakeError(
        ErrorCode::kCorrupt,
        fmt::format("layout {}/{} is not the one this run began with: its files differ from "
                    "{}; start a new run",
                    key.first, key.second, path));
  }
  return WriteFileAtomically(path, now.dump(1));
}

Result<store::Store*> Preparation::StoreOf(const std::string& uri, const std::string& root_uri) {
  auto& store = stores_[root_uri];
  if (!store) {
    auto opened = store::OpenStore(root_uri);
    if (!opened.ok()) return opened.error().WithContext("store " + uri);
    store = std::move(*opened);
  }
  return store.get();
}

Status Preparation::PlaceCell(const PlanCell& cell, const dataset::PrepareOptions& options) {
  const dataset::Manifest& manifest = manifests_.at({cell.dataset_name, cell.layout_name});
  const std::string layout_dir =
      dataset::LayoutDir(options.data_dir, cell.dataset_spec, cell.layout_spec);
  const bool as_is_in_place = cell.layout_spec.as_is && cell.store_uri == "file:";
  const std::string folder = as_is_in_place ? "/" : FolderOf(cell.store_uri, options.data_dir);
  CellData data;
  data.manifest = &manifest;
  LG_ASSIGN_OR_RETURN(data.store,
                      StoreOf(cell.store_uri, folder.empty() ? cell.store_uri : "file:" + folder));
  const std::string prefix = as_is_in_place ? "" : cell.dataset_name + "/" + cell.layout_name + "/";
  if (cell.store_uri != "file:") {
    LG_RETURN_IF_ERROR(dataset::PlaceLayout(manifest, layout_dir, *data.store, prefix, options));
  }
  if (!folder.empty()) {
    const std::string root = folder == "/" ? "/" : folder + "/";
    for (const auto& file : manifest.files) data.files.push_back(root + prefix + file.key);
  }
  for (const dataset::TableEntry& table : manifest.tables) {
    engine::TableLocation at;
    at.name = table.name;
    at.format = FormatOf(cell, manifest, table.name);
    const std::string below =
        cell.layout_spec.as_is ? PrefixOf(manifest, table.name) : table.name + "/";
    at.prefix = prefix + below;
    at.uri = data.store->Describe().uri + "/" + at.prefix;
    if (IsPartitioned(cell, manifest, table.name)) {
      at.options["hive_partitioning"] = "true";
      if (const auto by = cell.layout_spec.partition_by.find(table.name);
          by != cell.layout_spec.partition_by.end()) {
        at.options["partition_by"] = fmt::format("{}", fmt::join(by->second, ","));
      }
    }
    if (cell.layout_spec.as_is && at.format == "csv") at.options["detect"] = "true";
    at.store = data.store;
    for (const auto& column : table.columns) at.columns.emplace_back(column.name, column.type);
    const auto sample = std::find_if(manifest.files.begin(), manifest.files.end(),
                                     [&](const auto& file) { return file.table == table.name; });
    if (sample != manifest.files.end()) data.samples.push_back(prefix + sample->key);
    data.tables.push_back(std::move(at));
  }
  cells_[cell.id] = std::move(data);
  return {};
}

std::vector<std::pair<std::string, std::string>> Preparation::generators() const {
  std::set<std::pair<std::string, std::string>> distinct;
  for (const auto& [key, manifest] : manifests_) {
    distinct.emplace(manifest.generator, manifest.generator_version);
  }
  return {distinct.begin(), distinct.end()};
}

}  // namespace lakegauge::run
