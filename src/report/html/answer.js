// The first screen: the question, the answer, whether it can be trusted, and the figures behind it.

function masthead(model) {
  const { run } = model;
  const progress = run.complete === false ? `${count(run.executions_done)} of ${count(run.executions_planned)} executions`
    : plural(run.executions_done ?? 0, "execution");
  const facts = [run.experiment, run.id, utc(run.started_utc), isNumber(run.wall_s) ? `took ${duration(run.wall_s)}` : null,
    isNumber(model.iterations) ? plural(model.iterations, "iteration") : null, model.streams > 1 ? plural(model.streams, "stream") : null, progress];
  return [h("a", { class: "brand", href: "#answer" }, "lakegauge"),
    h("p", { class: "run-facts" }, facts.filter(Boolean).map((fact) => h("span", null, fact))),
    themeButton()];
}

// Follows the system until the reader chooses. Paper is light whatever the screen is.
function themeButton() {
  const order = ["auto", "light", "dark"];
  const system = matchMedia("(prefers-color-scheme: dark)");
  let now = "auto";
  try {
    now = order.find((t) => t === localStorage.getItem("lakegauge-theme")) ?? "auto";
  } catch { /* a page without storage follows the system */ }
  const button = h("button", { type: "button", class: "theme" });
  const show = (name) => {
    document.documentElement.dataset.theme = name;
    redrawCharts();
  };
  const apply = () => {
    button.textContent = `Theme: ${now}`;
    show(now === "auto" ? (system.matches ? "dark" : "light") : now);
  };
  button.addEventListener("click", () => {
    now = order[(order.indexOf(now) + 1) % order.length];
    try { localStorage.setItem("lakegauge-theme", now); } catch { /* kept for this visit only */ }
    apply();
  });
  system.addEventListener("change", apply);
  addEventListener("beforeprint", () => { show("light"); drawn.forEach(drawChart); });
  addEventListener("afterprint", apply);
  apply();
  return button;
}

function answerSection(model) {
  const { run } = model;
  return h("section", { id: "answer", class: "answer", "aria-labelledby": "title" },
    h("div", { class: "title-row" },
      h("div", null, h("h1", { id: "title" }, run.title || run.experiment || "Storage study"),
        run.question ? h("p", { class: "question" }, run.question) : null),
      run.emulated ? h("a", { class: "stamp stamp-large", href: "#method-emulated" }, "Emulated") : null),
    warnings(model),
    headline(model),
    trustLights(model),
    h("div", { class: "evidence" }, suiteCharts(model), passTable(model)));
}

function warnings(model) {
  const { run } = model;
  const say = (strong, text) => h("p", { class: "warning" }, h("strong", null, strong), " ", text);
  const { imported } = run;
  return [
    imported ? say("Imported.", `From ${(imported.files ?? []).map((file) => `${file.name} (${file.format})`).join(", ")}. Another tool took these times: requests, CPU, cold or warm, and whether answers and data were the same are not known.`) : null,
    run.complete === false ? say("Not complete.", `${count(run.executions_done)} of ${plural(run.executions_planned, "execution")} ${run.executions_done === 1 ? "was done. Figures are of that one." : "were done. Figures are of those."}`) : null,
    run.build_type && run.build_type !== "Release" ? say(`${run.build_type} build.`, "Only a release build’s times count as results.") : null,
  ];
}

const EMULATED = /\bEMULATED\b/;

function headline(model) {
  const { sentence, ratio: effect, beside = [], notes = [] } = model.headline;
  const { run } = model;
  const place = (e) => model.values.store.indexOf(e.store);
  const effects = effect ? [effect, ...beside].sort((a, b) => place(a) - place(b)) : [];
  return h("div", { class: ["headline", effects.length === 0 ? "headline-plain" : effects.length > 1 ? "headline-several" : ""].join(" ").trim() },
    effects.length ? h("div", { class: "effects" }, effects.map((one) => effectTile(model, one, one === effect && effects.length > 1)),
      effect.method ? h("p", { class: "effect-method" }, effect.method) : null) : null,
    h("div", { class: "answer-text" }, h("div", null,
      h("p", { class: String(sentence).length > 150 ? "sentence sentence-long" : "sentence" }, stamped(sentence || "There is no answer yet.")),
      run.emulated && !notes.some((note) => EMULATED.test(note)) ? h("p", { class: "emulated-note" }, emulatedStamp(), " ",
        `${model.emulatedStores.join(", ")}: figures follow from a profile of the store and are not a measurement of a product.`) : null,
      (run.stands_in_for ?? []).length ? h("p", { class: "stands-in" }, h("strong", null, "Stands in for: "), run.stands_in_for.join("; "), ".") : null),
      notes.length ? h("ul", { class: "notes" }, notes.map((note) => h("li", null, stamped(note)))) : null));
}

// One ratio in large, with its seconds, its interval, and what both say.
function effectTile(model, effect, leading) {
  const value = largeRatio(effect.value);
  const known = isNumber(effect.ci_low) && isNumber(effect.ci_high);
  return h("div", { class: leading ? "effect effect-leading" : "effect" },
    h("p", { class: "effect-value", style: `--length: ${value.length}` }, value),
    h("div", null, h("p", { class: "effect-what" }, stamped(effect.what ?? ""), ofEmulated(model, effect.what ?? "") ? [" ", emulatedStamp()] : null),
      isNumber(effect.delta_s) ? h("p", { class: "effect-seconds" }, `${signedTime(effect.delta_s)} a pass`) : null,
      h("p", { class: "effect-interval" }, known ? `95% interval ${interval(effect.ci_low, effect.ci_high)}×` : "no interval: too few samples"),
      known && effect.mark ? h("p", { class: "effect-mark" }, mark(effect), markReason(effect)) : null));
}

