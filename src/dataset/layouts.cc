#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/units.h"
#include "dataset/as_is.h"
#include "dataset/dataset.h"
#include "dataset/layout_writer.h"
#include "dataset/prepared_base.h"
#include "dataset/verify.h"
#include "dataset/workplace.h"

namespace lakegauge::dataset {
namespace {

namespace fs = std::filesystem;

constexpr char kManifestName[] = "manifest.json";
constexpr char kScratchFolder[] = "scratch";
// Of the time that a dataset and its layouts take, the part that its base does.
constexpr double kBaseShare = 0.7;
constexpr int64_t kSmallestTarget = 16 * kKiB;

Status CheckLayout(const LayoutSpec& layout) {
  const auto bad = [](std::string text) {
    return MakeError(ErrorCode::kInvalidArgument, std::move(text));
  };
  const std::set<std::string> codecs = {"snappy", "zstd", "lz4", "none"};
  if (layout.format != "parquet" && layout.format != "orc" && layout.format != "csv") {
    return bad(fmt::format("unknown format '{}'; there are parquet, orc and csv", layout.format));
  }
  if (!codecs.contains(layout.compression)) {
    return bad(fmt::format("unknown compression '{}'; there are snappy, zstd, lz4 and none",
                           layout.compression));
  }
  if (layout.format == "csv" && layout.compression != "none" && layout.compression != "zstd") {
    return bad(fmt::format("compression {} of CSV; there are none and zstd", layout.compression));
  }
  if (layout.target_file_bytes < 0 || layout.row_group_bytes < 0) {
    return bad("a size in a layout is below 0");
  }
  if (layout.target_file_bytes != 0 && layout.target_file_bytes < kSmallestTarget) {
    return bad(fmt::format("a target of {} a file; the smallest is {}",
                           FormatBytes(layout.target_file_bytes), FormatBytes(kSmallestTarget)));
  }
  return {};
}

Manifest Describe(const DatasetSpec& spec, const LayoutSpec& layout, const Base& base) {
  Manifest m;
  m.dataset = spec.Name();
  m.dataset_spec = spec.ToJson();
  m.layout = layout.Name();
  m.layout_spec = layout.ToJson();
  m.generator = base.generator;
  m.generator_version = base.generator_version;
  m.writer_version = kWriterVersion;
  return m;
}

// Layouts of one dataset hold the same rows, or something is badly wrong.
Status CheckSameRows(const std::vector<Manifest>& manifests) {
  std::map<std::string, std::pair<std::string, std::string>> seen;
  for (const auto& m : manifests) {
    for (const auto& t : m.tables) {
      if (t.content_fingerprint.empty()) continue;
      const auto [it, fresh] = seen.try_emplace(t.name, t.content_fingerprint, m.layout);
      if (!fresh && it->second.first != t.content_fingerprint) {
        return MakeError(
            ErrorCode::kCorrupt,
            fmt::format("table {} of {} does not hold the same rows in layouts {} and {}; "
                        "remove one of the two folders",
                        t.name, m.dataset, it->second.second, m.layout));
      }
    }
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> Bytes(const Manifest& m) {
  std::vector<std::pair<std::string, std::string>> bytes;
  for (const auto& f : m.files) bytes.emplace_back(f.key, f.sha256);
  return bytes;
}

void MarkSame(std::vector<Manifest>& manifests) {
  for (size_t i = 0; i < manifests.size(); ++i) {
    manifests[i].same_as.clear();
    for (size_t j = 0; j < i; ++j) {
      if (manifests[i].layout != manifests[j].layout && manifests[j].same_as.empty() &&
          Bytes(manifests[i]) == Bytes(manifests[j])) {
        manifests[i].same_as = manifests[j].layout;
        break;
      }
    }
  }
}

Result<Manifest> FindExisting(const std::string& folder, bool deep) {
  LG_ASSIGN_OR_RETURN(auto manifest, VerifyLayout(folder, deep));
  if (deep) LG_RETURN_IF_ERROR(VerifyContent(manifest, folder));
  return manifest;
}

Status Publish(const Workplace& place, const DatasetSpec& spec, const Base& base,
               LayoutInMaking& made, Manifest* manifest) {
  *manifest = Describe(spec, made.spec, base);
  manifest->tables = std::move(made.tables);
  manifest->files = std::move(made.files);
  std::sort(manifest->files.begin(), manifest->files.end(),
            [](const FileEntry& a, const FileEntry& b) { return a.key < b.key; });
  LG_RETURN_IF_ERROR(
      WriteFileAtomically(made.folder + "/" + kManifestName, manifest->ToJson().dump(1)));
  return place.Publish(made.spec.Name());
}

}  // namespace

std::vector<NameProblem> NameProblems(const LayoutSpec& layout,
                                      const std::vector<TableDef>& tables) {
  std::vector<NameProblem> problems;
  const auto find = [&](const std::string& name) {
    return std::find_if(tables.begin(), tables.end(),
                        [&](const TableDef& t) { return t.name == name; });
  };
  const auto check_columns = [&](const std::map<std::string, std::vector<std::string>>& by,
                                 const std::string& key) {
    for (const auto& [table, columns] : by) {
      const auto found = find(table);
      if (found == tables.end()) {
        problems.push_back(
            {key, table, "",
             fmt::format("{} names table '{}', which the dataset does not have", key, table)});
        continue;
      }
      for (const auto& column : columns) {
        if (std::none_of(found->columns.begin(), found->columns.end(),
                         [&](const ColumnDef& c) { return c.name == column; })) {
          problems.push_back({key, table, column,
                              fmt::format("{} names column '{}', which table {} does not have", key,
                                          column, table)});
        }
      }
      if (key == "partition_by" && columns.size() >= found->columns.size()) {
        problems.push_back(
            {key, table, "", fmt::format("partition_by leaves table {} without a column", table)});
      }
    }
  };
  for (const auto& table : layout.tables) {
    if (find(table) != tables.end()) continue;
    problems.push_back(
        {"tables", table, "",
         fmt::format("the layout is limited to table '{}', which the dataset does not have",
                     table)});
  }
  check_columns(layout.partition_by, "partition_by");
  check_columns(layout.sort_by, "sort_by");
  return problems;
}

PrepareOptions Within(PrepareOptions options, double from, double to) {
  if (!options.progress) return options;
  options.progress = [outer = std::move(options.progress), from, to](Progress p) {
    if (p.fraction >= 0) p.fraction = from + (to - from) * p.fraction;
    outer(p);
  };
  return options;
}

Result<std::vector<Manifest>> PrepareLayouts(const DatasetSpec& spec,
                                             const std::vector<LayoutSpec>& layouts,
                                             const PrepareOptions& options,
                                             std::vector<LayoutUse>* uses) {
  for (const auto& layout : layouts) {
    if (!layout.as_is) LG_RETURN_IF_ERROR(CheckLayout(layout));
  }
  LG_ASSIGN_OR_RETURN(const auto place,
                      Workplace::Enter(options.data_dir + "/" + spec.Name(), options.stop));
  std::optional<Base> base;
  bool base_made = false;  // here, and told of as the first part of the whole
  // A user's own files may have changed since the layouts were written; only the base knows from
  // which files they came, and one that has to be made anew takes its old layouts with it.
  if (spec.kind == "files" &&
      std::any_of(layouts.begin(), layouts.end(), [](const auto& l) { return !l.as_is; })) {
    auto making = Within(options, 0, kBaseShare);
    if (making.progress) {
      making.progress = [outer = std::move(making.progress), &base_made](const Progress& p) {
        base_made = true;
        outer(p);
      };
    }
    LG_ASSIGN_OR_RETURN(base, PrepareBaseLocked(spec, making, place));
  }
  // Verified first: a base that has to be made anew takes its old layouts with it, so it goes
  // before.
  std::vector<Manifest> manifests(layouts.size());
  std::vector<LayoutInMaking> missing;
  std::vector<size_t> missing_at;
  std::set<std::string> asked;
  std::vector<std::pair<size_t, size_t>> repeated;  // the same layout asked for twice
  for (size_t i = 0; i < layouts.size(); ++i) {
    const auto& layout = layouts[i];
    if (layout.as_is) {
      LG_ASSIGN_OR_RETURN(manifests[i], DescribeAsIs(spec, layout));
      continue;
    }
    const std::string name = layout.Name();
    if (!asked.insert(name).second) {
      const auto first = std::find_if(layouts.begin(), layouts.end(),
                                      [&](const LayoutSpec& l) { return l.Name() == name; });
      repeated.emplace_back(i, first - layouts.begin());
      continue;
    }
    auto existing = FindExisting(place.folder() + "/" + name, options.verify_existing);
    if (existing.ok() && existing->layout_spec == layout.ToJson() &&
        existing->dataset_spec == spec.ToJson() && existing->writer_version == kWriterVersion) {
      manifests[i] = std::move(*existing);
    } else {
      // Without a manifest there was none.
      if (!existing.ok() && existing.error().code != ErrorCode::kNotFound && options.progress) {
        options.progress(
            {fmt::format("layout {}: {}; written again", name, existing.error().message), -1, 0,
             true});
      }
      LG_RETURN_IF_ERROR(CheckReplaceable(place.folder() + "/" + name));
      missing.push_back({layout, "", {}, {}});
      missing_at.push_back(i);
    }
  }
  if (!missing.empty()) {
    const bool base_there = fs::exists(place.folder() + "/base/base.json");
    const double base_share = base_there && !base_made ? 0 : kBaseShare;
    if (!base) {
      LG_ASSIGN_OR_RETURN(base, PrepareBaseLocked(spec, Within(options, 0, base_share), place));
    }
    Status status;
    for (auto& layout : missing) {
      if (const auto problems = NameProblems(layout.spec, base->tables); !problems.empty()) {
        return MakeError(ErrorCode::kInvalidArgument, problems.front().message);
      }
      LG_ASSIGN_OR_RETURN(layout.folder, place.Begin(layout.spec.Name()));
    }
    LG_ASSIGN_OR_RETURN(const std::string scratch, place.Begin(kScratchFolder));
    auto writing = Within(options, base_share, 1);
    if (writing.progress) {
      writing.progress = [outer = std::move(writing.progress),
                          phase = "writing layouts of " + spec.Name()](Progress p) {
        p.what = phase + ": " + p.what;
        outer(p);
      };
    }
    status = WriteLayouts(*base, missing, scratch, writing);
    place.Discard(kScratchFolder);
    // A power cut must not leave a manifest that names files which are empty.
    if (status.ok()) status = SyncFileSystemOf(place.folder());
    for (size_t m = 0; m < missing.size() && status.ok(); ++m) {
      status = Publish(place, spec, *base, missing[m], &manifests[missing_at[m]]);
    }
    if (!status.ok()) {
      for (const auto& layout : missing) place.Discard(layout.spec.Name());
      return status.error();
    }
  }
  for (const auto& [i, first] : repeated) manifests[i] = manifests[first];
  LG_RETURN_IF_ERROR(CheckSameRows(manifests));
  MarkSame(manifests);
  if (uses != nullptr) {
    for (const auto& name : asked) {
      LG_ASSIGN_OR_RETURN(auto use, LayoutUse::Read(place.folder() + "/" + name));
      uses->push_back(std::move(use));
    }
  }
  return manifests;
}

Result<Manifest> VerifyLayout(const std::string& layout_dir, bool deep) {
  std::error_code failed;
  const std::string path = layout_dir + "/" + kManifestName;
  if (!fs::exists(path, failed)) {
    return MakeError(ErrorCode::kNotFound, layout_dir + " holds no layout (no manifest.json)");
  }
  LG_ASSIGN_OR_RETURN(const Json json, ReadJsonFile(path));
  auto manifest = Manifest::FromJson(json);
  if (!manifest.ok()) return manifest.error().WithContext(path);
  LG_RETURN_IF_ERROR(VerifyFiles(*manifest, layout_dir, deep));
  return manifest;
}

}  // namespace lakegauge::dataset
