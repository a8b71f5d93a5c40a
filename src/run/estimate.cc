#include "run/estimate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/letters.h"
#include "base/units.h"
#include "dataset/dataset.h"
#include "profile/profile.h"
#include "run/cell_profile.h"

namespace lakegauge::run {
namespace {

// What the estimate stands on, fitted to DuckDB 1.5.5 on two cores: the eight queries of quickstart
// over three layouts at scale 1, on a disk and on emulated stores of 5.5 and 120 ms to the first
// byte.
constexpr double kBytesPerScale = 2.8e8;   // Parquet with snappy of TPC-DS at scale 1
constexpr double kBaseBytesPerByte = 1.2;  // the base's database, of the same rows as Parquet
constexpr double kGenerateSPerByte = 35 / 3.3e8;  // of the base; one thread
constexpr double kReadSPerByte = 1e-8;       // of the base, where it is read from Parquet or CSV
constexpr double kLayoutSPerScale = 6;       // one layout of several written together, two cores
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

// Where sizes come from, as it is told.
constexpr char kFromFiles[] = "of as_is are those of the files and their Parquet footers";
constexpr char kFromManifests[] = "of layouts that are written are their manifests'";
constexpr char kGuessedFromFiles[] =
    "of layouts still to be written are guessed to be those of your files (CSV three times "
    "Parquet, "
    "partitions not counted)";
constexpr char kGuessedFromScale[] =
    "of layouts still to be written are guessed from the scale or the number of rows";

constexpr size_t kNearBytes = 100;  // between a "*" and the table it is of

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
  double row_groups = 0;  // 0: about one a file
  bool csv = false;
  std::vector<std::string> columns;            // empty: unknown
  std::map<std::string, double> column_bytes;  // empty: unknown
};
using Sizes = std::map<std::string, TableSize>;

double FilesOf(double bytes, int64_t target) {
  return target <= 0 ? 1 : std::max(1.0, std::ceil(bytes / static_cast<double>(target)));
}

// Sizes that something was found to be, or what they were guessed from.
struct Found {
  Sizes sizes;
  std::string from;
  double base_bytes = 0;  // of the dataset's base, where it has to be made
  bool written = false;   // nothing has to be made
};

// The user's files as they lie.
Sizes SizesOfSources(const std::vector<dataset::InspectedTable>& sources) {
  Sizes sizes;
  for (const auto& source : sources) {
    TableSize& size = sizes[source.name];
    size.csv = source.format == "csv";
    size.files = static_cast<double>(source.files.size());
    for (const auto& file : source.files) {
      size.bytes += static_cast<double>(file.size);
      size.row_groups += static_cast<double>(file.row_group_bytes.size());
    }
    for (const auto& column : source.columns) size.columns.push_back(column.name);
    for (const auto& [column, bytes] : source.column_bytes) {
      size.column_bytes[column] = static_cast<double>(bytes);
    }
  }
  return sizes;
}

// A layout of them that is not written yet: as large as they are, but for the format.
Sizes SizesLaidOut(Sizes sizes, const dataset::LayoutSpec& layout) {
  for (auto& [table, size] : sizes) {
    const bool csv = layout.format == "csv";
    const double factor = csv == size.csv ? 1 : csv ? kCsvFactor : 1 / kCsvFactor;
    size.bytes *= factor;
    for (auto& [column, bytes] : size.column_bytes) bytes *= factor;
    size.csv = csv;
    size.files = FilesOf(size.bytes, layout.target_file_bytes);
    size.row_groups = 0;
  }
  return sizes;
}

Sizes SizesByScale(const PlanCell& cell) {
  Sizes sizes;
  const bool csv = cell.layout_spec.format == "csv";
  if (cell.dataset_spec.kind == "tpcds") {
    for (const auto& [table, share] : TpcdsShares()) {
      // Dimensions grow far slower than the scale.
      const double growth =
          share < 30 ? std::pow(cell.dataset_spec.scale, 0.4) : cell.dataset_spec.scale;
      sizes[table].bytes = (csv ? kCsvFactor : 1) * kBytesPerScale * share / 1000 * growth;
    }
  } else {
    // Measured: 28 bytes a row of ten integers in Parquet, 58 of ten in one text, 95 as CSV.
    const auto& spec = cell.dataset_spec;
    const bool text = spec.schema == "schema3" || spec.schema == "schema4";
    const double value = csv ? 7 : text ? 5.6 : 2.5;
    const double rest = csv ? 25 : 3;
    sizes["bulk"].bytes =
        static_cast<double>(spec.rows) * (value * static_cast<double>(spec.value_columns) + rest);
  }
  for (auto& [table, size] : sizes) {
    size.csv = csv;
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
    size.bytes = static_cast<double>(table.bytes);
    size.files = 0;
    size.csv = cell.layout_spec.format == "csv";
    for (const auto& column : table.columns) size.columns.push_back(column.name);
  }
  for (const auto& file : manifest.files) sizes[file.table].files += 1;
  return sizes;
}

double BytesOf(const Sizes& sizes) {
  double bytes = 0;
  for (const auto& [table, size] : sizes) bytes += size.bytes;
  return bytes;
}

Found FindSizes(const PlanCell& cell, const std::vector<dataset::InspectedTable>& sources,
                bool base, const std::string& data_dir) {
  const bool files = cell.dataset_spec.kind == "files";
  if (cell.layout_spec.as_is) return {SizesOfSources(sources), kFromFiles, 0, true};
  // A user's tables that changed are laid out anew.
  if (base || !files) {
    if (auto sizes = SizesByManifest(cell, data_dir); sizes.ok()) {
      return {std::move(*sizes), kFromManifests, 0, true};
    }
  }
  Found found;
  if (files) {
    found.from = kGuessedFromFiles;
    dataset::LayoutSpec parquet;
    const Sizes whole = SizesOfSources(sources);
    found.base_bytes = kBaseBytesPerByte * BytesOf(SizesLaidOut(whole, parquet));
    found.sizes = SizesLaidOut(whole, cell.layout_spec);
  } else {
    found.from = kGuessedFromScale;
    found.sizes = SizesByScale(cell);
    const double scale = cell.dataset_spec.kind == "tpcds" ? cell.dataset_spec.scale
                                                           : BytesOf(found.sizes) / kBytesPerScale;
    found.base_bytes = kBaseBytesPerByte * kBytesPerScale * scale;
  }
  const auto& only = cell.layout_spec.tables;
  std::erase_if(found.sizes, [&](const auto& table) {
    return !only.empty() && std::find(only.begin(), only.end(), table.first) == only.end();
  });
  if (base) found.base_bytes = 0;
  return found;
}

// How often each word stands in a text, in lower case; "store" of "store.s_name" is not counted.
using Words = std::map<std::string, int>;
Words WordsOf(const std::string& sql) {
  Words words;
  std::string word;
  for (const char c : sql + ' ') {
    const auto byte = static_cast<unsigned char>(c);
    // Bytes of other alphabets belong to a word as letters do.
    if (std::isalnum(byte) != 0 || c == '_' || byte >= 0x80) {
      word += c;
    } else if (!word.empty()) {
      if (c != '.') ++words[word];
      word.clear();
    }
  }
  return words;
}

// Whether the text asks for all columns of a table: "SELECT * FROM t", "t.*".
bool AsksForAll(const std::string& table, const std::string& sql) {
  const std::string name = Lower(table);
  for (size_t at = sql.find('*'); at != std::string::npos; at = sql.find('*', at + 1)) {
    if (std::string_view(sql).substr(0, at).ends_with(name + ".")) return true;
    std::istringstream rest(sql.substr(at + 1, name.size() + kNearBytes));
    std::string from;
    std::string what;
    if (!(rest >> from >> what) || from != "from") continue;
    std::erase_if(what, [](char c) { return c == '"' || c == ';' || c == ')' || c == ','; });
    if (what == name) return true;
  }
  return false;
}

// How often a name stands in a text; one that is no word is looked for as it is.
int TimesNamed(const std::string& name, const std::string& sql, const Words& words) {
  const std::string lower = Lower(name);
  if (const auto found = words.find(lower); found != words.end()) return found->second;
  const auto is_word = WordsOf(lower);
  if (is_word.size() == 1 && is_word.begin()->first == lower) return 0;
  int times = 0;
  for (size_t at = sql.find(lower); at != std::string::npos; at = sql.find(lower, at + 1)) ++times;
  return times;
}

struct Reading {
  double requests = 0;
  double bytes = 0;
  double rounds = 0;  // waits for a first byte, one after another
};

// One table as one query reads it, which names it `times` times.
Reading ReadTable(const std::string& table, const TableSize& size, const std::string& sql,
                  const Words& words, double times, const PlanCell& cell) {
  double named = kUnknownColumns;
  double of = kUnknownColumnsOf;
  double share = 0;
  if (!size.columns.empty()) {
    const bool all = AsksForAll(table, sql);
    double bytes = 0;
    double bytes_of = 0;
    named = 0;
    of = static_cast<double>(size.columns.size());
    for (const std::string& column : size.columns) {
      const auto own = size.column_bytes.find(column);
      const double weight = own == size.column_bytes.end() ? 0 : own->second;
      bytes_of += weight;
      if (!all && TimesNamed(column, sql, words) == 0) continue;
      ++named;
      bytes += weight;
    }
    if (bytes_of > 0) share = bytes / bytes_of;
  }
  // A table that is named often is read with fewer columns each time.
  const double fewer = std::cbrt(times);
  const double columns = std::max(1.0, named / fewer);
  Reading reading;
  if (size.csv) {
    reading.bytes = times * size.bytes;
    reading.requests = times * (2 * size.files + size.bytes / kCsvBytesPerRequest);
  } else {
    reading.bytes = times * size.bytes *
                    (size.column_bytes.empty() ? std::min(1.0, columns / of) : share / fewer);
    // Columns are asked for in each row group, and the footer once.
    const double ranges = size.row_groups > size.files
                              ? size.files + size.row_groups * columns
                              : size.files * std::max(kLeastRequestsPerFile, columns);
    reading.requests = times * (kRequestsToBind + ranges);
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
  for (const PlanQuery& query : plan.queries) {
    const std::string sql = Lower(query.SqlFor(cell.dataset));
    const Words words = WordsOf(sql);
    Reading all;
    double decode = 0;
    for (const auto& [table, size] : sizes) {
      const int times = TimesNamed(table, sql, words);
      if (times == 0) continue;
      const Reading one = ReadTable(table, size, sql, words, times, cell);
      decode += one.bytes * (size.csv ? kCsvCpuSPerByte : kCpuSPerByte);
      all.requests += one.requests;
      all.bytes += one.bytes;
      all.rounds += one.rounds;
    }
    const double wait = all.rounds * first_byte_s;
    const double transfer =
        std::max(all.bytes / total_rate, all.bytes / (stream_rate * cell.threads));
    const double compute = kQueryS + (decode + all.requests * kRequestCpuS) / cores;
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

void EstimatePlan(const Experiment& experiment, Plan& plan) {
  std::vector<std::string> from;
  std::set<std::string> layouts_seen;
  std::set<std::string> bases_seen;
  std::map<std::string, bool> bases_there;  // by dataset: a look opens the user's files
  Estimate& sum = plan.estimate;
  const double passes = static_cast<double>(plan.warmup + plan.iterations);
  for (PlanCell& cell : plan.cells) {
    const auto data =
        std::find_if(experiment.datasets.begin(), experiment.datasets.end(),
                     [&](const DatasetItem& item) { return item.id == cell.dataset; });
    const auto [base, unseen] = bases_there.try_emplace(cell.dataset_name);
    if (unseen) base->second = dataset::HasBase(cell.dataset_spec, plan.data_dir);
    const Found found = FindSizes(cell, data->sources, base->second, plan.data_dir);
    if (std::find(from.begin(), from.end(), found.from) == from.end()) from.push_back(found.from);
    cell.estimate = EstimateCell(plan, cell, found.sizes);
    sum.wall_s += passes * cell.estimate.pass_s;
    sum.requests += passes * cell.estimate.requests;
    sum.bytes_read += passes * cell.estimate.bytes_read;
    sum.cost += passes * (cell.estimate.requests / 1000 * cell.price.get_per_1000 +
                          cell.estimate.bytes_read / 1e9 * cell.price.read_per_gb);
    const std::string layout = cell.dataset_name + "/" + cell.layout_name;
    if (found.written || !layouts_seen.insert(layout).second) continue;
    const double bytes = BytesOf(found.sizes);
    sum.disk_bytes += static_cast<int64_t>(bytes);
    const double as_parquet = cell.layout_spec.format == "csv" ? bytes / kCsvFactor : bytes;
    sum.prepare_s += kLayoutSPerScale * as_parquet / kBytesPerScale;
    if (found.base_bytes > 0 && bases_seen.insert(cell.dataset_name).second) {
      sum.disk_bytes += static_cast<int64_t>(found.base_bytes);
      sum.prepare_s += (cell.dataset_spec.kind == "files" ? kReadSPerByte : kGenerateSPerByte) *
                       found.base_bytes;
    }
  }
  sum.method = fmt::format(
      "sizes {}; requests and bytes are guessed from the tables and columns that each query names, "
      "time from cores, threads, first-byte latency and bandwidth: expect a factor of 2",
      fmt::join(from, "; "));
}

}  // namespace lakegauge::run
