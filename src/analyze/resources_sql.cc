#include "analyze/resources.h"

namespace lakegauge::analyze {
namespace {

constexpr std::string_view kSamples =
    R"sql(-- Samples of the machine, of our processes and of watched servers, as they were taken.
CREATE OR REPLACE VIEW samples AS SELECT * FROM read_parquet('{run}samples.parquet');
)sql";

constexpr std::string_view kNoSamples =
    R"sql(-- No sample is there: an empty table of the same columns.
CREATE OR REPLACE TABLE samples (session BIGINT, time_ns BIGINT, source VARCHAR, metric VARCHAR,
  labels VARCHAR, kind VARCHAR, value DOUBLE);
)sql";

constexpr std::string_view kStretches =
    R"sql(
-- What happened between two looks at the machine: growth of its counters, and its gauges at the end.
-- Disks and interfaces are added up, the loopback apart.
CREATE OR REPLACE TABLE stretches AS
WITH looks AS (
       SELECT session, time_ns,
              max(value) FILTER (source = 'machine' AND metric = 'cores') AS cores,
              sum(value) FILTER (source = 'machine' AND metric IN ('cpu_user_s', 'cpu_nice_s'))
                AS user_s,
              sum(value) FILTER (source = 'machine'
                                 AND metric IN ('cpu_system_s', 'cpu_irq_s', 'cpu_softirq_s'))
                AS system_s,
              sum(value) FILTER (source = 'machine' AND metric = 'cpu_iowait_s') AS iowait_s,
              sum(value) FILTER (source = 'machine' AND metric = 'cpu_steal_s') AS steal_s,
              max(value) FILTER (source = 'machine' AND metric = 'memory_available_bytes')
                AS available_bytes,
              sum(value) FILTER (source = 'machine' AND metric = 'disk_read_bytes')
                AS disk_read_bytes,
              sum(value) FILTER (source = 'machine' AND metric = 'disk_written_bytes')
                AS disk_written_bytes,
              sum(value) FILTER (source = 'machine' AND metric = 'network_received_bytes'
                                 AND labels <> 'device=lo') AS received_bytes,
              sum(value) FILTER (source = 'machine' AND metric = 'network_sent_bytes'
                                 AND labels <> 'device=lo') AS sent_bytes,
              sum(value) FILTER (source = 'machine' AND metric IN ('swapped_in_bytes',
                                                                   'swapped_out_bytes'))
                AS swapped_bytes,
              sum(value) FILTER (source = 'engine' AND metric IN ('cpu_user_s', 'cpu_system_s'))
                AS engine_s,
              max(value) FILTER (source = 'engine' AND metric = 'resident_bytes')
                AS resident_bytes
       FROM samples WHERE source IN ('machine', 'engine') GROUP BY session, time_ns)
SELECT session, lag(time_ns) OVER w AS from_ns, time_ns AS to_ns,
       (time_ns - lag(time_ns) OVER w) / 1e9 AS seconds, cores,
       greatest(0, user_s - lag(user_s) OVER w) AS user_s,
       greatest(0, system_s - lag(system_s) OVER w) AS system_s,
       greatest(0, iowait_s - lag(iowait_s) OVER w) AS iowait_s,
       greatest(0, steal_s - lag(steal_s) OVER w) AS steal_s,
       greatest(0, engine_s - lag(engine_s) OVER w) AS engine_s,
       greatest(0, disk_read_bytes - lag(disk_read_bytes) OVER w) AS disk_read_bytes,
       greatest(0, disk_written_bytes - lag(disk_written_bytes) OVER w) AS disk_written_bytes,
       greatest(0, received_bytes - lag(received_bytes) OVER w) AS received_bytes,
       greatest(0, sent_bytes - lag(sent_bytes) OVER w) AS sent_bytes,
       greatest(0, swapped_bytes - lag(swapped_bytes) OVER w) AS swapped_bytes,
       available_bytes, resident_bytes
FROM looks WHERE cores IS NOT NULL
WINDOW w AS (PARTITION BY session ORDER BY time_ns)
QUALIFY from_ns IS NOT NULL AND time_ns > from_ns
ORDER BY session, from_ns;

