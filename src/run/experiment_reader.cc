#include "run/experiment_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/units.h"
#include "engine/engine.h"
#include "profile/profile.h"

namespace lakegauge::run {
namespace {

constexpr size_t kMaxIdBytes = 40;
constexpr int64_t kMinFileBytes = 16 * kKiB;
constexpr int64_t kMaxFileBytes = 1024 * kGiB;
constexpr int64_t kWeek = int64_t{7} * 24 * 3600 * kNsPerS;

// What ids and names may be: they become folder and file names, and parts of dotted paths.
bool IsFileNameSafe(std::string_view text) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= kMaxIdBytes && is_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; });
}
constexpr std::string_view kIdRule =
    "letters, digits, '-' and '_', at most 40, the first a letter or digit";

// Entries of a map whose keys are ids of the experiment's own.
std::vector<std::pair<std::string, YamlNode>> Named(const YamlMap& map) {
  auto entries = map.Entries();
  for (const auto& [id, node] : entries) {
    if (IsFileNameSafe(id)) continue;
    map.KeyNode(id).Problem(fmt::format("found the name '{}'; allowed {}", id, kIdRule));
  }
  if (entries.empty()) map.node().Problem("found an empty map; allowed at least one entry");
  return entries;
}

std::map<std::string, std::string> TextMap(const YamlNode& node) {
  std::map<std::string, std::string> texts;
  if (!node.present()) return texts;
  for (const auto& [key, value] : node.Map().Entries()) texts[key] = value.String();
  return texts;
}

// One text or a list of them.
std::vector<std::string> Texts(const YamlNode& node) {
  if (!node.present()) return {};
  std::vector<std::string> texts;
  if (node.is_list()) {
    for (const YamlNode& item : node.List(1)) texts.push_back(item.String());
  } else {
    texts.push_back(node.String());
  }
  return texts;
}

template <typename Items>
std::vector<std::string> Ids(const Items& items) {
  std::vector<std::string> ids;
  for (const auto& item : items) ids.push_back(item.id);
  return ids;
}

// One function for each block of the file; they lie together, past 600 lines, because what one
// reads decides what the next allows.
class Reader {
 public:
  Reader(const YamlNode& root, std::string base_dir)
      : root_(root), base_dir_(std::move(base_dir)) {}

  Experiment Read() {
    const YamlMap map = root_.Map();
    ReadRelativeTo(map.Optional(kRelativeTo));
    e_.name = Name(map.Required("name"));
    e_.title = map.Optional("title").String(e_.name);
    e_.question = map.Optional("question").String();
    e_.stands_in_for = Texts(map.Optional("stands_in_for"));
    ReadDatasets(map.Required("datasets"));
    ReadLayouts(map.Required("layouts"));
    ReadStores(map.Required("stores"));
    ReadEngines(map.Required("engines"));
    ReadMetrics(map.Optional("metrics"));
    ReadWorkload(map.Required("workload"));
    ReadCross(map.Optional("cross"));
    ReadCompare(map.Optional("compare"));
    ReadLimits(map.Optional("limits"));
    ReadPrices(map.Optional("prices"));
    if (const YamlNode quick = map.Optional("quick"); quick.present()) {
      for (const auto& [path, value] : quick.Map().Entries()) value.ToJson();
    }
    map.Optional("resolved").ToJson();  // what a resolved.yaml adds for its readers
    CheckCells();
    e_.base_dir = base_dir_;
    return std::move(e_);
  }

 private:
  static std::string Name(const YamlNode& node) {
    std::string name = node.String();
    if (!name.empty() && !IsFileNameSafe(name)) {
      node.Problem(fmt::format("found the name '{}'; allowed {}", name, kIdRule));
    }
    return name;
  }

  void ReadRelativeTo(const YamlNode& node) {
    const std::string folder = node.String();
    if (folder.empty()) return;
    if (folder.front() != '/') {
      node.Problem(fmt::format("found '{}'; allowed the absolute path of a folder", folder));
      return;
    }
    ExpectPath(node, folder);
    if (base_dir_ != "-") base_dir_ = folder;
  }

  void ExpectPath(const YamlNode& node, const std::string& path) const {
    if (base_dir_ == "-" || path.empty() || path.find_first_of("*?[") != std::string::npos) return;
    std::error_code failed;
    const std::string whole = ResolvePath(base_dir_, path);
    if (std::filesystem::exists(whole, failed)) return;
    node.Problem(fmt::format(
        "found '{}', which is not there{}; allowed a path that is", path,
        path.front() == '/'
            ? std::string()
            : fmt::format(": relative paths start from {}, so it is {}", base_dir_, whole)));
  }

