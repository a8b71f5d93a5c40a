// Storage: files as they came out, and requests as they were answered.

function filesSection(model) {
  if (model.sizes.length === 0) return null;
  const groups = combinations(model, ["dataset", "layout"])
    .map(({ dataset, layout }) => ({ dataset, layout, rows: model.sizes.filter((s) => s.dataset === dataset && s.layout === layout) }))
    .filter((g) => g.rows.length);
  const several = model.values.dataset.length > 1;
  const table = dataTable({ caption: "Files by layout and table", tall: model.sizes.length > 24, rows: model.sizes, columns: [
    { label: "Table", text: true, order: (s) => s.table, cell: (s) => s.table, note: (s) => (several ? `${s.layout}, ${s.dataset}` : s.layout) },
    ...axisColumns(model, undefined, several ? ["layout", "dataset"] : ["layout"]),
    numberColumn("files", (s) => s.files, count, { phone: true }), numberColumn("rows", (s) => s.rows, count), numberColumn("bytes", (s) => s.bytes, bytes),
    numberColumn("target", (s) => s.target_bytes || null, (v) => (v ? bytes(v) : "unlimited")),
    numberColumn("min", (s) => s.min_bytes, bytes), numberColumn("median", (s) => s.median_bytes, bytes, { phone: true }), numberColumn("max", (s) => s.max_bytes, bytes),
    numberColumn("within 10%", (s) => s.within_10pct, percent, { phone: true, title: "Share of files within 10% of the target" }),
  ] }).element;
  return section("files", "File sizes: target against achieved", "What was asked for is the dashed line; what was written are the bars. Small tables stay below the target.",
    h("div", { class: "facets facets-small" }, groups.map((g) => sizeChart(model, g, several))), table, sqlBehind(model, "sizes"));
}

// Histograms of several tables as one: counts of equal upper bounds are added.
function mergeHistograms(histograms) {
  const counts = new Map();
  for (const [upper, n] of histograms.flat()) counts.set(upper, (counts.get(upper) ?? 0) + n);
  return [...counts].sort((a, b) => a[0] - b[0]);
}

function sizeChart(model, { dataset, layout, rows }, several) {
  const merged = mergeHistograms(rows.map((s) => s.histogram ?? [])).filter(([upper]) => upper > 0);
  const files = rows.reduce((sum, s) => sum + s.files, 0);
  const target = rows[0].target_bytes;
  const title = several ? `${layout}, ${dataset}` : layout;
  const same = layoutNote(model, layout);
  const said = target ? `target ${bytes(target)}` : "no target";
  // A bar reaches down to the bound before it, at most a step as wide as the narrowest in sight.
  const steps = merged.slice(1).map(([upper], i) => upper / merged[i][0]);
  const step = Math.min(1.3, ...steps.filter((s) => s > 1));
  const bars = merged.map(([upper, n]) => [upper / step, upper, n]);
  const low = Math.min(...bars.map((b) => b[0]), target || Infinity) / 1.6;
  const high = Math.max(...bars.map((b) => b[1]), target || 0) * 1.6;
  return chart({
    title, note: `${plural(files, "file")}, ${said}${same ? `; ${same}` : ""}`,
    label: `Sizes of ${plural(files, "file")} of ${title}, ${said}. ${rows.map((s) => `${s.table}: median ${bytes(s.median_bytes)}`).join("; ")}.`,
    height: 170,
    option: (t) => ({
      grid: { left: 44, right: 14, top: 26, bottom: 26 },
      xAxis: { type: "log", min: low, max: high, logBase: 2, axisLabel: { color: t.muted, hideOverlap: true, formatter: (v) => bytes(v), customValues: powersWithin(low, high) },
        axisTick: { show: false }, splitLine: { show: false }, axisLine: { lineStyle: { color: t.muted } } },
      yAxis: valueAxis(t, "files", { minInterval: 1, splitNumber: 3, format: count, nameGap: 8 }),
      tooltip: tooltipOf(t, ({ value, componentType }) => (componentType === "series" ? [plural(value[2], "file"), `${bytes(value[0])} to ${bytes(value[1])}`] : null)),
      series: [{ type: "custom", data: bars, encode: { x: [0, 1], y: 2 }, itemStyle: { color: seriesColour(t, 0) }, cursor: "default",
        renderItem: (params, api) => {
          const a = api.coord([api.value(0), api.value(2)]);
          const b = api.coord([api.value(1), 0]);
          return { type: "rect", shape: { x: a[0], y: a[1], width: Math.max(2, b[0] - a[0] - 1), height: b[1] - a[1] }, style: { fill: seriesColour(t, 0) } };
        },
        markLine: target ? { silent: true, symbol: "none", lineStyle: { color: t.ink, type: "dashed", width: 1.5 }, label: { show: false }, data: [{ xAxis: target }] } : undefined }],
    }),
  }).figure;
}

