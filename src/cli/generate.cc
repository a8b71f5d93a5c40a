// lakegauge generate: the base rows of a dataset. lakegauge layout: a dataset written some way.

#include <fmt/format.h>

#include <memory>

#include "base/units.h"
#include "cli/command.h"

namespace lakegauge::cli {
namespace {

std::string Counted(size_t n, const char* thing) {
  return fmt::format("{} {}{}", FormatCount(static_cast<int64_t>(n)), thing, n == 1 ? "" : "s");
}

struct DatasetOptions {
  dataset::DatasetSpec spec;
  std::vector<std::string> tables;  // name=path
  int threads = 0;
  std::string memory = "1GiB";
  bool json = false;
  const CLI::App* given = nullptr;  // what stood on the command line
};

void AddDatasetOptions(CLI::App& command, DatasetOptions& options) {
  options.given = &command;
  command.add_option("--dataset", options.spec.kind, "tpcds, bulk or files")
      ->check(CLI::IsMember({"tpcds", "bulk", "files"}));
  command.add_option("--scale", options.spec.scale, "TPC-DS scale factor (GB of raw data)")
      ->check(ScaleFactor());
  command.add_option("--generator", options.spec.generator, "duckdb (default) or tpcgen");
  command.add_option("--rows", options.spec.rows, "bulk: rows")->check(IntegerFrom1());
  command.add_option("--partitions", options.spec.partitions, "bulk: partitions")
      ->check(IntegerFrom1());
  command.add_option("--schema", options.spec.schema, "bulk: schema1 ... schema4");
  command.add_option("--seed", options.spec.seed, "bulk: seed");
  command.add_option("--table", options.tables, "files: NAME=PATH or NAME=GLOB, once a table");
  command.add_option("--threads", options.threads, "Worker threads (default: all cores)")
      ->check(IntegerFrom1());
  command.add_option("--memory", options.memory, "Memory limit, e.g. 1GiB");
  command.add_flag("--json", options.json, "Machine-readable result");
}

// An option of another kind of dataset would do nothing: refused instead.
Status CheckKind(const DatasetOptions& options) {
  constexpr std::pair<const char*, const char*> kBelong[] = {
      {"--scale", "tpcds"}, {"--generator", "tpcds"}, {"--rows", "bulk"},  {"--partitions", "bulk"},
      {"--schema", "bulk"}, {"--seed", "bulk"},       {"--table", "files"}};
  for (const auto& [option, kind] : kBelong) {
    if (options.given->count(option) == 0 || options.spec.kind == kind) continue;
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{} belongs to --dataset {}, and this one is {}", option, kind,
                                 options.spec.kind));
  }
  return {};
}

Status ReadTables(DatasetOptions& options) {
  for (const auto& table : options.tables) {
    const size_t equals = table.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == table.size()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("--table '{}': write NAME=PATH", table));
    }
    // Whole, so that the same files are the same dataset from wherever they are named.
    options.spec.tables[table.substr(0, equals)] =
        dataset::PatternIn(".", table.substr(equals + 1));
  }
  if (!options.tables.empty() && options.given->count("--dataset") == 0) {
    options.spec.kind = "files";
  }
  return CheckKind(options);
}

Result<dataset::PrepareOptions> Prepare(const Context& context, const DatasetOptions& options) {
  dataset::PrepareOptions prepare;
  prepare.data_dir = context.data_dir;
  prepare.threads = options.threads;
  LG_ASSIGN_OR_RETURN(prepare.memory_limit_bytes, ParseBytes(options.memory));
  prepare.stop = context.stop;
  prepare.progress = PrepareProgress();
  return prepare;
}

