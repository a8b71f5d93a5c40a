// Each query by itself: bars, heat map, and the table that sorts and filters.

const rowsByQuery = (model) => {
  const index = new Map();
  for (const row of model.queries) index.set(`${row.cell}\n${row.query}`, row);
  return (cell, query) => index.get(`${cell?.id}\n${query}`);
};

// Average seconds of each query: stores side by side for one layout, or every cell at once.
function queryBars(model) {
  const { plan } = model;
  const ALL = "\u0000all";
  const pick = model.values[plan.x];
  const facets = combinations(model, plan.facets);
  const find = rowsByQuery(model);
  let along = pick[pick.length - 1];
  let facet = facets[0];
  let log = false;
  const chosen = () => (along === ALL ? pick : [along]).flatMap((value, i) => seriesOf(model, facet).map((s, k) => ({
    cell: s.cells[pick.indexOf(value)], colour: k, fade: along === ALL && pick.length > 1 ? 0.35 + 0.65 * i / (pick.length - 1) : 1 }))).filter((s) => s.cell);
  const values = () => chosen().flatMap((s) => model.queryNames.map((q) => find(s.cell, q)?.avg_s));
  log = wide(values(), 50);
  const title = "Average seconds of each query";
  const perQuery = (n) => model.queryNames.length * (6 + 7 * n) + 90;
  const paler = h("p", { class: "chart-note", hidden: true }, `From pale to full: ${pick.join(", ")}.`);
  const entry = chart({
    title,
    label: `${title}, by ${AXIS_TITLES[plan.x].toLowerCase()} and series. The query table holds the same figures.`,
    height: 320,
    minWidth: Math.max(320, perQuery(seriesOf(model, facet).length)),
    legend: h("div", null, legendOf(seriesOf(model, facet).map((s) => s.name), { square: true }), paler),
    controls: [
      pick.length > 1 ? select(AXIS_TITLES[plan.x], [...pick.map((v) => [v, v]), [ALL, `all ${plan.x}s`]], along, (v) => { along = v; change(); }) : null,
      facets.length > 1 ? select(plan.facets.map((a) => AXIS_TITLES[a]).join(", "), facets.map((f, i) => [String(i), nameOf(model, f, plan.facets)]), "0", (v) => { facet = facets[Number(v)]; change(); }) : null,
      toggle("Log scale", log, (on) => { log = on; entry.redraw(); }),
    ].filter(Boolean),
    option: (t) => {
      const series = chosen();
      return {
        grid: { left: 56, right: 16, top: 34, bottom: 54 },
        xAxis: categoryAxis(t, model.queryNames, { axisLabel: { rotate: model.queryNames.length > 24 || model.queryNames.some((q) => q.length > 8) ? 60 : 0, width: 90, overflow: "truncate" } }),
        yAxis: barAxis(t, "seconds a query", log, values()),
        tooltip: tooltipOf(t, ({ seriesIndex, dataIndex }) => {
          const row = find(series[seriesIndex].cell, model.queryNames[dataIndex]);
          return [`${row.query}, ${nameOf(model, series[seriesIndex].cell)}`, `average ${seconds(row.avg_s)} of ${plural(row.n, "execution")}`,
            `95% interval ${interval(row.ci95_low_s, row.ci95_high_s, seconds)}`];
        }),
        series: series.map((s) => ({ type: "bar", barMaxWidth: 22, barGap: "5%", cursor: "default", color: seriesColour(t, s.colour), itemStyle: { opacity: s.fade },
          data: model.queryNames.map((q) => find(s.cell, q)?.avg_s ?? null) })),
      };
    },
  });
  function change() {
    paler.hidden = along !== ALL;
    entry.box.style.minWidth = `${Math.max(320, perQuery(chosen().length))}px`;
    entry.redraw();
  }
  return entry.figure;
}

// Steps of the heat map: up to this ratio to the query's best cell.
const HEAT = [1.05, 1.25, 1.5, 2, 4, 8, 20, 50, 200, Infinity];
const heatStep = (v) => HEAT.findIndex((limit) => v <= limit);

