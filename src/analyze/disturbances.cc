#include "analyze/disturbances.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/units.h"

namespace lakegauge::analyze {
namespace {

constexpr double kManyDisturbed = 0.25;  // of the executions
constexpr size_t kRowsKept = 200;        // in summary.json; the table holds all

constexpr std::string_view kBase =
    R"sql(-- What the runner noticed around itself: load and disk traffic that was not its own, time the
-- hypervisor took, throttling, swapping, another clock frequency, a stepped wall clock. share is
-- how much of the machine it took while it lasted.
CREATE OR REPLACE TABLE disturbance_windows AS
WITH events AS (SELECT facts
                FROM read_json('{run}journal.jsonl', format = 'newline_delimited',
                               ignore_errors = true,
                               columns = {type: 'VARCHAR', name: 'VARCHAR', facts: 'JSON'})
                WHERE type = 'event' AND name = 'disturbance')
SELECT (facts->>'session')::BIGINT AS session, (d->>'from_ns')::BIGINT AS from_ns,
       (d->>'to_ns')::BIGINT AS to_ns, d->>'reason' AS reason, (d->>'share')::DOUBLE AS share,
       d->>'text' AS text
FROM (SELECT facts, unnest(from_json(facts->'disturbances', '["JSON"]')) AS d FROM events);

-- Executions that it hit: where it took at least 3% of the machine, on average over the execution.
-- A stepped clock hits whatever it fell into.
CREATE OR REPLACE TABLE disturbances AS
WITH parts AS (
       SELECT e.execution, w.reason, w.text,
              w.share * (least(e.end_ns, w.to_ns) - greatest(e.start_ns, w.from_ns))
                / (e.end_ns - e.start_ns) AS part
       FROM executions e
       JOIN disturbance_windows w ON w.session = e.session AND w.from_ns < e.end_ns
                                 AND w.to_ns > e.start_ns)
SELECT execution, reason, least(1, sum(part)) AS share, arg_max(text, part) AS text
FROM parts GROUP BY execution, reason HAVING sum(part) >= 0.03 OR reason = 'clock';

-- Sessions in which somebody looked.
CREATE OR REPLACE TABLE watched_sessions AS
SELECT DISTINCT (facts->>'session')::BIGINT AS session
FROM read_json('{run}journal.jsonl', format = 'newline_delimited', ignore_errors = true,
               columns = {type: 'VARCHAR', name: 'VARCHAR', facts: 'JSON'})
WHERE type = 'event' AND name = 'sampling' AND (facts->>'problem') = '';
)sql";

int64_t Executions(const Json& watched, const char* key) {
  return watched.empty() ? 0 : JsonOr<int64_t>(watched.at(0), key, 0);
}

// Executions by reason, and all of them once.
struct Hit {
  std::map<std::string, std::set<int64_t>> by_reason;
  std::set<int64_t> all;
  std::map<std::string, std::set<int64_t>> by_cell;
};
Hit HitOf(const Json& disturbed) {
  Hit hit;
  for (const Json& row : disturbed) {
    const auto id = JsonOr<int64_t>(row, "execution", -1);
    hit.by_reason[JsonOr<std::string>(row, "reason", "")].insert(id);
    hit.by_cell[JsonOr<std::string>(row, "cell", "")].insert(id);
    hit.all.insert(id);
  }
  return hit;
}

}  // namespace

std::string_view DisturbanceBaseSql() { return kBase; }