// Why the mark is as it is, where the interval alone does not say it.
function markReason(effect) {
  if (!isUncertain(effect)) return null;
  return `: the interval leaves out 1×, but a mark asks for p below ${significant(effect.marked_below)}`;
}

// Whether an effect speaks of an emulated store; one that names no store might.
function ofEmulated(model, what) {
  if (EMULATED.test(what)) return false;  // it says so itself
  const named = model.values.store.filter((store) => what.includes(store));
  return named.length ? named.some((store) => isEmulated(model, store)) : Boolean(model.run.emulated);
}

const LIGHTS = {
  good: ["✓", "Good"], warn: ["!", "Check"], bad: ["✕", "Bad"], unknown: ["?", "Unknown"],
};
const CHECKS = {
  answers: "Answers", file_sizes: "File sizes", cold: "Cold reads", build: "Build", failures: "Failures", noise: "Noise", disturbed: "Disturbed", shaping: "Shaping",
};

function trustLights(model) {
  if (model.trust.length === 0) return null;
  const states = Object.keys(LIGHTS).map((state) => [state, model.trust.filter((light) => light.state === state).length]);
  const verdict = states.filter(([, n]) => n > 0).map(([state, n]) => `${n} ${{ good: "good", warn: "to check", bad: "bad", unknown: "unknown" }[state]}`).join(", ");
  return h("div", { class: "trust" },
    h("div", { class: "trust-head" }, h("h2", null, "Can it be trusted?"), h("p", null, `${verdict}. `, h("a", { href: "#method" }, "How the figures are made"))),
    h("ul", { class: "lights" }, model.trust.map((light) => {
      const [glyph, word] = LIGHTS[light.state] ?? LIGHTS.unknown;
      return h("li", { class: `light light-${LIGHTS[light.state] ? light.state : "unknown"}` },
        h("p", { class: "light-state" }, h("span", { class: "light-mark", "aria-hidden": "true" }, glyph), h("span", { class: "light-word" }, word),
          h("a", { href: `#method-${light.id}` }, CHECKS[light.id] ?? light.id)),
        h("p", { class: "light-text" }, light.text),
        light.detail ? h("details", null, h("summary", null, "Detail"), h("p", null, light.detail)) : null);
    })));
}

// Seconds, requests and bytes a pass, one block of rows a series of the chart.
function passTable(model) {
  const { plan, compare } = model;
  const blocks = combinations(model, [...plan.facets, ...plan.series]);
  const axes = [...plan.facets, ...plan.series];
  const base = model.hasLayouts ? "layout" : "store";
  const versus = (cell) => (model.hasLayouts ? cell.vs_layout : cell.vs_store);
  const compared = model.hasLayouts || model.hasStores;
  const known = (key) => model.cells.some((cell) => isNumber(cell[key]));
  const [requests, read] = [known("requests_per_pass"), known("bytes_per_pass")];
  const heads = [[AXIS_TITLES[plan.x], "text"], ["Seconds", "number"], ["95% interval", "number aside"], ...(compared ? [[`× ${compare[base] ?? "baseline"}`, "number"]] : []),
    ...(requests ? [["Requests", "number"]] : []), ...(read ? [["Bytes", "number aside"]] : [])];
  const row = (cell) => h("tr", null,
    h("th", { scope: "row", class: "text" }, cell[plan.x], plan.x === "store" && isEmulated(model, cell.store) ? [" ", emulatedStamp()] : null,
      plan.x === "layout" && layoutNote(model, cell.layout) ? h("span", { class: "cell-note" }, layoutNote(model, cell.layout)) : null),
    h("td", { class: "number strong" }, significant(cell.suite?.avg_s)),
    h("td", { class: "number aside" }, interval(cell.suite?.ci95_low_s, cell.suite?.ci95_high_s)),
    compared ? h("td", { class: "number" }, cell[base] === compare[base] ? "baseline" : [ratio(versus(cell)?.ratio), markSign(versus(cell))]) : null,
    requests ? h("td", { class: "number" }, count(cell.requests_per_pass)) : null,
    read ? h("td", { class: "number aside" }, bytes(cell.bytes_per_pass)) : null);
  const title = requests && read ? "Seconds, requests and bytes a pass" : "Seconds a pass";
  const table = h("table", { class: "pass-table narrowing" }, h("caption", { class: "visually-hidden" }, title),
    h("thead", null, h("tr", null, heads.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)))),
    blocks.map((block) => h("tbody", null,
      axes.length || model.values.store.length === 1 && model.emulatedStores.length
        ? h("tr", { class: "block" }, h("th", { scope: "rowgroup", colspan: String(heads.length) }, nameElement(model, block, axes))) : null,
      model.values[plan.x].map((value) => findCell(model, { ...block, [plan.x]: value })).filter(Boolean).map(row))));
  return h("div", { class: "pass" }, h("p", { class: "chart-title" }, title), scrollBox(title, table),
    model.detectable?.text ? h("p", { class: "detectable" }, model.detectable.text) : null);
}