function heatSection(model) {
  if (model.cells.length < 2 || model.queryNames.length < 2) return null;
  const find = rowsByQuery(model);
  const rows = model.queryNames.map((query) => ({ query }));
  const outer = model.hasStores && model.hasLayouts ? model.varied.filter((axis) => axis !== "layout") : [];
  const inner = outer.length ? ["layout"] : model.varied;
  const columns = [
    { label: "Query", text: true, order: (row) => row.query, cell: (row) => row.query },
    ...model.cells.map((cell) => ({
      label: nameOf(model, cell, inner),
      group: outer.length ? `${nameOf(model, cell, outer)}${isEmulated(model, cell.store) ? " (emulated)" : ""}` : undefined,
      order: (row) => find(cell, row.query)?.ratio_to_best ?? null,
      cell: (row) => {
        const found = find(cell, row.query);
        return found && found.ratio_to_best === null ? "failed" : ratio(found?.ratio_to_best);
      },
      tone: (row) => {
        const v = find(cell, row.query)?.ratio_to_best;
        return isNumber(v) ? `heat heat-${heatStep(v)}` : "heat";
      },
    })),
  ];
  return section("heat", "Queries by layout and store", "Each query’s average against its best cell: 1× is the best, 2× takes twice as long. Sort by a column to see which queries it hurts most.",
    h("ul", { class: "heat-legend", "aria-label": "Steps of the heat map" }, HEAT.map((limit, i) =>
      h("li", { class: `heat heat-${i}` }, limit === Infinity ? `over ${HEAT[i - 1]}×` : `to ${limit}×`))),
    dataTable({ caption: "Each query’s average against its best cell", columns, rows, tall: rows.length > 24, className: "heat-table" }).element);
}

const MARKS = { baseline: "", faster: "▼ ", slower: "▲ ", "not certain": "~ ", "within noise": "≈ ", "too few samples": "· " };
const probability = (p) => (!isNumber(p) ? NONE : p < 0.001 ? "< 0.001" : String(Number(p.toPrecision(2))));

// An effect is {mark, p, ci_low, ci_high}. Its interval leaves out 1 and its p is too large for a mark: likely, and not certain.
const isUncertain = ({ mark: text, p, ci_low: low, ci_high: high }) => text === "within noise" && isNumber(p) && isNumber(low) && isNumber(high) && (low > 1 || high < 1);
const markText = (effect) => (isUncertain(effect) ? "not certain" : effect.mark);
const markClass = (text) => `mark mark-${(text ?? "").replace(/ /g, "-")}`;

function mark(effect) {
  const text = markText(effect);
  return h("span", { class: markClass(text), title: isNumber(effect.p) ? `p ${probability(effect.p)}` : null },
    (MARKS[text] ?? "") + (text || NONE) + (isUncertain(effect) ? ` (p ${probability(effect.p)})` : ""));
}

// The mark as a sign alone, where there is no room for its word.
function markSign(effect) {
  const text = effect ? markText(effect) : null;
  return text && MARKS[text] ? h("span", { class: `${markClass(text)} mark-sign`, title: text, role: "img", "aria-label": text }, ` ${MARKS[text].trim()}`) : null;
}

// What a query's row says against a layout or a store.
const effectOf = (row, axis) => ({ mark: row[`mark_${axis}`], p: row[`p_${axis}`], ci_low: row[`ratio_${axis}_low`], ci_high: row[`ratio_${axis}_high`] });

