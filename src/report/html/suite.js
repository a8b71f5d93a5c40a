// Suite times: the chart of the first screen, each cell whole, and average seconds a query.

function seriesOf(model, facet) {
  return combinations(model, model.plan.series).map((wanted) => ({
    wanted,
    name: nameElement(model, { ...facet, ...wanted }, model.plan.series),
    cells: model.values[model.plan.x].map((value) => findCell(model, { ...facet, ...wanted, [model.plan.x]: value })),
  }));
}

function suiteCharts(model) {
  const along = { layout: "by layout", store: "by store", dataset: "by dataset", engine: "by engine" }[model.plan.x];
  return facetCharts(model, (facet, facetName) => suiteChart(model, facet, `Seconds a pass ${along}${facetName ? `: ${facetName}` : ""}`));
}

function suiteChart(model, facet, title) {
  const series = seriesOf(model, facet);
  const cells = series.flatMap((s) => s.cells).filter(Boolean);
  let log = wide(model.cells.map((cell) => cell.suite?.avg_s));  // the same of all charts side by side
  const entry = chart({
    title,
    note: "mean with 95% interval; each pass a dot",
    label: `${title}. ${cells.map((cell) => `${nameOf(model, cell)}: ${seconds(cell.suite?.avg_s)}`).join("; ")}.`,
    height: (width) => (width < 500 ? 320 : 400),
    legend: legendOf(series.map((s) => s.name)),
    controls: [toggle("Log scale", log, (on) => { log = on; entry.redraw(); })],
    option: (t, width) => suiteOption(model, series, log, t, width),
  });
  return entry;
}

function suiteOption(model, series, log, t, width) {
  const names = model.values[model.plan.x];
  const step = Math.min(0.14, 0.7 / Math.max(1, series.length));
  // Two passes can have an interval of a thousandth to a thousandfold: so far the picture does not go.
  const times = series.flatMap((s) => s.cells).flatMap((cell) => cell?.suite?.iterations_s ?? []);
  const [least, most] = [Math.min(...times) / (log ? 3 : Infinity), Math.max(...times) * (log ? 3 : 1.6)];
  const labels = names.length * series.length <= (width < 500 ? 6 : 18);
  const parts = series.flatMap((s, k) => {
    const colour = seriesColour(t, k);
    const at = (i) => i + (k - (series.length - 1) / 2) * step;
    const means = s.cells.map((cell, i) => [at(i), cell?.suite?.avg_s ?? null, i]);
    const spread = s.cells.flatMap((cell, i) => {
      const { ci95_low_s: low, ci95_high_s: high } = cell?.suite ?? {};
      return isNumber(low) && isNumber(high) ? [[at(i), Math.max(low, least), Math.min(high, most), low >= least, high <= most]] : [];
    });
    const passes = s.cells.flatMap((cell, i) => (cell?.suite?.iterations_s ?? []).map((v, pass) => [at(i), v, i, pass + 1]));
    const tops = s.cells.flatMap((cell, i) => (isNumber(cell?.suite?.avg_s)
      ? [{ value: [at(i), Math.min(cell.suite.ci95_high_s ?? cell.suite.avg_s, most)], label: { formatter: significant(cell.suite.avg_s) } }] : []));
    return [
      { type: "line", data: means, symbol: seriesShape(k), symbolSize: 10, color: colour, z: 4,
        lineStyle: { width: model.plan.ordered ? 2 : 0, type: ["solid", "dashed", "dotted"][k % 3] }, cursor: "default", name: String(k) },
      whiskers(colour, spread),
      { type: "scatter", data: passes, symbol: "circle", symbolSize: 5, symbolOffset: [10, 0], itemStyle: { color: colour, opacity: 0.6 }, z: 2, name: String(k), cursor: "default" },
      { type: "scatter", data: tops, symbolSize: 1, silent: true, z: 5, itemStyle: { color: "transparent", opacity: 1 }, labelLayout: { hideOverlap: true },
        label: { show: labels, position: "top", distance: 9, color: t.ink, textBorderColor: t.paper, textBorderWidth: 3 } },
    ];
  });
  return {
    grid: { left: 56, right: 16, top: 34, bottom: width < 500 ? 44 : 32 },
    xAxis: { type: "value", min: -0.5, max: names.length - 0.5, splitLine: { show: false }, axisTick: { show: false },
      axisLine: { lineStyle: { color: t.muted } },
      axisLabel: { customValues: names.map((_, i) => i), color: t.ink, formatter: (v) => names[Math.round(v)] ?? "",
        rotate: width / names.length < 70 ? 30 : 0 } },
    yAxis: valueAxis(t, "seconds a pass", { log }),
    tooltip: tooltipOf(t, ({ value, name, seriesName }) => {
      const cell = series[Number(seriesName)]?.cells[value[2]];
      if (!cell) return null;
      return value.length === 4 ? [nameOf(model, cell), `pass ${value[3]}: ${seconds(value[1])}`]
        : [nameOf(model, cell), `mean ${seconds(cell.suite.avg_s)} of ${plural(cell.suite.n, "pass", "passes")}`,
          `95% interval ${interval(cell.suite.ci95_low_s, cell.suite.ci95_high_s, seconds)}`];
    }),
    series: parts,
  };
}

