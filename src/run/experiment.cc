#include "run/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/yaml.h"
#include "run/experiment_names.h"
#include "run/experiment_reader.h"

namespace lakegauge::run {
namespace {

struct QuickEntry {
  std::string path;
  std::string value;  // YAML
  std::string where;  // file:line:column
};

// A value as YAML that reads back the same, without quotes where they are not needed.
std::string AsYaml(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const Json plain = YamlDocument::Parse("v: " + text, "").root().ToJson();
    if (plain == Json{{"v", text}}) return text;
  }
  return value.dump();
}

std::vector<QuickEntry> QuickBlock(std::string_view text, const std::string& origin) {
  // A document of its own, so that asking for this key alone marks nothing in the real one.
  const YamlDocument doc = YamlDocument::Parse(text, origin);
  std::vector<QuickEntry> entries;
  if (!doc.root().present() || !doc.root().is_map()) return entries;
  const YamlNode quick = doc.root().Map().Optional("quick");
  if (!quick.present() || !quick.is_map()) return entries;
  for (const auto& [path, value] : quick.Map().Entries()) {
    entries.push_back({path, AsYaml(value.ToJson()), value.where()});
  }
  return entries;
}

// A change most often means a key that is there already, which the document's own suggestion leaves
// out.
std::string WithSuggestion(const std::string& message) {
  constexpr std::string_view kFound = "found key '";
  constexpr std::string_view kAllowed = "'; allowed ";
  const size_t allowed = message.find(kAllowed);
  if (!message.starts_with(kFound) || allowed == std::string::npos ||
      message.find("did you mean") != std::string::npos) {
    return message;
  }
  std::vector<std::string> names;
  for (size_t at = allowed + kAllowed.size(); at < message.size();) {
    const size_t end = std::min(message.find(", ", at), message.size());
    names.push_back(message.substr(at, end - at));
    at = end + 2;
  }
  return message + DidYouMean(message.substr(kFound.size(), allowed - kFound.size()), names);
}

// Problems of the file and of what changed it, a line each; those of a change name the change
// instead of a place in the file.
Status StatusOf(const YamlDocument& doc, const std::vector<std::string>& changes) {
  std::string lines;
  for (const YamlProblem& problem : doc.problems()) {
    if (!lines.empty()) lines += '\n';
    const bool of_a_change =
        std::find(changes.begin(), changes.end(), problem.origin) != changes.end();
    lines +=
        of_a_change ? problem.origin + ": " + WithSuggestion(problem.message) : problem.ToString();
  }
  if (lines.empty()) return {};
  return MakeError(ErrorCode::kInvalidArgument, std::move(lines));
}

struct Change {
  std::string path;
  std::string value;
  std::string origin;
};

Result<std::vector<Change>> ChangesOf(const YamlDocument& doc, const std::vector<QuickEntry>& quick,
                                      const std::string& origin, const Overrides& overrides) {
  std::vector<Change> changes;
  if (overrides.quick) {
    for (const QuickEntry& entry : quick) {
      changes.push_back({entry.path, entry.value, entry.where + ": quick " + entry.path});
    }
  }
  if (overrides.scale) {
    const Json json = doc.root().ToJson();
    const std::string said = fmt::format("--scale {}", *overrides.scale);
    if (json.is_object() && json.contains("datasets") && json["datasets"].is_object()) {
      for (const auto& [id, item] : json["datasets"].items()) {
        if (JsonOr<std::string>(item, "kind", "") != "tpcds") continue;
        changes.push_back({"datasets." + id + ".scale", fmt::format("{}", *overrides.scale), said});
      }
    }
    if (std::none_of(changes.begin(), changes.end(),
                     [&](const Change& c) { return c.origin == said; })) {
      return MakeError(ErrorCode::kInvalidArgument, said + ": found no dataset of kind tpcds in " +
                                                        origin + "; allowed where there is one");
    }
  }
  for (const std::string& set : overrides.sets) {
    const size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      return MakeError(ErrorCode::kInvalidArgument,
                       fmt::format("--set {}: found no '='; allowed a.b.c=value", set));
    }
    changes.push_back({set.substr(0, equals), set.substr(equals + 1), "--set " + set});
  }
  return changes;
}