-- The time in which queries of a cell ran, what was marked invalid and pauses cut out and the rest
-- laid end to end: at_ns is where each piece begins on that line.
CREATE OR REPLACE TABLE query_time AS
WITH ordered AS (
       SELECT cell, session, start_ns, end_ns,
              max(end_ns) OVER (PARTITION BY cell, session ORDER BY start_ns, end_ns
                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
       FROM valid WHERE status <> 'cancelled' AND end_ns > start_ns),
     numbered AS (
       SELECT cell, session, start_ns, end_ns,
              sum((before_ns IS NULL OR start_ns > before_ns)::INT)
                OVER (PARTITION BY cell, session ORDER BY start_ns, end_ns) AS piece
       FROM ordered),
     pieces AS (
       SELECT cell, session, piece, min(start_ns) AS start_ns, max(end_ns) AS end_ns
       FROM numbered GROUP BY ALL)
SELECT cell, session, start_ns, end_ns,
       coalesce(sum(end_ns - start_ns) OVER (PARTITION BY cell ORDER BY session, start_ns
                                             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                0)::BIGINT AS at_ns
FROM pieces;
)sql";

// A request's bytes flow evenly between its first byte and its end.
constexpr std::string_view kDelivered =
    R"sql(
-- Bytes that GETs delivered in each second of a cell's query time, and in each second of the clock. A
-- request's bytes are spread evenly from its first byte (its start, where that was not seen) to its
-- end.
CREATE OR REPLACE TABLE flows AS
WITH placed AS (
       SELECT v.execution, v.cell, v.session, t.at_ns - t.start_ns AS shift_ns
       FROM valid v JOIN query_time t
         ON t.cell = v.cell AND t.session = v.session AND v.start_ns >= t.start_ns
        AND v.end_ns <= t.end_ns
       WHERE v.status <> 'cancelled')
SELECT p.cell, p.session, p.shift_ns, coalesce(r.first_byte_ns, r.start_ns) AS from_ns,
       greatest(r.end_ns, coalesce(r.first_byte_ns, r.start_ns) + 1) AS to_ns, r.size_bytes
FROM read_parquet('{run}requests/*.parquet', union_by_name = true) r
JOIN placed p USING (execution) WHERE r.operation = 'GET' AND r.size_bytes > 0;
)sql";

constexpr std::string_view kNoDelivered =
    R"sql(
-- No cell's requests are compacted yet: an empty table of the same columns.
CREATE OR REPLACE TABLE flows (cell VARCHAR, session BIGINT, shift_ns BIGINT, from_ns BIGINT,
  to_ns BIGINT, size_bytes BIGINT);
)sql";

constexpr std::string_view kSeconds =
    R"sql(
CREATE OR REPLACE TABLE delivered AS
SELECT cell, second,
       sum(size_bytes * (least(b, (second + 1) * 1000000000) - greatest(a, second * 1000000000))
             / (b - a)) AS bytes
