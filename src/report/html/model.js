// The result model, with what the page asks of it again and again. Nothing is measured here: figures
// come from summary.json as they are.

const AXES = ["engine", "store", "layout", "dataset"];

function readModel(summary) {
  const list = (key) => (Array.isArray(summary[key]) ? summary[key] : []);
  const axes = summary.axes ?? {};
  const byId = (items) => new Map(items.map((item) => [item.id, item]));
  const model = {
    summary,
    run: summary.run ?? {},
    headline: summary.headline ?? {},
    trust: list("trust"),
    cells: list("cells"),
    queries: list("queries"),
    stores: list("stores"),
    layouts: list("layouts"),
    doubling: list("doubling"),
    latency: list("latency"),
    delivered: list("delivered"),
    sizes: list("sizes"),
    failures: list("failures"),
    annotations: list("annotations"),
    outliers: list("outliers"),
    detectable: summary.detectable ?? null,
    sideBySide: list("side_by_side"),
    resources: summary.resources ?? {},
    disturbances: summary.disturbances ?? {},
    compare: summary.compare ?? {},
    estimators: summary.estimators ?? {},
    environment: summary.environment ?? {},
    repeat: summary.repeat ?? {},
    sql: summary.sql ?? {},
    queryNames: axes.queries ?? [],
    iterations: axes.iterations ?? null,
    streams: axes.streams ?? null,
    // The values of an axis in the experiment's order.
    values: Object.fromEntries(AXES.map((axis) => [axis, axes[`${axis}s`] ?? []])),
  };
  // The experiment's order, whatever order the rows come in.
  const inOrder = (rows, order) => {
    const place = (row) => order.map((axis) => model.values[axis].indexOf(row[axis]));
    const compare = (x, y) => x.map((at, i) => at - y[i]).find((difference) => difference !== 0) ?? 0;
    return [...rows].sort((a, b) => compare(place(a), place(b)));
  };
  model.cells = inOrder(model.cells, ["engine", "dataset", "store", "layout"]);
  model.latency = inOrder(model.latency, ["store", "layout"]);
  model.sizes = inOrder(model.sizes, ["dataset", "layout"]);
  model.varied = AXES.filter((axis) => model.values[axis].length > 1);
  model.cellById = byId(model.cells);
  model.storeById = byId(model.stores);
  model.layoutById = byId(model.layouts);
  model.emulatedStores = model.stores.filter((store) => store.emulated).map((store) => store.id);
  model.hasLayouts = model.values.layout.length > 1;
  model.hasStores = model.values.store.length > 1;
  model.plan = planCharts(model);
  return model;
}

const isEmulated = (model, store) => Boolean(model.storeById.get(store)?.emulated);

// Which axis runs along a chart, which make its series, and which split it into several charts.
// Layouts of different file sizes run along it; kinds of file (CSV, Parquet) are compared within it.
function planCharts(model) {
  const varied = (axis) => model.varied.includes(axis);
  const targets = new Set(model.layouts.map((layout) => layout.target_file_bytes));
  const sized = varied("layout") && targets.size > 1;
  let x = "store";
  if (sized || (varied("layout") && !varied("dataset"))) x = "layout";
  else if (varied("dataset")) x = "dataset";
  const rest = model.varied.filter((axis) => axis !== x);
  const series = rest.filter((axis) => axis === "store" || axis === "layout");
  const facets = rest.filter((axis) => !series.includes(axis));
  if (series.length === 0 && facets.length > 0) series.push(facets.shift());
  return { x, series, facets, ordered: sized };
}

// Every combination of the values of some axes, as objects {axis: value}; one empty object for none.
function combinations(model, axes) {
  return axes.reduce((sofar, axis) =>
    sofar.flatMap((c) => model.values[axis].map((value) => ({ ...c, [axis]: value }))), [{}]);
}

const matches = (cell, wanted) => Object.entries(wanted).every(([axis, value]) => cell[axis] === value);
const findCell = (model, wanted) => model.cells.find((cell) => matches(cell, wanted));

// "s3-standard, 1MiB": what sets a cell apart from the others of this run.
function nameOf(model, cell, axes = model.varied) {
  const named = AXES.filter((axis) => axes.includes(axis) && cell[axis] !== undefined).map((axis) => cell[axis]);
  return named.join(", ") || cell.store || cell.id || model.values.store[0] || "all";
}

// The same as an element, stamped where the store is emulated.
function nameElement(model, cell, axes) {
  const store = cell.store ?? (model.values.store.length === 1 ? model.values.store[0] : undefined);
  return h("span", { class: "name" }, nameOf(model, cell, axes), isEmulated(model, store) ? [" ", emulatedStamp()] : null);
}

const layoutNote = (model, id) => {
  const same = model.layoutById.get(id)?.coincides_with ?? [];
  return same.length ? `same files as ${same.join(", ")}` : "";
};

const AXIS_TITLES = { engine: "Engine", store: "Store", layout: "Layout", dataset: "Dataset" };

// The cell of a row by its name; null where there is but one.
const cellName = (model, row) => (model.varied.length && model.cellById.has(row.cell) ? nameElement(model, model.cellById.get(row.cell)) : null);

// Table columns for the axes that vary; where none does, the store's. A phone has the first alone, with the others under it.
function axisColumns(model, cellOf = (row) => row, axes = model.varied) {
  const shown = axes.length ? AXES.filter((axis) => axes.includes(axis)) : ["store"];
  return shown.map((axis, i) => ({
    label: AXIS_TITLES[axis],
    text: true,
    note: i === 0 && shown.length > 1 ? (row) => shown.slice(1).map((other) => cellOf(row)[other]).filter(Boolean).join(", ") : undefined,
    order: (row) => model.values[axis].indexOf(cellOf(row)[axis]),
    cell: (row) => {
      const value = cellOf(row)[axis] ?? NONE;
      if (axis === "store" && isEmulated(model, value)) return h("span", { class: "name" }, value, " ", emulatedStamp());
      return value;
    },
  }));
}
