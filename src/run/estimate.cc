#include "run/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/units.h"
#include "dataset/dataset.h"
#include "profile/profile.h"
#include "run/cell_profile.h"

namespace lakegauge::run {
namespace {

// What the estimate stands on, fitted to DuckDB 1.5.5 on two cores: the eight queries of quickstart
// over three layouts at scale 1, on a disk and on emulated stores of 5.5 and 120 ms to the first
// byte.
constexpr double kBytesPerScale = 2.8e8;      // Parquet with snappy of TPC-DS at scale 1
constexpr double kBaseBytesPerScale = 3.3e8;  // the generator's database
constexpr double kGenerateSPerScale = 35;     // one thread
constexpr double kLayoutSPerScale = 6;        // one layout of several written together, two cores
constexpr double kLeastRequestsPerFile = 2;  // footer and one range; else one for each column named
constexpr double kRequestsToBind = 2;        // of one file, for each time a query names a table
constexpr double kRoundsToBind = 2;          // one after another, for each time
constexpr double kRoundsToScan = 3;  // for each distinct table: scans wait for each other's filters
constexpr double kThreadsBusy =
    0.6;  // share of threads that wait at once where many files are read
constexpr double kUnknownColumns = 3;     // named of a table, and
constexpr double kUnknownColumnsOf = 23;  // how many it has, without a manifest
constexpr double kCpuSPerByte = 4.5e-9;   // decode and compute, over the bytes a query reads
constexpr double kCsvCpuSPerByte = 1e-8;
constexpr double kCsvBytesPerRequest = 8e6;
constexpr double kQueryS = 0.02;           // a query, whatever it reads
constexpr double kRequestCpuS = 2e-4;      // a request, on one core
constexpr double kLocalFirstByteS = 2e-4;  // a read from a disk, cache cold
constexpr double kCsvFactor = 3.0;         // CSV against Parquet, bytes

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
  std::vector<std::string> columns;  // empty: unknown
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
    // Measured: 28 bytes a row of ten integers in Parquet, 58 of ten in one text, 95 as CSV.
    const auto& spec = cell.dataset_spec;
    const bool text = spec.schema == "schema3" || spec.schema == "schema4";
    const double value = cell.layout_spec.format == "csv" ? 7 : text ? 5.6 : 2.5;
    const double rest = cell.layout_spec.format == "csv" ? 25 : 3;
    sizes["bulk"].bytes =
        static_cast<double>(spec.rows) * (value * static_cast<double>(spec.value_columns) + rest);
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
    TableSize& size = sizes[table.name];
    size = {static_cast<double>(table.bytes), 0, {}};
    for (const auto& column : table.columns) size.columns.push_back(column.name);
  }
  for (const auto& file : manifest.files) sizes[file.table].files += 1;
  return sizes;
}

// How often each word stands in a text, in lower case; "store" of "store.s_name" is not counted.
std::map<std::string, int> Words(const std::string& sql) {
  std::map<std::string, int> words;
  std::string word;
  for (const char c : sql + ' ') {
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::isalnum(static_cast<unsigned char>(lower)) != 0 || lower == '_') {
      word += lower;
    } else if (!word.empty()) {
      if (c != '.') ++words[word];
      word.clear();
    }
  }
  return words;
}

struct Reading {
  double requests = 0;
  double bytes = 0;
  double rounds = 0;  // waits for a first byte, one after another
};

// One table as one query reads it, which names it `times` times.
Reading ReadTable(const TableSize& size, const std::map<std::string, int>& words, double times,
                  const PlanCell& cell) {
  double named = kUnknownColumns;
  double of = kUnknownColumnsOf;
  if (!size.columns.empty()) {
    of = static_cast<double>(size.columns.size());
    named = static_cast<double>(
        std::count_if(size.columns.begin(), size.columns.end(),
                      [&](const std::string& column) { return words.contains(column); }));
  }
  // A table that is named often is read with fewer columns each time.
  const double columns = std::max(1.0, named / std::cbrt(times));
  Reading reading;
  if (cell.layout_spec.format == "csv") {
    reading.bytes = times * size.bytes;
    reading.requests = times * (2 * size.files + size.bytes / kCsvBytesPerRequest);
  } else {
    reading.bytes = times * size.bytes * std::min(1.0, columns / of);
    reading.requests =
        times * (kRequestsToBind + size.files * std::max(kLeastRequestsPerFile, columns));
  }
  reading.rounds = kRoundsToBind * times + kRoundsToScan +
                   std::max(0.0, reading.requests - (kRequestsToBind + kRoundsToScan) * times) /
                       std::max(1.0, kThreadsBusy * cell.threads);
  return reading;
}

CellEstimate EstimateCell(const Plan& plan, const PlanCell& cell, const Sizes& sizes) {
  CellEstimate estimate;
  double first_byte_s = kLocalFirstByteS;
  double stream_rate = 1e9;
  double total_rate = 1e9;
  if (!cell.profile.is_null()) {
    if (const auto profile = profile::Profile::FromJson(cell.profile); profile.ok()) {
      first_byte_s = profile->latency(profile::Operation::kGet).mean_ns() / 1e9;
      if (profile->stream_bytes_per_s > 0) stream_rate = profile->stream_bytes_per_s;
      if (profile->total_bytes_per_s > 0) total_rate = profile->total_bytes_per_s;
    }
  }
  const double cores = MachineCores();
  const double cpu_per_byte = cell.layout_spec.format == "csv" ? kCsvCpuSPerByte : kCpuSPerByte;
  for (const PlanQuery& query : plan.queries) {
    const auto words = Words(query.SqlFor(cell.dataset));
    Reading all;
    for (const auto& [table, size] : sizes) {
      const auto named = words.find(table);
      if (named == words.end()) continue;
      const Reading one = ReadTable(size, words, named->second, cell);
      all.requests += one.requests;
      all.bytes += one.bytes;
      all.rounds += one.rounds;
    }
    const double wait = all.rounds * first_byte_s;
    const double transfer =
        std::max(all.bytes / total_rate, all.bytes / (stream_rate * cell.threads));
    const double compute =
        kQueryS + (all.bytes * cpu_per_byte + all.requests * kRequestCpuS) / cores;
    estimate.requests += all.requests;
    estimate.bytes_read += all.bytes;
    estimate.pass_s += compute + std::max(wait, transfer);
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
      "sizes from {}; requests and bytes from the tables and columns that each query names; time "
      "from "
      "cores, threads, first-byte latency and bandwidth; expect a factor of 2",
      measured ? "the layouts' manifests" : "the scale, where a layout is not written yet");
}

}  // namespace lakegauge::run
