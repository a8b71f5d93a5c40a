#include "analyze/table_sql.h"

#include <fmt/format.h>

#include "analyze/cost_of_run.h"
#include "analyze/disturbances.h"
#include "analyze/resources.h"
#include "analyze/statistics.h"
#include "sql/sql.h"

namespace lakegauge::analyze {
namespace {

constexpr std::string_view kPlan = R"sql(-- What was planned: cells and executions of plan.json.
CREATE OR REPLACE TABLE plan AS
SELECT run, compare->>'layout' AS compare_layout, compare->>'store' AS compare_store
FROM read_json('{run}plan.json', maximum_object_size = 1073741824,
               columns = {run: 'VARCHAR', compare: 'JSON'});

CREATE OR REPLACE TABLE cells AS
SELECT place, c->>'id' AS cell, c->>'engine' AS engine, c->>'store' AS store,
       c->>'layout' AS layout, c->>'dataset' AS dataset, c->>'dataset_name' AS dataset_name,
       c->>'layout_name' AS layout_name, c->>'$.layout_spec.format' AS format,
       coalesce((c->>'$.layout_spec.target_file_bytes')::BIGINT, 0) AS target_bytes,
       coalesce((c->>'emulated')::BOOLEAN, false) AS emulated
FROM (SELECT unnest(cells) AS c, generate_subscripts(cells, 1) AS place
      FROM read_json('{run}plan.json', maximum_object_size = 1073741824,
                     columns = {cells: 'JSON[]'}));

CREATE OR REPLACE TABLE planned AS
SELECT (e->>'id')::BIGINT AS execution, e->>'cell' AS cell, (e->>'stream')::INT AS stream,
       (e->>'iteration')::INT AS iteration, e->>'query' AS query,
       coalesce((e->>'warmup')::BOOLEAN, false) AS warmup,
       coalesce((e->>'repeat')::BOOLEAN, false) AS repeat
FROM (SELECT unnest(executions) AS e
      FROM read_json('{run}plan.json', maximum_object_size = 1073741824,
                     columns = {executions: 'JSON[]'}));
)sql";

constexpr std::string_view kAnnotations =
    R"sql(-- Executions that a person marked invalid, and why: the last word on each counts.
CREATE OR REPLACE TABLE annotations AS
SELECT execution, reason, at_utc
FROM (SELECT *
      FROM read_json('{run}annotations.jsonl', format = 'newline_delimited', ignore_errors = true,
                     columns = {type: 'VARCHAR', annotation: 'BIGINT', execution: 'BIGINT',
                                reason: 'VARCHAR', at_utc: 'VARCHAR'})
      WHERE annotation IS NOT NULL
      QUALIFY row_number() OVER (PARTITION BY execution ORDER BY annotation DESC) = 1)
WHERE type = 'invalid';
)sql";

constexpr std::string_view kNoAnnotations =
    R"sql(-- No execution was marked by a person: an empty table of the same columns.
CREATE OR REPLACE TABLE annotations (execution BIGINT, reason VARCHAR, at_utc VARCHAR);
)sql";

constexpr std::string_view kExecutions =
    R"sql(-- What was done: the journal's end lines, of what was cancelled or failed and ran again the newest
-- one (retried: what it had ended as before). Warm-up passes are left out of measured; what was
-- marked invalid stays in it, marked. valid is what counts in figures.
CREATE OR REPLACE TABLE ended AS
SELECT * EXCLUDE (type),
       row_number() OVER (PARTITION BY execution
                          ORDER BY status <> 'cancelled' DESC, session DESC, start_ns DESC) AS newest
FROM read_json('{run}journal.jsonl', format = 'newline_delimited', ignore_errors = true,
               columns = {type: 'VARCHAR', execution: 'BIGINT', cell: 'VARCHAR', stream: 'INT',
                          iteration: 'INT', position: 'INT', query: 'VARCHAR', warmup: 'BOOLEAN',
                          cache: 'VARCHAR', resident_bytes: 'BIGINT', session: 'BIGINT',
                          start_ns: 'BIGINT',
                          start_utc_ns: 'BIGINT', status: 'VARCHAR', end_ns: 'BIGINT',
                          elapsed_ns: 'BIGINT', cpu_ns: 'BIGINT', "rows": 'BIGINT',
                          result_fingerprint: 'VARCHAR', answer_check: 'VARCHAR',
                          requests: 'BIGINT', bytes_read: 'BIGINT', blocked_ns: 'BIGINT',
                          wait_lane_ns: 'BIGINT', machine_busy_s: 'DOUBLE', error: 'VARCHAR'})
