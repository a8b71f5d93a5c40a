#include "run/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/units.h"
#include "dataset/dataset.h"
#include "profile/profile.h"
#include "run/cell_profile.h"

namespace lakegauge::run {
namespace {

// Rough facts the estimate stands on. Measured with DuckDB 1.5.5 on two cores; docs/experiments.md
// says how far off they may be.
constexpr double kBytesPerScale = 3.3e8;      // Parquet with snappy of TPC-DS at scale 1
constexpr double kBaseBytesPerScale = 3.3e8;  // the generator's database
constexpr double kGenerateSPerScale = 40;     // one thread
constexpr double kLayoutSPerScale = 12;       // one layout, two cores
constexpr double kRequestsPerFile = 3.5;  // a scan of one file: footers and merged column ranges
constexpr double kFractionRead = 0.35;    // of a touched table's bytes
constexpr double kCpuSPerByte = 2.2e-9;   // decode and compute, over the bytes a query reads
constexpr double kQueryS = 0.03;          // a query, whatever it reads
constexpr double kRequestCpuS = 8e-5;     // a request, on one core
constexpr double kCsvFactor = 3.0;        // CSV against Parquet, bytes
constexpr double kBulkRowBytes = 70;      // of a bulk row in Parquet

// Share of TPC-DS's bytes by table, in thousandths; the rest are small dimensions.
const std::map<std::string, double>& TpcdsShares() {
  static const std::map<std::string, double> shares = {{"store_sales", 390},
                                                       {"catalog_sales", 270},
                                                       {"web_sales", 135},
                                                       {"store_returns", 42},
                                                       {"catalog_returns", 33},
                                                       {"web_returns", 16},
                                                       {"inventory", 45},
                                                       {"customer", 17},
                                                       {"customer_demographics", 22},
                                                       {"customer_address", 6},
                                                       {"item", 5},
                                                       {"date_dim", 6},
                                                       {"time_dim", 4},
                                                       {"catalog_page", 2},
                                                       {"household_demographics", 0.3},
                                                       {"promotion", 0.1},
                                                       {"store", 0.1},
                                                       {"call_center", 0.1},
                                                       {"web_site", 0.1},
                                                       {"web_page", 0.1},
                                                       {"warehouse", 0.1},
                                                       {"ship_mode", 0.1},
                                                       {"reason", 0.1},
                                                       {"income_band", 0.1}};
  return shares;
}

struct TableSize {
  double bytes = 0;
  double files = 1;
};
using Sizes = std::map<std::string, TableSize>;

double FilesOf(double bytes, int64_t target) {
  return target <= 0 ? 1 : std::max(1.0, std::ceil(bytes / static_cast<double>(target)));
}

Sizes SizesByScale(const PlanCell& cell) {
  Sizes sizes;
  const double factor = cell.layout_spec.format == "csv" ? kCsvFactor : 1;
  if (cell.dataset_spec.kind == "tpcds") {
    for (const auto& [table, share] : TpcdsShares()) {
      // Dimensions grow far slower than the scale.
      const double growth =
          share < 30 ? std::pow(cell.dataset_spec.scale, 0.4) : cell.dataset_spec.scale;
      sizes[table].bytes = factor * kBytesPerScale * share / 1000 * growth;
    }
  } else if (cell.dataset_spec.kind == "bulk") {
    sizes["bulk"].bytes = factor * kBulkRowBytes * static_cast<double>(cell.dataset_spec.rows);
  } else {
    for (const auto& [table, path] : cell.dataset_spec.tables) {
      std::error_code failed;
      const auto bytes = std::filesystem::file_size(path, failed);
      sizes[table].bytes = failed ? 0 : static_cast<double>(bytes);
    }
  }
  for (auto& [table, size] : sizes) {
    size.files = FilesOf(size.bytes, cell.layout_spec.target_file_bytes);
  }
  return sizes;
}

Result<Sizes> SizesByManifest(const PlanCell& cell, const std::string& data_dir) {
  const std::string dir = dataset::LayoutDir(data_dir, cell.dataset_spec, cell.layout_spec);
  LG_ASSIGN_OR_RETURN(const Json json, ReadJsonFile(dir + "/manifest.json"));
  LG_ASSIGN_OR_RETURN(const auto manifest, dataset::Manifest::FromJson(json));
  Sizes sizes;
  for (const auto& table : manifest.tables) {
    sizes[table.name] = {static_cast<double>(table.bytes), 0};
  }
  for (const auto& file : manifest.files) sizes[file.table].files += 1;
  return sizes;
}

// How often each table is named in the text, as a word.
std::map<std::string, int> TablesNamed(const std::string& sql, const Sizes& sizes) {
  std::map<std::string, int> named;
  std::string word;
  for (size_t i = 0; i <= sql.size(); ++i) {
    const char c =
        i < sql.size() ? static_cast<char>(std::tolower(static_cast<unsigned char>(sql[i]))) : ' ';
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (c != '.' && sizes.contains(word)) ++named[word];  // "store.x" is a column
    word.clear();
  }
  return named;
}

CellEstimate EstimateCell(const Plan& plan, const PlanCell& cell, const Sizes& sizes) {
  CellEstimate estimate;
  double first_byte_s = 0.0002;
  double list_s = 0;
  double stream_rate = 1e9;
  double total_rate = 1e9;
  if (const auto profile = profile::Profile::FromJson(cell.profile);
      !cell.profile.is_null() && profile.ok()) {
    first_byte_s = profile->latency(profile::Operation::kGet).mean_ns() / 1e9;
    list_s = profile->latency(profile::Operation::kList).mean_ns() / 1e9;
    if (profile->stream_bytes_per_s > 0) stream_rate = profile->stream_bytes_per_s;
    if (profile->total_bytes_per_s > 0) total_rate = profile->total_bytes_per_s;
  }
  const double cores = MachineCores();
  for (const PlanQuery& query : plan.queries) {
    double requests = 0;
    double bytes = 0;
    double rounds = 0;  // requests one after another
    const bool csv = cell.layout_spec.format == "csv";
    for (const auto& [table, times] : TablesNamed(query.SqlFor(cell.dataset), sizes)) {
      const TableSize& size = sizes.at(table);
      const double of_table = times * size.files * kRequestsPerFile;
      requests += of_table + times * std::ceil(size.files / 1000);
      bytes += times * size.bytes * (csv ? 1 : kFractionRead);
      rounds += times * (std::ceil(of_table / cell.threads) + kRequestsPerFile) * 0.5;
    }
    const double wait = rounds * first_byte_s +
                        static_cast<double>(query.SqlFor(cell.dataset).empty() ? 0 : 2) * list_s;
    const double transfer = std::max(bytes / total_rate, bytes / (stream_rate * cell.threads));
    const double compute = kQueryS + (bytes * kCpuSPerByte + requests * kRequestCpuS) / cores;
    estimate.requests += requests;
    estimate.bytes_read += bytes;
    estimate.pass_s += compute + std::max(wait, transfer) + 0.3 * std::min(wait, transfer);
  }
  const auto streams = static_cast<double>(plan.streams);
  estimate.requests *= streams;
  estimate.bytes_read *= streams;
  // Streams share the cores and the store's total rate, but wait for first bytes side by side.
  estimate.pass_s *= cell.emulated ? std::max(1.0, streams / 2) : std::max(1.0, streams / cores);
  return estimate;
}

}  // namespace

void EstimatePlan(Plan& plan) {
  bool measured = true;
  std::set<std::string> layouts_seen;
  std::set<std::string> bases_seen;
  Estimate& sum = plan.estimate;
  const double passes = static_cast<double>(plan.warmup + plan.iterations);
  for (PlanCell& cell : plan.cells) {
    auto sizes = SizesByManifest(cell, plan.data_dir);
    const bool there = sizes.ok();
    const Sizes used = there ? *sizes : SizesByScale(cell);
    measured = measured && there;
    cell.estimate = EstimateCell(plan, cell, used);
    sum.wall_s += passes * cell.estimate.pass_s;
    sum.requests += passes * cell.estimate.requests;
    sum.bytes_read += passes * cell.estimate.bytes_read;
    sum.cost += passes * (cell.estimate.requests / 1000 * cell.price.get_per_1000 +
                          cell.estimate.bytes_read / 1e9 * cell.price.read_per_gb);
    const std::string layout = cell.dataset_name + "/" + cell.layout_name;
    double bytes = 0;
    for (const auto& [table, size] : used) bytes += size.bytes;
    const double scale =
        cell.dataset_spec.kind == "tpcds" ? cell.dataset_spec.scale : bytes / kBytesPerScale;
    if (!there && !cell.layout_spec.as_is && layouts_seen.insert(layout).second) {
      sum.disk_bytes += static_cast<int64_t>(bytes);
      sum.prepare_s += kLayoutSPerScale * scale;
      std::error_code failed;
      const bool base =
          std::filesystem::exists(plan.data_dir + "/" + cell.dataset_name + "/base", failed);
      if (!base && bases_seen.insert(cell.dataset_name).second) {
        sum.disk_bytes += static_cast<int64_t>(kBaseBytesPerScale * scale);
        sum.prepare_s += kGenerateSPerScale * scale;
      }
    }
  }
  sum.method = fmt::format(
      "sizes from {}; requests from the tables each query names, times {:.1f} a file; bytes as "
      "{:.0f}% of "
      "those tables; time from cores, threads, latency and bandwidth; expect a factor of 2",
      measured ? "the layouts' manifests" : "the scale (layouts are not written yet)",
      kRequestsPerFile, 100 * kFractionRead);
}

}  // namespace lakegauge::run
