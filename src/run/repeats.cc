#include "run/repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json.h"

namespace lakegauge::run {
namespace {

constexpr int kRepeatsVersion = 1;

template <typename Items, typename Name>
Result<int> IndexOf(const Items& items, const std::string& wanted, const Name& name,
                    const char* what) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (name(items[i]) == wanted) return static_cast<int>(i);
  }
  return MakeError(
      ErrorCode::kInvalidArgument,
      fmt::format("found the {} '{}' to repeat; allowed those of the plan", what, wanted));
}

}  // namespace

Result<Repeats> ReadRepeats(const std::string& path) {
  LG_ASSIGN_OR_RETURN(const Json json, ReadJsonFile(path));
  const int version = JsonOr(json, "v", 0);
  if (version > kRepeatsVersion) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: version {}; this lakegauge reads up to {}", path, version,
                                 kRepeatsVersion));
  }
  Repeats repeats;
  repeats.times = JsonOr<int64_t>(json, "times", 0);
  const Json list = json.is_object() ? json.value("suspects", Json()) : Json();
  if (version < 1 || repeats.times < 1 || !list.is_array()) {
    return MakeError(ErrorCode::kCorrupt, path + ": not a file of suspects");
  }
  for (const Json& item : list) {
    repeats.suspects.push_back({JsonOr<std::string>(item, "cell", ""),
                                JsonOr<std::string>(item, "query", ""),
                                JsonOr<std::vector<std::string>>(item, "reasons", {})});
  }
  return repeats;
}

Status AddRepeats(const Repeats& repeats, Plan& plan) {
  std::map<int, std::vector<int>> queries_of;  // by cell
  for (const Repeats::Suspect& suspect : repeats.suspects) {
    LG_ASSIGN_OR_RETURN(const int cell, IndexOf(
                                            plan.cells, suspect.cell,
                                            [](const PlanCell& c) { return c.id; }, "cell"));
    LG_ASSIGN_OR_RETURN(const int query, IndexOf(
                                             plan.queries, suspect.query,
                                             [](const PlanQuery& q) { return q.name; }, "query"));
    queries_of[cell].push_back(query);
  }
  std::map<int, int32_t> last;  // iteration of a cell
  for (const PlanExecution& e : plan.executions) {
    if (!e.warmup) last[e.cell] = std::max(last[e.cell], e.iteration);
  }
  for (int64_t round = 1; round <= repeats.times; ++round) {
    for (const auto& [cell, queries] : queries_of) {
      const int32_t iteration = ++last[cell];
      int32_t position = 0;
      for (const int query : queries) {
        PlanExecution e;
        e.id = static_cast<int64_t>(plan.executions.size());
        e.cell = cell;
        e.iteration = iteration;
        e.position = ++position;
        e.query = query;
        e.repeat = true;
        plan.executions.push_back(e);
      }
    }
  }
  return {};
}

}  // namespace lakegauge::run
