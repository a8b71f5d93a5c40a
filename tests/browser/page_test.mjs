// The report page as its readers meet it.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { drawAll, launch, lowContrast, open, openPage, shows } from './browser.mjs';
import { fixtures } from './fixtures.mjs';

const tests = [];
const test = (name, body) => tests.push({ name, body });

// What analyze makes of the run made by hand: the model as it really comes.
const REAL = fileURLToPath(new URL('../../src/analyze/testdata/mini_golden/summary.json', import.meta.url));
// Runs that run made with the real commands: what others measured, imported; and two runs compared.
const { IMPORTED, COMPARED } = process.env;
const MODELS = [...Object.keys(fixtures), REAL, IMPORTED];
const NAMES = { [REAL]: 'mini_golden', [IMPORTED]: 'imported' };

// The query table: its rows as {heading of the column: text}.
const queryRows = (page) => page.evaluate(() => {
  const table = document.querySelector('#queries table');
  const heads = [...table.tHead.rows].at(-1).cells;
  return [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell, i) => [heads[i].innerText.trim(), cell.innerText.trim()]));
});
const column = (rows, name) => rows.map((row) => row.find(([head]) => head === name)[1]);
const sortButton = (page, name) => page.locator('#queries th button', { hasText: new RegExp(`^${name}$`) }).first();

for (const model of MODELS) {
  const name = NAMES[model] ?? model;
  test(`${name}: draws every chart without an error, a request or a dialog`, async (browser) => {
    const { page, trouble, close } = await open(browser, model);
    await drawAll(page);
    assert.ok(await page.locator('.chart').count() > 0);
    for (const chart of await page.locator('.chart').all()) {
      assert.ok((await chart.getAttribute('aria-label')).length > 20);
      assert.ok(await chart.locator('path, text').count() > 3);
    }
    assert.deepEqual(trouble, []);
    await close();
  });

  test(`${name}: the page never scrolls sideways, at 400 px and at 1400 px`, async (browser) => {
    for (const width of [400, 1400]) {
      const { page, close } = await open(browser, model, { width });
      await drawAll(page);
      const [inside, outside] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.equal(inside, outside);
      await close();
    }
  });

  test(`${name}: all text has a contrast of at least 4.5, light and dark`, async (browser) => {
    for (const colorScheme of ['light', 'dark']) {
      const { page, close } = await open(browser, model, { colorScheme });
      await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
      await drawAll(page);
      assert.deepEqual(await lowContrast(page), [], colorScheme);
      await close();
    }
  });

  test(`${name}: links lead somewhere, names are unique, tables have captions and headings`, async (browser) => {
    const { page, close } = await open(browser, model);
    assert.deepEqual(await page.evaluate(() => {
      const wrong = [];
      const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
      if (new Set(ids).size !== ids.length) wrong.push('an id twice');
      for (const a of document.querySelectorAll('a[href^="#"]')) if (!document.getElementById(a.hash.slice(1))) wrong.push(a.hash);
      for (const t of document.querySelectorAll('table')) {
        if (!t.caption?.textContent) wrong.push('a table without caption');
        if (![...t.querySelectorAll('th')].every((th) => th.scope)) wrong.push(`a heading without scope in ${t.caption.textContent}`);
      }
      for (const e of document.querySelectorAll('button, select, input, summary, [role=region]')) {
        if (!(e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent).trim()) wrong.push(`no name: ${e.outerHTML}`);
      }
      return wrong;
    }), []);
    await close();
  });
}

test('the first screen shows the answer, its ratio and interval, the stamp and what it stands in for', async (browser) => {
  const { page, summary, close } = await open(browser, 'quickstart');
  const text = await page.locator('#answer').innerText();
  for (const part of [summary.run.title, summary.run.question, summary.headline.sentence, summary.headline.ratio.method, summary.run.stands_in_for[0]]) {
    assert.ok(text.includes(part), part);
  }
  const { value, ci_low: low, ci_high: high } = summary.headline.ratio;
  const leading = page.locator('.effect-leading');
  assert.ok(shows(await leading.locator('.effect-value').innerText(), value));
  const [shownLow, shownHigh] = (await leading.locator('.effect-interval').innerText()).replace('95% interval ', '').split(' to ');
  assert.ok(shows(shownLow, low) && shows(shownHigh, high));
  assert.ok(await page.locator('.stamp-large').isVisible());
  await close();
});