WHERE type = 'end';

CREATE OR REPLACE TABLE executions AS SELECT * EXCLUDE (newest) FROM ended WHERE newest = 1;

CREATE OR REPLACE TABLE retried AS
SELECT execution, cell, query, stream, iteration, session, status, coalesce(error, '') AS error
FROM ended WHERE newest > 1 AND status <> 'cancelled' AND NOT warmup;

CREATE OR REPLACE TABLE measured AS
SELECT e.*, c.engine, c.store, c.layout, c.dataset, c.emulated,
       a.execution IS NOT NULL AS invalid, a.reason AS invalid_reason
FROM executions e JOIN cells c USING (cell) LEFT JOIN annotations a USING (execution)
WHERE NOT e.warmup;

CREATE OR REPLACE VIEW valid AS SELECT * FROM measured WHERE NOT invalid;
)sql";

constexpr std::string_view kRequests =
    R"sql(-- Storage requests of the cells that are finished.
CREATE OR REPLACE VIEW requests AS
SELECT e.cell, e.engine, e.store, e.layout, e.dataset, e.iteration, r.operation AS op,
       r.status, r.size_bytes, (r.end_ns - r.start_ns) / 1e6 AS ms,
       CASE WHEN r.asked_ns >= 0 THEN r.asked_ns / 1e6 END AS asked_ms,
       CASE WHEN r.asked_ns >= 0 THEN r.lateness_ns / 1e6 END AS late_ms,
       r.start_ns, r.first_byte_ns, r.end_ns, r.asked_ns, r.asked_first_ns, r.attempt
FROM read_parquet('{run}requests/*.parquet', union_by_name = true) r
JOIN valid e USING (execution);
)sql";

constexpr std::string_view kNoRequests =
    R"sql(-- No cell's requests are compacted yet: an empty table of the same columns.
CREATE OR REPLACE TABLE requests (cell VARCHAR, engine VARCHAR, store VARCHAR, layout VARCHAR,
  dataset VARCHAR, iteration INT, op VARCHAR, status INT, size_bytes BIGINT, ms DOUBLE,
  asked_ms DOUBLE, late_ms DOUBLE, start_ns BIGINT, first_byte_ns BIGINT, end_ns BIGINT,
  asked_ns BIGINT, asked_first_ns BIGINT, attempt INT);
)sql";

constexpr std::string_view kFiles =
    R"sql(-- Files of each layout, from the manifests. The last file of a table (or of a partition of it)
-- holds what is left over, so its size says nothing of the writer.
CREATE OR REPLACE TABLE files AS
WITH named AS (SELECT DISTINCT dataset, layout, dataset_name, layout_name, target_bytes FROM cells),
     listed AS (SELECT dataset AS dataset_name, layout AS layout_name, unnest(files) AS f
                FROM read_json('{run}manifests/*/*.json', maximum_object_size = 1073741824,
                               columns = {dataset: 'VARCHAR', layout: 'VARCHAR',
                                          files: 'JSON[]'}))
SELECT dataset, layout, target_bytes, f->>'table' AS "table", f->>'key' AS key,
       (f->>'size')::BIGINT AS size, (f->>'rows')::BIGINT AS "rows",
       coalesce(nullif(f->>'sha256', ''), f->>'xxh3') AS hash,
       row_number() OVER (PARTITION BY dataset, layout, f->>'table',
                                       regexp_replace(f->>'key', '[^/]*$', '')
                          ORDER BY f->>'key' DESC) = 1 AS is_last
FROM listed JOIN named USING (dataset_name, layout_name);
)sql";

constexpr std::string_view kNoFiles =
    R"sql(-- No manifest is there: an empty table of the same columns.
CREATE OR REPLACE TABLE files (dataset VARCHAR, layout VARCHAR, target_bytes BIGINT,
  "table" VARCHAR, key VARCHAR, size BIGINT, "rows" BIGINT, hash VARCHAR, is_last BOOLEAN);
)sql";

constexpr std::string_view kPasses =
    R"sql(-- One row a pass (iteration of a cell). Its time is the sum of its queries' times, with
-- several streams the average over them. A pass counts only when every query of it was ok and none
-- is marked invalid; what was only repeated because it looked suspect is no pass.
CREATE OR REPLACE TABLE passes AS
WITH asked AS (SELECT cell, iteration, count(*) AS asked, count(DISTINCT stream) AS streams
               FROM planned WHERE NOT warmup AND NOT repeat GROUP BY ALL)