function queryColumns(model) {
  const time = "seconds";
  const against = (axis, base, phone) => [
    numberColumn("Δ s", (row) => row[`delta_${axis}_s`], signed, { group: base }),
    numberColumn("ratio", (row) => row[`ratio_${axis}`], ratio, { group: base, phone }),
    ...whereKnown(model.queries, `ratio_${axis}_low`, { label: "interval", group: base, screen: true, order: (row) => row[`ratio_${axis}_low`],
      cell: (row) => interval(row[`ratio_${axis}_low`], row[`ratio_${axis}_high`]) }),
    { label: "mark", text: true, group: base, phone, order: (row) => markText(effectOf(row, axis)), cell: (row) => mark(effectOf(row, axis)) },
    ...whereKnown(model.queries, `p_${axis}`, numberColumn("p", (row) => row[`p_${axis}`], probability, { group: base, screen: true, title: "Adjusted for the queries of the cell (Holm)" })),
    ...whereKnown(model.queries, `smallest_${axis}`, numberColumn("found from", (row) => row[`smallest_${axis}`], effect, { group: base, screen: true, title: model.estimators.smallest })),
  ];
  const of = (label, key, text, more) => numberColumn(label, (row) => row[key], text, more);
  return [
    { label: "Query", text: true, order: (row) => row.query, cell: (row) => row.query, note: (row) => cellName(model, row) },
    ...axisColumns(model, (row) => model.cellById.get(row.cell) ?? {}),
    of("average", "avg_s", significant, { group: time, phone: true }),
    { label: "95% interval", group: time, phone: !model.hasLayouts && !model.hasStores, order: (row) => row.ci95_low_s, cell: (row) => interval(row.ci95_low_s, row.ci95_high_s) },
    ...(model.hasLayouts ? against("layout", `against ${model.compare.layout} (same store)`, true) : []),
    ...(model.hasStores ? against("store", `against ${model.compare.store} (same layout)`, !model.hasLayouts) : []),
    of("× best", "ratio_to_best", ratio, { group: "all cells", screen: true }),
    of("n", "n", count, { group: "executions", screen: true }), of("failed", "failed", count, { group: "executions", screen: true }),
    ...(model.annotations.length ? [of("marked invalid", "invalid", count, { group: "executions", screen: true })] : []),
    of("std dev", "stddev_s", significant, { group: "seconds, more", screen: true }), of("min", "min_s", significant, { group: "seconds, more", screen: true }),
    of("median", "median_s", significant, { group: "seconds, more", screen: true }), of("max", "max_s", significant, { group: "seconds, more", screen: true }),
    of("requests", "requests", count, { group: "an execution, on average", screen: true }), of("bytes read", "bytes_read", bytes, { group: "an execution, on average", screen: true }),
    of("blocked s", "blocked_s", significant, { group: "an execution, on average", screen: true }), of("CPU s", "cpu_s", significant, { group: "an execution, on average", screen: true }),
    of("rows", "rows", count, { group: "an execution, on average", screen: true }),
  ];
}

// Words that a query's row must hold one of; a number is a query's number, whole.
function queryFilter(model, text) {
  const words = text.toLowerCase().split(/[\s,]+/).filter(Boolean);
  const plain = (name) => String(name).toLowerCase().replace(/^q?0*(?=\d)/, "");
  const names = new Set(model.queryNames.map(plain));
  const tests = words.map((word) => (names.has(plain(word)) ? (query) => plain(query) === plain(word) : (query) => query.toLowerCase().includes(word)));
  return (row) => tests.length === 0 || tests.some((test) => test(String(row.query)));
}

// "46.35 (2.61)": average and sample standard deviation with the same decimals.
function averageWithDeviation(store) {
  if (!isNumber(store?.avg_s)) return NONE;
  const decimals = store.avg_s >= 0.995 ? 2 : store.avg_s >= 0.0995 ? 3 : 4;
  const text = store.avg_s.toFixed(decimals);
  const shown = isNumber(store.stddev_s) ? `${text} (${store.stddev_s.toFixed(decimals)})` : text;
  return isNumber(store.avg_without_s) ? [shown, h("span", { class: "cell-note" }, `${store.avg_without_s.toFixed(decimals)} without outliers`)] : shown;
}