FROM (SELECT cell, size_bytes, greatest(0, from_ns + shift_ns) AS a,
             greatest(1, to_ns + shift_ns) AS b,
             unnest(generate_series(greatest(0, from_ns + shift_ns) // 1000000000,
                                    (greatest(1, to_ns + shift_ns) - 1) // 1000000000)) AS second
      FROM flows)
GROUP BY ALL;

CREATE OR REPLACE TABLE delivered_by_clock AS
SELECT session, second,
       sum(size_bytes * (least(to_ns, (second + 1) * 1000000000)
                           - greatest(from_ns, second * 1000000000)) / (to_ns - from_ns)) AS bytes
FROM (SELECT session, size_bytes, from_ns, to_ns,
             unnest(generate_series(from_ns // 1000000000, (to_ns - 1) // 1000000000)) AS second
      FROM flows)
GROUP BY ALL;
)sql";

}  // namespace

std::string ResourceBaseSql(bool has_samples, bool has_requests) {
  std::string sql(has_samples ? kSamples : kNoSamples);
  sql += kStretches;
  sql += has_requests ? kDelivered : kNoDelivered;
  return sql += kSeconds;
}

std::vector<TableSql> ResourceTables() {
  return {
      {"resources",
       R"sql(-- What each cell used while its queries ran. Throughput is of its query time: peak is the best
-- second, sustained the best 10 seconds in a row; both need that many whole seconds. Shares and
-- rates are averages over the looks at the machine, weighted by how much of each its queries filled.
WITH times AS (SELECT cell, sum(end_ns - start_ns) / 1e9 AS query_s FROM query_time GROUP BY ALL),
     whole AS (
       SELECT cell, unnest(generate_series(0, floor(query_s)::BIGINT - 1)) AS second FROM times),
     lined AS (
       SELECT w.cell, w.second, coalesce(d.bytes, 0) AS bytes
       FROM whole w LEFT JOIN delivered d USING (cell, second)),
     held AS (
       SELECT cell, bytes,
              CASE WHEN count(*) OVER held = 10 THEN avg(bytes) OVER held END AS held_bytes
       FROM lined
       WINDOW held AS (PARTITION BY cell ORDER BY second
                       ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)),
     peaks AS (
       SELECT cell, max(bytes) AS peak, max(held_bytes) AS sustained FROM held GROUP BY ALL),
     totals AS (SELECT cell, sum(bytes) AS bytes FROM delivered GROUP BY ALL),
     latencies AS (
       SELECT cell, avg(ms) AS get_mean_ms, quantile_cont(ms, 0.5) AS get_p50_ms,
              quantile_cont(ms, 0.99) AS get_p99_ms
       FROM requests WHERE op = 'GET' GROUP BY ALL),
     parts AS (
       SELECT q.cell, s.*,
              sum(least(s.to_ns, q.end_ns) - greatest(s.from_ns, q.start_ns))
                / any_value(s.to_ns - s.from_ns) AS part
       FROM stretches s JOIN query_time q
         ON q.session = s.session AND q.start_ns < s.to_ns AND q.end_ns > s.from_ns
       GROUP BY ALL),
     uses AS (
       SELECT cell, count(*) AS looks, sum(part * seconds) AS seen_s,
              sum(part * user_s) / sum(part * seconds * cores) AS cpu_user,
              sum(part * system_s) / sum(part * seconds * cores) AS cpu_system,
              sum(part * iowait_s) / sum(part * seconds * cores) AS cpu_iowait,
              sum(part * steal_s) / sum(part * seconds * cores) AS cpu_steal,
              max((user_s + system_s) / (seconds * cores)) FILTER (part >= 0.5 AND seconds >= 0.5)
                AS cpu_peak,
              sum(part * disk_read_bytes) / sum(part * seconds) AS disk_read_bytes_s,
              sum(part * disk_written_bytes) / sum(part * seconds) AS disk_written_bytes_s,
              sum(part * received_bytes) / sum(part * seconds) AS received_bytes_s,
              sum(part * sent_bytes) / sum(part * seconds) AS sent_bytes_s,
              sum(swapped_bytes) AS swapped_bytes, max(resident_bytes) AS resident_peak_bytes,
              min(available_bytes) AS available_least_bytes, max(cores) AS cores
       FROM parts GROUP BY cell),
     engines AS (
       SELECT cell, CASE WHEN count(cpu_ns) = count(*) THEN sum(cpu_ns) / 1e9 END AS engine_cpu_s
       FROM valid WHERE status <> 'cancelled' GROUP BY cell)
SELECT c.cell, t.query_s, p.peak / 1e9 AS peak_gb_s, p.sustained / 1e9 AS sustained_gb_s,
       b.bytes / t.query_s / 1e9 AS average_gb_s, l.get_mean_ms, l.get_p50_ms, l.get_p99_ms,
       u.looks, u.cpu_user, u.cpu_system, u.cpu_iowait, u.cpu_steal, u.cpu_peak,
       e.engine_cpu_s / (t.query_s * u.cores) AS engine_cpu, u.disk_read_bytes_s,
       u.disk_written_bytes_s, u.received_bytes_s, u.sent_bytes_s, u.swapped_bytes,
       u.resident_peak_bytes, u.available_least_bytes
FROM cells c LEFT JOIN times t USING (cell) LEFT JOIN peaks p USING (cell)
LEFT JOIN totals b USING (cell) LEFT JOIN latencies l USING (cell) LEFT JOIN uses u USING (cell)
LEFT JOIN engines e USING (cell)
ORDER BY c.place;
)sql"},
      {"timeline",
       R"sql(-- The run by the clock, in at most 600 steps: shares of all cores, and bytes a second that GETs
-- delivered. at_s counts from the first look; a later session follows where the wall clock puts it.
WITH clocks AS (
       SELECT session, arg_min(start_utc_ns - start_ns, start_ns) AS offset_ns
       FROM executions GROUP BY session),
     placed AS (
       SELECT s.*, s.from_ns + c.offset_ns AS from_utc_ns, d.bytes AS delivered_bytes
       FROM stretches s JOIN clocks c USING (session)
       LEFT JOIN LATERAL (SELECT sum(bytes) AS bytes FROM delivered_by_clock d
                          WHERE d.session = s.session AND d.second * 1000000000 >= s.from_ns
                            AND d.second * 1000000000 < s.to_ns) d ON true),
     span AS (SELECT min(from_utc_ns) AS start_ns,
                     greatest(1, ceil((max(from_utc_ns) - min(from_utc_ns)) / 1e9 / 600)) AS step_s
              FROM placed)
SELECT session, floor((from_utc_ns - start_ns) / 1e9 / step_s) * step_s AS at_s,
       any_value(step_s) AS step_s, sum(user_s) / sum(seconds * cores) AS cpu_user,
       sum(system_s) / sum(seconds * cores) AS cpu_system,
       sum(iowait_s) / sum(seconds * cores) AS cpu_iowait,
       sum(steal_s) / sum(seconds * cores) AS cpu_steal,
       sum(engine_s) / sum(seconds * cores) AS engine_cpu,
       sum(delivered_bytes) / sum(seconds) AS delivered_bytes_s,
       (sum(disk_read_bytes) + sum(disk_written_bytes)) / sum(seconds) AS disk_bytes_s
FROM placed, span GROUP BY session, at_s ORDER BY at_s, session;
)sql"},
      {"bands", R"sql(-- When each pass of a cell ran, on the same line of time.
WITH clocks AS (
       SELECT session, arg_min(start_utc_ns - start_ns, start_ns) AS offset_ns
       FROM executions GROUP BY session),
     span AS (SELECT min(s.from_ns + c.offset_ns) AS start_ns
              FROM stretches s JOIN clocks c USING (session))
SELECT e.cell, e.session, e.iteration, e.warmup,
       (min(e.start_ns + c.offset_ns) - any_value(span.start_ns)) / 1e9 AS from_s,
       (max(e.end_ns + c.offset_ns) - any_value(span.start_ns)) / 1e9 AS to_s,
       count(*) AS executions
FROM executions e JOIN clocks c USING (session), span
WHERE span.start_ns IS NOT NULL
GROUP BY e.cell, e.session, e.iteration, e.warmup ORDER BY from_s;
)sql"},
      {"servers",
       R"sql(-- What watched servers did while each cell's queries ran, by the metric's own name: counters as
-- growth a second, gauges as their average; looks that got no answer are gaps.
WITH of_servers AS (
       SELECT * FROM samples WHERE source NOT IN ('machine', 'engine', 'sampler')),
     steps AS (
       SELECT session, source, metric, labels, kind, value,
              lag(time_ns) OVER w AS from_ns, time_ns AS to_ns,
              greatest(0, value - lag(value) OVER w) AS growth
       FROM of_servers
       WINDOW w AS (PARTITION BY session, source, metric, labels ORDER BY time_ns)),
     parts AS (
       SELECT q.cell, s.source, s.metric, s.labels, s.kind, s.to_ns, s.value, s.growth,
              s.to_ns - s.from_ns AS length_ns,
              sum(least(s.to_ns, q.end_ns) - greatest(s.from_ns, q.start_ns)) AS overlap_ns
       FROM steps s JOIN query_time q
         ON q.session = s.session AND q.start_ns < s.to_ns AND q.end_ns > s.from_ns
       WHERE s.from_ns IS NOT NULL AND s.to_ns > s.from_ns GROUP BY ALL),
     series AS (
       SELECT cell, source, metric, labels, any_value(kind) AS kind, count(*) AS looks,
              CASE WHEN any_value(kind) = 'counter'
                   THEN sum(growth * overlap_ns / length_ns) / (sum(overlap_ns) / 1e9)
                   ELSE sum(value * overlap_ns) / sum(overlap_ns) END AS average,
              CASE WHEN any_value(kind) = 'counter' THEN max(growth / (length_ns / 1e9))
                   ELSE max(value) END AS most
       FROM parts GROUP BY ALL),
     cpus AS (
       SELECT cell, source,
              1 - sum(average) FILTER (labels LIKE '%mode=idle%' OR labels LIKE '%mode=iowait%'
                                       OR labels LIKE '%mode=steal%') / sum(average) AS cpu
       FROM series WHERE metric = 'node_cpu_seconds_total' GROUP BY ALL),
     gaps AS (
       SELECT cell, source, count(*) AS looks, count(*) FILTER (value = 0) AS gaps
       FROM parts WHERE metric = 'up' GROUP BY ALL),
     named AS (
       SELECT cell, source, metric, any_value(kind) AS kind, sum(average) AS average,
              sum(most) AS most
       FROM series WHERE metric <> 'up' AND labels NOT LIKE '%device=lo%' GROUP BY ALL),
     listed AS (
       SELECT cell, source,
              to_json(list({metric: metric, kind: kind, average: average, most: most}
                           ORDER BY metric)) AS metrics_json
       FROM named GROUP BY ALL)
SELECT g.cell, g.source, g.looks, g.gaps, c.cpu, l.metrics_json
FROM gaps g LEFT JOIN cpus c USING (cell, source) LEFT JOIN listed l USING (cell, source)
ORDER BY (SELECT place FROM cells WHERE cells.cell = g.cell), g.source;
)sql"}};
}

}  // namespace lakegauge::analyze