function cellsSection(model) {
  return section("cells", model.plan.ordered ? "As files shrink" : "Every cell",
    model.plan.ordered ? `Each layout against ${model.compare.layout} on the same store, and each store against ${model.compare.store} with the same files.` : null,
    model.plan.ordered && model.doubling.length ? h("ul", { class: "findings" }, model.doubling.map((d) =>
      h("li", null, model.plan.facets.length ? `${nameOf(model, d, model.plan.facets)}: ` : null, stamped(d.text),
        isEmulated(model, d.store) && !/EMULATED/.test(d.text) ? [" ", emulatedStamp()] : null))) : null,
    cellTable(model),
    model.detectable?.text ? h("p", { class: "detectable" }, model.detectable.text) : null,
    sqlBehind(model, "cells", "suite"));
}

function versusColumns(model, key, axis, phone) {
  const base = model.compare[axis];
  const group = `against ${base} (same ${axis === "layout" ? "store" : "layout"})`;
  const of = (row, field) => (row[key] && row[axis] !== base ? row[key][field] : null);
  return [
    numberColumn("Δ s", (row) => of(row, "delta_s"), signed, { group }),
    { ...numberColumn("ratio", (row) => of(row, "ratio"), ratio, { group, phone }),
      cell: (row) => (row[axis] === base ? h("span", { class: "mark" }, "baseline") : ratio(of(row, "ratio"))) },
    { label: "interval", group, text: false, order: (row) => of(row, "ci_low"), cell: (row) => interval(of(row, "ci_low"), of(row, "ci_high")) },
    ...(model.cells.some((row) => of(row, "mark")) ? [{ label: "mark", text: true, group, phone, order: (row) => (of(row, "mark") ? markText(row[key]) : null),
      cell: (row) => (of(row, "mark") ? mark(row[key]) : NONE) }] : []),
    ...(model.cells.some((row) => isNumber(of(row, "smallest"))) ? [numberColumn("found from", (row) => of(row, "smallest"), effect, { group, screen: true, title: model.estimators.smallest })] : []),
  ];
}

