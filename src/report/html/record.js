// What a doubter asks for: failures, the machine, how to do it again, and the SQL behind the tables.

function failuresSection(model) {
  const { run } = model;
  const lead = model.failures.length
    ? `${plural(model.failures.length, "execution")} of ${count(run.executions_done)} failed. They stay in the record; a pass that holds one is left out of suite times.`
    : `None of ${plural(run.executions_done ?? 0, "execution")} failed.`;
  return section("failures", "Failures", lead, model.failures.length ? dataTable({
    caption: "Executions that failed", rows: model.failures, className: "prose-table", columns: [
      { label: "Query", text: true, order: (f) => f.query, cell: (f) => f.query, note: (f) => cellName(model, f) },
      ...axisColumns(model, (f) => model.cellById.get(f.cell) ?? {}),
      numberColumn("Iteration", (f) => f.iteration, count),
      { label: "Status", text: true, phone: true, order: (f) => f.status, cell: (f) => String(f.status ?? NONE).replace(/_/g, " ") },
      { label: "Error", text: true, phone: true, order: (f) => f.error, cell: (f) => f.error || NONE },
      { label: "Execution", order: (f) => f.execution, cell: (f) => String(f.execution ?? NONE) },
    ] }).element : null, model.failures.length ? sqlBehind(model, "failures") : null);
}

// What a person said of executions afterwards, each with its reason.
function annotatedSection(model) {
  if (model.annotations.length === 0) return null;
  return section("annotated", "Marked invalid", `${plural(model.annotations.length, "execution")} of ${count(model.run.executions_done)}: marked by a person, with the reason. Their records stay as they were; no statistic counts them.`, dataTable({
    caption: "Executions marked invalid", rows: model.annotations, className: "prose-table", columns: [
      { label: "Query", text: true, order: (a) => a.query, cell: (a) => a.query, note: (a) => cellName(model, a) },
      ...axisColumns(model, (a) => model.cellById.get(a.cell) ?? {}),
      numberColumn("Iteration", (a) => a.iteration, count),
      numberColumn("Seconds", (a) => a.seconds, significant, { phone: true }),
      { label: "Status", text: true, order: (a) => a.status, cell: (a) => `${String(a.status ?? NONE).replace(/_/g, " ")}${a.warmup ? " (warm-up)" : ""}` },
      { label: "Reason", text: true, phone: true, order: (a) => a.reason, cell: (a) => a.reason || NONE },
      { label: "Marked", text: true, order: (a) => a.at_utc, cell: (a) => utc(a.at_utc) },
      { label: "Execution", order: (a) => a.execution, cell: (a) => String(a.execution ?? NONE) },
    ] }).element, sqlBehind(model, "annotated", "annotations"));
}

function outliersSection(model) {
  if (model.outliers.length === 0) return null;
  const figures = (part) => (part && isNumber(part.avg_s) ? `${significant(part.avg_s)} (${significant(part.stddev_s)})` : NONE);
  const one = model.outliers.length === 1;
  return section("outliers", "Outliers", [`${one ? "One time lies" : `${count(model.outliers.length)} times lie`} far from the others of the same query and cell. ${one ? "It stays in every other figure of this page; here its query stands with and without it" : "They stay in every other figure of this page; here their queries stand with and without them"}, as average (standard deviation).`,
    model.estimators.outliers ? ` The rule: ${model.estimators.outliers}.` : ""], dataTable({
    caption: "Times far from the others of their query and cell", rows: model.outliers, className: "prose-table", columns: [
      { label: "Query", text: true, order: (o) => o.query, cell: (o) => o.query, note: (o) => cellName(model, o) },
      ...axisColumns(model, (o) => model.cellById.get(o.cell) ?? {}),
      numberColumn("Iteration", (o) => o.iteration, count),
      numberColumn("Seconds", (o) => o.seconds, significant, { phone: true }),
      numberColumn("Others’ median", (o) => o.others_median_s, significant, { phone: true }),
      { label: "With", order: (o) => o.with?.avg_s, cell: (o) => figures(o.with) },
      { label: "Without", order: (o) => o.without?.avg_s, cell: (o) => figures(o.without) },
      { label: "Cause", text: true, phone: true, order: (o) => o.reason, cell: (o) => o.reason || NONE },
      { label: "Execution", order: (o) => o.execution, cell: (o) => String(o.execution ?? NONE) },
    ] }).element, sqlBehind(model, "times"));
}

function environmentSection(model) {
  const entries = Object.entries(model.environment).filter(([key]) => key !== "v");
  if (entries.length === 0) return null;
  const plain = entries.filter(([, value]) => value === null || typeof value !== "object");
  return section("environment", "Environment", "The machine, the file systems and the engines as they were. Secrets are never recorded.",
    plain.length ? tree(Object.fromEntries(plain)) : null,
    h("div", { class: "columns" }, entries.filter(([, value]) => value !== null && typeof value === "object").map(([key, value]) => {
      const box = details(key.replace(/_/g, " "), tree(value));
      box.open = JSON.stringify(value).length < 700;
      return box;
    })));
}

function repeatSection(model) {
  const { command: line, steps = [] } = model.repeat;
  const files = [["summary.json", "the result model that this page renders"], ["queries.csv", "one row a query execution"],
    ["runs.csv", "one row a pass of a cell"], ["summary.md", "the same in short, to paste"]];
  const { run } = model;
  return section("repeat", "Repeat it", null,
    line ? command(line) : null,
    steps.length ? [h("p", null, "From a bare machine:"), h("ol", { class: "steps" }, steps.map((step) => h("li", null, step)))] : null,
    run.imported ? h("p", { class: "made-by" }, `This run was imported by ${run.imported.by ?? "lakegauge"} on ${utc(run.imported.imported_utc)}.`)
      : h("p", { class: "made-by" }, ["This run was made by lakegauge ", run.lakegauge_version || "of an unknown version", run.build_type ? ` (${run.build_type} build)` : "",
      run.command ? [" with ", h("code", null, run.command)] : null, "."]),
    h("h3", null, "Figures to take away"),
    h("ul", { class: "downloads" }, files.map(([file, what]) => h("li", null, h("a", { href: file, download: file }, file), ` ${what}`))));
}

const sqlShown = new Set();

// The SQL of a section's tables, folded, under them.
function sqlBehind(model, ...names) {
  const known = names.filter((name) => Object.hasOwn(model.sql, name));
  known.forEach((name) => sqlShown.add(name));
  return known.length ? sqlDetails(model, known) : null;
}

const sqlDetails = (model, names) => details(`SQL behind ${names.join(", ").replace(/_/g, " ")}`, names.map((name) => command(String(model.sql[name]))));

function sqlSection(model) {
  const names = Object.keys(model.sql);
  if (names.length === 0) return null;
  const rest = names.filter((name) => !sqlShown.has(name));
  const shown = names.filter((name) => sqlShown.has(name));
  return section("sql", "The SQL behind each table", [
    "Every figure is computed by SQL over the records of the run, and can be computed again by hand. ",
    shown.length ? `Under its table: ${shown.join(", ").replace(/_/g, " ")}.` : "",
  ], rest.map((name) => sqlDetails(model, [name])));
}

function fillEstimators(model) {
  const entries = Object.entries(model.estimators);
  document.getElementById("estimators").replaceChildren(entries.length
    ? h("dl", null, entries.map(([name, text]) => [h("dt", null, name), h("dd", null, String(text))])) : "This run names none.");
}
