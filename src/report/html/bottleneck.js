// What holds each cell and query up: computing, waiting for storage, or neither; and what a store that
// takes no time would make of it.

const BOUND_PARTS = [["compute_s", "computing"], ["storage_s", "waiting for storage"], ["idle_s", "idle: neither"]];
const partShare = (row, key) => (isNumber(row[key]) && row.elapsed_s > 0 ? row[key] / row.elapsed_s : null);

function bottleneckSection(model) {
  const { cells = [], queries = [], method = "" } = model.summary.bottleneck ?? {};
  const known = cells.filter((row) => isNumber(row.elapsed_s) && model.cellById.has(row.cell));
  if (known.length === 0) return null;
  const order = new Map(model.cells.map((cell, i) => [cell.id, i]));
  known.sort((a, b) => order.get(a.cell) - order.get(b.cell));
  return section("bottleneck", "What holds each cell up", h("span", null, "How a pass divides, and how much faster it would be if storage took no time. ",
    h("a", { href: "#method-bottleneck" }, "How this is known"), "."),
    divisionChart(model, known), boundTable(model, known), boundQueries(model, queries.filter((row) => model.cellById.has(row.cell))),
    method ? details("How the best case is made", h("p", null, method)) : null);
}

function divisionChart(model, rows) {
  const divided = rows.filter((row) => isNumber(row.compute_s));
  if (divided.length === 0) return null;
  const name = (row) => nameOf(model, model.cellById.get(row.cell));
  const title = "Share of a pass by what it was spent on";
  const said = (row) => BOUND_PARTS.map(([key, label]) => `${label} ${percent(partShare(row, key))}`).join(", ");
  return chart({
    title,
    note: "wall time; figures in seconds stand in the table",
    label: `${title}. ${divided.map((row) => `${name(row)}: ${said(row)}`).join("; ")}.`,
    height: 34 + 26 * divided.length,
    legend: legendOf(BOUND_PARTS.map(([, label]) => label), { square: true }),
    option: (t, width) => ({
      grid: { left: 8, right: 24, top: 4, bottom: 8, containLabel: true },
      xAxis: { ...valueAxis(t, ""), max: 1, axisLabel: { color: t.muted, formatter: percent, hideOverlap: true } },
      yAxis: { ...categoryAxis(t, divided.map(name), { axisLabel: { width: width * 0.38, overflow: "truncate" } }), inverse: true },
      tooltip: tooltipOf(t, ({ dataIndex: i }) => [`${name(divided[i])}: ${divided[i].bound ?? "unknown"}`,
        ...BOUND_PARTS.map(([key, label]) => `${label}: ${seconds(divided[i][key])} (${percent(partShare(divided[i], key))})`)]),
      series: BOUND_PARTS.map(([key, label], k) => ({
        type: "bar", stack: "time", name: label, barMaxWidth: 16, cursor: "default", color: seriesColour(t, k),
        itemStyle: { borderColor: t.paper, borderWidth: 1 },
        data: divided.map((row) => partShare(row, key)),
      })),
    }),
  }).figure;
}

// Columns of a cell's or a query's times.
function boundColumns(what) {
  const time = `seconds ${what}`;
  const lanes = "share of lanes’ time";
  const lane = (label, key, title) => numberColumn(label, (row) => row.lanes?.[key], percent, { group: lanes, screen: true, title });
  return [
    numberColumn("all", (row) => row.elapsed_s, significant, { group: time, phone: true }),
    numberColumn("computing", (row) => row.compute_s, significant, { group: time, title: "At least one lane computes" }),
    numberColumn("storage", (row) => row.storage_s, significant, { group: time, title: "No lane computes and at least one waits for storage" }),
    numberColumn("idle", (row) => row.idle_s, significant, { group: time, title: "No lane computes and none waits for storage" }),
    numberColumn("best case", (row) => row.best_case_s, significant, { group: "if storage took no time", title: "Simulated seconds" }),
    numberColumn("speed-up", (row) => row.speedup, ratio, { group: "if storage took no time", phone: true }),
    { label: "confidence", text: true, group: "if storage took no time", order: (row) => ["low", "medium", "high"].indexOf(row.confidence), cell: (row) => row.confidence ?? NONE },
    lane("computing", "compute", "CPU seconds over threads times wall seconds"), lane("waiting", "storage"), lane("idle", "idle", "Nothing to do, or waiting for a core"),
  ];
}

function boundTable(model, rows) {
  const limit = (text) => (v) => (isNumber(v) ? text(v) : "none");
  const evidence = "evidence";
  const number = (label, key, text, more) => numberColumn(label, (row) => row.numbers?.[key], text, { group: evidence, screen: true, ...more });
  return [dataTable({ caption: "What holds each cell up", rows, columns: [
    ...axisColumns(model, (row) => model.cellById.get(row.cell) ?? {}),
    { label: "Bound", text: true, phone: true, order: (row) => row.bound, cell: (row) => h("span", { class: "strong" }, row.bound ?? NONE) },
    ...boundColumns("a pass"),
    number("busy cores", "busy_cores", significant), number("other work", "other_cores", significant, { title: "Cores that other work on the machine used" }),
    number("requests at once", "mean_concurrency", significant, { title: "Mean number of requests under way" }),
    number("requests/s", "requests_per_s", significant), number("allowed", "profile_requests_per_s", limit(count)),
    number("bytes/s", "bytes_per_s", bytes), number("in total", "profile_bytes_per_s", limit(bytes), { title: "What the profile lets all streams have together" }),
    number("a stream", "profile_stream_bytes_per_s", limit(bytes)), number("latency", "latency_share", percent, { title: "Share of waiting that went to first bytes" }),
  ] }).element,
  h("h3", null, "The evidence"),
  h("ul", { class: "findings" }, rows.filter((row) => row.evidence).map((row) =>
    h("li", null, h("strong", null, nameElement(model, model.cellById.get(row.cell), model.varied), `: ${row.bound}. `), row.evidence)))];
}

function boundQueries(model, rows) {
  if (rows.length === 0) return null;
  return h("details", { class: "more" }, h("summary", null, "Query by query"),
    dataTable({ caption: "What holds each query up", rows, tall: rows.length > 24, columns: [
      { label: "Query", text: true, order: (row) => row.query, cell: (row) => row.query, note: (row) => cellName(model, row) },
      ...axisColumns(model, (row) => model.cellById.get(row.cell) ?? {}),
      ...boundColumns("an execution"),
      { label: "reads", text: true, group: "between stores", title: "Whether the same layout is read with the same requests and bytes on each store; where not, the best case need not hold",
        order: (row) => row.reads_vary, cell: (row) => (row.timed_reads ? `depend on timing (${percent(row.reads_vary)})` : row.timed_reads === false ? "the same" : NONE) },
    ] }).element);
}
