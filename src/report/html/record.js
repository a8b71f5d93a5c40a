// What a doubter asks for: failures, the machine, how to do it again, and the SQL behind the tables.

function failuresSection(model) {
  const { run } = model;
  const lead = model.failures.length
    ? `${plural(model.failures.length, "execution")} of ${count(run.executions_done)} failed. They stay in the record; a pass that holds one is left out of suite times.`
    : `None of ${plural(run.executions_done ?? 0, "execution")} failed.`;
  return section("failures", "Failures", lead, model.failures.length ? dataTable({
    caption: "Executions that failed", rows: model.failures, className: "prose-table", columns: [
      { label: "Query", text: true, order: (f) => f.query, cell: (f) => f.query },
      ...axisColumns(model, (f) => model.cellById.get(f.cell) ?? {}),
      numberColumn("Iteration", (f) => f.iteration, count),
      { label: "Status", text: true, order: (f) => f.status, cell: (f) => String(f.status ?? NONE).replace(/_/g, " ") },
      { label: "Error", text: true, order: (f) => f.error, cell: (f) => f.error || NONE },
      { label: "Execution", order: (f) => f.execution, cell: (f) => String(f.execution ?? NONE) },
    ] }).element : null, model.failures.length ? sqlBehind(model, "failures") : null);
}

// What a person said of executions afterwards, each with its reason.
function annotatedSection(model) {
  if (model.annotations.length === 0) return null;
  return section("annotated", "Marked invalid", `${plural(model.annotations.length, "execution")} of ${count(model.run.executions_done)}: marked by a person, with the reason. Their records stay as they were; no statistic counts them.`, dataTable({
    caption: "Executions marked invalid", rows: model.annotations, className: "prose-table", columns: [
      { label: "Query", text: true, order: (a) => a.query, cell: (a) => a.query },
      ...axisColumns(model, (a) => model.cellById.get(a.cell) ?? {}),
      numberColumn("Iteration", (a) => a.iteration, count),
      numberColumn("Seconds", (a) => a.seconds),
      { label: "Status", text: true, order: (a) => a.status, cell: (a) => `${String(a.status ?? NONE).replace(/_/g, " ")}${a.warmup ? " (warm-up)" : ""}` },
      { label: "Reason", text: true, order: (a) => a.reason, cell: (a) => a.reason || NONE },
      { label: "Marked", text: true, order: (a) => a.at_utc, cell: (a) => utc(a.at_utc) },
      { label: "Execution", order: (a) => a.execution, cell: (a) => String(a.execution ?? NONE) },
    ] }).element, sqlBehind(model, "annotated", "annotations"));
}

function outliersSection(model) {
  if (model.outliers.length === 0) return null;
  const figures = (part) => (part && isNumber(part.avg_s) ? `${significant(part.avg_s)} (${significant(part.stddev_s)})` : NONE);
  return section("outliers", "Outliers", [`${plural(model.outliers.length, "time")} far from the others of the same query and cell. They stay in every other figure of this page; here their query stands with and without them, as average (standard deviation).`,
    model.estimators.outliers ? ` The rule: ${model.estimators.outliers}.` : ""], dataTable({
    caption: "Times far from the others of their query and cell", rows: model.outliers, className: "prose-table", columns: [
      { label: "Query", text: true, order: (o) => o.query, cell: (o) => o.query },
      ...axisColumns(model, (o) => model.cellById.get(o.cell) ?? {}),
      numberColumn("Iteration", (o) => o.iteration, count),
      numberColumn("Seconds", (o) => o.seconds, significant),
      numberColumn("Others’ median", (o) => o.others_median_s, significant),
      { label: "With", order: (o) => o.with?.avg_s, cell: (o) => figures(o.with) },
      { label: "Without", order: (o) => o.without?.avg_s, cell: (o) => figures(o.without) },
      { label: "Cause", text: true, order: (o) => o.reason, cell: (o) => o.reason || NONE },
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

// The SQL of a table, folded, under it.
function sqlBehind(model, ...names) {
  return names.filter((name) => Object.hasOwn(model.sql, name)).map((name) => {
    sqlShown.add(name);
    return sqlDetails(name, model.sql[name]);
  });
}

const sqlDetails = (name, text) => details(`SQL behind ${name.replace(/_/g, " ")}`, command(String(text)));

function sqlSection(model) {
  const names = Object.keys(model.sql);
  if (names.length === 0) return null;
  const rest = names.filter((name) => !sqlShown.has(name));
  const shown = names.filter((name) => sqlShown.has(name));
  return section("sql", "The SQL behind each table", [
    "Every figure is computed by SQL over the records of the run, and can be computed again by hand. ",
    shown.length ? `Under its table: ${shown.join(", ").replace(/_/g, " ")}.` : "",
  ], rest.map((name) => sqlDetails(name, model.sql[name])));
}

function fillEstimators(model) {
  const entries = Object.entries(model.estimators);
  document.getElementById("estimators").replaceChildren(entries.length
    ? h("dl", null, entries.map(([name, text]) => [h("dt", null, name), h("dd", null, String(text))])) : "This run names none.");
}
