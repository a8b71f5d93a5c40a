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

-- Sessions in which somebody looked.
CREATE OR REPLACE TABLE watched_sessions AS
SELECT DISTINCT (facts->>'session')::BIGINT AS session
FROM read_json('{run}journal.jsonl', format = 'newline_delimited', ignore_errors = true,
               columns = {type: 'VARCHAR', name: 'VARCHAR', facts: 'JSON'})
WHERE type = 'event' AND name = 'sampling' AND (facts->>'problem') = '';

-- What each execution bore: the share of the machine, on average over the execution.
CREATE OR REPLACE TABLE borne AS
WITH parts AS (
       SELECT e.execution, w.reason, w.text,
              w.share * (least(e.end_ns, w.to_ns) - greatest(e.start_ns, w.from_ns))
                / (e.end_ns - e.start_ns) AS part
       FROM executions e
       JOIN disturbance_windows w ON w.session = e.session AND w.from_ns < e.end_ns
                                 AND w.to_ns > e.start_ns)
SELECT execution, reason, least(1, sum(part)) AS share, arg_max(text, part) AS text
FROM parts GROUP BY execution, reason;

-- The run's usual state: the median over its watched executions, and from where on an execution
-- differs from it. What counts is what was left of the machine, since a query that computes takes as
-- much longer as it is less: 3% less than usual, and three standard deviations less (of its
-- logarithm; 1.4826 times the median absolute deviation).
CREATE OR REPLACE TABLE usual AS
WITH each AS (
       SELECT r.reason, ln(greatest(0.01, 1 - coalesce(b.share, 0))) AS left_ln
       FROM (SELECT execution FROM valid WHERE session IN (SELECT session FROM watched_sessions)) v
       CROSS JOIN (SELECT DISTINCT reason FROM borne) r
       LEFT JOIN borne b ON b.execution = v.execution AND b.reason = r.reason),
     middle AS (SELECT reason, median(left_ln) AS left_ln FROM each GROUP BY reason)
SELECT reason, 1 - exp(m.left_ln) AS share,
       1 - exp(m.left_ln + least(ln(0.97), -3 * 1.4826 * median(abs(e.left_ln - m.left_ln))))
         AS hit_from
FROM each e JOIN middle m USING (reason) GROUP BY reason, m.left_ln;

-- Executions that it hit. A stepped clock hits whatever it fell into.
CREATE OR REPLACE TABLE disturbances AS
SELECT b.* FROM borne b LEFT JOIN usual u USING (reason)
WHERE b.share >= coalesce(u.hit_from, 0.03) OR b.reason = 'clock';
)sql";

int64_t Executions(const Json& watched, const char* key) {
  return watched.empty() ? 0 : JsonOr<int64_t>(watched.at(0), key, 0);
}

// What at least half of the executions bore: rows {reason, share, hit_from}.
Json Usual(const Json& watched) {
  const Json usual = watched.empty() ? Json() : watched.at(0).value("usual", Json());
  return usual.is_array() ? usual : Json::array();
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
SELECT d.execution, v.cell, v.query, v.stream, v.iteration, d.reason, d.share, d.text
FROM disturbances d JOIN valid v USING (execution) ORDER BY d.execution, d.reason;
)sql"},
      {"watched",
       R"sql(-- Executions in sessions that looked out for disturbances, and what was usual there.
SELECT count(*) AS executions,
       count(*) FILTER (session IN (SELECT session FROM watched_sessions)) AS watched,
       (SELECT to_json(list({reason: reason, share: share, hit_from: hit_from} ORDER BY reason))
        FROM usual WHERE share >= 0.03) AS usual_json
FROM valid;
)sql"},
      {"suspects",
       R"sql(-- Times of each query in each cell in the order in which they ran, and what disturbed them.
SELECT v.cell, v.query,
       to_json(list(v.elapsed_ns / 1e9 ORDER BY v.session, v.start_ns)
                 FILTER (v.status = 'ok')) AS seconds_json,
       (SELECT to_json(list(DISTINCT d.reason ORDER BY d.reason))
        FROM disturbances d JOIN valid w USING (execution)
        WHERE w.cell = v.cell AND w.query = v.query) AS disturbed_json
FROM valid v JOIN cells c USING (cell)
GROUP BY v.cell, v.query, c.place ORDER BY c.place, min(v.execution);
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
                      {"usual", OrderedJson(Usual(watched))},
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
  const Json usual = Usual(watched);
  const auto n = static_cast<int64_t>(hit.all.size());
  Light light{"disturbed", "good", "", ""};
  if (!usual.empty()) {
    std::vector<std::string> shares;
    for (const Json& row : usual) {
      shares.push_back(fmt::format("{} {:.0f}%", JsonOr<std::string>(row, "reason", ""),
                                   100 * JsonOr<double>(row, "share", 0)));
    }
    light.text = fmt::format(
        "The machine was disturbed from outside throughout: {} of it in the median execution.",
        Joined(shares));
  }
  if (n == 0) {
    light.text += usual.empty() ? fmt::format("None of {} was disturbed from outside.",
                                              Counted(seen, "execution", "executions"))
                                : " No execution stands out by it.";
  } else {
    std::vector<std::string> reasons;
    for (const auto& [reason, ids] : hit.by_reason) {
      reasons.push_back(
          fmt::format("{} {}", reason, FormatCount(static_cast<int64_t>(ids.size()))));
    }
    light.text +=
        fmt::format("{}{} of {} {} {}: {}.", usual.empty() ? "" : " ", FormatCount(n),
                    Counted(seen, "execution", "executions"), n == 1 ? "was" : "were",
                    usual.empty() ? "disturbed from outside" : "hit harder", Joined(reasons));
    light.detail =
        "They stay in the figures and are named among the notes on noise; lakegauge resume with "
        "--repeat-suspects runs them again.";
  }
  if (!usual.empty() || static_cast<double>(n) > kManyDisturbed * static_cast<double>(seen)) {
    light.state = "bad";
  } else if (n > 0) {
    light.state = "warn";
  }
  if (seen < executions) {
    light.detail += fmt::format("{}{} ran unwatched.", light.detail.empty() ? "" : " ",
                                Counted(executions - seen, "execution", "executions"));
  }
  return light;
}

}  // namespace lakegauge::analyze
