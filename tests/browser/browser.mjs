// A real browser on a page made by the real renderer, and what is asked of every page.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { fixtures } from './fixtures.mjs';

const { chromium } = createRequire(import.meta.url)(process.env.PLAYWRIGHT);

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

const rendered = new Map();  // fixture or path of a summary.json -> {summary, url}

export function render(name) {
  if (!rendered.has(name)) {
    const summary = name in fixtures ? fixtures[name]() : JSON.parse(readFileSync(name, 'utf8'));
    const base = `${process.env.WORK}/${name.replace(/[^a-z]/gi, '_')}`;
    writeFileSync(`${base}.json`, JSON.stringify(summary));
    execFileSync(process.env.RENDER_HTML, [`${base}.json`, `${base}.html`]);
    rendered.set(name, { summary, url: pathToFileURL(`${base}.html`).href });
  }
  return rendered.get(name);
}

// Opens a fixture in a context of its own.
export async function open(browser, name, options) {
  const { summary, url } = render(name);
  return { summary, ...await openUrl(browser, url, options) };
}

// Opens a page that is there already.
export const openPage = (browser, path, options) => openUrl(browser, pathToFileURL(path).href, options);

// `trouble` collects all that a reader must never meet.
async function openUrl(browser, url, { width = 1400, height = 1000, colorScheme = 'light', javaScriptEnabled = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, javaScriptEnabled });
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) trouble.push(`console ${message.type()}: ${message.text()}`); });
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { trouble.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (request.url() !== url && !request.url().startsWith('data:')) trouble.push(`request: ${request.url()}`); });
  await page.goto(url);
  return { page, trouble, close: () => context.close() };
}

// Scrolls through the page, so that every chart comes near the screen and is drawn.
export async function drawAll(page) {
  for (const box of await page.locator('.chart').all()) {
    await box.scrollIntoViewIfNeeded();
    await box.locator('svg').waitFor();
  }
}

// Texts whose contrast against what lies behind them is under 4.5.
export const lowContrast = (page) => page.evaluate(() => {
  const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (a, b) => {
    const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (hi + 0.05) / (lo + 0.05);
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length >= 3 && (colour.length === 3 || colour[3] === 1)) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || !element.checkVisibility() || element.closest('script, style, .visually-hidden')) continue;
    const style = getComputedStyle(element);
    const ink = parse(element instanceof SVGElement ? style.fill : style.color);
    const ratio = contrast(ink, ground(element));
    if (ratio < 4.5) found.push(`${ratio.toFixed(2)} "${node.textContent.trim().slice(0, 40)}" ${style.color}`);
  }
  return [...new Set(found)];
});

// Numbers of a text such as "1,903", "−0.12 s" or "2.2 GiB".
export function numberIn(text) {
  const units = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };
  const match = /(−|\+)?([\d,]*\.?\d+) ?(KiB|MiB|GiB|TiB)?/.exec(text);
  return match ? (match[1] === '−' ? -1 : 1) * Number(match[2].replace(/,/g, '')) * (units[match[3]] ?? 1) : null;
}

// Whether a figure shown with three significant digits is the figure that was meant.
export const shows = (text, value) => (value === null || value === undefined ? text.includes('–')
  : Math.abs(numberIn(text) - value) <= Math.max(Math.abs(value) * 0.0051, 1e-12));
