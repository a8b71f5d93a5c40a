// What the machine did meanwhile: throughput and CPU use of each cell, a line of time of the whole
// run, watched servers, and the executions that something from outside disturbed.

function resourcesSection(model) {
  const { cells = [], servers = [], timeline = null, definitions = {} } = model.resources;
  const known = cells.filter((row) => isNumber(row.query_s));
  if (known.length === 0) return null;
  return section("resources", "Resources: throughput, latency, CPU",
    "What the storage delivered and what the machine did while each cell’s queries ran. Pauses between queries are cut out.",
    resourcesTable(model, known),
    timeline ? timelineChart(model, timeline) : h("p", { class: "made-by" }, "The machine was not sampled."),
    serversTable(model, servers), disturbedTable(model),
    Object.keys(definitions).length
      ? details("What the words mean", h("dl", null, Object.entries(definitions).map(([word, text]) => [h("dt", null, word.replace(/_/g, " ")), h("dd", null, text)]))) : null,
    sqlBehind(model, "resources", "timeline", "servers", "disturbed"));
}

const gigabytes = (v) => (isNumber(v) ? significant(v) : NONE);

function resourcesTable(model, rows) {
  const cellOf = (row) => model.cellById.get(row.cell) ?? {};
  const share = (label, key, title, phone) => whereKnown(rows, key, numberColumn(label, (r) => r[key], percent, { group: "CPU, share of all cores", title, phone }));
  const rate = (label, key) => whereKnown(rows, key, numberColumn(label, (r) => r[key], (v) => (isNumber(v) ? `${bytes(v)}/s` : NONE), { group: "machine, a second", screen: true }));
  return dataTable({ caption: "Resources by cell", rows, tall: rows.length > 24, columns: [
    ...axisColumns(model, cellOf),
    numberColumn("peak", (r) => r.peak_gb_s, gigabytes, { group: "delivered, GB/s", title: "The best second of query time" }),
    numberColumn("sustained", (r) => r.sustained_gb_s, gigabytes, { group: "delivered, GB/s", title: "The best ten seconds of query time in a row, on average" }),
    numberColumn("average", (r) => r.average_gb_s, gigabytes, { group: "delivered, GB/s", phone: true }),
    ...whereKnown(rows, "headroom", numberColumn("headroom", (r) => r.headroom, ratio, { group: "delivered, GB/s", title: "What the store is stated to be rated at, over the peak" })),
    numberColumn("mean", (r) => r.get_mean_ms, significant, { group: "GET, ms", phone: true }),
    numberColumn("p99", (r) => r.get_p99_ms, significant, { group: "GET, ms" }),
    ...share("user", "cpu_user", null, true), ...share("system", "cpu_system"), ...share("waiting for disk", "cpu_iowait"),
    ...share("stolen", "cpu_steal", "Taken by the hypervisor"), ...share("peak", "cpu_peak", "User and system of the busiest second"),
    ...share("engine", "engine_cpu", "CPU time of the engine’s threads"),
    ...whereKnown(rows, "resident_peak_bytes", numberColumn("memory", (r) => r.resident_peak_bytes, bytes, { title: "Most that our processes held" })),
    ...rate("disk read", "disk_read_bytes_s"), ...rate("disk written", "disk_written_bytes_s"),
    ...rate("received", "received_bytes_s"), ...rate("sent", "sent_bytes_s"),
  ] }).element;
}