// Powers of 4 KiB, 16 KiB ... between two sizes: labels that stay readable.
function powersWithin(low, high) {
  const all = [];
  for (let v = 1; v <= high; v *= 2) if (v >= low) all.push(v);
  const every = Math.max(1, Math.ceil(all.length / 5));
  return all.filter((_, i) => i % every === 0);
}

function requestsSection(model) {
  if (model.latency.length === 0) return null;
  const columns = [
    ...axisColumns(model, undefined, ["store", ...(model.hasLayouts ? ["layout"] : [])]),
    { label: "Operation", text: true, phone: true, order: (r) => r.op, cell: (r) => r.op },
    numberColumn("requests", (r) => r.count, count),
    ...whereKnown(model.latency, "errors", numberColumn("errors", (r) => r.errors, count)),
    ...[["mean", "mean_ms"], ["p50", "p50_ms"], ["p90", "p90_ms"], ["p99", "p99_ms"], ["max", "max_ms"]].map(([label, key]) =>
      numberColumn(label, (r) => r[key], significant, { group: "delivered, ms", phone: label === "mean" || label === "p99" })),
    ...(model.latency.some((r) => isNumber(r.asked_mean_ms) || isNumber(r.asked_p50_ms)) ? [["mean", "asked_mean_ms"], ["p50", "asked_p50_ms"], ["p99", "asked_p99_ms"]].map(([label, key]) =>
      numberColumn(label, (r) => r[key], significant, { group: "asked of the profile, ms" })) : []),
    ...[["mean", "late_mean_ms"], ["p99", "late_p99_ms"]].flatMap(([label, key]) =>
      whereKnown(model.latency, key, numberColumn(label, (r) => r[key], significant, { group: "late, ms", title: "Delivered after the moment that was asked for" }))),
  ];
  return section("requests", "Requests and their latency", h("span", null, "From a request’s start to its end. On an emulated store, what its profile asked for stands beside what was delivered; ",
    h("a", { href: "#method-shaping" }, "the two must agree"), "."),
    operationsTable(model), deliveredTables(model), latencyChart(model), dataTable({ caption: "Latency by store, layout and operation", columns, rows: model.latency, tall: model.latency.length > 24 }).element,
    sqlBehind(model, "latency", "shaping", "shaping_limits"));
}

