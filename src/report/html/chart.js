// Charts: ECharts in the page's own type and colours, drawn when they come near the screen and again
// when the theme or the width changes. Each is an image with a sentence for screen readers, its own
// legend in HTML (shape and name, not colour alone), and its figures as a table beside or under it.

const SHAPES = ["circle", "rect", "triangle", "diamond", "roundRect", "arrow"];
const SERIES_COLOURS = 6;
const drawn = [];  // every chart of the page

function theme() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    ink: get("--ink"), paper: get("--paper"), muted: get("--muted"), rule: get("--rule"), faint: get("--faint"), panel: get("--panel"),
    font: getComputedStyle(document.body).fontFamily,
    series: Array.from({ length: SERIES_COLOURS }, (_, i) => get(`--s${i + 1}`)),
  };
}

const seriesColour = (t, i) => t.series[i % t.series.length];
const seriesShape = (i) => SHAPES[i % SHAPES.length];

// {title, label, height(box width) -> px or px, minWidth, option(theme, width) -> ECharts option, controls, legend, data}
function chart({ title, note, label, height = 320, minWidth = 0, option, controls = [], legend = null, data = null }) {
  const box = h("div", { class: "chart", role: "img", "aria-label": label });
  const entry = { box, option, height, instance: null, width: 0 };
  if (minWidth) box.style.minWidth = `${minWidth}px`;
  drawn.push(entry);
  entry.figure = h("figure", { class: "figure" },
    h("div", { class: "figure-head" },
      h("figcaption", null, h("span", { class: "chart-title" }, title), note ? h("span", { class: "chart-note" }, note) : null),
      controls.length ? h("div", { class: "controls" }, controls) : null),
    legend,
    minWidth ? scrollBox(title, box) : box,
    data ? details("Figures of this chart", data) : null);
  entry.redraw = () => drawChart(entry);
  return entry;
}

function drawChart(entry) {
  const width = entry.box.clientWidth;
  if (width === 0) return;
  const height = typeof entry.height === "function" ? entry.height(width) : entry.height;
  entry.box.style.height = `${height}px`;
  entry.instance ??= echarts.init(entry.box, null, { renderer: "svg", width, height });
  entry.instance.resize({ width, height });
  entry.width = width;
  const t = theme();
  entry.instance.setOption({ animation: false, textStyle: { fontFamily: t.font, color: t.ink, fontSize: 12 }, ...entry.option(t, width) },
    { notMerge: true });
  // So that paper, narrower than the screen, can scale the picture.
  entry.box.querySelector("svg").setAttribute("viewBox", `0 0 ${width} ${height}`);
}

function startCharts() {
  const entryOf = new Map(drawn.map((entry) => [entry.box, entry]));
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (isIntersecting && !entryOf.get(target).instance) drawChart(entryOf.get(target));
    }
  }, { rootMargin: "600px" });
  const sized = new ResizeObserver((seen) => {
    for (const { target } of seen) {
      const entry = entryOf.get(target);
      if (entry.instance && target.clientWidth !== entry.width) drawChart(entry);
    }
  });
  for (const { box, height } of drawn) {
    box.style.height = `${typeof height === "function" ? height(box.clientWidth || 600) : height}px`;
    near.observe(box);
    sized.observe(box);
  }
}

function redrawCharts() {
  drawn.filter((entry) => entry.instance).forEach(drawChart);
}

// The shape and colour of a series, as in the chart.
function seriesKey(i, square = false) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const paths = {
    circle: "M1 6a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", rect: "M1.5 1.5h9v9h-9z", triangle: "M6 1l5.5 10h-11z",
    diamond: "M6 0l6 6l-6 6l-6-6z", roundRect: "M3 1h6l2 2v6l-2 2h-6l-2-2v-6z", arrow: "M6 0l5 12l-5-3l-5 3z",
  };
  svg.setAttribute("viewBox", "0 0 12 12");
  svg.setAttribute("class", "key");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", paths[square ? "rect" : seriesShape(i)]);
  path.style.fill = `var(--s${(i % SERIES_COLOURS) + 1})`;
  svg.append(path);
  return svg;
}

// names: elements or texts, in the order of the series.
function legendOf(names, { square = false } = {}) {
  return h("ul", { class: "legend" }, names.map((name, i) => h("li", null, seriesKey(i, square), name)));
}

// Parts of options, so that all charts look alike.
function valueAxis(t, name, { log = false, format = axisNumber, ...more } = {}) {
  return {
    type: log ? "log" : "value", name: log ? `${name}, log scale` : name, nameLocation: "end", nameGap: 14,
    nameTextStyle: { color: t.muted, align: "left", fontSize: 12 },
    axisLabel: { color: t.muted, formatter: format, hideOverlap: true }, axisLine: { show: false, onZero: false }, axisTick: { show: false },
    splitLine: { lineStyle: { color: t.rule } }, minorSplitLine: { show: log, lineStyle: { color: t.faint } }, minorTick: { show: false },
    ...more,
  };
}

function categoryAxis(t, names, more = {}) {
  return {
    type: "category", data: names, axisLabel: { color: t.ink, hideOverlap: false, interval: 0, ...more.axisLabel },
    axisLine: { lineStyle: { color: t.muted } }, axisTick: { show: false }, ...more.axis,
  };
}

// A tooltip of "name: value" lines, built from text nodes.
function tooltipOf(t, content) {
  return {
    trigger: "item", confine: true, backgroundColor: t.panel, borderColor: t.rule, textStyle: { color: t.ink, fontSize: 12 },
    formatter: (params) => {
      const lines = content(params);
      return lines ? h("div", null, h("strong", null, lines[0]), lines.slice(1).map((line) => h("div", null, line))) : "";
    },
  };
}

function barAxis(t, name, log, values) {
  const floor = log ? logFloor(values) : 0;
  return valueAxis(t, name, log ? { log, min: floor, startValue: floor } : {});
}

// The power of ten that bars on a log scale stand on.
const logFloor = (values) => 10 ** Math.floor(Math.log10(Math.min(...values.filter((v) => isNumber(v) && v > 0), 1e9)));

// Vertical whiskers: data [x, low, high, whether it ends at low, at high]. One that goes on beyond the chart has no bar there.
function whiskers(colour, data) {
  return {
    type: "custom", data, silent: true, encode: { x: 0, y: [1, 2] }, z: 3,
    renderItem: (params, api) => {
      const low = api.coord([api.value(0), api.value(1)]);
      const high = api.coord([api.value(0), api.value(2)]);
      const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth: 1.5, fill: "none" } });
      const bar = ([x, y], ends) => (ends ? [line(x - 4, y, x + 4, y)] : []);
      return { type: "group", children: [line(low[0], low[1], high[0], high[1]), ...bar(low, api.value(3)), ...bar(high, api.value(4))] };
    },
  };
}

// Whether a log scale serves these figures better.
function wide(values, factor = 20) {
  const positive = values.filter((v) => isNumber(v) && v > 0);
  return positive.length > 1 && Math.max(...positive) / Math.min(...positive) > factor;
}

// Charts side by side, one for each combination of the plan's facets.
function facetCharts(model, make) {
  const facets = combinations(model, model.plan.facets);
  if (facets.length === 1) return make(facets[0], "").figure;
  return h("div", { class: "facets" }, facets.map((facet) => make(facet, nameOf(model, facet, model.plan.facets)).figure));
}
