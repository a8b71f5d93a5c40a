#pragma once
// Datasets and layouts: what rows there are (a benchmark schema at one scale, or the user's own
// tables) and how they are written (format, compression, file and row-group size, partitioning,
// sort key). Makes them, verifies them, and describes them in manifests.
//
// Threads: functions here use `threads` workers of their own and return when all are done; progress
// is
//   called from one thread at a time. Errors: values; nothing that looks finished is left behind by
//   a failed or killed call (a manifest is written last, by rename).
// Units: bytes, rows.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "dataset/layout_use.h"
#include "store/store.h"

namespace lakegauge::dataset {

struct ColumnDef {
  std::string name;
  std::string type;  // SQL type as DuckDB prints it
};

struct TableDef {
  std::string name;
  std::vector<ColumnDef> columns;
};

// TPC-DS's own generator does not end below the first.
inline constexpr double kMinTpcdsScale = 0.01;
inline constexpr double kMaxTpcdsScale = 100'000;

// What rows there are.
struct DatasetSpec {
  std::string kind = "tpcds";  // "tpcds", "bulk", "files"
  double scale = 1;            // tpcds; kMinTpcdsScale to kMaxTpcdsScale
  std::string generator;       // "" (the default: duckdb), "duckdb", "tpcgen"
  uint64_t seed = 0;           // bulk
  // bulk (the fourth study): rows and partitions; schema "schema1".."schema4"
  int64_t rows = 0;
  int64_t partitions = 0;
  std::string schema;
  int64_t value_columns = 10;
  int64_t clustering_columns = 1;
  // files: the user's own tables: name -> path or glob of .parquet or .csv
  std::map<std::string, std::string> tables;
  // "tpcds-sf1", "tpcds-sf0.01", "tpcds-sf1-tpcgen", "bulk-schema1-15000000", "files-<hash>":
  // stable, usable as a folder name.
  std::string Name() const;
  Json ToJson() const;
  static Result<DatasetSpec> FromJson(const Json& json);
};

// The tables of a made-up dataset (tpcds, bulk), without making it. Those of the user's own files
// are told by InspectSource.
Result<std::vector<TableDef>> TablesOf(const DatasetSpec& spec);

// How they are written.
struct LayoutSpec {
  std::string format = "parquet";      // parquet, orc, csv
  std::string compression = "snappy";  // snappy, zstd, lz4, none
  int64_t target_file_bytes = 0;       // 0: unlimited, one file a table (or a partition)
  int64_t row_group_bytes = 0;         // 0: the file's target, at most 128 MiB
  std::vector<std::string> tables;     // limit to these; empty: all
  std::map<std::string, std::vector<std::string>> partition_by;  // table -> columns, Hive style
  std::map<std::string, std::vector<std::string>> sort_by;       // table -> columns
  bool as_is = false;  // dataset kind "files": do not write, read where it lies
  // "parquet-snappy-8MiB", "parquet-snappy-unlimited", "csv-none-1MiB-...": stable, a folder name;
  // partitioning, sorting and odd row groups add a short hash.
  std::string Name() const;
  Json ToJson() const;
  static Result<LayoutSpec> FromJson(const Json& json);
};

// What a layout names that its dataset does not have.
struct NameProblem {
  std::string key;  // of the layout: "tables", "partition_by", "sort_by"
  std::string table;
  std::string column;  // empty: the table is not there, or nothing would be left of it
  std::string message;
};
std::vector<NameProblem> NameProblems(const LayoutSpec& layout,
                                      const std::vector<TableDef>& tables);

struct FileEntry {
  std::string key;  // relative to the layout's folder: "store_sales/part-00000.parquet"
  std::string table;
  int64_t size = 0;
  int64_t rows = 0;
  std::string xxh3;                        // 128-bit XXH3 of the bytes, 32 hex digits
  std::string sha256;                      // 64 hex digits
  std::vector<int64_t> row_group_offsets;  // parquet: file offset of each row group's first byte
  std::vector<int64_t> row_group_rows;
};

struct TableEntry {
  std::string name;
  std::vector<ColumnDef> columns;
  int64_t rows = 0;
  int64_t bytes = 0;
  // Order-independent fingerprint of the table's content, equal for every layout that holds the
  // same rows; docs/formats.md defines it so that other engines can compute it.
  std::string content_fingerprint;
};

// Describes a layout of a dataset, whole. JSON on disk: <layout folder>/manifest.json.
struct Manifest {
  int version = 1;
  std::string dataset;  // DatasetSpec::Name()
  Json dataset_spec;
  std::string layout;  // LayoutSpec::Name()
  Json layout_spec;
  std::string generator;          // "duckdb-tpcds"
  std::string generator_version;  // "1.5.5"
  std::string writer_version;     // lakegauge's layout writer
  // Name of an earlier layout of the same call whose every file is byte for byte the same (at scale
  // 1 "unlimited" and "128 MiB" coincide); empty where there is none.
  std::string same_as;
  std::vector<TableEntry> tables;
  std::vector<FileEntry> files;  // by key
  int64_t bytes() const;
  Json ToJson() const;
  static Result<Manifest> FromJson(const Json& json);
};

struct Progress {
  // "generate tpcds-sf1"; of PlaceLayout the layout alone. What follows ": " changes within a
  // phase: "writing layouts of tpcds-sf1: store_sales".
  std::string what;
  double fraction = -1;  // 0..1 of the whole call; -1 unknown
  int64_t bytes = 0;     // written so far
  bool note = false;     // no phase, but something to know: an existing layout is written again
};
using ProgressFn = std::function<void(const Progress&)>;

struct PrepareOptions {
  std::string data_dir;            // where bases and layouts live
  int threads = 0;                 // 0: all cores
  int64_t memory_limit_bytes = 0;  // 0: 1 GiB
  ProgressFn progress;             // may be empty
  std::stop_token stop;
  // Of an existing layout hash every file, not only compare sizes, and read every row back.
  bool verify_existing = false;
};

// The base data of a dataset: generated once into <data_dir>/<dataset>/base, verified and reused
// when it is already there. Returns what the generator was. A stop ends it soon, in the midst of a
// table (measured: dsdgen at scale 1 within 0.1 s).
struct Base {
  std::string path;  // opaque to others: a DuckDB database, or a folder of Parquet files
  std::string generator;
  std::string generator_version;
  std::vector<TableDef> tables;
  int64_t bytes = 0;
};
Result<Base> PrepareBase(const DatasetSpec& spec, const PrepareOptions& options);
// Whether it is there and was made of what is there now (a user's files change): only then layouts
// beside it are read as they are.
bool HasBase(const DatasetSpec& spec, const std::string& data_dir);

// Makes every layout that is not there yet from one reading of the base, verifies and reuses those
// that are. A layout's folder is <data_dir>/<dataset>/<layout>; files stand below it at
// FileEntry::key. Manifests in the order of `layouts`. With `uses`, every layout but as_is is held
// for reading before the call lets go of the dataset. kUnavailable where a layout would have to be
// written anew, or go with its base, while another reads it.
Result<std::vector<Manifest>> PrepareLayouts(const DatasetSpec& spec,
                                             const std::vector<LayoutSpec>& layouts,
                                             const PrepareOptions& options,
                                             std::vector<LayoutUse>* uses = nullptr);

// Folder of a layout below data_dir; "/" for as_is, whose files stand where they are.
std::string LayoutDir(const std::string& data_dir, const DatasetSpec& spec,
                      const LayoutSpec& layout);

// Reads <layout folder>/manifest.json and compares it with the files there: names and sizes, and
// with `deep` both hashes. kNotFound when there is none; kCorrupt names the first file that
// differs.
Result<Manifest> VerifyLayout(const std::string& layout_dir, bool deep);

// Content fingerprints of a layout's tables, by reading every row back from its files (not from the
// manifest): what proves that layouts hold the same rows.
Result<std::map<std::string, std::string>> ReadContentFingerprints(const Manifest& manifest,
                                                                   const std::string& layout_dir);
// That they are the manifest's; kCorrupt names the first table whose rows are others.
Status VerifyContent(const Manifest& manifest, const std::string& layout_dir);

// Copies a layout's objects from its folder to `prefix` in a store, verified by reading back;
// nothing to do where the store already holds them with the same sizes (deep: hashes).
Status PlaceLayout(const Manifest& manifest, const std::string& layout_dir, store::Store& target,
                   const std::string& prefix, const PrepareOptions& options);

// A table that exists: files, sizes, row groups and rows, for `inspect` and for estimates.
struct InspectedFile {
  std::string path;
  int64_t size = 0;
  int64_t rows = -1;                     // -1: unknown without reading it all (CSV)
  std::vector<int64_t> row_group_bytes;  // Parquet
};
struct InspectedTable {
  std::string name;
  std::string format;
  std::vector<InspectedFile> files;
  // CSV: as guessed from the first file, none where that cannot be; last the Hive partitions' own.
  std::vector<ColumnDef> columns;
  std::map<std::string, int64_t> column_bytes;  // Parquet: compressed, in all files
};
// kInvalidArgument where `path` holds several layouts of one table, which are not one table.
Result<std::vector<InspectedTable>> Inspect(const std::string& path);

// A path or pattern of a user's files as one writes it in `folder`, whole: of its own characters
// alone * ? [ are special, and those of a path that is there are not either.
std::string PatternIn(const std::string& folder, const std::string& pattern);
// A table of a dataset of kind "files" as its files are now, by their sizes, Parquet footers, and
// for CSV the first file's beginning and each file's end; columns with the types they are read as.
// An error says in one line what keeps them from being read as one table.
Result<InspectedTable> InspectSource(const std::string& table, const std::string& pattern);
// That `table` can be laid out: that every column has a type a layout can hold.
Status CheckColumns(const InspectedTable& table);
// That `tables` can be told apart where they lie: each is one file or has a folder of its own.
Status CheckAsIs(const std::vector<InspectedTable>& tables);

}  // namespace lakegauge::dataset