// Three or more stores, each against each: no single baseline has to be chosen.
function sideBySideSection(model) {
  const rows = model.sideBySide;
  if (rows.length === 0) return null;
  const at = (row, store) => row.stores.find((s) => s.store === store);
  const pairs = model.values.store.flatMap((store, i) => model.values.store.slice(0, i).map((baseline) => ({ store, baseline })));
  const against = (row, pair) => row.ratios.find((r) => r.store === pair.store && r.baseline === pair.baseline);
  const axes = model.varied.filter((axis) => axis !== "store");
  return section("side-by-side", "Stores side by side", "Average seconds of each query with the sample standard deviation in brackets, and the ratio of each store to each other.",
    dataTable({ caption: "Stores side by side", rows, tall: rows.length > 30, className: "wide", columns: [
      { label: "Query", text: true, order: (row) => row.query, cell: (row) => row.query },
      ...(axes.length ? axisColumns(model, (row) => row, axes) : []),
      ...model.values.store.map((store) => ({ label: store, group: "seconds", order: (row) => at(row, store)?.avg_s ?? null,
        cell: (row) => averageWithDeviation(at(row, store)) })),
      ...pairs.map((pair) => ({ label: pair.store, group: `ratio to ${pair.baseline}`, title: `${pair.store} over ${pair.baseline}`, order: (row) => against(row, pair)?.value ?? null,
        cell: (row) => {
          const found = against(row, pair);
          const text = isNumber(found?.ci_low) ? h("span", { title: `95% interval ${interval(found.ci_low, found.ci_high)}; ${found.mark}` }, ratio(found.value)) : ratio(found?.value);
          return isNumber(found?.value_without) ? [text, h("span", { class: "cell-note" }, `${ratio(found.value_without)} without outliers`)] : text;
        } })).sort((a, b) => model.values.store.indexOf(a.group.slice(9)) - model.values.store.indexOf(b.group.slice(9))),
    ] }).element);
}

function queriesSection(model) {
  const table = dataTable({ caption: "Queries by cell", columns: queryColumns(model), rows: model.queries, tall: model.queries.length > 30, className: "wide" });
  const wanted = { text: "", mark: "" };
  const status = h("p", { class: "count", role: "status" });
  const anyMark = (row) => [model.hasLayouts ? markText(effectOf(row, "layout")) : null, model.hasStores ? markText(effectOf(row, "store")) : null];
  const apply = () => {
    const named = queryFilter(model, wanted.text);
    const rows = model.queries.filter((row) => {
      const cell = model.cellById.get(row.cell) ?? {};
      return named(row) && model.varied.every((axis) => !wanted[axis] || cell[axis] === wanted[axis])
        && (!wanted.mark || (wanted.mark === "failed" ? row.failed > 0 : anyMark(row).includes(wanted.mark)));
    });
    table.show(rows);
    status.textContent = `${count(rows.length)} of ${plural(model.queries.length, "row")}`;
  };
  const search = h("input", { type: "search", id: "query-search", placeholder: "e.g. 9, 42", autocomplete: "off", oninput: () => { wanted.text = search.value; apply(); } });
  const marks = ["slower", "faster", "not certain", "within noise", "too few samples"].filter((m) => model.queries.some((row) => anyMark(row).includes(m)));
  if (model.queries.some((row) => row.failed > 0)) marks.push("failed");
  const controls = h("form", { class: "controls", role: "search", "aria-label": "Filter the query table", onsubmit: (e) => e.preventDefault() },
    h("label", { class: "control" }, h("span", null, "Queries"), search),
    model.varied.map((axis) => select(AXIS_TITLES[axis], [["", "all"], ...model.values[axis].map((v) => [v, v])], "", (v) => { wanted[axis] = v; apply(); })),
    marks.length ? select("Mark", [["", "any"], ...marks.map((m) => [m, m])], "", (v) => { wanted.mark = v; apply(); }) : null,
    status);
  apply();
  return section("queries", "Query by query", h("span", null, "Averages over the executions that finished. ", h("a", { href: "#method" }, "What the marks mean"), "."),
    controls, table.element, sqlBehind(model, "queries"));
}
