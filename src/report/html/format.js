// Numbers as text. A figure that cannot be had is an en dash, never a zero.
const NONE = "–";
const isNumber = (v) => typeof v === "number" && Number.isFinite(v);

// Three significant digits, without exponents for the sizes met here.
function significant(v) {
  if (!isNumber(v)) return NONE;
  const a = Math.abs(v);
  const sign = v < 0 ? "−" : "";
  if (a === 0) return "0";
  if (a >= 1000) return sign + Math.round(a).toLocaleString("en-US");
  if (a >= 99.95) return sign + a.toFixed(0);
  if (a >= 9.995) return sign + a.toFixed(1);
  if (a >= 0.9995) return sign + a.toFixed(2);
  if (a >= 0.09995) return sign + a.toFixed(3);
  if (a >= 0.009995) return sign + a.toFixed(4);
  return sign + String(Number(a.toPrecision(3)));
}

const seconds = (v) => (isNumber(v) ? `${significant(v)} s` : NONE);
const milliseconds = (v) => (isNumber(v) ? `${significant(v)} ms` : NONE);
const count = (v) => (isNumber(v) ? Math.round(v).toLocaleString("en-US") : NONE);
const ratio = (v) => (isNumber(v) ? `${significant(v)}×` : NONE);
// As the one large figure of a page: far below 1 as a part of it, "1/14.5×".
const largeRatio = (v) => (isNumber(v) && v > 0 && v < 0.1 ? `1/${significant(1 / v)}×` : ratio(v));
const percent = (v) => (isNumber(v) ? `${Number((100 * v).toFixed(1))}%` : NONE);
// A relative effect: 0.041 as 4.1%.
const effect = (v) => (isNumber(v) && v > 10 ? "over 1,000%" : isNumber(v) ? `${(100 * v).toFixed(v < 0.0995 ? 1 : 0)}%` : NONE);
const signed = (v) => (isNumber(v) && v > 0 ? `+${significant(v)}` : significant(v));

// "+2.53 s", "−41.0 ms".
const signedTime = (v) => (Math.abs(v) < 1 ? `${signed(1000 * v)} ms` : `${signed(v)} s`);

function bytes(v) {
  if (!isNumber(v)) return NONE;
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let n = v;
  let i = 0;
  while (Math.abs(n) >= 1024 && i < units.length - 1) {
    n /= 1024;
    i += 1;
  }
  return `${i === 0 ? count(n) : Number(n.toPrecision(3))} ${units[i]}`;
}

// Labels of an axis: 0.5, 20, 1,000; no digits that say nothing.
const axisNumber = (v) => Number(v.toPrecision(4)).toLocaleString("en-US", { maximumFractionDigits: 6 });

// "12.1 to 13.4", for intervals; an en dash where an end is missing.
function interval(low, high, text = significant) {
  return isNumber(low) && isNumber(high) ? `${text(low)} to ${text(high)}` : NONE;
}

function duration(s) {
  if (!isNumber(s)) return NONE;
  if (s < 120) return `${significant(s)} s`;
  const minutes = Math.round(s / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// "2026-11-30T20:31:07Z" as "2026-11-30 20:31 UTC".
function utc(text) {
  const m = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(text ?? "");
  return m ? `${m[1]} ${m[2]} UTC` : text || NONE;
}

const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
