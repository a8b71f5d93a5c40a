#include "base/yaml_probe.h"

#include <algorithm>
#include <limits>

namespace lakegauge {

std::string YamlProbe::KeyPath(const std::string& path, std::string_view key) {
  return path + "." + std::string(key);
}

bool YamlProbe::NextRun() {
  if (!started_) {
    started_ = true;
    return true;
  }
  if (waiting_.empty()) return false;
  choices_ = std::move(waiting_.front());
  waiting_.pop_front();
  return true;
}

void YamlProbe::Offer(const std::string& path, std::string_view alternative) {
  if (!offered_.insert(path + "\n" + std::string(alternative)).second) return;
  Choices next = choices_;
  next[path] = alternative;
  waiting_.push_back(std::move(next));
}

bool YamlProbe::Is(const std::string& path, std::string_view kind) {
  const auto chosen = choices_.find(path);
  if (kind == "null") return false;
  if (kind == "scalar") {
    return chosen == choices_.end() || (chosen->second != "list" && chosen->second != "map");
  }
  Offer(path, kind);
  return chosen != choices_.end() && chosen->second == kind;
}

size_t YamlProbe::Choose(const std::string& path, const std::vector<std::string_view>& names) {
  Shape& shape = shapes_[path];
  for (const auto name : names) {
    if (std::find(shape.names.begin(), shape.names.end(), name) == shape.names.end()) {
      shape.names.emplace_back(name);
    }
    if (name != names.front()) Offer(path, name);
  }
  const auto chosen = choices_.find(path);
  if (chosen == choices_.end()) return 0;
  const auto at = std::find(names.begin(), names.end(), chosen->second);
  return at == names.end() ? 0 : static_cast<size_t>(at - names.begin());
}

void YamlProbe::SawScalar(const std::string& path, const Json& type) {
  auto& scalars = shapes_[path].scalars;
  if (std::find(scalars.begin(), scalars.end(), type) == scalars.end()) scalars.push_back(type);
}

void YamlProbe::SawList(const std::string& path, size_t min, size_t max) {
  Shape& shape = shapes_[path];
  shape.list = true;
  shape.min = min;
  shape.max = max;
}

void YamlProbe::SawMap(const std::string& path) { ++shapes_[path].map_visits; }

void YamlProbe::SawKey(const std::string& path, std::string_view key, bool required) {
  auto& keys = shapes_[path].keys;
  auto at = std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.first == key; });
  if (at == keys.end()) at = keys.insert(keys.end(), {std::string(key), 0});
  if (required) ++at->second;
}

void YamlProbe::SawAnyKey(const std::string& path) { shapes_[path].any_key = true; }

Json YamlProbe::SchemaOf(const std::string& path) const {
  const auto found = shapes_.find(path);
  if (found == shapes_.end()) return Json::object();
  const Shape& shape = found->second;
  std::vector<Json> alternatives = shape.scalars;
  if (!shape.names.empty()) alternatives.push_back({{"enum", shape.names}});
  if (shape.list) {
    Json list = {{"type", "array"}, {"items", SchemaOf(ItemPath(path))}};
    if (shape.min > 0) list["minItems"] = shape.min;
    if (shape.max != std::numeric_limits<size_t>::max()) list["maxItems"] = shape.max;
    alternatives.push_back(std::move(list));
  }
  if (shape.map_visits > 0) {
    Json map = {{"type", "object"}, {"additionalProperties", false}};
    for (const auto& [key, required] : shape.keys) {
      map["properties"][key] = SchemaOf(KeyPath(path, key));
      if (required >= shape.map_visits) map["required"].push_back(key);
    }
    if (shape.any_key) map["additionalProperties"] = SchemaOf(AnyKeyPath(path));
    alternatives.push_back(std::move(map));
  }
  if (alternatives.empty()) return Json::object();
  if (alternatives.size() == 1) return alternatives.front();
  return {{"anyOf", alternatives}};
}

}  // namespace lakegauge