SELECT a.cell, a.iteration, a.asked, a.streams, count(e.execution) AS done,
       count(*) FILTER (e.status = 'ok' AND NOT e.invalid) AS ok,
       count(*) FILTER (e.status = 'ok' AND NOT e.invalid) = a.asked AS complete,
       sum(e.elapsed_ns) / 1e9 / a.streams AS pass_s, sum(e.requests)::BIGINT AS requests,
       sum(e.bytes_read)::BIGINT AS bytes_read, sum(e.blocked_ns) / 1e9 AS blocked_s,
       CASE WHEN count(e.cpu_ns) = count(e.execution) THEN sum(e.cpu_ns) / 1e9 END AS cpu_s
FROM asked a LEFT JOIN measured e USING (cell, iteration)
GROUP BY a.cell, a.iteration, a.asked, a.streams;
)sql";

constexpr std::string_view kQueryStats =
    R"sql(-- One row a query and cell; times of the executions that were ok and are not marked invalid.
CREATE OR REPLACE TABLE query_stats AS
SELECT query, cell, any_value(engine) AS engine, any_value(store) AS store,
       any_value(layout) AS layout, any_value(dataset) AS dataset,
       count(*) FILTER (ok) AS n,
       count(*) FILTER (status NOT IN ('ok', 'cancelled') AND NOT invalid) AS failed,
       count(*) FILTER (invalid) AS invalid,
       min(s) FILTER (ok) AS min_s, max(s) FILTER (ok) AS max_s, avg(s) FILTER (ok) AS avg_s,
       stddev_samp(s) FILTER (ok) AS stddev_s, median(s) FILTER (ok) AS median_s,
       avg(requests) FILTER (ok) AS requests, avg(bytes_read) FILTER (ok) AS bytes_read,
       avg(blocked_ns) FILTER (ok) / 1e9 AS blocked_s,
       CASE WHEN count(cpu_ns) FILTER (ok) = count(*) FILTER (ok)
            THEN avg(cpu_ns) FILTER (ok) / 1e9 END AS cpu_s,
       avg("rows") FILTER (ok) AS "rows"
FROM (SELECT *, status = 'ok' AND NOT invalid AS ok, elapsed_ns / 1e9 AS s FROM measured)
GROUP BY query, cell;
)sql";

constexpr std::string_view kPairs =
    R"sql(-- Which cell is compared with which, and the pass times of both over the queries that never
-- failed in either: a query that failed on one side would make that side look fast.
CREATE OR REPLACE TABLE pairs AS
SELECT 'layout' AS kind, a.cell, b.cell AS baseline
FROM cells a JOIN cells b USING (engine, store, dataset), plan
WHERE b.layout = plan.compare_layout AND a.cell <> b.cell
UNION ALL
SELECT 'store', a.cell, b.cell
FROM cells a JOIN cells b USING (engine, layout, dataset), plan
WHERE b.store = plan.compare_store AND a.cell <> b.cell;

CREATE OR REPLACE TABLE pair_passes AS
WITH usable AS (SELECT cell, query FROM valid GROUP BY ALL
                HAVING count(*) FILTER (status NOT IN ('ok', 'cancelled')) = 0
                   AND count(*) FILTER (status = 'ok') > 0),
     common AS (SELECT p.kind, p.cell, p.baseline, u.query
                FROM pairs p JOIN usable u ON u.cell = p.cell
                JOIN usable v ON v.cell = p.baseline AND v.query = u.query),
     sized AS (SELECT kind, cell, baseline, count(*) AS queries FROM common GROUP BY ALL),
     streams AS (SELECT cell, count(DISTINCT stream) AS streams
                 FROM planned WHERE NOT warmup GROUP BY ALL)
SELECT c.kind, c.cell, c.baseline, side.of AS side, any_value(z.queries) AS queries,
       e.iteration, sum(e.elapsed_ns) / 1e9 / any_value(s.streams) AS pass_s
FROM common c JOIN sized z USING (kind, cell, baseline)
CROSS JOIN (VALUES ('cell'), ('baseline')) side(of)
JOIN valid e ON e.query = c.query AND e.status = 'ok'
            AND e.cell = CASE side.of WHEN 'cell' THEN c.cell ELSE c.baseline END
JOIN streams s ON s.cell = e.cell
GROUP BY c.kind, c.cell, c.baseline, side.of, e.iteration
HAVING count(*) = any_value(z.queries) * any_value(s.streams);
)sql";

