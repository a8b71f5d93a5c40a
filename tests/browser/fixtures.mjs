// Result models (docs/formats.md, "summary.json") to try the page on. Figures come from a small
// seeded model of stores and layouts, so that the same fixture is the same bytes every time.

const MIB = 2 ** 20;
const GIB = 2 ** 30;

function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const sum = (values) => values.reduce((a, b) => a + b, 0);
const mean = (values) => sum(values) / values.length;
const median = (values) => {
  const s = [...values].sort((a, b) => a - b);
  const m = s.length >> 1;
  return s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2;
};
const stddev = (values) => {
  if (values.length < 2) return null;
  const m = mean(values);
  return Math.sqrt(sum(values.map((v) => (v - m) ** 2)) / (values.length - 1));
};
const T975 = [0, 0, 12.706, 4.303, 3.182, 2.776, 2.571];

function statistics(values) {
  const n = values.length;
  if (n === 0) {
    return { n, min_s: null, max_s: null, avg_s: null, stddev_s: null, median_s: null,
      ci95_low_s: null, ci95_high_s: null };
  }
  const avg = mean(values);
  const sd = stddev(values);
  const half = sd === null ? null : (T975[n] ?? 1.96) * sd / Math.sqrt(n);
  return { n, min_s: Math.min(...values), max_s: Math.max(...values), avg_s: avg, stddev_s: sd,
    median_s: median(values), ci95_low_s: half === null ? null : avg - half,
    ci95_high_s: half === null ? null : avg + half };
}

export const STORES = {
  local: { uri: 'file:', kind: 'file', first_byte_ms: 0.08, mib_s: 1800, emulated: false,
    profile: null, profile_text: null, facts: { hardware: 'NVMe, one device', 'file system': 'ext4, noatime' } },
  's3-express': { uri: 'file:', kind: 'file', first_byte_ms: 6, mib_s: 90, emulated: true,
    profile: 's3-express', facts: { 'storage class': 'S3 Express One Zone', 'price an hour': '0' },
    profile_text: 'first byte lognormal, mean GET 7 ms; 90 MiB/s a stream (source: storage-class study)' },
  's3-standard': { uri: 'file:', kind: 'file', first_byte_ms: 110, mib_s: 60, emulated: true,
    profile: 's3-standard', facts: { 'storage class': 'S3 Standard' },
    profile_text: 'first byte lognormal, mean GET 121 ms; 60 MiB/s a stream (source: storage-class study)' },
};

export const LAYOUTS = {
  unlimited: { format: 'parquet', compression: 'snappy', target: 0, files: 24 },
  '128MiB': { format: 'parquet', compression: 'snappy', target: 128 * MIB, files: 24 },
  '32MiB': { format: 'parquet', compression: 'snappy', target: 32 * MIB, files: 31 },
  '16MiB': { format: 'parquet', compression: 'snappy', target: 16 * MIB, files: 41 },
  '8MiB': { format: 'parquet', compression: 'snappy', target: 8 * MIB, files: 62 },
  '1MiB': { format: 'parquet', compression: 'snappy', target: MIB, files: 351 },
  csv: { format: 'csv', compression: 'none', target: 0, files: 4 },
  parquet: { format: 'parquet', compression: 'snappy', target: 0, files: 4 },
};

const TABLES = [['store_sales', 0.42, 2880404], ['catalog_sales', 0.27, 1441548],
  ['web_sales', 0.14, 719384], ['inventory', 0.05, 11745000], ['customer', 0.02, 100000],
  ['item', 0.005, 18000]];

const TEXTS = {
  answers: ['Answers match', 'Every query gave one answer in every cell; 8 of 8 equal the generator’s own answers.'],
  file_sizes: ['Files hit their target', '98.6% of files are within 10% of the size that was asked for.'],
  cold: ['Cold reads proved', 'The page cache was dropped before each execution and engine caches were off.'],
  build: ['Release build', 'lakegauge 0.1.0, g++ 12.2.0, -O2.'],
  failures: ['No failures', 'Every execution that was planned finished.'],
  noise: ['Steady', 'The largest spread of a suite over its iterations is 4.1%.'],
  shaping: ['Delays delivered', 'Mean delivered latency is within 2% of what the profiles asked for.'],
};

