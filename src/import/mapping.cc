#include "import/mapping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

namespace lakegauge::imports {
namespace {

// "FIELD=REST" of `text`.
Result<std::pair<std::string, std::string>> Assignment(const std::string& text, const char* option,
                                                       const std::vector<std::string>& fields) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{} '{}': found no FIELD={}", option, text,
                                 std::string_view(option) == "--map" ? "COLUMN" : "TEXT"));
  }
  const std::string field = text.substr(0, at);
  if (std::find(fields.begin(), fields.end(), field) == fields.end()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     fmt::format("{} '{}': no field '{}'; allowed {}", option, text, field,
                                 fmt::join(fields, ", ")));
  }
  return std::pair(field, text.substr(at + 1));
}

std::vector<std::string> Split(const std::string& text, char by) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at; (at = text.find(by, from)) != std::string::npos; from = at + 1) {
    parts.push_back(text.substr(from, at - from));
  }
  parts.push_back(text.substr(from));
  return parts;
}

}  // namespace

const std::vector<std::string>& FieldNames() {
  static const auto* const names = new std::vector<std::string>{
      "engine",  "store", "layout", "dataset", "query", "iteration", "stream",
      "seconds", "ms",    "status", "error",   "rows",  "started",   "warmup"};
  return *names;
}

Result<Mapping> Mapping::Parse(const std::vector<std::string>& maps,
                               const std::vector<std::string>& sets) {
  static const auto* const settable =
      new std::vector<std::string>{"engine", "store", "layout", "dataset", "query"};
  Mapping mapping;
  for (const std::string& text : maps) {
    LG_ASSIGN_OR_RETURN(const auto map, Assignment(text, "--map", FieldNames()));
    if (!mapping.columns_.emplace(map.first, Split(map.second, '+')).second) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("--map names '{}' twice", map.first));
    }
  }
  if (mapping.columns_.contains("seconds") && mapping.columns_.contains("ms")) {
    return MakeError(ErrorCode::kInvalidArgument, "--map names both 'seconds' and 'ms'");
  }
  for (const std::string& text : sets) {
    LG_ASSIGN_OR_RETURN(const auto set, Assignment(text, "--set", *settable));
    if (mapping.columns_.contains(set.first) ||
        !mapping.constants_.emplace(set.first, set.second).second) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("'{}' is given twice: --set or --map, once", set.first));
    }
  }
  return mapping;
}

const std::vector<std::string>& Mapping::Columns(const std::string& field) const {
  static const auto* const none = new std::vector<std::string>;
  const auto at = columns_.find(field);
  return at == columns_.end() ? *none : at->second;
}

std::optional<std::string> Mapping::Constant(const std::string& field,
                                             const std::string& path) const {
  const auto at = constants_.find(field);
  if (at == constants_.end()) return std::nullopt;
  constexpr std::string_view kFile = "{file}";
  std::string text = at->second;
  if (const size_t mark = text.find(kFile); mark != std::string::npos) {
    text.replace(mark, kFile.size(), std::filesystem::path(path).stem().string());
  }
  return text;
}

std::string PlainName(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!plain.empty() && plain.back() != '_') {
      plain += '_';
    }
  }
  while (!plain.empty() && plain.back() == '_') plain.pop_back();
  return plain;
}

const std::vector<std::string>& KnownColumns(const std::string& field) {
  using Names = std::vector<std::string>;
  static const auto* const known = new std::map<std::string, Names>{
      {"query", {"query", "query_name", "queryname", "query_id", "label", "benchmark", "name"}},
      {"engine", {"engine", "system"}},
      {"store", {"store", "storage", "object_store", "file_system", "filesystem", "backend"}},
      {"layout", {"layout", "format", "file_format", "file_size"}},
      {"dataset", {"dataset", "data_set", "schema", "scale", "scale_factor", "database"}},
      {"iteration", {"iteration", "iter", "round", "pass", "repetition", "run_number"}},
      {"stream", {"stream", "user", "threadname", "thread_name", "thread"}},
      {"status", {"status", "success", "state", "outcome"}},
      {"error", {"error", "error_message", "failuremessage", "failure_message", "failure"}},
      {"rows", {"rows", "row_count"}},
      {"started", {"started_utc", "start_utc", "started", "start_time", "timestamp"}},
      {"warmup", {"warmup", "warm_up", "is_warmup"}},
  };
  static const auto* const none = new Names;
  const auto at = known->find(field);
  return at == known->end() ? *none : at->second;
}

std::optional<double> NsPerUnitOf(std::string_view plain_name) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"seconds", 1e9},      {"secs", 1e9},   {"sec", 1e9},       {"s", 1e9},
      {"milliseconds", 1e6}, {"millis", 1e6}, {"ms", 1e6},        {"microseconds", 1e3},
      {"us", 1e3},           {"ns", 1},       {"nanoseconds", 1}, {"minutes", 60e9},
      {"min", 60e9},
  };
  static constexpr std::string_view kTimes[] = {
      "time", "elapsed",   "elapsed_time", "duration",       "runtime",       "run_time",
      "wall", "wall_time", "query_time",   "execution_time", "executiontime", "total_time"};
  const auto is_time = [](std::string_view name) {
    return std::find(std::begin(kTimes), std::end(kTimes), name) != std::end(kTimes);
  };
  if (is_time(plain_name)) return 0;
  for (const auto& [unit, ns] : kUnits) {
    if (!plain_name.ends_with(unit)) continue;
    std::string_view stem = plain_name.substr(0, plain_name.size() - unit.size());
    if (stem.empty()) return unit == "min" ? std::nullopt : std::optional(ns);  // a minimum, then
    if (stem.back() != '_') continue;
    stem.remove_suffix(1);
    if (stem.ends_with("_in")) stem.remove_suffix(3);
    if (is_time(stem)) return ns;
  }
  return std::nullopt;
}

}  // namespace lakegauge::imports