test('of files that shrink the first screen says what that adds on each store, in the experiment’s order', async (browser) => {
  const { page, summary, close } = await open(browser, 'quickstart');
  const { ratio, beside } = summary.headline;
  const tiles = await page.locator('.effect').allInnerTexts();
  assert.equal(tiles.length, summary.axes.stores.length);
  summary.axes.stores.forEach((store, i) => {
    const effect = [ratio, ...beside].find((e) => e.store === store);
    assert.ok(tiles[i].includes(store), tiles[i]);
    assert.ok(shows(tiles[i], effect.value), tiles[i]);
    assert.match(tiles[i], /\+[\d.,]+ m?s a pass/);
    assert.ok(tiles[i].includes('slower'));
    assert.equal(/emulated/i.test(tiles[i]), store !== 'local');
  });
  await close();
});

// Boxes of the headline's pieces of text; none may lie over another or out of its tile.
const overlaps = (page) => page.evaluate(() => {
  const boxes = [...document.querySelectorAll('.effect-value, .effect-what, .effect-seconds, .effect-interval, .effect-mark, .effect-method, .sentence, .notes, .stands-in')].map((e) => {
    const range = document.createRange();
    range.selectNodeContents(e);
    return { of: e.className, ...range.getBoundingClientRect().toJSON() };
  });
  return boxes.flatMap((a, i) => boxes.slice(i + 1)
    .filter((b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
    .map((b) => `${a.of} over ${b.of}`));
});

test('the headline’s large figure never lies over its text, however long, at any width', async (browser) => {
  for (const model of ['quickstart', 'huge', 'wide', 'uncertain', 'scales', 'formats', IMPORTED]) {
    for (const width of [360, 400, 700, 1000, 1400, 2200]) {
      const { page, close } = await open(browser, model, { width });
      assert.deepEqual(await overlaps(page), [], `${model} at ${width}`);
      await close();
    }
  }
});

test('a ratio far below one is a part of it; one whose mark asks for more than its interval says so', async (browser) => {
  const wide = await open(browser, 'wide');
  assert.equal(await wide.page.locator('.effect-value').innerText(), '1/13.1×');
  await wide.close();
  const { page, close } = await open(browser, 'uncertain');
  assert.equal(await page.locator('.effect-value').innerText(), '1,234×');
  const said = await page.locator('.effect-mark').innerText();
  assert.match(said, /not certain \(p 0\.0081\): the interval leaves out 1×, but a mark asks for p below 0\.002/);
  assert.doesNotMatch(await page.locator('.effect').innerText(), /within noise/);
  await close();
});

test('on a phone tables show name, value and mark without scrolling, and the rest when asked', async (browser) => {
  const { page, summary, close } = await open(browser, 'quickstart', { width: 400 });
  const { query, cell } = summary.queries[0];
  const name = await page.locator('#queries tbody th').first().innerText();
  assert.ok(name.includes(query) && name.includes(summary.cells.find((c) => c.id === cell).layout), name);
  for (const [id, heads] of [['#queries', ['Query', 'average', 'ratio', 'mark']], ['#bottleneck', ['Store', 'Bound', 'all', 'speed-up']]]) {
    const table = page.locator(`${id} table`).first();
    const shown = () => table.evaluate((t) => [...[...t.tHead.rows].at(-1).cells].filter((c) => c.checkVisibility()).map((c) => c.innerText.trim()));
    assert.deepEqual(await shown(), heads);
    const [inside, outside] = await table.evaluate((t) => [t.getBoundingClientRect().right, t.parentElement.getBoundingClientRect().right]);
    assert.ok(inside <= outside + 1, `${id}: ${inside} beyond ${outside}`);
    await page.locator(id).getByRole('button', { name: 'All columns' }).first().click();
    assert.ok((await shown()).length > heads.length);
  }
  await close();
});

test('an imported run says first that it is, and what is not known is a dash and no error', async (browser) => {
  const { page, summary, trouble, close } = await open(browser, IMPORTED);
  await drawAll(page);
  assert.match(await page.locator('#answer .warning').first().innerText(), /^Imported\. From bulk-read\.csv \(csv\)\. Another tool took these times/);
  assert.deepEqual(await page.locator('section').evaluateAll((all) => all.filter((s) => /NaN|undefined|null|Infinity/.test(s.innerText)).map((s) => s.id)), []);
  assert.equal(await page.locator('#side-by-side tbody tr').count(), summary.side_by_side.length);
  assert.deepEqual(trouble, []);
  await close();
});

test('two runs compared are one page that fits a phone and a desk, light and dark', async (browser) => {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [400, 1400]) {
      const { page, trouble, close } = await openPage(browser, COMPARED, { width, colorScheme });
      const rows = await page.locator('tbody tr').count();
      assert.ok(rows > 20);
      assert.equal(await page.locator('tbody .mark').count(), rows);
      for (const name of ['What', 'ratio (95%)', 'mark']) {
        const { x, width: wide } = await page.locator('thead th').filter({ hasText: new RegExp(`^${name.replace(/[()]/g, '\\$&')}$`) }).boundingBox();
        assert.ok(x >= 0 && x + wide <= width, `${name} at ${width}: ${x} to ${x + wide}`);
      }
      const [inside, outside] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.equal(inside, outside, `scrolls sideways at ${width}`);
      assert.deepEqual(await lowContrast(page), [], colorScheme);
      assert.deepEqual(trouble, []);
      await close();
    }
  }
});