std::vector<TableSql>* MakeResultTables() {
  return new std::vector<TableSql>{
      {"cells", R"sql(-- One row a cell; suite figures over its complete passes.
WITH suite AS (
       SELECT cell, count(*) AS n, min(pass_s) AS min_s, max(pass_s) AS max_s, avg(pass_s) AS avg_s,
              stddev_samp(pass_s) AS stddev_s, median(pass_s) AS median_s, sum(pass_s) AS total_s,
              100 * stddev_samp(pass_s) / avg(pass_s) AS stability_pct,
              to_json(list(pass_s ORDER BY iteration)) AS iterations_json,
              avg(requests) AS requests, avg(bytes_read) AS bytes_read, avg(blocked_s) AS blocked_s,
              CASE WHEN count(cpu_s) = count(*) THEN avg(cpu_s) END AS cpu_s
       FROM passes WHERE complete GROUP BY cell),
     means AS (
       SELECT cell, CASE WHEN bool_and(n > 0) THEN geomean(avg_s) END AS geomean_s
       FROM query_stats GROUP BY cell),
     ops AS (
       SELECT cell, json_group_object(op, per_pass) AS ops_json
       FROM (SELECT r.cell, r.op, count(*) / any_value(p.passes) AS per_pass
             FROM requests r
             JOIN (SELECT cell, count(*) AS passes FROM passes WHERE complete GROUP BY cell) p
               USING (cell)
             JOIN passes q ON q.cell = r.cell AND q.iteration = r.iteration AND q.complete
             GROUP BY r.cell, r.op ORDER BY ALL)
       GROUP BY cell),
     counts AS (
       SELECT cell, count(*) AS executions,
              count(*) FILTER (status NOT IN ('ok', 'cancelled') AND NOT invalid) AS failures,
              count(*) FILTER (status = 'cancelled') AS cancelled,
              count(*) FILTER (invalid) AS invalid,
              count(*) FILTER (cache = 'cold' AND NOT invalid) AS cold,
              count(*) FILTER (cache = 'warm' AND NOT invalid) AS warm,
              sum(machine_busy_s) FILTER (NOT invalid)
                / nullif(sum(elapsed_ns) FILTER (NOT invalid) / 1e9, 0) AS busy_cores
       FROM measured GROUP BY cell),
     file_stats AS (
       SELECT dataset, layout, count(*) AS files, sum(size)::BIGINT AS bytes,
              median(size) AS median_bytes,
              CASE WHEN any_value(target_bytes) > 0
                   THEN avg((abs(size - target_bytes) <= 0.1 * target_bytes)::INT)
                        FILTER (NOT is_last) END AS within_10pct
       FROM files GROUP BY dataset, layout)
SELECT c.*, s.* EXCLUDE (cell), t.t975, m.geomean_s, o.ops_json, k.* EXCLUDE (cell), f.files,
       f.bytes AS file_bytes, f.median_bytes, f.within_10pct
FROM cells c LEFT JOIN suite s USING (cell) LEFT JOIN means m USING (cell)
LEFT JOIN ops o USING (cell) LEFT JOIN counts k USING (cell)
LEFT JOIN file_stats f USING (dataset, layout) LEFT JOIN student_t t ON t.df = s.n - 1
ORDER BY c.place;
)sql"},
      {"comparisons",
       R"sql(-- Pass times of a cell and of what it is compared with, over the queries both finished.
WITH asked AS (SELECT cell, count(DISTINCT query) AS queries
               FROM planned WHERE NOT warmup GROUP BY ALL)
SELECT kind, cell, baseline, max(queries) AS queries,
       (SELECT queries FROM asked WHERE asked.cell = pair_passes.cell) AS queries_asked,
       count(*) FILTER (side = 'cell') AS n,
       avg(pass_s) FILTER (side = 'cell') AS avg_s,
       stddev_samp(pass_s) FILTER (side = 'cell') AS stddev_s,
       count(*) FILTER (side = 'baseline') AS base_n,
       avg(pass_s) FILTER (side = 'baseline') AS base_avg_s,
       stddev_samp(pass_s) FILTER (side = 'baseline') AS base_stddev_s
FROM pair_passes GROUP BY kind, cell, baseline ORDER BY kind, cell, baseline;
)sql"},
      {"queries",
       R"sql(-- One row a query and cell, beside the same query in the cells it is compared with.
WITH best AS (SELECT dataset, query, min(avg_s) AS best_s FROM query_stats GROUP BY ALL),
     base AS (SELECT p.kind, p.cell, q.query, q.n, q.avg_s, q.stddev_s
              FROM pairs p JOIN query_stats q ON q.cell = p.baseline)
SELECT q.* EXCLUDE (engine, store, layout, dataset),
       q.avg_s * exp(-t.t975 * q.stddev_s / (nullif(q.avg_s, 0) * sqrt(q.n))) AS ci95_low_s,
       q.avg_s * exp(t.t975 * q.stddev_s / (nullif(q.avg_s, 0) * sqrt(q.n))) AS ci95_high_s,
       q.layout = plan.compare_layout AS is_layout_baseline,
       l.n AS layout_n, l.avg_s AS layout_avg_s, l.stddev_s AS layout_stddev_s,
       q.store = plan.compare_store AS is_store_baseline,
       s.n AS store_n, s.avg_s AS store_avg_s, s.stddev_s AS store_stddev_s,
       q.avg_s / best.best_s AS ratio_to_best
FROM query_stats q JOIN (SELECT cell, place FROM cells) c USING (cell) CROSS JOIN plan
LEFT JOIN best USING (dataset, query) LEFT JOIN student_t t ON t.df = q.n - 1
LEFT JOIN base l ON l.kind = 'layout' AND l.cell = q.cell AND l.query = q.query
LEFT JOIN base s ON s.kind = 'store' AND s.cell = q.cell AND s.query = q.query
ORDER BY c.place, (SELECT min(execution) FROM planned p
                   WHERE p.cell = q.cell AND p.query = q.query AND stream = 0), q.query;
)sql"},
      {"latency",
       R"sql(-- Latency of storage requests, delivered and as the profile asked; buckets grow by sqrt(2).
WITH buckets AS (
       SELECT store, layout, op, to_json(list([upper_ms, n] ORDER BY upper_ms)) AS histogram_json
       FROM (SELECT store, layout, op, pow(2, ceil(2 * log2(greatest(ms, 1e-6))) / 2) AS upper_ms,
                    count(*)::DOUBLE AS n
             FROM requests GROUP BY ALL)
       GROUP BY ALL)
SELECT store, layout, op, count(*) AS count, count(*) FILTER (status <> 0) AS errors,
       avg(ms) AS mean_ms, quantile_cont(ms, 0.5) AS p50_ms, quantile_cont(ms, 0.9) AS p90_ms,
       quantile_cont(ms, 0.99) AS p99_ms, max(ms) AS max_ms,
       count(asked_ms) AS shaped, avg(asked_ms) AS asked_mean_ms,
       quantile_cont(asked_ms, 0.5) AS asked_p50_ms, quantile_cont(asked_ms, 0.99) AS asked_p99_ms,
       avg(late_ms) AS late_mean_ms, quantile_cont(late_ms, 0.99) AS late_p99_ms, b.histogram_json
FROM requests r JOIN buckets b USING (store, layout, op)
GROUP BY store, layout, op, b.histogram_json
ORDER BY (SELECT min(place) FROM cells c WHERE c.store = r.store AND c.layout = r.layout), op;
)sql"},
      {"shaping",
       R"sql(-- What shaped requests took against what the profile asked, by store and operation. Late: how
-- long after that they ended, since this machine's cores or timers were late; part of what they took.
SELECT store, op, count(*) AS count, avg(ms) AS mean_ms, avg(asked_ms) AS asked_mean_ms,
       quantile_cont(ms, 0.5) AS p50_ms, quantile_cont(asked_ms, 0.5) AS asked_p50_ms,
       quantile_cont(ms, 0.99) AS p99_ms, quantile_cont(asked_ms, 0.99) AS asked_p99_ms,
       avg(late_ms) AS late_mean_ms, quantile_cont(late_ms, 0.5) AS late_p50_ms,
       quantile_cont(late_ms, 0.99) AS late_p99_ms
FROM requests r WHERE asked_ms IS NOT NULL
GROUP BY store, op ORDER BY (SELECT min(place) FROM cells c WHERE c.store = r.store), op;
)sql"},
      {"shaping_limits",
       R"sql(-- Bandwidth and rate of each shaped store. A stream: bytes over the time from first byte to end,
-- summed over requests. In all: bytes over the time in which any transfer was under way. The rate is
-- the most reads let through in any second. Asked: the same by the deadlines that the profile gave.
WITH transfers AS (
       SELECT store, cell, iteration, size_bytes, first_byte_ns AS began, end_ns AS ended,
              start_ns + asked_ns AS due
       FROM requests
       WHERE asked_ns >= 0 AND op = 'GET' AND status = 0 AND size_bytes > 0 AND first_byte_ns > 0),
     before AS (
       SELECT *, max(ended) OVER earlier AS ended_before, max(due) OVER earlier AS due_before
       FROM transfers
       WINDOW earlier AS (PARTITION BY cell, iteration ORDER BY began
                          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)),
     bandwidth AS (
       SELECT store, sum(size_bytes) / nullif(sum(ended - began) / 1e9, 0) AS stream_bytes_per_s,
              sum(size_bytes) / nullif(sum(due - began) / 1e9, 0) AS asked_stream_bytes_per_s,
              avg(ended - due) / 1e6 AS transfer_slack_ms,
              sum(size_bytes) / nullif(sum(greatest(0, ended - greatest(began, coalesce(ended_before, began)))) / 1e9, 0)
                AS total_bytes_per_s,
              sum(size_bytes) / nullif(sum(greatest(0, due - greatest(began, coalesce(due_before, began)))) / 1e9, 0)
                AS asked_total_bytes_per_s
       FROM before GROUP BY store),
     admitted AS (
       SELECT store, count(*) OVER (PARTITION BY cell, iteration ORDER BY first_byte_ns - asked_first_ns
                                    RANGE BETWEEN 999999999 PRECEDING AND CURRENT ROW) AS in_a_second
       FROM requests
       WHERE asked_ns >= 0 AND op IN ('GET', 'HEAD', 'LIST') AND status = 0 AND first_byte_ns > 0),
     rates AS (SELECT store, max(in_a_second) AS most_reads_per_s FROM admitted GROUP BY store),
     refusals AS (SELECT store, sum(attempt - 1)::BIGINT + count(*) FILTER (status = 503) AS refused
                  FROM requests WHERE asked_ns >= 0 GROUP BY store)
SELECT refusals.store, b.* EXCLUDE (store), rates.most_reads_per_s, refused
FROM refusals LEFT JOIN bandwidth b ON b.store = refusals.store
LEFT JOIN rates ON rates.store = refusals.store
ORDER BY (SELECT min(place) FROM cells c WHERE c.store = refusals.store);
)sql"},
      {"sizes",
       R"sql(-- Achieved file sizes against the target. Buckets: a twentieth of the target, or powers of
-- sqrt(2) where there is none. within_10pct leaves the last file of a table or partition aside.
WITH bucketed AS (
       SELECT layout, dataset, "table",
              CASE WHEN target_bytes > 0 THEN ceil(size / (0.05 * target_bytes)) * 0.05 * target_bytes
                   ELSE pow(2, ceil(2 * log2(greatest(size, 1))) / 2) END AS upper_bytes,
              count(*)::DOUBLE AS n
       FROM files GROUP BY ALL),
     histograms AS (
       SELECT layout, dataset, "table",
              to_json(list([round(upper_bytes), n] ORDER BY upper_bytes)) AS histogram_json
       FROM bucketed GROUP BY ALL)
SELECT f.layout, f.dataset, f."table", count(*) AS files, sum(f."rows")::BIGINT AS "rows",
       sum(f.size)::BIGINT AS bytes, any_value(f.target_bytes) AS target_bytes,
       min(f.size) AS min_bytes, median(f.size) AS median_bytes, max(f.size) AS max_bytes,
       CASE WHEN any_value(f.target_bytes) > 0
            THEN avg((abs(f.size - f.target_bytes) <= 0.1 * f.target_bytes)::INT)
                 FILTER (NOT f.is_last) END AS within_10pct,
       count(*) FILTER (f.target_bytes > 0 AND NOT f.is_last) AS judged, h.histogram_json
FROM files f JOIN histograms h USING (layout, dataset, "table")
GROUP BY f.layout, f.dataset, f."table", h.histogram_json
ORDER BY (SELECT min(place) FROM cells c WHERE c.layout = f.layout AND c.dataset = f.dataset),
         bytes DESC, f."table";
)sql"},
      {"coinciding",
       R"sql(-- Layouts whose files are byte for byte the same.
WITH signatures AS (
       SELECT dataset, layout, count(*) AS files,
              md5(string_agg("table" || ':' || hash, ',' ORDER BY "table", hash)) AS signature
       FROM files WHERE hash IS NOT NULL GROUP BY ALL)
SELECT a.dataset, a.layout, b.layout AS same_as
FROM signatures a JOIN signatures b USING (dataset, signature)
WHERE a.layout <> b.layout ORDER BY ALL;
)sql"},
      {"answers",
       R"sql(-- Whether the answers of a query agree in every cell that gave one.
SELECT dataset, query, count(*) AS executions, count(DISTINCT cell) AS cells,
       count(DISTINCT result_fingerprint) AS fingerprints,
       count(*) FILTER (status = 'wrong_result') AS wrong,
       count(*) FILTER (answer_check = 'official') AS official,
       count(*) FILTER (answer_check = 'cells') AS with_cells,
       count(*) FILTER (coalesce(answer_check, '') = '') AS unchecked
FROM valid WHERE status IN ('ok', 'wrong_result') GROUP BY ALL ORDER BY ALL;
)sql"},
      {"times",
       R"sql(-- The times of each query and cell, with what is on record of the moment. other_cores: cores of
-- the machine that something else kept busy meanwhile.
SELECT e.cell, e.query, e.execution, e.iteration, e.stream, e.elapsed_ns / 1e9 AS s,
       CASE WHEN e.cpu_ns IS NOT NULL
            THEN (e.machine_busy_s - e.cpu_ns / 1e9) / nullif(e.elapsed_ns / 1e9, 0)
            END AS other_cores,
       (SELECT string_agg(DISTINCT reason, '; ' ORDER BY reason) FROM disturbances d
        WHERE d.execution = e.execution) AS disturbance
FROM valid e JOIN cells c USING (cell)
WHERE e.status = 'ok' ORDER BY c.place, e.query, e.execution;
)sql"},
      {"reads_vary",
       R"sql(-- How far a query's requests or bytes, on average, part between stores of the same layout. A plan
-- that does not depend on timing reads the same from each.
SELECT query, cell,
       greatest(1 - min(requests) OVER of_layout / nullif(max(requests) OVER of_layout, 0),
                1 - min(bytes_read) OVER of_layout / nullif(max(bytes_read) OVER of_layout, 0)) AS share
FROM query_stats WHERE n > 0
WINDOW of_layout AS (PARTITION BY query, engine, dataset, layout)
QUALIFY count(*) OVER of_layout > 1 ORDER BY ALL;
)sql"},
      {"failures", R"sql(-- Every execution that was not ok.
SELECT execution, cell, query, stream, iteration, status, coalesce(error, '') AS error,
       invalid_reason AS invalid
FROM measured WHERE status <> 'ok' ORDER BY execution;
)sql"},
      {"retried_now",
       R"sql(-- What failed or timed out and was run once more, and what it ended as last.
SELECT r.*, e.status AS now FROM retried r JOIN executions e USING (execution)
ORDER BY execution, session;
)sql"},
      {"annotated",
       R"sql(-- Executions that a person marked invalid (lakegauge annotate): in no figure.
SELECT execution, cell, query, stream, iteration, warmup, status, elapsed_ns / 1e9 AS seconds,
       reason, at_utc
FROM annotations JOIN executions USING (execution) ORDER BY execution;
)sql"},
      {"requests_kept",
       R"sql(-- Requests that the journal counted against those kept in requests/.
SELECT cell, j.requests AS journal, r.requests AS kept
FROM (SELECT cell, sum(requests)::BIGINT AS requests FROM valid GROUP BY ALL) j
LEFT JOIN (SELECT cell, count(*) AS requests FROM requests GROUP BY ALL) r USING (cell)
ORDER BY cell;
)sql"},
      {"run", R"sql(-- When the run began and ended, and how much of it is done.
SELECT (SELECT count(*) FROM planned) AS planned,
       count(*) FILTER (status <> 'cancelled') AS done,
       strftime(make_timestamp(min(start_utc_ns) // 1000), '%Y-%m-%dT%H:%M:%SZ') AS started_utc,
       strftime(make_timestamp(max(start_utc_ns + elapsed_ns) // 1000), '%Y-%m-%dT%H:%M:%SZ')
         AS finished_utc,
       (max(start_utc_ns + elapsed_ns) - min(start_utc_ns)) / 1e9 AS wall_s
FROM executions;
)sql"},
      {"queries_csv", R"sql(-- queries.csv: one row a query execution, warm-up left out.
SELECT plan.run, cell, engine, store, layout, dataset, stream, iteration, "position", query, status,
       strftime(make_timestamp(start_utc_ns // 1000), '%Y-%m-%dT%H:%M:%S.%fZ') AS started_utc,
       printf('%.6f', elapsed_ns / 1e6) AS elapsed_ms, printf('%.6f', cpu_ns / 1e6) AS cpu_ms,
       "rows", result_fingerprint, requests, bytes_read,
       printf('%.6f', blocked_ns / 1e6) AS blocked_ms, cache, error
FROM measured, plan ORDER BY execution;
)sql"},
      {"runs_csv",
       R"sql(-- runs.csv: one row an iteration of a cell and stream. wall_ms runs from the first query's start
-- to the last one's end, pauses between queries included (a stop and resume left out).
WITH sessions AS (
       SELECT cell, engine, store, layout, dataset, stream, iteration, session,
              min(execution) AS first, min(start_utc_ns) AS start_utc_ns,
              max(end_ns) - min(start_ns) AS wall_ns, count(*) AS queries,
              count(*) FILTER (status = 'ok') AS ok,
              count(*) FILTER (status NOT IN ('ok', 'cancelled')) AS failed,
              sum(requests) AS requests, sum(bytes_read) AS bytes_read, sum(blocked_ns) AS blocked_ns, sum(cpu_ns) AS cpu_ns,
              count(cpu_ns) AS with_cpu, min(cache) AS cache_min, max(cache) AS cache_max
       FROM measured GROUP BY ALL)
SELECT plan.run, cell, engine, store, layout, dataset, stream, iteration,
       strftime(make_timestamp(min(start_utc_ns) // 1000), '%Y-%m-%dT%H:%M:%S.%fZ') AS started_utc,
       printf('%.6f', sum(wall_ns) / 1e6) AS wall_ms, sum(queries)::BIGINT AS queries,
       sum(ok)::BIGINT AS ok, sum(failed)::BIGINT AS failed,
       sum(requests)::BIGINT AS requests, sum(bytes_read)::BIGINT AS bytes_read,
       printf('%.6f', sum(blocked_ns) / 1e6) AS blocked_ms,
       CASE WHEN sum(with_cpu) = sum(queries) THEN printf('%.6f', sum(cpu_ns) / 1e6) END AS cpu_ms,
       CASE WHEN min(cache_min) = max(cache_max) THEN min(cache_min) ELSE 'mixed' END AS cache
FROM sessions, plan GROUP BY plan.run, cell, engine, store, layout, dataset, stream, iteration
ORDER BY min(first);
)sql"},
  };
}

std::string StudentTable(int max_degrees) {
  std::string sql =
      "-- Student's t, two-sided 95%, by degrees of freedom.\n"
      "CREATE OR REPLACE TABLE student_t AS SELECT * FROM (VALUES\n ";
  for (int df = 1; df <= max_degrees; ++df) {
    sql += fmt::format("{} ({}, {:.12g}::DOUBLE)",
                       df == 1       ? ""
                       : df % 4 == 1 ? ",\n "
                                     : ",",
                       df, StudentTQuantile(0.975, df));
  }
  return sql + ") t(df, t975);\n";
}

}  // namespace

std::vector<TableSql> BaseTables(const SqlInputs& inputs) {
  std::vector<TableSql> tables = {
      {"plan", std::string(kPlan)},
      {"annotations", std::string(inputs.has_annotations ? kAnnotations : kNoAnnotations)},
      {"executions", std::string(kExecutions)},
      {"disturbances", std::string(DisturbanceBaseSql())},
      {"requests", std::string(inputs.has_requests ? kRequests : kNoRequests)},
      {"samples", ResourceBaseSql(inputs.has_samples, inputs.has_requests)},
      {"files", std::string(inputs.has_manifests ? kFiles : kNoFiles)},
      {"student_t", StudentTable(inputs.max_degrees)},
      {"passes", std::string(kPasses)},
      {"query_stats", std::string(kQueryStats)},
      {"pairs", std::string(kPairs)}};
  for (TableSql& table : CostBaseTables(inputs.has_requests)) tables.push_back(std::move(table));
  return tables;
}

const std::vector<TableSql>& ResultTables() {
  static const std::vector<TableSql>* const tables = [] {
    auto* all = MakeResultTables();
    for (const auto& others : {CostResultTables(), DisturbanceTables(), ResourceTables()}) {
      all->insert(all->begin(), others.begin(), others.end());
    }
    return all;
  }();
  return *tables;
}

const std::string& ResultSql(std::string_view name) {
  for (const TableSql& table : ResultTables()) {
    if (table.name == name) return table.sql;
  }
  static const std::string* const none = new std::string;
  return *none;
}

std::string SqlFor(std::string_view sql, const std::string& run_dir) {
  std::string prefix;
  for (const char c : sql::EscapeGlob(run_dir)) {
    prefix += c;
    if (c == '\'') prefix += c;
  }
  if (!prefix.empty() && prefix.back() != '/') prefix += '/';
  constexpr std::string_view kMark = "{run}";
  std::string out;
  size_t from = 0;
  for (size_t at; (at = sql.find(kMark, from)) != std::string_view::npos;
       from = at + kMark.size()) {
    out += sql.substr(from, at - from);
    out += prefix;
  }
  return out += sql.substr(from);
}

}  // namespace lakegauge::analyze