// Two charts over one line of time: how busy the cores were, and what storage delivered. Behind them a
// band for each pass of a cell.
function timelineChart(model, timeline) {
  const at = timeline.at_s ?? [];
  const points = (key) => at.map((s, i) => [s, timeline[key]?.[i] ?? null]);
  const known = (key) => (timeline[key] ?? []).some(isNumber);
  const shares = [["cpu_user", "user"], ["cpu_system", "system"], ["cpu_iowait", "waiting for disk"], ["cpu_steal", "stolen"]].filter(([key]) => known(key));
  const delivered = known("delivered_bytes_s");
  const bands = (timeline.bands ?? []).filter((band) => isNumber(band.from_s) && isNumber(band.to_s));
  const cells = [...new Set(bands.map((band) => band.cell))];
  const areas = (t, labelled) => ({ silent: true, data: bands.map((band) => [{ xAxis: band.from_s,
    itemStyle: { color: cells.indexOf(band.cell) % 2 ? t.faint : t.rule, opacity: 0.55 },
    label: { show: labelled && bands.length <= 8, position: "insideTop", color: t.muted, fontSize: 11, formatter: nameOf(model, model.cellById.get(band.cell) ?? {}) },
  }, { xAxis: band.to_s }]) });
  const names = [...shares.map(([, name]) => name), ...(delivered ? ["delivered by storage"] : [])];
  const busiest = Math.max(0, ...at.map((s, i) => shares.slice(0, 2).reduce((sum, [key]) => sum + (timeline[key][i] ?? 0), 0)));
  const bandAt = (s) => bands.find((band) => band.from_s <= s + timeline.step_s && band.to_s >= s);
  return chart({
    title: "The run by the clock",
    note: `${timeline.step_s > 1 ? `steps of ${timeline.step_s} s` : "a sample a second"}; a band for each pass of a cell`,
    label: `CPU use and delivered bytes over ${duration(at[at.length - 1] ?? 0)}; the cores were at most ${percent(busiest)} busy.`,
    height: delivered ? 380 : 220,
    legend: legendOf(names, { square: true }),
    option: (t) => {
      const line = (name, i, data, axis, more = {}) => ({ name, type: "line", data, xAxisIndex: axis, yAxisIndex: axis, showSymbol: false, color: seriesColour(t, i),
        lineStyle: { width: 1.5, type: ["solid", "dashed", "dotted"][i % 3] }, ...more });
      const x = (axis, labelled) => ({ type: "value", gridIndex: axis, min: 0, max: Math.max(1, (at[at.length - 1] ?? 0) + timeline.step_s), splitLine: { show: false }, axisTick: { show: false },
        axisLine: { lineStyle: { color: t.muted } }, axisLabel: { show: labelled, color: t.muted, hideOverlap: true, formatter: (s) => `${axisNumber(s)} s` } });
      return {
        grid: delivered ? [{ left: 64, right: 16, top: 30, height: 140 }, { left: 64, right: 16, top: 208, height: 130 }] : [{ left: 64, right: 16, top: 30, bottom: 30 }],
        xAxis: delivered ? [x(0, false), x(1, true)] : [x(0, true)],
        yAxis: [{ ...valueAxis(t, "share of all cores"), gridIndex: 0, min: 0, max: 1, axisLabel: { color: t.muted, formatter: percent } },
          ...(delivered ? [{ ...valueAxis(t, "delivered a second", { format: (v) => bytes(v), splitNumber: 3 }), gridIndex: 1, min: 0 }] : [])],
        axisPointer: { link: [{ xAxisIndex: "all" }] },
        tooltip: { ...tooltipOf(t, (params) => {
          const list = [].concat(params);
          if (list.length === 0) return null;
          const s = list[0].value[0];
          const band = bandAt(s);
          const i = at.indexOf(s);
          return [`${axisNumber(s)} s${band ? `: ${nameOf(model, model.cellById.get(band.cell) ?? {})}, pass ${band.iteration}` : ""}`,
            ...shares.map(([key, name]) => `${name} ${percent(timeline[key][i])}`),
            ...(delivered && isNumber(timeline.delivered_bytes_s[i]) ? [`delivered ${bytes(timeline.delivered_bytes_s[i])}/s`] : [])];
        }), trigger: "axis" },
        series: [
          ...shares.map(([key, name], i) => line(name, i, points(key), 0, i < 2 ? { stack: "cpu", areaStyle: { opacity: 0.35 } } : {})),
          ...(delivered ? [line("delivered by storage", shares.length, points("delivered_bytes_s"), 1, { areaStyle: { opacity: 0.25 }, markArea: areas(t, false) })] : []),
        ].map((series, i) => (i === 0 ? { ...series, markArea: areas(t, true) } : series)),
      };
    },
  }).figure;
}

function serversTable(model, servers) {
  if (servers.length === 0) return null;
  const rows = servers.flatMap((server) => {
    const metrics = server.metrics ?? [];
    return metrics.length ? metrics.map((metric) => ({ ...server, ...metric })) : [server];
  });
  return [h("h3", null, "Watched servers"), dataTable({ caption: "Watched servers by cell and metric", rows, tall: rows.length > 24, columns: [
    { label: "Server", text: true, order: (r) => r.source, cell: (r) => r.source },
    ...axisColumns(model, (r) => model.cellById.get(r.cell) ?? {}),
    { label: "Metric", text: true, order: (r) => r.metric, cell: (r) => r.metric ?? NONE },
    numberColumn("average", (r) => r.average, significant, { title: "Of a counter its growth a second; of a gauge its value" }),
    numberColumn("most", (r) => r.most, significant),
    numberColumn("CPU", (r) => r.cpu, percent, { title: "Busy share of all its cores" }),
    numberColumn("gaps", (r) => r.gaps, (v) => (isNumber(v) ? count(v) : NONE), { title: "Looks that got no answer" }),
  ] }).element];
}

function disturbedTable(model) {
  const { rows = [], disturbed = 0 } = model.disturbances;
  if (rows.length === 0) return null;
  return [h("h3", { id: "disturbed-executions" }, "Disturbed executions"),
    h("p", null, `Something from outside took at least ${percent(model.disturbances.hit_share ?? 0.03)} of what is usually left of the machine in this run while ${disturbed === 1 ? "this execution" : "these executions"} ran. They stay in all figures.`),
    dataTable({ caption: "Disturbed executions", rows, tall: rows.length > 24, className: "prose-table", columns: [
      { label: "Query", text: true, order: (r) => r.query, cell: (r) => r.query },
      ...axisColumns(model, (r) => model.cellById.get(r.cell) ?? {}),
      numberColumn("Iteration", (r) => r.iteration, count),
      { label: "Reason", text: true, order: (r) => r.reason, cell: (r) => r.reason },
      numberColumn("share", (r) => r.share, percent, { title: "Of the machine, over the execution" }),
      { label: "What was seen", text: true, order: (r) => r.text, cell: (r) => r.text ?? NONE },
    ] }).element];
}