// What each emulated store's profile asked and what came of it: latency by operation, then bandwidth and rate.
function deliveredTables(model) {
  if (model.delivered.length === 0) return null;
  const latencies = model.delivered.flatMap((d) => (d.latencies ?? []).map((l) => ({ store: d.store, profile: d.profile, ...l })));
  const limits = model.delivered.flatMap((d) => (d.limits ?? []).map((l) => ({ store: d.store, profile: d.profile, ...l })));
  const off = (got, asked) => (isNumber(got) && asked > 0 ? `${got >= asked ? "+" : "−"}${Math.abs(100 * (got / asked - 1)).toFixed(1)}%` : "–");
  const verdict = { label: "profile", text: true, phone: true, order: (r) => Number(r.kept), cell: (r) => (r.kept ? "kept" : h("strong", null, "missed")) };
  const store = [...axisColumns(model, undefined, ["store"])];
  const figures = ["mean", "p50", "p99"].flatMap((key) => [
    numberColumn("asked", (r) => r[`asked_${key}_ms`], significant, { group: `${key}, ms`, phone: key === "mean" }),
    numberColumn("delivered", (r) => r[`${key}_ms`], significant, { group: `${key}, ms`, phone: key === "mean" }),
    { label: "off", order: (r) => r[`${key}_ms`] / r[`asked_${key}_ms`], cell: (r) => off(r[`${key}_ms`], r[`asked_${key}_ms`]), group: `${key}, ms` }]);
  const rate = (label, key, title, phone) => ({ label, title, phone, order: (r) => r[key],
    // Of a rate nothing is asked but that it be no more.
    cell: (r) => (r.unit === "bytes/s" ? `${significant(r[key] / 1e6)} MB/s` : `${key === "asked" ? "at most " : ""}${significant(r[key])}/s`) });
  return [h("h3", null, "Delivered against asked"),
    h("p", null, "What the profile drew for each request, and when the request was over. Late is the part of it that this machine added: no core was free, or a timer fired late. It is part of what was delivered and of the query times, and not of the store."),
    dataTable({ caption: "Delivered against asked, by store and operation", rows: latencies, columns: [...store,
      { label: "Operation", text: true, phone: true, order: (r) => r.op, cell: (r) => r.op }, verdict, numberColumn("requests", (r) => r.count, count), ...figures,
      numberColumn("mean", (r) => r.late_mean_ms, significant, { group: "late, ms" }), numberColumn("p99", (r) => r.late_p99_ms, significant, { group: "late, ms" })] }).element,
    limits.length ? dataTable({ caption: "Bandwidth and rate delivered against asked", rows: limits, columns: [...store,
      { label: "Limit", text: true, phone: true, order: (r) => r.what, cell: (r) => r.what }, verdict,
      rate("of the profile", "limit", "The most the store gives"),
      rate("asked", "asked", "What it came to by the deadlines: less where the limit did not bind"),
      rate("delivered", "delivered", "Of a rate: the most let through in any second", true),
      numberColumn("refused", (r) => r.refused, count, { title: "Attempts answered 503 or 500" })] }).element : null];
}

function operationsTable(model) {
  const ops = [...new Set(model.cells.flatMap((cell) => Object.keys(cell.requests_by_op ?? {})))];
  const each = (cell) => (cell.requests_per_pass > 0 && isNumber(cell.bytes_per_pass) ? cell.bytes_per_pass / cell.requests_per_pass : null);
  return [h("h3", null, "Requests a pass"), dataTable({ caption: "Requests a pass by operation", rows: model.cells, tall: model.cells.length > 24, columns: [
    ...axisColumns(model),
    numberColumn("all", (cell) => cell.requests_per_pass, count, { phone: true }),
    ...ops.map((op) => numberColumn(op, (cell) => cell.requests_by_op?.[op], count)),
    numberColumn("bytes", (cell) => cell.bytes_per_pass, bytes, { phone: true }), numberColumn("bytes a request", each, bytes),
  ] }).element];
}