std::vector<TableSql> DisturbanceTables() {
  return {
      {"disturbed", R"sql(-- Executions that were disturbed from outside, by reason.
SELECT d.execution, m.cell, m.query, m.stream, m.iteration, d.reason, d.share, d.text
FROM disturbances d JOIN measured m USING (execution) ORDER BY d.execution, d.reason;
)sql"},
      {"watched", R"sql(-- Executions in sessions that looked out for disturbances.
SELECT count(*) AS executions,
       count(*) FILTER (session IN (SELECT session FROM watched_sessions)) AS watched
FROM measured;
)sql"},
      {"suspects",
       R"sql(-- Times of each query in each cell in the order in which they ran, and what disturbed them.
SELECT m.cell, m.query,
       to_json(list(m.elapsed_ns / 1e9 ORDER BY m.session, m.start_ns)
                 FILTER (m.status = 'ok')) AS seconds_json,
       (SELECT to_json(list(DISTINCT d.reason ORDER BY d.reason))
        FROM disturbances d JOIN measured n USING (execution)
        WHERE n.cell = m.cell AND n.query = m.query) AS disturbed_json
FROM measured m JOIN cells c USING (cell)
GROUP BY m.cell, m.query, c.place ORDER BY c.place, min(m.execution);
)sql"},
      {"repeated", R"sql(-- Queries that were run again because they looked suspect.
SELECT p.cell, p.query, count(*) AS planned, count(m.execution) AS done
FROM planned p LEFT JOIN measured m USING (execution) JOIN cells c ON c.cell = p.cell
WHERE p.repeat GROUP BY p.cell, p.query, c.place ORDER BY c.place, p.query;
)sql"}};
}

OrderedJson DisturbancesJson(const Json& disturbed, const Json& watched) {
  const Hit hit = HitOf(disturbed);
  OrderedJson json = {{"executions", Executions(watched, "executions")},
                      {"watched", Executions(watched, "watched")},
                      {"disturbed", hit.all.size()},
                      {"hit_share", kHitShare},
                      {"by_reason", OrderedJson::object()},
                      {"by_cell", OrderedJson::object()},
                      {"rows", OrderedJson::array()}};
  for (const auto& [reason, ids] : hit.by_reason) json["by_reason"][reason] = ids.size();
  for (const auto& [cell, ids] : hit.by_cell) json["by_cell"][cell] = ids.size();
  for (const Json& row : disturbed) {
    if (json["rows"].size() == kRowsKept) break;
    OrderedJson out;
    for (const char* key :
         {"execution", "cell", "query", "stream", "iteration", "reason", "share", "text"}) {
      out[key] = OrderedJson(row.value(key, Json()));
    }
    json["rows"].push_back(std::move(out));
  }
  return json;
}

std::string RepeatedNote(const Json& repeated) {
  constexpr size_t kMostNamed = 6;
  if (repeated.empty()) return "";
  int64_t planned = 0, done = 0;
  std::vector<std::string> names;
  for (const Json& row : repeated) {
    planned += JsonOr<int64_t>(row, "planned", 0);
    done += JsonOr<int64_t>(row, "done", 0);
    if (names.size() < kMostNamed) {
      names.push_back(fmt::format("{} in {}", JsonOr<std::string>(row, "query", ""),
                                  JsonOr<std::string>(row, "cell", "")));
    }
  }
  const size_t more = repeated.size() - names.size();
  if (more > 0) names.push_back(fmt::format("{} more", more));
  return fmt::format(
      "Looked noisy, disturbed or changed, and ran again in a later session: {} ({} of {}). These "
      "executions count as further iterations of their queries beside the earlier ones; they are "
      "part of no pass, so suite times are those of the first session.",
      Joined(names), done, Counted(planned, "execution", "executions"));
}

Light DisturbancesLight(const Json& disturbed, const Json& watched) {
  const int64_t executions = Executions(watched, "executions");
  const int64_t seen = Executions(watched, "watched");
  if (executions == 0) return {"disturbed", "unknown", "Nothing was executed.", ""};
  if (seen == 0) {
    return {"disturbed", "unknown", "Nobody looked whether other load disturbed the run.", ""};
  }
  const Hit hit = HitOf(disturbed);
  const auto n = static_cast<int64_t>(hit.all.size());
  Light light{"disturbed", "good", "", ""};
  if (n == 0) {
    light.text = fmt::format("None of {} was disturbed from outside.",
                             Counted(seen, "execution", "executions"));
  } else {
    std::vector<std::string> reasons;
    for (const auto& [reason, ids] : hit.by_reason) {
      reasons.push_back(
          fmt::format("{} {}", reason, FormatCount(static_cast<int64_t>(ids.size()))));
    }
    light.state =
        static_cast<double>(n) > kManyDisturbed * static_cast<double>(seen) ? "bad" : "warn";
    light.text = fmt::format("{} of {} {} disturbed from outside: {}.", FormatCount(n),
                             Counted(seen, "execution", "executions"), n == 1 ? "was" : "were",
                             Joined(reasons));
    light.detail =
        "They stay in the figures and are named among the notes on noise; lakegauge resume with "
        "--repeat-suspects runs them again.";
  }
  if (seen < executions) {
    light.detail += fmt::format("{}{} ran unwatched.", light.detail.empty() ? "" : " ",
                                Counted(executions - seen, "execution", "executions"));
  }
  return light;
}

}  // namespace lakegauge::analyze