test('trust lights say their state in words', async (browser) => {
  const { page, summary, close } = await open(browser, 'failures');
  const words = { good: 'Good', warn: 'Check', bad: 'Bad', unknown: 'Unknown' };
  const lights = await page.locator('.light').allInnerTexts();
  assert.equal(lights.length, summary.trust.length);
  summary.trust.forEach((light, i) => {
    assert.ok(lights[i].includes(words[light.state]) && lights[i].includes(light.text), lights[i]);
  });
  await close();
});

test('every cell shows the seconds, ratio, requests and bytes of summary.json', async (browser) => {
  const { page, summary, close } = await open(browser, 'quickstart');
  const rows = await page.evaluate(() => [...document.querySelectorAll('.pass-table tbody tr:not(.block)')].map((row) => [...row.cells].map((c) => c.innerText)));
  assert.equal(rows.length, summary.cells.length);
  summary.cells.forEach((cell, i) => {
    const [layout, seconds, interval, ratio, requests, bytes] = rows[i];
    assert.equal(layout, cell.layout);
    assert.ok(shows(seconds, cell.suite.avg_s), seconds);
    assert.ok(shows(interval.split(' to ')[0], cell.suite.ci95_low_s), interval);
    assert.ok(cell.layout === summary.compare.layout ? ratio === 'baseline' : shows(ratio, cell.vs_layout.ratio), ratio);
    assert.ok(shows(requests, cell.requests_per_pass), requests);
    assert.ok(shows(bytes, cell.bytes_per_pass), bytes);
  });
  await close();
});

test('every query row shows the average, deltas, marks and counts of summary.json', async (browser) => {
  const { page, summary, close } = await open(browser, 'quickstart');
  const rows = await queryRows(page);
  assert.equal(rows.length, summary.queries.length);
  const keys = { average: 'avg_s', '× best': 'ratio_to_best', n: 'n', failed: 'failed', 'std dev': 'stddev_s', min: 'min_s', median: 'median_s', max: 'max_s',
    requests: 'requests', 'bytes read': 'bytes_read', 'blocked s': 'blocked_s', 'CPU s': 'cpu_s' };
  summary.queries.forEach((query, i) => {
    const cells = rows[i];
    assert.equal(cells[0][1], query.query);
    for (const [head, key] of Object.entries(keys)) assert.ok(shows(cells.find(([h]) => h === head)[1], query[key]), `${query.query} ${head}`);
    const [layoutMark, storeMark] = cells.filter(([h]) => h === 'mark').map(([, text]) => text);
    assert.ok(layoutMark.endsWith(query.mark_layout) && storeMark.endsWith(query.mark_store));
    const [layoutDelta] = cells.filter(([h]) => h === 'Δ s').map(([, text]) => text);
    assert.ok(shows(layoutDelta, query.delta_layout_s), layoutDelta);
  });
  await close();
});