const ESTIMATORS = {
  average: 'arithmetic mean of the executions that finished',
  stddev: 'sample standard deviation (n - 1)',
  median: 'quantile at 0.5, method R-7',
  ci95: 'Student t interval of the mean, 95%, n - 1 degrees of freedom',
  geomean: 'geometric mean of the queries’ average seconds',
  stability: 'sample standard deviation of the suite over its average, in percent',
  quantile: 'R-7: linear interpolation of order statistics',
};

function markOf(ratio, n) {
  if (n < 2) return 'too few samples';
  if (Math.abs(ratio - 1) < 0.08) return 'within noise';
  return ratio > 1 ? 'slower' : 'faster';
}

function histogramOf(values, ratio) {
  const counts = new Map();
  for (const value of values) {
    const upper = ratio ** Math.ceil(Math.log(Math.max(value, 1e-6)) / Math.log(ratio));
    counts.set(upper, (counts.get(upper) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => a[0] - b[0]);
}

// How times divide, from what a row already holds.
function bottleneckOf(cells, queries) {
  const times = (elapsed, blocked) => {
    if (!Number.isFinite(elapsed)) return { elapsed_s: null, compute_s: null, storage_s: null, idle_s: null, lanes: null, best_case_s: null, speedup: null, path_s: null, confidence: null };
    const storage = Math.min(blocked, elapsed * 0.95);
    const idle = 0.02 * elapsed;
    const best = elapsed - storage;
    return { elapsed_s: elapsed, compute_s: elapsed - storage - idle, storage_s: storage, idle_s: idle,
      lanes: { compute: 0.1, storage: 0.6, idle: 0.3 }, best_case_s: best, speedup: elapsed / best, path_s: best * 1.02,
      confidence: ['high', 'medium', 'low'][Math.round(storage * 1000) % 3] };
  };
  return {
    method: 'The best case is a simulation of the recorded requests in which none waits.',
    cells: cells.map((c) => {
      const row = { cell: c.id, n: c.executions, ...times(c.suite.avg_s ?? NaN, c.blocked_s_per_pass) };
      const known = row.elapsed_s !== null;
      const bound = !known ? null : row.storage_s > 0.5 * row.elapsed_s ? 'latency-bound' : 'CPU-bound';
      return { ...row, bound, evidence: known ? `a free store would save ${Math.round(100 * row.storage_s / row.elapsed_s)}% of the time (${row.speedup.toFixed(1)}x as fast).` : null,
        numbers: known ? { busy_cores: 1.2, cores: 2, requests_per_s: c.requests_per_pass / row.elapsed_s, profile_requests_per_s: null, bytes_per_s: c.bytes_per_pass / row.elapsed_s,
          profile_bytes_per_s: null, profile_stream_bytes_per_s: 90e6, mean_concurrency: 7.2, latency_share: 0.8, network_share: 0.2, bandwidth_share: 0, rate_share: 0, late_share: 0 } : null };
    }),
    queries: queries.map((q) => ({ query: q.query, cell: q.cell, n: q.n, ...times(q.avg_s ?? NaN, q.blocked_s) })),
  };
}

export function makeSummary(options) {
  const o = { engines: ['duckdb'], datasets: ['tpcds'], iterations: 3, streams: 1, seed: 7,
    title: 'What small files cost, by store', failures: [],
    question: 'As Parquet files shrink, how much slower does each store get?', ...options };
  const random = seededRandom(o.seed);
  const noise = (spread) => 1 + spread * (random() + random() + random() - 1.5);
  const layouts = o.layouts.map((id) => ({ id, ...LAYOUTS[id] }));
  const stores = o.stores.map((id) => ({ id, ...STORES[id] }));
  const emulated = stores.some((s) => s.emulated);
  const base = { layout: layouts[0].id, store: stores[0].id };
  const weight = new Map(o.queries.map((q) => [q, 0.02 + 0.25 * random() ** 3]));
  const cells = [];
  const queries = [];
  const requestsOf = (layout, q, scale) =>
    Math.round((30 + layout.files * weight.get(q) * 90) * (1 + 0.3 * scale));

  for (const engine of o.engines) o.datasets.forEach((dataset, scale) => {
    for (const store of stores) for (const layout of layouts) {
      const id = `${engine}.${store.id}.${layout.id}.${dataset}`;
      const threads = store.emulated ? 64 : 2;
      const passes = Array.from({ length: o.iterations }, () => 0);
      let requests = 0, bytes = 0, blocked = 0, cpu = 0, failed = 0;
      for (const q of o.queries) {
        const count = requestsOf(layout, q, scale);
        const read = Math.round(weight.get(q) * 260 * MIB * (scale + 1) * (layout.format === 'csv' ? 3 : 1));
        const compute = weight.get(q) * 0.7 * (scale + 1) * (1 + layout.files / 900);
        const wait = count * store.first_byte_ms / 1000 / Math.min(threads, 16) + read / MIB / store.mib_s / 8;
        const times = [];
        for (let i = 0; i < o.iterations; i++) {
          const t = (compute + wait) * noise(0.12);
          passes[i] += t;
          if (!o.failures.some((f) => f.cell === id && f.query === q && f.iteration === i + 1)) times.push(t);
        }
        failed += o.iterations - times.length;
        requests += count; bytes += read; blocked += wait * 0.9; cpu += compute * 1.1;
        queries.push({ query: q, cell: id, ...statistics(times), failed: o.iterations - times.length,
          requests: count, bytes_read: read, blocked_s: wait * 0.9, cpu_s: compute * 1.1, rows: 100,
          delta_layout_s: null, ratio_layout: null, mark_layout: 'too few samples', delta_store_s: null,
          ratio_store: null, mark_store: 'too few samples', ratio_to_best: null });
      }
      const whole = passes.filter((_, i) => !o.failures.some((f) => f.cell === id && f.iteration === i + 1));
      const s = statistics(whole);
      const averages = queries.filter((r) => r.cell === id && r.avg_s !== null).map((r) => r.avg_s);
      cells.push({ id, engine, store: store.id, layout: layout.id, dataset, threads,
        suite: { ...s, total_s: whole.length ? sum(whole) : null,
          geomean_s: averages.length ? Math.exp(mean(averages.map(Math.log))) : null,
          stability_pct: s.stddev_s === null ? null : 100 * s.stddev_s / s.avg_s, iterations_s: whole },
        requests_per_pass: requests, bytes_per_pass: bytes, blocked_s_per_pass: blocked,
        cpu_s_per_pass: cpu, requests_by_op: { GET: requests - 25, LIST: 24, HEAD: 1 },
        executions: o.queries.length * o.iterations, failures: failed,
        cache: { cold: o.queries.length * o.iterations, warm: 0 },
        files: { count: layout.files, bytes: Math.round(0.34 * GIB * (scale + 1)), target_bytes: layout.target,
          median_bytes: layout.target ? Math.round(layout.target * 0.99) : 12 * MIB,
          within_10pct: layout.target ? 0.986 : null } });
    }
  });

  const cellOf = (c, change) => cells.find((x) => Object.entries({ engine: c.engine, dataset: c.dataset,
    store: c.store, layout: c.layout, ...change }).every(([k, v]) => x[k] === v));
  const versus = (c, other) => {
    if (!other || c.suite.avg_s === null || other.suite.avg_s === null) return null;
    const ratio = c.suite.avg_s / other.suite.avg_s;
    if (c === other) return null;
    return { baseline: other.id, ratio, delta_s: c.suite.avg_s - other.suite.avg_s,
      ci_low: o.iterations < 2 ? null : ratio * 0.95,
      ci_high: o.iterations < 2 ? null : ratio * 1.05 };
  };
  for (const c of cells) {
    c.vs_layout = versus(c, cellOf(c, { layout: base.layout }));
    c.vs_store = versus(c, cellOf(c, { store: base.store }));
  }
  const byKey = new Map(queries.map((r) => [`${r.cell} ${r.query}`, r]));
  const best = new Map();
  for (const r of queries) {
    if (r.avg_s !== null) best.set(r.query, Math.min(best.get(r.query) ?? Infinity, r.avg_s));
  }
  const cellById = new Map(cells.map((c) => [c.id, c]));
  for (const r of queries) {
    const c = cellById.get(r.cell);
    if (r.avg_s !== null) r.ratio_to_best = r.avg_s / best.get(r.query);
    for (const [axis, other] of [['layout', cellOf(c, { layout: base.layout })], ['store', cellOf(c, { store: base.store })]]) {
      const b = byKey.get(`${other.id} ${r.query}`);
      if (b === r) r[`mark_${axis}`] = 'baseline';
      else if (r.avg_s !== null && b.avg_s !== null) {
        r[`ratio_${axis}`] = r.avg_s / b.avg_s;
        r[`delta_${axis}_s`] = r.avg_s - b.avg_s;
        r[`mark_${axis}`] = markOf(r.avg_s / b.avg_s, Math.min(r.n, b.n));
      }
    }
  }

  const latency = [];
  for (const store of stores) for (const layout of layouts) for (const op of ['GET', 'LIST']) {
    const asked = store.first_byte_ms * (op === 'LIST' ? 1.6 : 1);
    const count = op === 'LIST' ? 24 : Math.min(4000, layout.files * 12);
    const values = Array.from({ length: count }, () => asked * Math.exp(1.3 * (random() + random() - 1)) * 1.05)
      .sort((a, b) => a - b);
    const at = (p) => values[Math.min(count - 1, Math.floor(p * count))];
    latency.push({ store: store.id, layout: layout.id, op, count, mean_ms: mean(values), p50_ms: at(0.5), p90_ms: at(0.9),
      p99_ms: at(0.99), max_ms: values[count - 1], asked_mean_ms: store.emulated ? asked * 1.06 : null,
      asked_p50_ms: store.emulated ? asked : null, asked_p99_ms: store.emulated ? asked * 3.1 : null,
      histogram: histogramOf(values, 1.15) });
  }
  const delivered = stores.filter((store) => store.emulated).map((store, i) => {
    const asked = store.first_byte_ms;
    const kept = i > 0;
    return { store: store.id, profile: store.profile, kept, shortfall: kept ? '' : `${store.id} GET took longer`,
      latencies: [{ op: 'GET', count: 4000, asked_mean_ms: asked * 1.06, mean_ms: asked * (kept ? 1.061 : 1.2), asked_p50_ms: asked,
        p50_ms: asked, asked_p99_ms: asked * 3.1, p99_ms: asked * 3.11, late_mean_ms: kept ? 0.01 : asked * 0.14, late_p50_ms: 0.01,
        late_p99_ms: 0.3, kept }],
      limits: [{ what: 'bandwidth of a stream', unit: 'bytes/s', limit: 90e6, asked: 90e6, delivered: 89.6e6, refused: 0, kept: true },
        { what: 'read rate', unit: 'requests/s', limit: 5500, asked: 5500, delivered: 812, refused: 3, kept: true }] };
  });
  const sizes = [];
  o.datasets.forEach((dataset, scale) => {
    for (const layout of layouts) for (const [table, share, rows] of TABLES) {
      const bytes = Math.round(share * 330 * MIB * (scale + 1));
      const files = layout.target ? Math.max(1, Math.round(bytes / layout.target)) : 1;
      const each = Array.from({ length: files }, () => Math.round(bytes / files * noise(0.03)));
      sizes.push({ layout: layout.id, dataset, table, files, rows, bytes: sum(each), target_bytes: layout.target,
        min_bytes: Math.min(...each), median_bytes: median(each), max_bytes: Math.max(...each),
        within_10pct: layout.target ? each.filter((b) => Math.abs(b / layout.target - 1) < 0.1).length / files : null,
        histogram: histogramOf(each, 1.1) });
    }
  });

  const largest = cells.reduce((a, b) => ((b.vs_layout?.ratio ?? 0) > (a.vs_layout?.ratio ?? 0) ? b : a));
  const comparable = cells.length > 1 && largest.vs_layout !== null && layouts.length > 1;
  const effectOf = (c) => ({ value: c.vs_layout.ratio, ci_low: c.vs_layout.ci_low, ci_high: c.vs_layout.ci_high, delta_s: c.vs_layout.delta_s,
    p: 0.0004, marked_below: 0.002, mark: 'slower', method: 'Fieller interval of the ratio of means, 95%',
    what: `${c.layout} over ${base.layout} files on ${c.store}${STORES[c.store].emulated ? ' (EMULATED)' : ''}`, store: c.store });
  const alike = cells.filter((c) => c.vs_layout !== null && c.layout === largest.layout && c.engine === largest.engine && c.dataset === largest.dataset);
  const failed = o.failures.length;
  return {
    v: 1,
    run: { id: o.id ?? '2026-11-30T20-31-07Z-quickstart', experiment: o.experiment ?? 'quickstart', title: o.title,
      question: o.question, stands_in_for: o.stands_in_for ?? [], started_utc: '2026-11-30T20:31:07Z',
      finished_utc: o.finished_utc === undefined ? '2026-11-30T20:36:02Z' : o.finished_utc, wall_s: o.wall_s ?? 295.2,
      complete: o.complete ?? true, emulated, command: './run examples/quickstart.yaml', lakegauge_version: '0.1.0',
      build_type: o.build_type ?? 'Release', executions_planned: queries.length * o.iterations,
      executions_done: o.executions_done ?? queries.length * o.iterations - (o.complete === false ? 3 : 0) },
    headline: {
      sentence: o.sentence ?? (comparable
        ? `On ${largest.store}, a pass over ${largest.layout} files takes ${largest.vs_layout.ratio.toFixed(1)} times as long as over ${base.layout} files (${largest.suite.avg_s.toFixed(1)} s, ${largest.vs_layout.delta_s.toFixed(1)} s more).`
        : `A pass takes ${cells[0].suite.avg_s?.toFixed(2) ?? 'an unknown number of'} s on ${stores[0].id}.`),
      ratio: comparable ? effectOf(largest) : null,
      beside: comparable ? alike.filter((c) => c !== largest).map(effectOf) : [],
      notes: o.notes ?? (emulated ? ['EMULATED: s3-express and s3-standard are a local disk slowed by a profile; such a ratio follows from the profile and is not a finding about a product.'] : []),
    },
    trust: o.trust ?? Object.entries(TEXTS).map(([id, [text, detail]]) => {
      if (id === 'failures' && failed) return { id, state: 'bad', text: `${failed} executions failed`, detail: 'They stay in the tables; passes that hold one are left out of suite times.' };
      if (id === 'cold') return { id, state: 'warn', text: 'Some reads warm', detail: 'The page cache could not be dropped before 6 of 216 executions.' };
      if (id === 'shaping' && !emulated) return { id, state: 'unknown', text: 'Nothing was shaped', detail: 'No store was emulated.' };
      return { id, state: 'good', text, detail };
    }),
    axes: { engines: o.engines, stores: o.stores, layouts: o.layouts, datasets: o.datasets, queries: o.queries,
      iterations: o.iterations, streams: o.streams },
    compare: base,
    stores: stores.map(({ id, uri, kind, emulated: e, profile, profile_text, facts }) =>
      ({ id, uri, kind, emulated: e, profile, profile_text, facts })),
    layouts: layouts.map((l) => ({ id: l.id, name: `${l.format}-${l.compression}-${l.id}`, format: l.format,
      compression: l.compression, target_file_bytes: l.target,
      coincides_with: ['unlimited', '128MiB'].includes(l.id)
        ? o.layouts.filter((x) => x !== l.id && ['unlimited', '128MiB'].includes(x)) : [] })),
    cells, queries,
    doubling: o.engines.flatMap((engine) => o.datasets.flatMap((dataset) => stores.map((s) => {
      const first = layouts.find((l) => (cellOf({ engine, dataset, store: s.id, layout: l.id }, {}).vs_layout?.ratio ?? 0) >= 2);
      return { engine, dataset, store: s.id, layout: first?.id ?? null, text: first
        ? `${s.id} first takes twice its ${base.layout} time at ${first.id}.` : `${s.id} stays under twice its ${base.layout} time.` };
    }))),
    bottleneck: bottleneckOf(cells, queries),
    latency, delivered, sizes, failures: o.failures, estimators: ESTIMATORS,
    environment: { machine: { cpu: 'AMD EPYC 7R13', cores: 2, memory_bytes: 8 * GIB, architecture: 'x86_64' },
      os: { name: 'Debian GNU/Linux 12', kernel: '6.1.0-26-amd64' },
      file_systems: [{ mount: '/data', type: 'ext4', options: 'rw,noatime' }],
      engines: Object.fromEntries(o.engines.map((e) => [e, { version: '1.5.5', threads: 'auto', enable_external_file_cache: false }])),
      build: { type: o.build_type ?? 'Release', compiler: 'g++ 12.2.0', commit: '3e53364' } },
    repeat: { command: './run examples/quickstart.yaml --set dataset.scale=1', steps: [
      'Take the sources at the version named above.', './setup core', './run examples/quickstart.yaml',
      'build/release/lakegauge report results/<run>'] },
    sql: { cells: 'SELECT cell, avg(wall_ms) / 1000 AS avg_s\nFROM passes\nWHERE complete\nGROUP BY cell',
      queries: 'SELECT query, cell, count(*) AS n, avg(elapsed_ms) / 1000 AS avg_s,\n       stddev_samp(elapsed_ms) / 1000 AS stddev_s\nFROM executions\nWHERE status = \'ok\'\nGROUP BY query, cell',
      latency: 'SELECT store, layout, op, quantile_cont(latency_ms, [0.5, 0.9, 0.99])\nFROM requests\nGROUP BY ALL' },
  };
}

// A cost block: amounts are decimal texts. Loading has no price in the first column.
function costOf(summary) {
  const bill = (total, unpriced = []) => ({ total, unpriced, lines: unpriced.length ? [] : [{ kind: 'compute', name: 'instances', quantity: '9',
    unit: 'machine-seconds', price: '0.94256', per: 'an hour', amount: total, source: 'the study' }] });
  const columns = [['as published', '3.4786355', ['5484 PUT']], ['full bill', '3.89', []]];
  return { prices: { name: 'storage-class', description: 'two classes', date: '2026-11-30', currency: 'USD', gigabyte_bytes: GIB,
    columns: columns.map(([name]) => name), cluster_per_second: ['0.0029455', '0.0029455'], sources: ['the study', 'a price list'] },
  month_days: 30, retention_days: '7', passes_a_month: '30', notes: [],
  queries: summary.cells.map((c) => ({ query: 'q01', cell: c.id, column: 'as published', total: '0.0331' })),
  cells: summary.cells.map((c) => ({ cell: c.id, engine: c.engine, store: c.store, layout: c.layout, dataset: c.dataset, priced_as: c.store,
    emulated: true, pass_s: '1181', stored_gb: '924', objects: 5484, notes: [],
    columns: columns.map(([column, pass, unpriced]) => ({ column, query: '0.0331', pass: bill(pass), run: bill('10.44'),
      keeping: bill('23.716'), loading: bill(unpriced.length ? '0' : '2.963', unpriced), month: bill('119.35') })) })),
  break_even: [{ cell: summary.cells[0].id, baseline: summary.cells[1].id, column: 'as published', saved_a_pass: '1.4',
    beside: { to_pay: '23.716', passes: 17 }, instead: { to_pay: '18.76', passes: 14 }, gone_at_retrieved_gb: null,
    text: 'EMULATED; as published: a pass on s3-express costs 1.40 less than on s3-standard: 17 passes pay for it' }] };
}

const withCost = (summary) => ({ ...summary, cost: costOf(summary) });

const named = (...numbers) => numbers.map((n) => `q${n}`);
const all99 = named(...Array.from({ length: 99 }, (_, i) => i + 1));

export const fixtures = {
  quickstart: () => makeSummary({ layouts: ['unlimited', '8MiB', '1MiB'], stores: ['local', 's3-express', 's3-standard'],
    queries: named(1, 3, 9, 42, 52, 55, 63, 96), stands_in_for: ['S3 Express One Zone and S3 Standard, which are emulated here'] }),

  huge: () => makeSummary({ layouts: ['unlimited', '128MiB', '32MiB', '16MiB', '8MiB', '1MiB'], stores: ['local', 's3-standard'],
    queries: all99, iterations: 5, experiment: 'chunk-sweep', wall_s: 23518 }),

  scales: () => withCost(makeSummary({ layouts: ['unlimited'], stores: ['s3-express', 's3-standard'], datasets: ['tpcds-sf1', 'tpcds-sf3'],
    queries: named(3, 9, 42, 52, 55), title: 'Faster for dearer storage', experiment: 'storage-class-local',
    question: 'When does a faster storage class pay?', stands_in_for: ['Spark 3.5.6 on EMR: DuckDB runs the queries here'],
    sentence: 'S3 Standard takes 4.1 times as long as S3 Express One Zone at scale 3.' })),

  formats: () => makeSummary({ layouts: ['csv', 'parquet'], stores: ['local'], datasets: ['schema1', 'schema2', 'schema3', 'schema4'],
    queries: ['whole-rows', 'two-columns'], title: 'Bulk reads: CSV against Parquet', experiment: 'bulk-read-local', streams: 1,
    question: 'What does a bulk read of a whole table cost?', stands_in_for: ['Spark', 'HDFS', 'Cassandra'] }),

  streams: () => makeSummary({ layouts: ['unlimited', '8MiB'], stores: ['local', 's3-standard'], engines: ['duckdb', 'duckdb-16t'],
    queries: named(3, 9), streams: 4, datasets: ['tpcds'] }),

  // A ratio of stores that is hard to fit, as an older model has it, and one whose interval and mark seem to differ.
  wide: () => {
    const s = makeSummary({ layouts: ['unlimited'], stores: ['local', 's3-standard'], queries: named(3, 9), iterations: 2 });
    const effect = { value: 0.0761, ci_low: 0.0612, ci_high: 0.0903, method: 'ratio of means', what: 'pass time of local over s3-standard (EMULATED)' };
    return { ...s, headline: { ...s.headline, ratio: effect } };
  },
  uncertain: () => {
    const s = makeSummary({ layouts: ['unlimited'], stores: ['local', 's3-standard'], queries: named(3, 9), iterations: 2 });
    const effect = { value: 1234.4, ci_low: 590.2, ci_high: 3050.8, delta_s: 671.3, p: 0.0081, marked_below: 0.002, mark: 'within noise',
      method: 'ratio of means', what: 'pass time of s3-standard (EMULATED) over local', store: null };
    return { ...s, headline: { ...s.headline, ratio: effect, beside: [] } };
  },

  minimal: () => ({ ...makeSummary({ layouts: ['unlimited'], stores: ['local'], queries: ['q1'], iterations: 1, title: '', question: '' }),
    doubling: [], latency: [], sizes: [], sql: {}, environment: {}, repeat: { command: '', steps: [] }, estimators: {} }),

  failures: () => makeSummary({ layouts: ['unlimited', '1MiB'], stores: ['local', 's3-standard'], queries: named(1, 9, 96), iterations: 1,
    complete: false, finished_utc: null, build_type: 'Debug', failures: [
      { execution: 4, cell: 'duckdb.local.1MiB.tpcds', query: 'q9', iteration: 1, status: 'timeout', error: 'query passed its deadline of 5 min' },
      { execution: 9, cell: 'duckdb.s3-standard.1MiB.tpcds', query: 'q1', iteration: 1, status: 'wrong_result', error: 'answer 3f2a differs from 77c0 of duckdb.local.unlimited.tpcds' }] }),

  begun: () => makeSummary({ layouts: ['unlimited'], stores: ['local'], queries: named(1, 9), iterations: 2,
    complete: false, finished_utc: null, executions_done: 1 }),

  hostile: () => {
    const bad = '<script>alert(1)</script>';
    const s = makeSummary({ layouts: ['unlimited', '1MiB'], stores: ['local', 's3-standard'], queries: [bad, 'q"><img src=x onerror=alert(2)>', '</script><script>alert(3)</script>'],
      title: `Title ${bad} & "quotes"`, question: '<!-- <script> ]]> \u2028 --> {{data}} &lt;b&gt;',
      sentence: `Sentence ${bad}`, notes: [bad], stands_in_for: [bad],
      failures: [{ execution: 1, cell: 'duckdb.local.unlimited.tpcds', query: bad, iteration: 1, status: 'failed', error: bad }] });
    s.environment[bad] = { [bad]: bad };
    s.sql[bad] = bad;
    s.stores[0].facts[bad] = bad;
    s.repeat.steps.push(bad);
    s.trust[0].text = bad;
    return s;
  },
};
