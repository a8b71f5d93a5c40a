// Tables with sort buttons. A column is
//   {label, cell(row) -> text or node, order(row) -> number or text (what to sort by), text: true for words,
//    group: heading above neighbours with the same group, title: what the heading means, sortable: false,
//    screen: true for columns that paper has no room for, phone: true for those that a phone shows,
//    note(row): what a phone shows under the first column}
// The first column is the row's heading and stays in sight. Where columns are meant for a phone it shows
// these alone, until all are asked for.

// Missing values come last in either direction.
function compareValues(a, b, direction) {
  const missing = (v) => v === null || v === undefined;
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  return direction * (typeof a === "number" && typeof b === "number" ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true }));
}

function dataTable({ caption, columns, rows, sortable = true, tall = false, className = "" }) {
  const status = h("p", { class: "visually-hidden", role: "status" });
  const heads = columns.map((column) => headCell(column, sortable));
  const body = h("tbody");
  const rowElements = new Map(rows.map((row) => [row, bodyRow(columns, row)]));
  let shown = rows;
  let sorted = null;  // {column, direction}

  function draw() {
    const order = sorted
      ? [...shown].sort((a, b) => compareValues(sorted.column.order(a), sorted.column.order(b), sorted.direction)) : shown;
    body.replaceChildren(...order.map((row) => rowElements.get(row)));
  }

  columns.forEach((column, i) => {
    heads[i].querySelector("button")?.addEventListener("click", () => {
      const before = sorted?.column === column ? sorted.direction : 0;
      sorted = before === -1 ? null : { column, direction: before === 0 ? 1 : -1 };
      heads.forEach((head) => head.hasAttribute("aria-sort") && head.setAttribute("aria-sort", "none"));
      if (sorted) heads[i].setAttribute("aria-sort", sorted.direction === 1 ? "ascending" : "descending");
      status.textContent = sorted
        ? `Sorted by ${column.label}, ${sorted.direction === 1 ? "ascending" : "descending"}`
        : "In the experiment’s order";
      draw();
    });
  });
  draw();

  const narrowing = columns.some(isForPhone);
  const table = h("table", { class: narrowing ? `${className} narrowing`.trim() : className }, h("caption", { class: "visually-hidden" }, caption),
    h("thead", null, groupRow(columns, narrowing ? "aside" : null), narrowing ? groupRow(columns.filter((column, i) => i === 0 || isForPhone(column)), "phone-only") : null, h("tr", null, heads)), body);
  if (narrowing) columns.forEach((column, i) => i > 0 && !isForPhone(column) && heads[i].classList.add("aside"));
  return {
    element: h("div", { class: "table" }, narrowing ? h("div", { class: "controls phone-controls" }, toggle("All columns", false, (on) => table.classList.toggle("whole", on))) : null,
      scrollBox(caption, table, tall), status),
    show(rowsToShow) {
      shown = rowsToShow;
      draw();
    },
  };
}

const isForPhone = (column) => Boolean(column.phone);
const classOf = (column, ...more) => [column.text ? "text" : "number", column.screen ? "screen-only" : "", ...more].filter(Boolean).join(" ");

function headCell(column, sortable) {
  const canSort = sortable && column.sortable !== false && column.order;
  return h("th", { scope: "col", class: classOf(column), title: column.title,
    "aria-sort": canSort ? "none" : null, "data-label": canSort ? column.label : null },
    canSort ? h("button", { type: "button" }, h("span", null, column.label)) : column.label);
}

function groupRow(columns, className = null) {
  if (!columns.some((column) => column.group)) return null;
  const groups = [];
  for (const column of columns) {
    const last = groups[groups.length - 1];
    const { group: name = "", screen = false } = column;
    if (last && last.name === name && last.screen === screen) last.span += 1;
    else groups.push({ name, screen, span: 1, goesOn: last?.name === name });
  }
  return h("tr", { class: ["groups", className].filter(Boolean).join(" ") }, groups.map((group) => (group.name && !group.goesOn
    ? h("th", { scope: "colgroup", class: group.screen ? "screen-only" : null, colspan: String(group.span) }, group.name)
    : h("td", { class: group.screen ? "screen-only" : null, colspan: String(group.span) }))));
}

function bodyRow(columns, row) {
  const narrowing = columns.some(isForPhone);
  return h("tr", null, columns.map((column, i) => {
    const content = column.cell(row);
    const note = narrowing && i === 0 ? column.note?.(row) : null;
    return i === 0 ? h("th", { scope: "row", class: classOf(column) }, content, note ? h("span", { class: "cell-note phone-only" }, note) : null)
      : h("td", { class: classOf(column, column.tone?.(row), narrowing && !isForPhone(column) ? "aside" : null) }, content);
  }));
}

// A column for a figure that not every version of the model has.
const whereKnown = (rows, key, column) => (rows.some((row) => row[key] !== null && row[key] !== undefined) ? [column] : []);

// A column of a number: {label, value(row), text(value)}.
function numberColumn(label, value, text = significant, more = {}) {
  return { label, cell: (row) => text(value(row)), order: (row) => (isNumber(value(row)) ? value(row) : null), ...more };
}