Result<Experiment> Parse(const std::string& text, const std::string& origin,
                         const std::string& base_dir, const Overrides& overrides,
                         const std::vector<QuickEntry>& quick, bool text_alone) {
  YamlDocument doc = YamlDocument::Parse(text, origin);
  if (doc.root().present() && doc.root().is_map()) {
    LG_ASSIGN_OR_RETURN(const auto changes, ChangesOf(doc, quick, origin, overrides));
    std::vector<std::string> origins;
    for (const Change& change : changes) {
      LG_RETURN_IF_ERROR(doc.Set(change.path, change.value, change.origin));
      origins.push_back(change.origin);
    }
    Experiment experiment = ReadExperiment(doc.root(), base_dir);
    LG_RETURN_IF_ERROR(StatusOf(doc, origins));
    if (!overrides.quick && !quick.empty()) {
      // A mistake in the quick block is found now, not on the day it is used.
      LG_RETURN_IF_ERROR(Parse(text, origin, base_dir, {{}, {}, true}, quick, true));
    }
    if (!text_alone) {
      LG_RETURN_IF_ERROR(CheckNames(doc.root(), &experiment));
      LG_RETURN_IF_ERROR(StatusOf(doc, origins));
    }
    experiment.source = text;
    experiment.origin = origin;
    if (base_dir == "-") experiment.base_dir.clear();
    experiment.quick = overrides.quick && !quick.empty();
    if (overrides.quick) experiment.overrides.emplace_back("--quick");
    if (overrides.scale)
      experiment.overrides.push_back(fmt::format("--scale {}", *overrides.scale));
    for (const std::string& set : overrides.sets) experiment.overrides.push_back("--set " + set);
    return experiment;
  }
  ReadExperiment(doc.root(), base_dir);
  LG_RETURN_IF_ERROR(doc.status());
  return MakeError(ErrorCode::kInvalidArgument,
                   origin + ":1:1: found nothing; allowed an experiment");
}

bool Fits(const CellPattern& pattern, const std::string& engine, const std::string& store,
          const std::string& layout, const std::string& dataset) {
  return PatternMatches(pattern.engine, engine) && PatternMatches(pattern.store, store) &&
         PatternMatches(pattern.layout, layout) && PatternMatches(pattern.dataset, dataset);
}

}  // namespace

bool Experiment::Has(const std::string& engine, const std::string& store, const std::string& layout,
                     const std::string& dataset) const {
  const auto fits = [&](const CellPattern& p) { return Fits(p, engine, store, layout, dataset); };
  return (only.empty() || std::any_of(only.begin(), only.end(), fits)) &&
         std::none_of(exclude.begin(), exclude.end(), fits);
}

Result<Experiment> ParseExperiment(std::string_view text, const std::string& origin,
                                   const Overrides& overrides) {
  return Parse(std::string(text), origin, "-", overrides, QuickBlock(text, origin), true);
}

Result<Experiment> LoadExperiment(const std::string& path, const Overrides& overrides) {
  LG_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  std::error_code failed;
  const auto folder = std::filesystem::absolute(path, failed).lexically_normal().parent_path();
  return Parse(text, path, folder.string(), overrides, QuickBlock(text, path), false);
}

std::string TextForCopy(const Experiment& experiment) {
  const auto read = [](const std::string& text) {
    return YamlDocument::Parse(text, "").root().ToJson();
  };
  Json wanted = read(experiment.source);
  if (experiment.base_dir.empty() || wanted.contains(kRelativeTo)) return experiment.source;
  wanted[kRelativeTo] = experiment.base_dir;
  std::string text = experiment.source;
  if (!text.ends_with('\n')) text += '\n';
  text += fmt::format("{}: {}\n", kRelativeTo, Json(experiment.base_dir).dump());
  // A file that is one {...} or has an end mark holds no line after it.
  return read(text) == wanted ? text : experiment.source;
}

}  // namespace lakegauge::run
