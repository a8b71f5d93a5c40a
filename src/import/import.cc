#include "import/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "import/jmeter.h"
#include "import/mapping.h"
#include "import/matching.h"
#include "import/spark_sql_perf.h"
#include "import/tabular.h"
#include "sql/sql.h"

namespace lakegauge::imports {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormats[] = {"spark-sql-perf", "jmeter", "csv"};

// What one file came to.
struct FileFacts {
  std::string path;
  std::string format;
  int64_t bytes = 0;
  std::string sha256;
  int64_t samples = 0, bad = 0;
};

// Files as given; of a folder those that Spark wrote into it.
Result<std::vector<std::string>> FilesOf(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code failed;
    const auto kind = fs::status(path, failed).type();
    if (kind == fs::file_type::not_found) {
      return MakeError(ErrorCode::kNotFound, path + ": no such file");
    }
    if (kind != fs::file_type::directory) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator at(path, failed), end; !failed && at != end;
         at.increment(failed)) {
      const std::string name = at->path().filename().string();
      if (at->is_regular_file() && at->path().extension() == ".json" && name[0] != '.' &&
          name[0] != '_') {
        found.push_back(at->path().string());
      }
    }
    if (found.empty()) {
      return MakeError(ErrorCode::kNotFound, path + ": a folder without .json files");
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

Result<std::string> Text(const std::string& path) {
  LG_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  const std::string_view head = std::string_view(text).substr(0, 4);
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF") ||
      head.find('\0') != std::string_view::npos) {
    return MakeError(ErrorCode::kInvalidArgument,
                     path + ": UTF-16 or binary; allowed: text in UTF-8");
  }
  if (head.starts_with("\x1F\x8B") || head.starts_with("PK\x03\x04")) {
    return MakeError(ErrorCode::kInvalidArgument, path + ": compressed; unpack it first");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return MakeError(ErrorCode::kInvalidArgument, path + ": it is empty");
  }
  return text;
}

std::string FormatOf(const std::string& text) {
  if (LooksLikeJmeter(text)) return "jmeter";
  if (LooksLikeSparkSqlPerf(text)) return "spark-sql-perf";
  return "csv";
}

Result<Parsed> Parse(const std::string& format, const std::string& text, const std::string& path,
                     const Mapping& mapping) {
  if (format == "jmeter") return ParseJmeter(text, path, mapping);
  if (format == "spark-sql-perf") return ParseSparkSqlPerf(text, path, mapping);
  return ParseCsv(text, path, mapping);
}

// DuckDB has the hash, so that no further library is needed. Empty where it cannot be had.
std::string Sha256(const std::string& path) {
  auto database = sql::Database::Open({});
  if (!database.ok()) return "";
  auto connection = database->Connect();
  if (!connection.ok()) return "";
  const auto rows =
      connection->Query("SELECT sha256(content) FROM read_blob([" + sql::QuoteLiteral(path) + "])");
  return rows.ok() && rows->rows.size() == 1 ? sql::ToText(rows->rows[0][0]) : "";
}

template <typename Of>
std::vector<std::string> Axis(const std::vector<Cell>& cells, Of of) {
  std::vector<std::string> values;
  for (const Cell& c : cells) {
    if (std::find(values.begin(), values.end(), of(c)) == values.end()) values.push_back(of(c));
  }
  return values;
}

// {layout, store} that others are compared with: as asked, else the first of each.
Result<Json> CompareOf(const std::vector<std::string>& asked, const std::vector<Cell>& cells) {
  const auto stores = Axis(cells, [](const Cell& c) { return c.store; });
  const auto layouts = Axis(cells, [](const Cell& c) { return c.layout; });
  Json compare = {{"layout", layouts.front()}, {"store", stores.front()}};
  for (const std::string& text : asked) {
    const size_t at = text.find('=');
    const std::string axis = text.substr(0, at);
    if (at == std::string::npos || !compare.contains(axis)) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("--compare '{}': allowed store=ID, layout=ID", text));
    }
    const std::string id = text.substr(at + 1);
    const auto& known = axis == "store" ? stores : layouts;
    if (std::find(known.begin(), known.end(), id) == known.end()) {
      return MakeError(
          ErrorCode::kInvalidArgument,
          fmt::format("--compare: no {} '{}'; there are {}", axis, id, fmt::join(known, ", ")));
    }
    compare[axis] = id;
  }
  return compare;
}

Json CellsJson(const std::vector<Cell>& cells) {
  Json all = Json::array();
  for (const Cell& c : cells) {
    all.push_back({{"id", c.id},
                   {"engine", c.engine},
                   {"store", c.store},
                   {"layout", c.layout},
                   {"dataset", c.dataset},
                   {"dataset_name", c.dataset},
                   {"layout_name", c.layout},
                   {"manifest", ""},
                   {"dataset_spec", Json::object()},
                   {"layout_spec", Json::object()},
                   {"store_uri", ""},
                   {"store_facts", Json::object()},
                   {"profile", nullptr},
                   {"profile_text", ""},
                   {"emulated", false},
                   {"engine_kind", ""},
                   {"engine_settings", Json::object()},
                   {"threads", nullptr}});
  }
  return all;
}