test('each cell is named by what holds it up, with its parts, its best case and the evidence', async (browser) => {
  const { page, summary, close } = await open(browser, 'quickstart');
  const text = await page.locator('#bottleneck').innerText();
  for (const row of summary.bottleneck.cells) {
    assert.ok(text.includes(row.bound));
    assert.ok(text.includes(row.evidence), row.evidence);
  }
  const rows = await page.locator('#bottleneck table').first().locator('tbody tr').allInnerTexts();
  assert.equal(rows.length, summary.cells.length);
  assert.match(await page.locator('#bottleneck .chart').first().getAttribute('aria-label'), /waiting for storage \d/);
  await page.locator('#bottleneck summary', { hasText: 'Query by query' }).click();
  assert.equal(await page.locator('#bottleneck table').nth(1).locator('tbody tr').count(), summary.bottleneck.queries.length);
  await close();
});

test('a column sorts up, down, and back into the experiment’s order', async (browser) => {
  const { page, summary, close } = await open(browser, 'huge');
  const before = column(await queryRows(page), 'Query');
  const byAverage = [...summary.queries].sort((a, b) => a.avg_s - b.avg_s).map((q) => q.query);
  const button = sortButton(page, 'average');
  const head = button.locator('..');
  const state = () => page.evaluate(() => [...document.querySelectorAll('#queries th[aria-sort]')].map((th) => th.getAttribute('aria-sort')).filter((s) => s !== 'none'));
  await button.click();
  assert.equal(await head.getAttribute('aria-sort'), 'ascending');
  assert.deepEqual(column(await queryRows(page), 'Query'), byAverage);
  await button.click();
  assert.equal(await head.getAttribute('aria-sort'), 'descending');
  assert.deepEqual(column(await queryRows(page), 'Query'), byAverage.reverse());
  assert.deepEqual(await state(), ['descending']);
  await button.click();
  assert.deepEqual(await state(), []);
  assert.deepEqual(column(await queryRows(page), 'Query'), before);
  await close();
});

test('queries sort by number, and figures that are missing come last either way', async (browser) => {
  const { page, close } = await open(browser, 'failures');
  await sortButton(page, 'Query').click();
  assert.deepEqual([...new Set(column(await queryRows(page), 'Query'))], ['q1', 'q9', 'q96']);
  for (let i = 0; i < 2; i++) {
    await sortButton(page, 'average').click();
    const averages = column(await queryRows(page), 'average');
    assert.deepEqual(averages.slice(-2), ['–', '–']);
    assert.ok(!averages.slice(0, -2).includes('–'));
  }
  await close();
});

test('the query table filters by number, name, store, layout and mark', async (browser) => {
  const { page, summary, close } = await open(browser, 'huge');
  const status = page.locator('#queries .count');
  const search = page.getByLabel('Queries', { exact: true });
  const form = page.getByRole('search');
  assert.equal(await status.innerText(), `${summary.queries.length.toLocaleString('en-US')} of ${summary.queries.length.toLocaleString('en-US')} rows`);
  await search.fill('9, 42');
  assert.deepEqual([...new Set(column(await queryRows(page), 'Query'))], ['q9', 'q42']);
  await form.getByLabel('Store').selectOption('s3-standard');
  await form.getByLabel('Layout').selectOption('1MiB');
  let rows = await queryRows(page);
  assert.deepEqual([column(rows, 'Query'), rows.length], [['q9', 'q42'], 2]);
  await search.fill('');
  await form.getByLabel('Layout').selectOption('');
  await form.getByLabel('Mark').selectOption('within noise');
  rows = await queryRows(page);
  const expected = summary.queries.filter((q) => q.cell.includes('.s3-standard.') && [q.mark_layout, q.mark_store].includes('within noise'));
  assert.equal(rows.length, expected.length);
  assert.match(await status.innerText(), new RegExp(`^${expected.length} of `));
  await search.fill('no such query');
  assert.equal((await queryRows(page)).length, 0);
  await close();
});