// Cumulative distribution of latency, a line a store; diamonds are what the profile asked for.
function latencyChart(model) {
  const ops = [...new Set(model.latency.map((r) => r.op))].sort((a, b) => (b === "GET") - (a === "GET"));
  const layouts = [...new Set(model.latency.map((r) => r.layout))];
  let op = ops[0];
  let layout = "";
  const stores = model.values.store;
  const curve = (store) => {
    const rows = model.latency.filter((r) => r.store === store && r.op === op && (!layout || r.layout === layout));
    const merged = mergeHistograms(rows.map((r) => r.histogram ?? [])).filter(([upper]) => upper > 0);
    const total = merged.reduce((sum, [, n]) => sum + n, 0);
    let sofar = 0;
    const points = merged.map(([upper, n]) => [upper, (sofar += n) / total]);
    // The first bound's own lower end is not in the model: a step like the next one, or a small one.
    if (points.length) points.unshift([points.length > 1 ? points[0][0] ** 2 / points[1][0] : points[0][0] / 1.2, 0]);
    const asked = rows.flatMap((r) => [[r.asked_p50_ms, 0.5], [r.asked_p99_ms, 0.99]]).filter(([v]) => isNumber(v) && v > 0);
    return { points, total, asked: [...new Map(asked.map((p) => [p.join(), p])).values()] };
  };
  const entry = chart({
    title: "Share of requests answered within a time",
    note: "lines: delivered; hollow diamonds: median and 99th percentile asked of the profile",
    label: `Cumulative distribution of request latency by store. ${model.latency.filter((r) => r.op === op).map((r) => `${r.store}, ${r.layout}: median ${milliseconds(r.p50_ms)}, 99th percentile ${milliseconds(r.p99_ms)}`).join("; ")}.`,
    height: 320,
    legend: legendOf(stores.map((store) => nameElement(model, { store }, ["store"]))),
    controls: [
      ops.length > 1 ? select("Operation", ops.map((o) => [o, o]), op, (v) => { op = v; entry.redraw(); }) : null,
      layouts.length > 1 ? select("Layout", [["", "all layouts"], ...layouts.map((l) => [l, l])], "", (v) => { layout = v; entry.redraw(); }) : null,
    ].filter(Boolean),
    option: (t) => {
      const curves = stores.map(curve);
      const name = (i) => `${stores[i]}${isEmulated(model, stores[i]) ? " (emulated)" : ""}, ${op}`;
      return {
        grid: { left: 56, right: 24, top: 34, bottom: 44 },
        xAxis: { ...valueAxis(t, "milliseconds", { log: true }), nameLocation: "middle", nameGap: 28, nameTextStyle: { color: t.muted }, axisLine: { show: true, lineStyle: { color: t.muted } } },
        yAxis: { ...valueAxis(t, "share of requests"), min: 0, max: 1, axisLabel: { color: t.muted, formatter: percent } },
        tooltip: tooltipOf(t, ({ value, seriesId }) => {
          const i = Number(seriesId.slice(1));
          return seriesId[0] === "a" ? [name(i), `asked: ${percent(value[1])} within ${milliseconds(value[0])}`] : [name(i), `${percent(value[1])} within ${milliseconds(value[0])}`, plural(curves[i].total, "request")];
        }),
        series: curves.flatMap((c, k) => [
          { id: `d${k}`, type: "line", data: c.points, color: seriesColour(t, k), symbol: seriesShape(k), symbolSize: 5, showAllSymbol: true, cursor: "default",
            lineStyle: { width: 2, type: ["solid", "dashed", "dotted"][k % 3] } },
          { id: `a${k}`, type: "scatter", data: c.asked, symbol: "diamond", symbolSize: 13, z: 5, cursor: "default",
            itemStyle: { color: "transparent", borderColor: seriesColour(t, k), borderWidth: 2 } },
        ]),
      };
    },
  });
  return entry.figure;
}

function placesSection(model) {
  const facts = [...new Set(model.stores.flatMap((store) => Object.keys(store.facts ?? {})))];
  const stores = dataTable({ caption: "Stores", rows: model.stores, columns: [
    { label: "Store", text: true, order: (s) => s.id, cell: (s) => nameElement(model, { store: s.id }, ["store"]) },
    { label: "Kind", text: true, order: (s) => s.kind, cell: (s) => s.kind || NONE },
    { label: "URI", text: true, order: (s) => s.uri, cell: (s) => s.uri || NONE },
    { label: "Profile", text: true, phone: true, sortable: false, cell: (s) => (s.profile ? [h("strong", null, s.profile), s.profile_text ? h("span", { class: "cell-note" }, s.profile_text) : null] : "none: as it is") },
    ...facts.map((fact) => ({ label: fact, text: true, order: (s) => s.facts?.[fact], cell: (s) => String(s.facts?.[fact] ?? NONE) })),
  ], className: "prose-table" }).element;
  const layouts = dataTable({ caption: "Layouts", rows: model.layouts, columns: [
    { label: "Layout", text: true, order: (l) => l.id, cell: (l) => l.id },
    { label: "Format", text: true, order: (l) => l.format, cell: (l) => l.format || NONE },
    { label: "Compression", text: true, order: (l) => l.compression, cell: (l) => l.compression || NONE },
    numberColumn("Target file size", (l) => l.target_file_bytes, (v) => (v === 0 ? "unlimited" : bytes(v)), { phone: true }),
    { label: "Coincides with", text: true, phone: true, sortable: false, cell: (l) => (l.coincides_with ?? []).join(", ") || NONE },
    { label: "Name", text: true, order: (l) => l.name, cell: (l) => l.name || NONE },
  ], className: "prose-table" }).element;
  return section("places", "Stores and layouts", "Facts of a store are those that the experiment states.",
    model.stores.length ? [h("h3", null, "Stores"), stores] : null, model.layouts.length ? [h("h3", null, "Layouts"), layouts] : null);
}