Json QueriesJson(const std::vector<Query>& queries) {
  Json all = Json::array();
  for (const Query& q : queries) {
    all.push_back({{"name", q.name}, {"source", "imported"}, {"called", q.called}, {"sql", ""}});
  }
  return all;
}

Json ExecutionsJson(const Matched& matched) {
  Json all = Json::array();
  for (const auto* list : {&matched.executions, &matched.missing}) {
    for (const record::Execution& e : *list) {
      all.push_back({{"id", e.id},
                     {"cell", e.cell},
                     {"stream", e.stream},
                     {"iteration", e.iteration},
                     {"position", e.position},
                     {"query", e.query},
                     {"warmup", e.warmup}});
    }
  }
  return all;
}

std::string NameOf(const std::string& path) { return fs::path(path).filename().string(); }

Json BadJson(const std::vector<BadLine>& bad) {
  constexpr size_t kMost = 1000;  // the file itself has the rest
  Json all = Json::array();
  for (const BadLine& b : bad) {
    if (all.size() >= kMost) break;
    all.push_back({{"file", NameOf(b.file)}, {"line", b.line}, {"why", b.why}});
  }
  return all;
}

Json FilesJson(const std::vector<FileFacts>& files) {
  Json all = Json::array();
  for (const FileFacts& f : files) {
    all.push_back({{"name", NameOf(f.path)},
                   {"format", f.format},
                   {"bytes", f.bytes},
                   {"sha256", f.sha256.empty() ? Json() : Json(f.sha256)},
                   {"executions", f.samples},
                   {"bad_lines", f.bad}});
  }
  return all;
}

// A name that a folder can have.
std::string FolderName(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    name += plain ? c : '-';
  }
  return name.empty() ? "import" : name;
}

// Everything read, before it is matched.
struct Readings {
  std::vector<FileFacts> files;
  std::vector<Sample> samples;
  std::vector<BadLine> bad;
  std::vector<std::string> notes;
  Json engine = Json::object();
  std::optional<int64_t> started_utc_ns;
};

void Add(Parsed parsed, FileFacts facts, int64_t* batch, Readings* all) {
  facts.samples = static_cast<int64_t>(parsed.samples.size());
  facts.bad = static_cast<int64_t>(parsed.bad.size());
  int64_t last = -1;
  for (Sample& s : parsed.samples) {
    s.file = static_cast<int64_t>(all->files.size());
    last = std::max(last, s.batch);
    s.batch += *batch;
    all->samples.push_back(std::move(s));
  }
  *batch += last + 1;
  all->bad.insert(all->bad.end(), parsed.bad.begin(), parsed.bad.end());
  all->notes.insert(all->notes.end(), parsed.notes.begin(), parsed.notes.end());
  if (all->engine.empty()) all->engine = std::move(parsed.engine);
  if (parsed.started_utc_ns &&
      (!all->started_utc_ns || *parsed.started_utc_ns < *all->started_utc_ns)) {
    all->started_utc_ns = parsed.started_utc_ns;
  }
  all->files.push_back(std::move(facts));
}

Result<Readings> ReadAll(const Options& options) {
  if (!options.format.empty() &&
      std::find(std::begin(kFormats), std::end(kFormats), options.format) == std::end(kFormats)) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        fmt::format("no format '{}'; allowed {}", options.format, fmt::join(kFormats, ", ")));
  }
  LG_ASSIGN_OR_RETURN(const Mapping mapping, Mapping::Parse(options.maps, options.sets));
  LG_ASSIGN_OR_RETURN(const auto files, FilesOf(options.files));
  Readings all;
  int64_t batch = 0;
  for (const std::string& path : files) {
    LG_ASSIGN_OR_RETURN(const std::string text, Text(path));
    FileFacts facts;
    facts.path = path;
    facts.bytes = static_cast<int64_t>(text.size());
    facts.format = options.format.empty() ? FormatOf(text) : options.format;
    facts.sha256 = Sha256(path);
    LG_ASSIGN_OR_RETURN(Parsed parsed, Parse(facts.format, text, path, mapping));
    Add(std::move(parsed), std::move(facts), &batch, &all);
  }
  return all;
}

Json EnginesJson(const std::vector<Cell>& cells, const Json& said) {
  Json engines = Json::array();
  for (const std::string& name : Axis(cells, [](const Cell& c) { return c.engine; })) {
    Json engine = {
        {"name", name}, {"version", nullptr}, {"embedded", false}, {"configuration", nullptr}};
    if (said.is_object()) engine.update(said);
    engines.push_back(std::move(engine));
  }
  return engines;
}