function cellTable(model) {
  const pass = "seconds a pass";
  const more = "seconds a pass, more";
  const io = "storage, a pass";
  const suite = (label, key, more) => numberColumn(label, (cell) => cell.suite?.[key], significant, { group: pass, ...more });
  const ops = [...new Set(model.cells.flatMap((cell) => Object.keys(cell.requests_by_op ?? {})))];
  const columns = [
    ...axisColumns(model),
    suite("average", "avg_s", { phone: true }),
    { label: "95% interval", group: pass, order: (cell) => cell.suite?.ci95_low_s, cell: (cell) => interval(cell.suite?.ci95_low_s, cell.suite?.ci95_high_s) },
    ...(model.hasLayouts ? versusColumns(model, "vs_layout", "layout", true) : []),
    ...(model.hasStores ? versusColumns(model, "vs_store", "store", !model.hasLayouts) : []),
    numberColumn("passes", (cell) => cell.suite?.n, count, { group: more, screen: true, title: "Complete passes" }),
    ...[["std dev", "stddev_s"], ["min", "min_s"], ["median", "median_s"], ["max", "max_s"]].map(([label, key]) => suite(label, key, { group: more, screen: true })),
    numberColumn("stability", (cell) => cell.suite?.stability_pct, (v) => (isNumber(v) ? `${significant(v)}%` : NONE), { group: more, screen: true, title: model.estimators.stability }),
    suite("all passes", "total_s", { group: more, screen: true, title: "Sum of the complete passes" }),
    numberColumn("geomean", (cell) => cell.suite?.geomean_s, significant, { group: "seconds a query", title: model.estimators.geomean, screen: true }),
    numberColumn("requests", (cell) => cell.requests_per_pass, count, { group: io, screen: true }),
    ...(ops.length > 1 ? ops.map((op) => numberColumn(op, (cell) => cell.requests_by_op?.[op], count, { group: io, screen: true })) : []),
    numberColumn("bytes", (cell) => cell.bytes_per_pass, bytes, { group: io, screen: true }),
    ...whereKnown(model.cells, "busy_cores", numberColumn("busy cores", (cell) => cell.busy_cores, significant, { group: io, screen: true, title: "CPU seconds over wall seconds" })),
    numberColumn("blocked s", (cell) => cell.blocked_s_per_pass, significant, { group: io, screen: true }),
    numberColumn("CPU s", (cell) => cell.cpu_s_per_pass, significant, { group: io, screen: true }),
    numberColumn("threads", (cell) => cell.threads, count, { group: "executions", screen: true }),
    numberColumn("made", (cell) => cell.executions, count, { group: "executions", screen: true }),
    numberColumn("failed", (cell) => cell.failures, count, { group: "executions", screen: true }),
    ...whereKnown(model.cells, "cancelled", numberColumn("cancelled", (cell) => cell.cancelled, count, { group: "executions", screen: true })),
    numberColumn("cold", (cell) => cell.cache?.cold, count, { group: "executions", screen: true }),
    numberColumn("warm", (cell) => cell.cache?.warm, count, { group: "executions", screen: true }),
    numberColumn("files", (cell) => cell.files?.count, count, { group: "files", screen: true }),
    numberColumn("target", (cell) => cell.files?.target_bytes || null, bytes, { group: "files", screen: true }),
    numberColumn("median", (cell) => cell.files?.median_bytes, bytes, { group: "files", screen: true }),
    numberColumn("within 10%", (cell) => cell.files?.within_10pct, percent, { group: "files", screen: true }),
  ];
  return dataTable({ caption: "Every cell", columns, rows: model.cells, className: "wide" }).element;
}

// Average seconds a query, for each layout and store, as one bar each.
function barsSection(model) {
  const averages = new Map();
  for (const cell of model.cells) {
    const own = model.queries.filter((row) => row.cell === cell.id);
    averages.set(cell, own.length && own.every((row) => isNumber(row.avg_s)) ? own.reduce((sum, row) => sum + row.avg_s, 0) / own.length : null);
  }
  const missing = [...averages.values()].some((v) => v === null);
  return section("bars", "Average seconds a query",
    `${model.queryNames.length > 1 ? `The average over ${plural(model.queryNames.length, "query", "queries")}, then each query by itself.` : `Of the one query, ${model.queryNames[0] ?? ""}.`}${missing ? " A cell in which a query never finished has no bar." : ""}`,
    facetCharts(model, (facet, facetName) => averageBars(model, facet, facetName, averages)),
    model.queryNames.length > 1 ? queryBars(model) : null);
}

function averageBars(model, facet, facetName, averages) {
  const series = seriesOf(model, facet);
  const names = model.values[model.plan.x];
  const cells = series.flatMap((s) => s.cells).filter(Boolean);
  const title = `Average seconds a query${facetName ? `: ${facetName}` : ""}`;
  let log = wide([...averages.values()], 50);
  const entry = chart({
    title,
    label: `${title}. ${cells.map((cell) => `${nameOf(model, cell)}: ${seconds(averages.get(cell))}`).join("; ")}.`,
    height: 300,
    legend: legendOf(series.map((s) => s.name), { square: true }),
    controls: [toggle("Log scale", log, (on) => { log = on; entry.redraw(); })],
    data: dataTable({ caption: title, rows: cells, columns: [...axisColumns(model), numberColumn("Average s a query", (cell) => averages.get(cell))] }).element,
    option: (t, width) => ({
      grid: { left: 56, right: 16, top: 34, bottom: 32 },
      xAxis: categoryAxis(t, names, { axisLabel: { rotate: width / names.length < 70 ? 30 : 0 } }),
      yAxis: barAxis(t, "seconds a query", log, [...averages.values()]),
      tooltip: tooltipOf(t, ({ seriesIndex, dataIndex, value }) => {
        const cell = series[seriesIndex].cells[dataIndex];
        return cell ? [nameOf(model, cell), seconds(value)] : null;
      }),
      series: series.map((s, k) => ({
        type: "bar", color: seriesColour(t, k), barMaxWidth: 44, barGap: "8%", cursor: "default", data: s.cells.map((cell) => averages.get(cell) ?? null),
        label: { show: names.length * series.length <= (width < 500 ? 6 : 18), position: "top", color: t.ink, formatter: (p) => significant(p.value) },
      })),
    }),
  });
  return entry;
}