test('the whole page can be used by keyboard', async (browser) => {
  const { page, close } = await open(browser, 'quickstart');
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to the answer');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => location.hash), '#answer');
  // Every control is reached by Tab, in the order of the page, and shows where the focus is.
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  const reached = await page.evaluate(() => [...document.querySelectorAll('a[href], button, select, input, summary, [tabindex]')]
    .filter((e) => e.checkVisibility() && e.tabIndex !== 0).map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(reached, []);
  await sortButton(page, 'average').focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#queries th[aria-sort=ascending]').innerText(), 'average');
  await page.keyboard.press('Space');
  assert.equal(await page.locator('#queries th[aria-sort=descending]').innerText(), 'average');
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), '95% interval');
  await page.locator('#queries [role=region]').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('#queries [role=region]').scrollLeft > 0);
  await page.getByRole('button', { name: /^Theme/ }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await close();
});

test('the theme follows the system until the reader chooses, and charts follow the theme', async (browser) => {
  const { page, close } = await open(browser, 'quickstart', { colorScheme: 'dark' });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const ink = () => page.locator('#answer .chart svg text').first().evaluate((e) => getComputedStyle(e).fill);
  await drawAll(page);
  assert.equal(await theme(), 'dark');
  const dark = await ink();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
  assert.notEqual(await ink(), dark);
  const button = page.getByRole('button', { name: /^Theme/ });
  await button.click();
  await button.click();
  assert.equal(await theme(), 'dark');
  assert.equal(await ink(), dark);
  await close();
});

test('log scale and the choices of a chart redraw it', async (browser) => {
  const { page, trouble, close } = await open(browser, 'quickstart');
  await drawAll(page);
  const picture = (id) => page.locator(`${id} .chart`).last().innerHTML();
  const toggle = page.locator('#answer').getByRole('button', { name: 'Log scale' });
  const before = [await picture('#answer'), await toggle.getAttribute('aria-pressed')];
  await toggle.click();
  assert.notEqual(await picture('#answer'), before[0]);
  assert.notEqual(await toggle.getAttribute('aria-pressed'), before[1]);
  for (const option of ['unlimited', 'all layouts']) {
    const bars = await picture('#bars');
    await page.locator('#bars').getByRole('combobox', { name: 'Layout' }).selectOption({ label: option });
    assert.notEqual(await picture('#bars'), bars);
  }
  for (const [label, option] of [['Operation', 'LIST'], ['Layout', '8MiB']]) {
    const curves = await picture('#requests');
    await page.locator('#requests').getByRole('combobox', { name: label }).selectOption({ label: option });
    assert.notEqual(await picture('#requests'), curves);
  }
  assert.deepEqual(trouble, []);
  await close();
});

test('emulated stores are stamped wherever they are named in a table or legend', async (browser) => {
  const { page, close } = await open(browser, 'quickstart');
  const bare = await page.evaluate(() => [...document.querySelectorAll('tbody th, tbody td, .legend li, thead .groups th')]
    .filter((e) => /^(s3-express|s3-standard)\b/.test(e.innerText) && e.closest('table')?.caption?.textContent !== 'Executions that failed')
    .filter((e) => !/emulated/i.test(e.innerText) && !e.matches('.prose-table td')).map((e) => e.innerText));
  assert.deepEqual(bare, []);
  await close();
});

test('names that are markup stay text', async (browser) => {
  const { page, trouble, summary, close } = await open(browser, 'hostile');
  await drawAll(page);
  for (const summaryElement of await page.locator('summary').all()) await summaryElement.click();
  await page.locator('#bars .chart').last().hover({ position: { x: 120, y: 150 } });
  assert.deepEqual(trouble, []);
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('script').count(), 3);
  assert.equal(await page.locator('h1').innerText(), summary.run.title);
  assert.ok(column(await queryRows(page), 'Query').includes('<script>alert(1)</script>'));
  await close();
});