Error NothingRead(const Readings& all) {
  if (all.bad.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     all.files.front().path + ": it holds no execution");
  }
  const BadLine& first = all.bad.front();
  return MakeError(
      ErrorCode::kInvalidArgument,
      fmt::format("{}:{}: {}; no execution could be read{}", first.file, first.line, first.why,
                  all.bad.size() == 1 ? "" : fmt::format(" ({} bad lines)", all.bad.size())));
}

}  // namespace

Result<Import> Read(const Options& options, const std::string& by, int64_t utc_ns) {
  LG_ASSIGN_OR_RETURN(Readings all, ReadAll(options));
  std::vector<std::string> paths;
  for (const FileFacts& f : all.files) paths.push_back(f.path);
  Matched matched = Match(all.samples, paths);
  for (const BadLine& b : matched.bad) {
    const auto file = std::find(paths.begin(), paths.end(), b.file);
    FileFacts& facts = all.files[static_cast<size_t>(file - paths.begin())];
    --facts.samples;
    ++facts.bad;
    all.bad.push_back(b);
  }
  if (matched.executions.empty()) return NothingRead(all);
  Import import;
  const std::string name =
      options.name.empty() ? fs::path(paths.front()).stem().string() : options.name;
  import.experiment = FolderName(name);
  LG_ASSIGN_OR_RETURN(const Json compare, CompareOf(options.compare, matched.cells));
  std::set<int32_t> streams, iterations;
  for (const record::Execution& e : matched.executions) {
    import.failures += e.status != record::ExecutionStatus::kOk;
    streams.insert(e.stream);
    if (!e.warmup) iterations.insert(e.iteration);
  }
  for (const Cell& c : matched.cells) import.cells.push_back(c.id);
  std::set<std::string> formats;
  for (const FileFacts& f : all.files) formats.insert(f.format);
  const Json imported = {
      {"formats", formats},
      {"files", FilesJson(all.files)},
      {"bad_lines", BadJson(all.bad)},
      {"notes", all.notes},
      {"maps", options.maps},
      {"sets", options.sets},
      {"by", by},
      {"imported_utc", FormatUtc(utc_ns)},
      {"started_utc", all.started_utc_ns ? Json(FormatUtc(*all.started_utc_ns)) : Json()}};
  import.plan = {{"v", 1},
                 {"experiment", import.experiment},
                 {"title", options.title.empty() ? name : options.title},
                 {"question", ""},
                 {"stands_in_for", Json::array()},
                 {"seed", 0},
                 {"compare", compare},
                 {"cells", CellsJson(matched.cells)},
                 {"queries", QueriesJson(matched.queries)},
                 {"workload", {{"iterations", iterations.size()}, {"streams", streams.size()}}},
                 {"executions", ExecutionsJson(matched)},
                 {"imported", imported}};
  // The machine it ran on is not this one.
  import.environment = {{"v", 1},
                        {"captured_utc", nullptr},
                        {"machine", nullptr},
                        {"os", nullptr},
                        {"file_systems", nullptr},
                        {"engines", EnginesJson(matched.cells, all.engine)},
                        {"build", nullptr}};
  import.executions = std::move(matched.executions);
  import.bad = std::move(all.bad);
  import.notes = std::move(all.notes);
  return import;
}

Status Write(const Import& import, const std::string& run_dir,
             const std::vector<std::string>& command, int64_t utc_ns) {
  Json plan = import.plan;
  plan["run"] = fs::path(run_dir).filename().string();
  const auto dump = [](const Json& json) {
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  };
  LG_ASSIGN_OR_RETURN(const auto journal,
                      record::JournalWriter::Open(run_dir + "/journal.jsonl",
                                                  record::JournalWriter::Sync::kWhenAsked));
  LG_RETURN_IF_ERROR(
      journal->SessionStart(0, utc_ns, utc_ns, {{"command", command}, {"imported", true}}));
  for (const std::string& cell : import.cells) {
    LG_RETURN_IF_ERROR(journal->CellStart(cell, {{"imported", true}}));
  }
  for (const record::Execution& e : import.executions) {
    LG_RETURN_IF_ERROR(journal->Begin(e));
    LG_RETURN_IF_ERROR(journal->End(e));
  }
  for (const std::string& cell : import.cells) LG_RETURN_IF_ERROR(journal->CellEnd(cell));
  LG_RETURN_IF_ERROR(journal->SyncNow());
  LG_RETURN_IF_ERROR(WriteFileAtomically(run_dir + "/environment.json", dump(import.environment)));
  // Last: a folder with a plan is a run.
  return WriteFileAtomically(run_dir + "/plan.json", dump(plan));
}

}  // namespace lakegauge::imports