  void ReadDatasets(const YamlNode& node) {
    for (const auto& [id, item] : Named(node.Map())) {
      const YamlMap map = item.Map();
      dataset::DatasetSpec spec;
      constexpr size_t kUnknownKind = 3;
      const size_t kind = map.Required("kind").Choice({"tpcds", "bulk", "files"}, kUnknownKind);
      if (kind == kUnknownKind) {
        // What else stands there cannot be judged, here or below.
        map.Entries();
        spec.kind.clear();
      } else if (kind == 0) {
        spec.kind = "tpcds";
        spec.scale =
            map.Optional("scale").Real(dataset::kMinTpcdsScale, dataset::kMaxTpcdsScale, 1);
        spec.generator =
            map.Optional("generator").Choice({"duckdb", "tpcgen"}) == 1 ? "tpcgen" : "";
      } else if (kind == 1) {
        spec.kind = "bulk";
        const YamlNode schema = map.Required("schema");
        spec.schema = fmt::format("schema{}",
                                  1 + schema.Choice({"schema1", "schema2", "schema3", "schema4"}));
        spec.rows = map.Required("rows").Integer(1, 1'000'000'000'000, 1);
        spec.partitions = map.Optional("partitions").Integer(1, 1'000'000'000, 1000);
        spec.value_columns = map.Optional("value_columns").Integer(2, 1000, 10);
        spec.clustering_columns = map.Optional("clustering_columns").Integer(1, 10, 1);
        spec.seed = static_cast<uint64_t>(map.Optional("seed").Integer(0, int64_t{1} << 53, 0));
        if (spec.partitions > spec.rows) {
          map.Optional("partitions")
              .Problem(fmt::format("found {} partitions; allowed at most the {} rows",
                                   spec.partitions, spec.rows));
        }
      } else {
        spec.kind = "files";
        const YamlMap tables = map.Required("tables").Map();
        for (const auto& [table, path] : tables.Entries()) {
          const std::string text = path.String();
          ExpectPath(path, text);
          spec.tables[table] = base_dir_ == "-" ? text : dataset::PatternIn(base_dir_, text);
        }
        if (tables.node().present() && spec.tables.empty()) {
          tables.node().Problem("found no table; allowed at least one: name: path or glob");
        }
      }
      e_.datasets.push_back({id, spec, {}});
    }
  }

  static int64_t FileSize(const YamlNode& node) {
    const std::string text = node.String("unlimited");
    if (text == "unlimited") return 0;
    const auto bytes = ParseBytes(text);
    if (bytes.ok() && *bytes >= kMinFileBytes && *bytes <= kMaxFileBytes) return *bytes;
    node.Problem(fmt::format(
        "found '{}'; allowed unlimited or a size from 16 KiB to 1 TiB, such as 8MiB", text));
    return 0;
  }

  static std::map<std::string, std::vector<std::string>> ColumnsByTable(const YamlNode& node) {
    std::map<std::string, std::vector<std::string>> columns;
    if (!node.present()) return columns;
    for (const auto& [table, names] : node.Map().Entries()) columns[table] = Texts(names);
    return columns;
  }

  void ReadLayouts(const YamlNode& node) {
    std::map<std::string, std::string> written;  // LayoutSpec name -> id
    for (const auto& [id, item] : Named(node.Map())) {
      const YamlMap map = item.Map();
      dataset::LayoutSpec spec;
      spec.as_is = map.Optional("as_is").Bool(false);
      const YamlNode format = map.Optional("format");
      const YamlNode compression = map.Optional("compression");
      spec.format = std::vector<std::string>{"parquet", "orc",
                                             "csv"}[format.Choice({"parquet", "orc", "csv"})];
      const bool csv = spec.format == "csv";
      spec.compression = std::vector<std::string>{
          "snappy", "zstd", "lz4",
          "none"}[compression.Choice({"snappy", "zstd", "lz4", "none"}, csv ? 3 : 0)];
      if (csv && spec.compression != "none" && spec.compression != "zstd") {
        compression.Problem(
            fmt::format("found '{}' for csv; allowed none, zstd", spec.compression));
      }
      spec.target_file_bytes = FileSize(map.Optional("file_size"));
      const YamlNode row_group = map.Optional("row_group_size");
      spec.row_group_bytes = row_group.Bytes(kMinFileBytes, kMaxFileBytes);
      if (csv && row_group.present()) {
        row_group.Problem("found a row-group size for csv, which has no row groups; allowed none");
      }
      spec.tables = Texts(map.Optional("tables"));
      spec.partition_by = ColumnsByTable(map.Optional("partition_by"));
      spec.sort_by = ColumnsByTable(map.Optional("sort_by"));
      if (spec.as_is) {
        for (const char* key : {"format", "compression", "file_size", "row_group_size", "tables",
                                "partition_by", "sort_by"}) {
          if (!map.Has(key)) continue;
          map.KeyNode(key).Problem(fmt::format(
              "found key '{}' beside 'as_is'; allowed none, since the files are read as they lie",
              key));
        }
      }
      layout_nodes_.push_back(item);
      e_.layouts.push_back({id, spec});
      const auto [same, is_new] = written.try_emplace(spec.Name(), id);
      if (!is_new && item.is_map()) {
        item.Problem(
            fmt::format("found the same layout as '{}'; allowed one that differs", same->second));
      }
    }
  }

  void ReadStores(const YamlNode& node) {
    for (const auto& [id, item] : Named(node.Map())) {
      const YamlMap map = item.Map();
      StoreItem store;
      store.id = id;
      const YamlNode uri = map.Required("uri");
      store.uri = uri.String("file:");
      const std::string scheme = store.uri.substr(0, store.uri.find(':'));
      if (store.uri.find(':') == std::string::npos || (scheme != "file" && scheme != "mem")) {
        uri.Problem(fmt::format(
            "found '{}'; allowed file: (the data folder), file:/a/folder or mem:", store.uri));
      }
      if (scheme == "file" && store.uri.size() > 5) {
        store.uri = "file:" + ResolvePath(base_dir_, store.uri.substr(5));
      }
      const YamlNode profile = map.Optional("profile");
      store.profile = profile.String();
      const YamlNode cores = map.Optional("cores");
      if (profile.present() && !store.profile.empty()) ReadProfile(profile, store);
      ReadCores(cores, store);
      store.facts = TextMap(map.Optional("facts"));
      if (const YamlNode price = map.Optional("price"); price.present()) {
        const YamlMap prices = price.Map();
        store.price.get_per_1000 = prices.Optional("get_per_1000").Real(0, 1000);
        store.price.list_per_1000 = prices.Optional("list_per_1000").Real(0, 1000);
        store.price.read_per_gb = prices.Optional("read_per_gb").Real(0, 1000);
      }
      e_.stores.push_back(std::move(store));
    }
  }

  // Its text is checked by whoever knows price sheets.
  void ReadPrices(const YamlNode& node) {
    e_.prices = node.String();
    if (e_.prices.find_first_of("/.") == std::string::npos) return;
    ExpectPath(node, e_.prices);
    e_.prices = ResolvePath(base_dir_, e_.prices);
  }

  void ReadProfile(const YamlNode& node, StoreItem& store) const {
    const bool is_path = store.profile.find_first_of("/.") != std::string::npos;
    if (is_path) {
      ExpectPath(node, store.profile);
      store.profile = ResolvePath(base_dir_, store.profile);
      if (base_dir_ == "-") return;
    }
    const auto loaded = profile::LoadProfile(store.profile);
    if (loaded.ok()) return;
    std::string allowed = "a path of a profile file or a built-in one";
    std::string nearest;
    if (!is_path) {
      const std::vector<std::string> names = profile::BuiltInNames();
      allowed = fmt::format("{}, or the path of a profile file", fmt::join(names, ", "));
      nearest = DidYouMean(store.profile, names);
      node.Problem(fmt::format("found '{}'; allowed {}{}", store.profile, allowed, nearest));
    } else if (std::filesystem::exists(store.profile)) {
      node.Problem(fmt::format("found a profile that cannot be read: {}", loaded.error().message));
    }
  }

  // cores: machine, or a number; only with a profile that knows the cores of the studied cluster.
  static void ReadCores(const YamlNode& node, StoreItem& store) {
    if (!node.present()) return;
    const std::string text = node.String("machine");
    const auto cores = NumberIn<int64_t>(text);
    if (text == "machine") {
      store.cores = StoreItem::kMachineCores;
    } else if (cores && *cores >= 1 && *cores <= 1'000'000) {
      store.cores = *cores;
    } else {
      node.Problem(fmt::format("found '{}'; allowed machine or a number of cores from 1", text));
    }
    if (store.profile.empty()) {
      node.Problem(
          "found cores without a profile; allowed only with one, whose bandwidth they scale");
    }
  }

  void ReadEngines(const YamlNode& node) {
    const std::vector<std::string> kinds = engine::EngineNames();
    for (const auto& [id, item] : Named(node.Map())) {
      EngineItem engine;
      engine.id = id;
      engine.kind = id;
      const YamlNode own = item;
      if (item.present() && !item.is_null()) {
        const YamlMap map = item.Map();
        const YamlNode kind = map.Optional("kind");
        if (kind.present()) {
          std::vector<std::string_view> names(kinds.begin(), kinds.end());
          const size_t chosen = kind.Choice(names, 0);
          engine.kind = chosen < kinds.size() ? kinds[chosen] : kinds.front();
        }
        engine.threads = Threads(map.Optional("threads"));
        const YamlNode memory = map.Optional("memory_limit");
        if (memory.present()) {
          memory.Bytes(64 * kMiB, int64_t{1024} * 1024 * kGiB);
          engine.settings["memory_limit"] = memory.String();
        }
        for (const auto& [key, value] : TextMap(map.Optional("settings"))) {
          engine.settings[key] = value;
        }
      }
      if (std::find(kinds.begin(), kinds.end(), engine.kind) == kinds.end()) {
        own.Problem(fmt::format("found the engine '{}' without a kind; allowed kinds: {}{}", id,
                                fmt::join(kinds, ", "), DidYouMean(id, kinds)));
      }
      e_.engines.push_back(std::move(engine));
    }
  }

  void ReadMetrics(const YamlNode& node) {
    if (!node.present()) return;
    const YamlMap servers = node.Map();
    for (const auto& [id, item] : Named(servers)) {
      const YamlMap map = item.Map();
      MetricsItem server;
      server.id = id;
      if (id == "machine" || id == "engine" || id == "sampler") {
        servers.KeyNode(id).Problem(fmt::format(
            "found the name '{}', which samples of this machine have; allowed another", id));
      }
      const YamlNode url = map.Required("url");
      server.url = url.String("http://127.0.0.1/metrics");
      // The address itself is not repeated: it may hold a secret.
      if (const std::string problem = UrlProblem(server.url); !problem.empty()) {
        url.Problem(fmt::format("found an address {}; allowed such as http://10.0.0.5:9100/metrics",
                                problem));
      }
      const YamlNode kind = map.Optional("kind");
      const auto kinds = MetricsKinds();
      server.kind = kinds[std::min(kind.Choice(kinds, kinds.size() - 1), kinds.size() - 1)];
      server.names = Texts(map.Optional("names"));
      if (server.kind == "other" && server.names.empty() && base_dir_ != "-") {
        item.Problem(
            "found neither a kind nor names; allowed kind: node_exporter, minio or presto, or "
            "names of the metrics to take");
      }
      server.of = map.Optional("of").String();
      server.token_env = map.Optional("token_env").String();
      server.every_ns = map.Optional("every").Duration(kNsPerS, 3600 * kNsPerS, kNsPerS);
      server.timeout_ns =
          map.Optional("timeout").Duration(10 * kNsPerMs, 60 * kNsPerS, server.timeout_ns);
      e_.metrics.push_back(std::move(server));
    }
  }

  static int64_t Threads(const YamlNode& node) {
    const std::string text = node.String("auto");
    if (text == "auto") return 0;
    const auto threads = NumberIn<int64_t>(text);
    if (threads && *threads >= 1 && *threads <= 1024) return *threads;
    node.Problem(fmt::format("found '{}'; allowed auto or a number from 1 to 1024", text));
    return 0;
  }

  void ReadWorkload(const YamlNode& node) {
    const YamlMap map = node.Map();
    WorkloadSpec& w = e_.workload;
    const YamlNode queries = map.Optional("queries");
    if (queries.present()) {
      if (queries.is_list()) {
        for (const YamlNode& item : queries.List(1)) ReadQuery(item);
      } else {
        ReadQuery(queries);
      }
    }
    const YamlNode scans = map.Optional("scans");
    if (scans.present()) {
      for (const YamlNode& item : scans.List(1)) {
        w.queries.scans.emplace_back(item.Choice({"rows", "columns"}) == 0 ? "rows" : "columns");
      }
    }
    queries_node_ = queries.present() ? queries : node;
    scans_node_ = scans;
    if (node.is_map() && !queries.present() && !scans.present()) {
      node.Problem("found neither 'queries' nor 'scans'; allowed one of them or both");
    }
    w.iterations = map.Optional("iterations").Integer(1, 10000, 3);
    w.order = map.Optional("order").Enum<workload::Order>(
        {{"fixed", workload::Order::kFixed}, {"random", workload::Order::kRandom}},
        workload::Order::kFixed);
    w.interleave =
        map.Optional("interleave")
            .Enum<Interleave>({{"none", Interleave::kNone}, {"cells", Interleave::kCells}},
                              Interleave::kNone);
    w.streams = map.Optional("streams").Integer(1, 64, 1);
    w.warmup = map.Optional("warmup").Integer(0, 100, 0);
    w.cache = map.Optional("cache").Enum<CachePolicy>(
        {{"cold", CachePolicy::kCold}, {"warm", CachePolicy::kWarm}}, CachePolicy::kCold);
    w.timeout_ns = map.Optional("timeout").Duration(kNsPerMs, kWeek);
    w.seed = static_cast<uint64_t>(map.Optional("seed").Integer(0, int64_t{1} << 53, 1));
  }

  void ReadQuery(const YamlNode& node) {
    workload::QuerySelection& q = e_.workload.queries;
    const std::string text = node.String("all");
    const auto number = NumberIn<int>(text);
    if (text == "all") {
      q.all_tpcds = true;
    } else if (number && *number >= 1 && *number <= 99) {
      if (std::find(q.tpcds.begin(), q.tpcds.end(), *number) != q.tpcds.end()) {
        node.Problem(fmt::format("found query {} twice; allowed once", *number));
      }
      q.tpcds.push_back(*number);
    } else if (text.ends_with(".sql") || text.find('/') != std::string::npos) {
      ExpectPath(node, text);
      q.paths.push_back(text);
    } else if (!text.empty()) {
      node.Problem(
          fmt::format("found '{}'; allowed a TPC-DS query number from 1 to 99, all, a .sql file, "
                      "or a folder of "
                      "them (written with a '/')",
                      text));
    }
  }

  // `texts`: what the pattern must fit at least one of.
  static std::string Pattern(const YamlNode& node, const std::vector<std::string>& texts) {
    if (!node.present()) return "*";
    std::string pattern = node.String("*");
    const bool fits = std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
      return PatternMatches(pattern, text);
    });
    if (!fits) {
      node.Problem(fmt::format(
          "found '{}', which fits none of {}; allowed one of them or a pattern with *{}", pattern,
          fmt::join(texts, ", "), DidYouMean(pattern, texts)));
    }
    return pattern;
  }

  std::vector<CellPattern> Patterns(const YamlNode& node) const {
    std::vector<CellPattern> patterns;
    if (!node.present()) return patterns;
    for (const YamlNode& item : node.List(1)) {
      const YamlMap map = item.Map();
      patterns.push_back({Pattern(map.Optional("engine"), Ids(e_.engines)),
                          Pattern(map.Optional("store"), Ids(e_.stores)),
                          Pattern(map.Optional("layout"), Ids(e_.layouts)),
                          Pattern(map.Optional("dataset"), Ids(e_.datasets))});
    }
    return patterns;
  }

  void ReadCross(const YamlNode& node) {
    if (!node.present()) return;
    const YamlMap map = node.Map();
    e_.only = Patterns(map.Optional("only"));
    e_.exclude = Patterns(map.Optional("exclude"));
  }

  static std::string OneOf(const YamlNode& node, const std::vector<std::string>& ids) {
    std::string first = ids.empty() ? "" : ids.front();
    if (!node.present()) return first;
    std::string found = node.String(first);
    if (std::find(ids.begin(), ids.end(), found) == ids.end()) {
      node.Problem(fmt::format("found '{}'; allowed {}{}", found, fmt::join(ids, ", "),
                               DidYouMean(found, ids)));
    }
    return found;
  }

  void ReadCompare(const YamlNode& node) {
    const YamlMap map = node.Map();
    e_.compare_layout = OneOf(map.Optional("layout"), Ids(e_.layouts));
    e_.compare_store = OneOf(map.Optional("store"), Ids(e_.stores));
  }

  void ReadLimits(const YamlNode& node) {
    const YamlMap map = node.Map();
    e_.limits.max_requests = map.Optional("max_requests").Integer(1, int64_t{1} << 53, 0);
    e_.limits.max_time_ns = map.Optional("max_time").Duration(kNsPerS, 365 * kWeek);
    const YamlNode cost = map.Optional("max_cost");
    e_.limits.max_cost = cost.Real(0, 1e9);
    const bool priced = std::any_of(e_.stores.begin(), e_.stores.end(),
                                    [](const StoreItem& s) { return s.price.any(); });
    if (cost.present() && !priced) {
      cost.Problem(
          "found a cost limit, but no store states a price; allowed with stores.<name>.price");
    }
  }

  // What fits with what, over the cells that remain.
  void CheckCells() {
    std::set<std::string> said;
    const auto say = [&](const YamlNode& node, const std::string& message) {
      if (said.insert(node.where() + message).second) node.Problem(message);
    };
    bool any = false;
    for (size_t l = 0; l < e_.layouts.size(); ++l) {
      const auto& layout = e_.layouts[l];
      for (const auto& engine : e_.engines) {
        const auto formats = engine::FormatsOf(engine.kind);
        for (const auto& data : e_.datasets) {
          if (data.spec.kind.empty()) continue;
          const bool used =
              std::any_of(e_.stores.begin(), e_.stores.end(), [&](const StoreItem& store) {
                return e_.Has(engine.id, store.id, layout.id, data.id);
              });
          if (!used) continue;
          any = true;
          if (layout.spec.as_is && data.spec.kind != "files") {
            say(layout_nodes_[l],
                fmt::format(
                    "found as_is with the dataset '{}' of kind {}; allowed only with kind files "
                    "(cross.exclude can leave the pair out)",
                    data.id, data.spec.kind));
          }
          const bool reads =
              std::find(formats.begin(), formats.end(), layout.spec.format) != formats.end();
          if (!layout.spec.as_is && !formats.empty() && !reads) {
            say(layout_nodes_[l],
                fmt::format(
                    "found the format {}, which {} cannot read ({} has no {} reader); allowed {} "
                    "(cross.exclude can leave the pair out)",
                    layout.spec.format, engine.id, engine.kind, layout.spec.format,
                    fmt::join(formats, ", ")));
          }
          CheckQueries(data);
        }
      }
    }
    const bool kinds_known = std::none_of(e_.datasets.begin(), e_.datasets.end(),
                                          [](const auto& d) { return d.spec.kind.empty(); });
    const bool complete = kinds_known && !e_.layouts.empty() && !e_.engines.empty() &&
                          !e_.datasets.empty() && !e_.stores.empty();
    if (complete && !any) root_.Problem("found no cell left by cross; allowed at least one");
  }

  void CheckQueries(const DatasetItem& data) {
    if (!queries_checked_.insert(data.id).second) return;
    const auto& q = e_.workload.queries;
    const bool tpcds = q.all_tpcds || !q.tpcds.empty();
    if (tpcds && data.spec.kind == "bulk") {
      queries_node_.Problem(fmt::format(
          "found TPC-DS queries with the bulk dataset '{}'; allowed scans, .sql files and folders",
          data.id));
    }
    if (tpcds && data.spec.kind == "files" && !data.spec.tables.contains("date_dim")) {
      queries_node_.Problem(
          fmt::format("found TPC-DS queries with the dataset '{}', whose own tables are not "
                      "TPC-DS's; allowed .sql "
                      "files and folders",
                      data.id));
    }
    if (!q.scans.empty() && data.spec.kind != "bulk") {
      scans_node_.Problem(
          fmt::format("found scans with the dataset '{}' of kind {}; allowed with kind bulk",
                      data.id, data.spec.kind));
    }
  }

  YamlNode root_;
  std::string base_dir_;
  Experiment e_;
  std::vector<YamlNode> layout_nodes_;
  YamlNode queries_node_;
  YamlNode scans_node_;
  std::set<std::string> queries_checked_;
};

}  // namespace

Experiment ReadExperiment(const YamlNode& root, const std::string& base_dir) {
  return Reader(root, base_dir).Read();
}

bool PatternMatches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string ResolvePath(const std::string& base_dir, const std::string& path) {
  if (path.empty() || path.front() == '/' || base_dir == "-") return path;
  std::error_code failed;
  return std::filesystem::absolute(std::filesystem::path(base_dir) / path, failed)
      .lexically_normal()
      .string();
}

}  // namespace lakegauge::run
