#pragma once
// Everything the cells read, made ready: datasets generated, layouts written, copies placed on
// stores that are not the data folder, manifests kept with the run.
//
// Threads: one; the dataset room uses its own inside. Owns: the stores, one for each URI; they
// outlive every cell; the layouts, held against being deleted while it lives. Errors: what could
// not be made; kCancelled after a stop; kCorrupt where a layout is not what it was when the run
// began.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dataset/dataset.h"
#include "engine/engine.h"
#include "run/plan.h"
#include "run/run_folder.h"
#include "store/store.h"

namespace lakegauge::run {

// Where one cell's bytes lie.
struct CellData {
  const dataset::Manifest* manifest = nullptr;
  store::Store* store = nullptr;
  std::vector<engine::TableLocation> tables;  // their `store` is the bare one
  std::vector<std::string>
      files;  // paths whose pages must be cold; empty where it is no file system
  std::vector<std::string> samples;  // keys: a file of each table
};

// Whether the store still gives anything of the cell's: a byte of a file of any table. Error: why
// not, of the first.
Status StillAnswers(const CellData& data);

class Preparation {
 public:
  // `options.data_dir` must be absolute.
  Status Prepare(const Plan& plan, const RunFolder& folder, const dataset::PrepareOptions& options);
  const CellData& data(const std::string& cell) const { return cells_.at(cell); }
  // Name and version of each generator that made a dataset.
  std::vector<std::pair<std::string, std::string>> generators() const;

 private:
  using LayoutKey = std::pair<std::string, std::string>;  // dataset name, layout name
  Status PrepareLayoutsOf(const Plan& plan, const dataset::PrepareOptions& options);
  Status KeepManifest(const RunFolder& folder, const LayoutKey& key) const;
  Result<store::Store*> StoreOf(const std::string& uri, const std::string& root_uri);
  Status PlaceCell(const PlanCell& cell, const dataset::PrepareOptions& options);

  std::map<LayoutKey, dataset::Manifest> manifests_;
  std::vector<dataset::LayoutUse> uses_;  // until the run ends, nobody deletes what it reads
  std::map<std::string, std::unique_ptr<store::Store>> stores_;
  std::map<std::string, CellData> cells_;
};

}  // namespace lakegauge::run
