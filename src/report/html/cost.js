// What the run costs by a price sheet. Amounts are decimal texts of the model.

const amountOf = (text) => (typeof text === "string" ? Number(text) : null);
const totalOf = (bill) => (bill && !(bill.lines.length === 0 && bill.unpriced.length > 0) ? amountOf(bill.total) : null);

// Cents from 1 on, three significant digits below.
function money(v) {
  if (!isNumber(v)) return NONE;
  if (v === 0 || Math.abs(v) >= 1) return v.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return v.toLocaleString("en-US", { minimumFractionDigits: 2, maximumSignificantDigits: 3 });
}

// What had no price, so that no total holds it; each once.
function unpricedNotes(cost) {
  const notes = cost.cells.flatMap((cell) => cell.columns.flatMap((column) => ["pass", "keeping", "loading"].flatMap((what) =>
    (column[what]?.unpriced ?? []).map((item) => `${cell.cell}, ${column.column}: no price, left out of ${what}: ${item}`))));
  return [...new Set([...cost.cells.flatMap((cell) => cell.notes.map((note) => `${cell.cell}: ${note}`)), ...notes])];
}

function costSection(model) {
  const { cost } = model.summary;
  if (!cost) return null;
  if (cost.problem) return section("cost", "Cost", `The price sheet could not be used: ${cost.problem}`);
  const { prices } = cost;
  const rows = cost.cells.flatMap((cell) => cell.columns.map((column) => ({ ...cell, ...column })));
  const days = Number(cost.retention_days);
  const table = dataTable({ caption: "Cost of each cell", rows, columns: [
    ...axisColumns(model, (row) => model.cellById.get(row.cell) ?? row),
    { label: "Column", text: true, phone: true, order: (row) => row.column, cell: (row) => row.column },
    numberColumn("A query", (row) => amountOf(row.query), money),
    numberColumn("A pass", (row) => totalOf(row.pass), money, { phone: true }),
    numberColumn("The run", (row) => totalOf(row.run), money, { title: "Warm-up and failures too" }),
    numberColumn(`Kept ${plural(days, "day")}`, (row) => totalOf(row.keeping), money),
    numberColumn("Loading", (row) => totalOf(row.loading), money),
    ...(cost.passes_a_month ? [numberColumn("A month", (row) => totalOf(row.month), money, { title: `${plural(cost.month_days, "day")}, ${cost.passes_a_month} passes, the data kept all of it` })] : []),
  ] }).element;
  const queries = dataTable({ caption: "Cost of each query", rows: cost.queries, tall: cost.queries.length > 24, columns: [
    { label: "Query", text: true, order: (row) => row.query, cell: (row) => row.query, note: (row) => cellName(model, row) },
    ...axisColumns(model, (row) => model.cellById.get(row.cell) ?? row),
    { label: "Column", text: true, phone: true, order: (row) => row.column, cell: (row) => row.column },
    numberColumn("A run of it", (row) => amountOf(row.total), money, { phone: true, title: "Its share of a job: nothing is rounded up" }),
  ] }).element;
  const sources = prices.sources ?? [];
  const apart = model.varied.filter((axis) => axis !== "store");
  const notes = unpricedNotes(cost);
  return section("cost", "Cost",
    `Prices: ${prices.name}${prices.date ? ` of ${prices.date}` : ""}, in ${prices.currency}. A pass is one run of the workload as a job of its own${cost.passes_a_month ? `; a month has ${plural(cost.month_days, "day")} and ${cost.passes_a_month} passes` : ""}.`,
    rows.length ? table : null,
    cost.break_even.length ? [h("h3", null, "When a dearer store has paid"), h("ul", null, cost.break_even.map((even) => h("li", null, apart.length && model.cellById.has(even.cell) ? `${nameOf(model, model.cellById.get(even.cell), apart)}: ` : null, stamped(even.text))))] : null,
    cost.queries.length ? details("What each query costs", queries) : null,
    notes.length ? details("What has no price", h("ul", null, notes.map((note) => h("li", null, note)))) : null,
    sources.length ? details("Sources of the prices", h("ul", null, sources.map((source) => h("li", null, source)))) : null,
    sqlBehind(model, "billed", "cost_usage", "cost_requests", "cost_files"));
}
