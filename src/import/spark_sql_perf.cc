#include "import/spark_sql_perf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/letters.h"
#include "import/values.h"

namespace lakegauge::imports {
namespace {

constexpr const char* kPhases[] = {"parsingTime", "analysisTime", "optimizationTime",
                                   "planningTime", "executionTime"};

// One line: an iteration under one combination of variations.
struct Iteration {
  int64_t timestamp_ms = 0;
  int64_t iteration = 0;
  int64_t line = 0;
  std::map<std::string, std::string> tags;
  Json results;
  Json configuration;
};

// Settings go into a report that is passed on: nothing that may be a key or a password.
bool MayBeSecret(std::string_view key) {
  const std::string name = Lower(key);
  for (const char* word :
       {"secret", "password", "passwd", "token", "credential", "access.key", "accesskey",
        "access_key", "private", "sas", "keystore", "account.key", "auth"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

Json Configuration(const Json& configuration) {
  Json kept = Json::object();
  for (const char* part : {"sparkConf", "sqlConf"}) {
    const auto at = configuration.find(part);
    if (at == configuration.end() || !at->is_object()) continue;
    for (const auto& [name, value] : at->items()) {
      if (value.is_string()) kept[name] = MayBeSecret(name) ? Json("(left out)") : value;
    }
  }
  if (const auto at = configuration.find("defaultParallelism"); at != configuration.end()) {
    kept["defaultParallelism"] = *at;
  }
  return kept;
}

// "timestamp=1429213883272" of the folder Spark partitioned the results into.
int64_t TimestampOfFolder(const std::string& path) {
  constexpr std::string_view kFolder = "timestamp=";
  for (const auto& part : std::filesystem::path(path)) {
    const std::string name = part.string();
    if (!name.starts_with(kFolder)) continue;
    const auto ms = ReadInteger(std::string_view(name).substr(kFolder.size()));
    if (ms.ok()) return *ms;
  }
  return 0;
}

Result<Iteration> IterationOf(const Json& json, const std::string& path) {
  if (!json.is_object()) return MakeError(ErrorCode::kCorrupt, "no JSON object");
  Iteration it;
  const auto results = json.find("results");
  if (results == json.end() || !results->is_array()) {
    return MakeError(ErrorCode::kCorrupt, "no list 'results': no result of spark-sql-perf");
  }
  it.results = *results;
  const auto iteration = json.find("iteration");
  if (iteration == json.end() || !iteration->is_number_integer() || iteration->get<int64_t>() < 0) {
    return MakeError(ErrorCode::kCorrupt, "'iteration' is no integer from 0");
  }
  it.iteration = iteration->get<int64_t>();
  it.timestamp_ms = JsonOr<int64_t>(json, "timestamp", TimestampOfFolder(path));
  if (const auto tags = json.find("tags"); tags != json.end() && tags->is_object()) {
    for (const auto& [name, value] : tags->items()) {
      it.tags[name] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  it.configuration = json.value("configuration", Json::object());
  return it;
}

std::string_view WithoutPrefix(std::string_view name) {
  constexpr std::string_view kTags = "tags.";
  return name.starts_with(kTags) ? name.substr(kTags.size()) : name;
}

bool SameName(const std::string& a, std::string_view b) { return PlainName(a) == PlainName(b); }

// The tags that say a field.
std::vector<std::string> TagsOf(const std::string& field,
                                const std::map<std::string, std::string>& tags,
                                const Mapping& mapping) {
  std::vector<std::string> found;
  for (const std::string& column : mapping.Columns(field)) {
    found.emplace_back(WithoutPrefix(column));
  }
  if (!found.empty()) return found;
  for (const std::string& known : KnownColumns(field)) {
    for (const auto& [name, value] : tags) {
      if (SameName(name, known)) return {name};
    }
  }
  return {};
}

Result<std::string> FieldOf(const char* field, const Iteration& it, const std::string& path,
                            const Mapping& mapping) {
  if (const auto constant = mapping.Constant(field, path)) return ReadName(*constant);
  std::string text;
  for (const std::string& wanted : TagsOf(field, it.tags, mapping)) {
    const auto tag = std::find_if(it.tags.begin(), it.tags.end(),
                                  [&](const auto& known) { return SameName(known.first, wanted); });
    if (tag == it.tags.end()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("{}: there is no tag '{}'", field, wanted));
    }
    text += (text.empty() ? "" : "-") + tag->second;
  }
  if (text.empty()) return text;
  auto name = ReadName(text);
  if (name.ok()) return name;
  return name.error().WithContext(field);
}

// "shufflePartitions=200": the tags by which iterations of the file differ, and no field has.
std::string VariationOf(const Iteration& it, const std::set<std::string>& varying) {
  std::string text;
  for (const auto& [name, value] : it.tags) {
    if (varying.contains(name)) text += fmt::format(" {}={}", name, value);
  }
  return text;
}

std::set<std::string> VaryingTags(const std::vector<Iteration>& all, const Mapping& mapping) {
  std::map<std::string, std::set<std::string>> values;
  for (const Iteration& it : all) {
    for (const auto& [name, value] : it.tags) values[name].insert(value);
  }
  std::set<std::string> varying;
  for (const auto& [name, seen] : values) {
    if (seen.size() < 2) continue;
    bool used = false;
    for (const char* field : {"engine", "store", "layout", "dataset", "query"}) {
      for (const std::string& tag : TagsOf(field, all.front().tags, mapping)) {
        used = used || SameName(name, tag);
      }
    }
    if (!used) varying.insert(name);
  }
  return varying;
}

Result<Sample> SampleOf(const Json& result) {
  if (!result.is_object()) return MakeError(ErrorCode::kCorrupt, "no JSON object");
  Sample s;
  const auto name = ReadName(JsonOr<std::string>(result, "name", ""));
  if (!name.ok()) return name.error().WithContext("name");
  s.query = *name;
  double total_ms = 0;
  for (const char* phase : kPhases) {
    const auto at = result.find(phase);
    if (at == result.end() || at->is_null()) continue;
    if (!at->is_number() || !(at->get<double>() >= 0) || at->get<double>() > 1e12) {
      return MakeError(ErrorCode::kCorrupt, fmt::format("'{}' is no time in milliseconds", phase));
    }
    total_ms += at->get<double>();
    s.metrics.push_back({phase, at->get<double>(), "ms"});
  }
  const auto failure = result.find("failure");
  if (failure != result.end() && failure->is_object()) {
    const auto kind = JsonOr<std::string>(*failure, "className", "");
    s.status =
        kind == "Timeout" ? record::ExecutionStatus::kTimeout : record::ExecutionStatus::kFailed;
    const auto message = JsonOr<std::string>(*failure, "message", "");
    s.error = kind.empty() ? message : kind + ": " + message;
    return s;  // what it took until it failed is not said
  }
  if (!result.contains("executionTime") || result["executionTime"].is_null()) {
    return MakeError(ErrorCode::kCorrupt, "neither 'executionTime' nor 'failure'");
  }
  s.elapsed_ns = static_cast<int64_t>(std::llround(total_ms * 1e6));
  return s;
}

// Every JSON value of the text with its line: one a line, or one document that may be a list.
std::vector<std::pair<int64_t, Result<Json>>> Documents(std::string_view text) {
  std::vector<std::pair<int64_t, Result<Json>>> documents;
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return documents;
  const std::string_view line = text.substr(first, text.find('\n', first) - first);
  if (!Json::accept(line)) {
    if (auto whole = ParseJson(text); whole.ok()) {
      if (!whole->is_array()) {
        documents.emplace_back(1, std::move(whole));
      } else {
        for (Json& item : *whole) documents.emplace_back(1, std::move(item));
      }
      return documents;
    }
  } else if (text[first] == '[') {
    if (auto whole = ParseJson(line); whole.ok()) {
      for (Json& item : *whole) documents.emplace_back(1, std::move(item));
      return documents;
    }
  }
  int64_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view one = text.substr(begin, end - begin);
    ++number;
    if (one.find_first_not_of(" \t\r") != std::string_view::npos) {
      documents.emplace_back(number, ParseJson(one));
    }
    begin = end + 1;
  }
  return documents;
}

}  // namespace

bool LooksLikeSparkSqlPerf(std::string_view text) {
  const size_t at = text.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (text[at] == '{' || text[at] == '[');
}

Result<Parsed> ParseSparkSqlPerf(std::string_view text, const std::string& path,
                                 const Mapping& mapping) {
  for (const char* field : {"iteration", "stream", "seconds", "ms", "status", "error", "rows",
                            "started", "warmup", "query"}) {
    if (!mapping.Columns(field).empty()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("--map {}=...: spark-sql-perf says it itself; engine, store, "
                                   "layout and dataset may come from tags",
                                   field));
    }
  }
  Parsed parsed;
  std::vector<Iteration> iterations;
  for (auto& [line, json] : Documents(text)) {
    auto iteration = json.ok() ? IterationOf(*json, path) : Result<Iteration>(json.error());
    if (!iteration.ok()) {
      parsed.bad.push_back({path, line, iteration.error().message});
      continue;
    }
    iteration->line = line;
    iterations.push_back(std::move(*iteration));
  }
  if (iterations.empty()) return parsed;
  const std::set<std::string> varying = VaryingTags(iterations, mapping);
  std::map<int64_t, int64_t> batches;  // experiments, in the order they ran
  for (const Iteration& it : iterations) batches.emplace(it.timestamp_ms, 0);
  int64_t next = 0;
  for (auto& [timestamp, batch] : batches) batch = next++;
  for (const Iteration& it : iterations) {
    Sample common;
    const std::pair<const char*, std::string*> fields[] = {{"engine", &common.engine},
                                                           {"store", &common.store},
                                                           {"layout", &common.layout},
                                                           {"dataset", &common.dataset}};
    std::string problem;
    for (const auto& [field, out] : fields) {
      auto said = FieldOf(field, it, path, mapping);
      if (said.ok()) {
        *out = std::move(*said);
      } else if (problem.empty()) {
        problem = said.error().message;
      }
    }
    if (!problem.empty()) {
      parsed.bad.push_back({path, it.line, problem});
      continue;
    }
    if (common.engine.empty()) common.engine = "spark";
    common.engine += VariationOf(it, varying);
    int64_t place = 0;
    for (const Json& result : it.results) {
      auto sample = SampleOf(result);
      if (!sample.ok()) {
        parsed.bad.push_back(
            {path, it.line, fmt::format("results[{}]: {}", place, sample.error().message)});
      } else {
        sample->engine = common.engine;
        sample->store = common.store;
        sample->layout = common.layout;
        sample->dataset = common.dataset;
        sample->iteration = it.iteration;
        sample->batch = batches.at(it.timestamp_ms);
        sample->line = it.line;
        parsed.samples.push_back(std::move(*sample));
      }
      ++place;
    }
    if (it.timestamp_ms > 0 && it.timestamp_ms < INT64_MAX / 1'000'000 &&
        (!parsed.started_utc_ns || *parsed.started_utc_ns > it.timestamp_ms * 1'000'000)) {
      parsed.started_utc_ns = it.timestamp_ms * 1'000'000;
    }
    if (parsed.engine.empty() && it.configuration.is_object()) {
      const auto version = JsonOr<std::string>(it.configuration, "sparkVersion", "");
      parsed.engine = {{"version", version.empty() ? Json() : Json(version)},
                       {"configuration", Configuration(it.configuration)}};
    }
  }
  return parsed;
}

}  // namespace lakegauge::imports