int Generate(const Context& context, DatasetOptions& options) {
  if (const auto read = ReadTables(options); !read.ok()) return Fail(read.error());
  const auto prepare = Prepare(context, options);
  if (!prepare.ok()) return Fail(prepare.error());
  const auto base = dataset::PrepareBase(options.spec, *prepare);
  if (!base.ok()) return Fail(base.error());
  if (options.json) {
    PrintJson({{"dataset", options.spec.Name()},
               {"path", base->path},
               {"generator", base->generator},
               {"generator_version", base->generator_version},
               {"tables", base->tables.size()},
               {"bytes", base->bytes}});
  } else {
    const std::string how = options.spec.kind == "files"
                                ? "read from your files by DuckDB " + base->generator_version
                                : "made by " + base->generator + " " + base->generator_version;
    Print("{}: {}, {}, {}, at {}\n", options.spec.Name(), Counted(base->tables.size(), "table"),
          FormatBytes(base->bytes), how, base->path);
  }
  return kExitOk;
}

struct LayoutOptions : DatasetOptions {
  dataset::LayoutSpec layout;
  std::vector<std::string> file_sizes = {"unlimited"};
  std::string row_group = "";
  bool verify = false;
};

int Layout(const Context& context, LayoutOptions& options) {
  if (const auto read = ReadTables(options); !read.ok()) return Fail(read.error());
  auto prepare = Prepare(context, options);
  if (!prepare.ok()) return Fail(prepare.error());
  prepare->verify_existing = options.verify;
  // CSV knows no snappy, which is what Parquet and ORC are written with when nothing is asked for.
  if (options.layout.format == "csv" && options.given->count("--compression") == 0) {
    options.layout.compression = "none";
  }
  if (!options.row_group.empty()) {
    const auto bytes = ParseBytes(options.row_group);
    if (!bytes.ok()) return Fail(bytes.error().WithContext("--row-group-size"));
    options.layout.row_group_bytes = *bytes;
  }
  std::vector<dataset::LayoutSpec> layouts;
  for (const auto& size : options.file_sizes) {
    auto& layout = layouts.emplace_back(options.layout);
    if (size == "unlimited") continue;
    const auto bytes = ParseBytes(size);
    if (!bytes.ok()) return Fail(bytes.error().WithContext("--file-size"));
    layout.target_file_bytes = *bytes;
  }
  const auto manifests = dataset::PrepareLayouts(options.spec, layouts, *prepare);
  if (!manifests.ok()) return Fail(manifests.error());
  Json all = Json::array();
  for (size_t i = 0; i < manifests->size(); ++i) {
    const auto& manifest = (*manifests)[i];
    const std::string dir = dataset::LayoutDir(context.data_dir, options.spec, layouts[i]);
    if (options.json) {
      all.push_back({{"layout", manifest.layout},
                     {"path", dir},
                     {"files", manifest.files.size()},
                     {"bytes", manifest.bytes()}});
    } else {
      Print("{}: {}, {}, at {}\n", manifest.layout, Counted(manifest.files.size(), "file"),
            FormatBytes(manifest.bytes()), dir);
    }
  }
  if (options.json) PrintJson(all);
  return kExitOk;
}

}  // namespace

void AddGenerate(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("generate", "Generate a dataset's rows, once");
  auto options = std::make_shared<DatasetOptions>();
  AddDatasetOptions(*command, *options);
  AddDataOption(*command, context);
  command->callback([&context, options] {
    context.stops_cleanly = true;
    context.action = [&context, options] { return Generate(context, *options); };
  });
}

void AddLayout(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "layout", "Write a dataset in one or more layouts, all from one reading of its rows");
  auto options = std::make_shared<LayoutOptions>();
  AddDatasetOptions(*command, *options);
  command->add_option("--format", options->layout.format, "parquet, orc or csv")
      ->check(CLI::IsMember({"parquet", "orc", "csv"}));
  command->add_option("--compression", options->layout.compression, "snappy, zstd, lz4 or none")
      ->check(CLI::IsMember({"snappy", "zstd", "lz4", "none"}));
  command->add_option("--file-size", options->file_sizes,
                      "Target file size, e.g. 8MiB, or unlimited; several make several layouts");
  command->add_option("--row-group-size", options->row_group,
                      "Row-group size (default: the file's, at most 128MiB)");
  command->add_flag("--verify", options->verify, "Hash every file of layouts that exist already");
  AddDataOption(*command, context);
  command->callback([&context, options] {
    context.stops_cleanly = true;
    context.action = [&context, options] { return Layout(context, *options); };
  });
}

}  // namespace lakegauge::cli
