// Puts the page together, top to bottom.

const SHORT = {
  cells: "Cells", bars: "Averages", heat: "Heat map", queries: "Queries", "side-by-side": "Side by side", bottleneck: "Bottleneck", files: "File sizes", requests: "Requests", resources: "Resources", cost: "Cost", failures: "Failures", outliers: "Outliers", annotated: "Marked invalid",
  places: "Stores", environment: "Environment", repeat: "Repeat it", sql: "SQL", method: "Method",
};

function contents(sections) {
  return h("ul", null, sections.map((element) => h("li", null, h("a", { href: `#${element.id}` }, SHORT[element.id] ?? element.querySelector("h2").textContent))));
}

function main() {
  const model = readModel(JSON.parse(document.getElementById("summary").textContent));
  const method = document.getElementById("method");
  const sections = [cellsSection(model), barsSection(model), heatSection(model), queriesSection(model), sideBySideSection(model), bottleneckSection(model), filesSection(model),
    requestsSection(model), resourcesSection(model), costSection(model), failuresSection(model), outliersSection(model), annotatedSection(model), placesSection(model), environmentSection(model), repeatSection(model), sqlSection(model)].filter(Boolean);
  const report = document.getElementById("report");
  report.append(answerSection(model), ...sections);
  document.getElementById("masthead").append(...masthead(model));
  document.getElementById("contents").append(contents([...sections, method]));
  fillEstimators(model);
  startCharts();
  // A link into folded or late content still lands where it points.
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

main();