test('failures, an incomplete run and a debug build are said on the first screen', async (browser) => {
  const { page, summary, close } = await open(browser, 'failures');
  const text = await page.locator('#answer').innerText();
  assert.match(text, /Not complete\. 9 of 12 executions were done\. Figures are of those\./);
  assert.match(text, /Debug build\./);
  const rows = await page.locator('#failures tbody tr').allInnerTexts();
  assert.equal(rows.length, summary.failures.length);
  summary.failures.forEach((failure, i) => assert.ok(rows[i].includes(failure.error) && rows[i].includes(failure.query)));
  await close();
});

test('costs stand in a section of their own, a price that is not there as a dash, emulated ones stamped', async (browser) => {
  const { page, summary, close } = await open(browser, 'scales');
  const rows = await page.locator('#cost table').first().locator('tbody tr').allInnerTexts();
  assert.equal(rows.length, 2 * summary.cost.cells.length);
  assert.match(rows[0], /as published\s+0\.0331\s+3\.48\s+10\.44\s+23\.72\s+–\s+119\.35/);
  assert.match(rows[1], /full bill\s+0\.0331\s+3\.89\s+10\.44\s+23\.72\s+2\.96\s+119\.35/);
  assert.match(await page.locator('#cost ul').first().innerText(), /17 passes pay for it/);
  assert.ok(await page.locator('#cost li .stamp').count() > 0);
  await page.locator('#cost summary', { hasText: 'What each query costs' }).click();
  const queries = await page.locator('#cost table').nth(1).locator('tbody tr').allInnerTexts();
  assert.equal(queries.length, summary.cost.queries.length);
  assert.match(queries[0], /q01.*0\.0331/s);
  await close();
  const without = await open(browser, 'quickstart');
  assert.equal(await without.page.locator('#cost').count(), 0);
  await without.close();
});

test('one execution that was done is one', async (browser) => {
  const { page, close } = await open(browser, 'begun');
  assert.match(await page.locator('#answer').innerText(), /1 of 4 executions was done\. Figures are of that one\./);
  await close();
});

test('environment, estimators, commands, SQL, notice and files to take away are in the page', async (browser) => {
  const { page, summary, close } = await open(browser, 'quickstart');
  await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
  const text = await page.locator('body').innerText();
  for (const part of [summary.environment.machine.cpu, summary.repeat.command, ...summary.repeat.steps, ...Object.values(summary.estimators),
    'are not comparable to published TPC-DS results']) assert.ok(text.replace(/\s+/g, ' ').includes(part), part);
  for (const sql of Object.values(summary.sql)) assert.ok((await page.locator('pre').allInnerTexts()).includes(sql));
  assert.deepEqual(await page.locator('.downloads a').evaluateAll((links) => links.map((a) => a.getAttribute('href'))),
    ['summary.json', 'queries.csv', 'runs.csv', 'summary.md']);
  await page.locator('#repeat .copy').first().click();
  await page.locator('#repeat .copy', { hasText: /Copied|Selected/ }).waitFor();
  await close();
});

test('without scripts the answer still stands', async (browser) => {
  const { page, summary, close } = await open(browser, 'quickstart', { javaScriptEnabled: false });
  const text = await page.locator('body').innerText();
  assert.ok(text.includes(summary.headline.sentence) && text.includes('summary.json'));
  await close();
});

test('prints in light, with every chart, and comes back to the theme it had', async (browser) => {
  const { page, trouble, close } = await open(browser, 'quickstart', { colorScheme: 'dark' });
  // In print: as many charts as boxes, on light ground. Afterwards: dark again.
  await page.evaluate(() => addEventListener('beforeprint', () => {
    window.printed = [document.querySelectorAll('.chart').length, document.querySelectorAll('.chart svg').length, document.documentElement.dataset.theme];
  }));
  const pdf = await page.pdf();
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  const [boxes, charts, theme] = await page.evaluate(() => window.printed);
  assert.deepEqual([charts, theme], [boxes, 'light']);
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  assert.deepEqual(trouble, []);
  await close();
});

const wanted = process.argv[2] ?? '';
const browser = await launch();
let failed = 0;
let passed = 0;
for (const { name, body } of tests.filter((t) => t.name.includes(wanted))) {
  try {
    await body(browser);
    passed += 1;
    console.log(`ok   ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
