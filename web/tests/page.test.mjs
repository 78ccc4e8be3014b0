// What holds for every page: accessible, small, quick.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { laboratory } from './lab.mjs';

const web = join(dirname(fileURLToPath(import.meta.url)), '..');
const axe = readFileSync(join(web, 'node_modules/axe-core/axe.min.js'), 'utf8');

let lab;
before(async () => {
  lab = await laboratory();
  // Something to look at on every page.
  const run = await lab.ask('/api/runs', { name: 'kqk4', recipe: 'two-bounds', endgame: 'KQK', board: 4, episodes: 2000 });
  assert.equal(run.subject, 'kqk4');
  const certificate = await lab.ask('/api/certificates', {
    player: 'minimax:depth=1,history=off',
    material: 'KRK',
    board: 4,
  });
  for (;;) {
    const jobs = await lab.ask('/api/jobs');
    if (jobs.every((job) => ['done', 'failed', 'cancelled'].includes(job.status))) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const made = await lab.ask(`/api/certificates/${certificate.subject}`);
  lab.pages = [
    '',
    '#/play?fen=8/8/8/3k4/8/8/8/KQ6 w - - 0 1&overlay=1',
    '#/play?fen=k7/8/1K6/8/8/8/8/7R w - - 0 1&moves=h1h8',
    '#/play?fen=8/8/8/3k4/8/8/8/KQ6 b - - 0 1&vs=minimax:depth=2',
    '#/play?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1&moves=e2e4,e7e5&clock=5%2B3&vs=random',
    '#/drill',
    '#/setup',
    '#/setup?fen=8/8/8/8/8/8/8/8 w - - 0 1',
    '#/watch?fen=8/8/8/3k4/8/8/8/KQ6 w - - 0 1&moves=b1b4,d5e5',
    '#/analyse?moves=e2e4,e7e5&b=random',
    '#/train',
    '#/train/kqk4',
    '#/certify',
    `#/certify/${certificate.subject}`,
    `#/certify/${certificate.subject}/${made.failures[0].kind}/1`,
    '#/papers',
    '#/papers/Y6.4',
    '#/nowhere',
  ];
});
after(async () => {
  await lab.end();
  assert.deepEqual(lab.complaints, [], 'errors in the page');
  assert.deepEqual(lab.elsewhere, [], 'requests that leave the machine');
});

/** What axe finds serious on a page; colours alone depend on the theme. */
async function serious(page, hash, colorScheme, options = {}) {
  await page.emulateMedia({ colorScheme });
  const { violations } = await page.evaluate((options) => globalThis.axe.run(options), options);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${hash}, ${colorScheme}: ${id}: ${help}: ${nodes.map((node) => node.html.slice(0, 150)).join(' | ')}`);
}

test('axe finds nothing serious, light and dark, wide and narrow, and nothing is too wide', async () => {
  const look = async (width) => {
    const page = await lab.open('', { viewport: { width, height: 800 } });
    for (const hash of lab.pages) {
      await page.goto('about:blank');
      await page.goto(lab.base + hash);
      await page.locator('h1').waitFor({ state: 'attached' });
      await page.waitForTimeout(250);
      await page.evaluate(axe);
      const found = await serious(page, hash, 'light');
      // By name: the tag of colours would add the stricter rules that axe leaves off by itself.
      const colours = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };
      found.push(...(await serious(page, hash, 'dark', colours)));
      assert.deepEqual(found, [], `${width} pixels wide`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${hash} is ${wide} pixels too wide for ${width}`);
    }
    await page.close();
  };
  await Promise.all([look(1200), look(390)]);
});

test('axe finds nothing serious where players think and a game is reviewed', async () => {
  const query = new URLSearchParams({ moves: 'e2e4,f7f6,d2d4,g7g5', a: 'net:imitation.safetensors', b: 'puct:simulations=300' });
  const look = async (width) => {
    const page = await lab.open(`#/analyse?${query}`, { viewport: { width, height: 800 } });
    await page.getByRole('button', { name: 'Review the game' }).click();
    for (const name of ['Player', 'Second player']) {
      await page.getByRole('region', { name, exact: true }).getByRole('button', { name: 'Think' }).click();
    }
    await page.waitForFunction(() => document.querySelectorAll('[data-testid=wdl]').length === 2);
    await page.waitForFunction(() => document.querySelector('svg[data-worst]')?.dataset.points === '5');
    await page.evaluate(axe);
    for (const scheme of ['light', 'dark']) assert.deepEqual(await serious(page, 'analyse', scheme), [], `${width} pixels wide`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide for ${width}`);
    await page.close();
  };
  await look(1200);
  await look(390);
});

test('under 100 kB compressed, pieces included', () => {
  const dist = join(web, 'dist');
  const sizes = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => gzipSync(readFileSync(join(entry.parentPath ?? entry.path, entry.name))).length);
  const total = sizes.reduce((a, b) => a + b, 0);
  assert.ok(total > 10_000 && total < 100_000, `${total} bytes`);
});

test('on a phone figures stand beside each other, and nothing of the table of runs is cut off', async () => {
  const page = await lab.open(lab.pages.find((hash) => /^#\/certify\/[^/]+$/.test(hash)), { viewport: { width: 390, height: 844 } });
  const cards = page.locator('dl.figures > div');
  await cards.nth(7).waitFor();
  const [first, second] = [await cards.nth(0).boundingBox(), await cards.nth(1).boundingBox()];
  assert.equal(first.y, second.y);
  await page.goto(`${lab.base}#/train`);
  const row = page.locator('tr[data-run=kqk4]');
  await row.waitFor();
  for (const cell of await row.locator('td').all()) {
    const box = await cell.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, `${await cell.innerText()}: ${JSON.stringify(box)}`);
  }
  await page.close();
});

test('sent compressed, first painted within a second', async () => {
  const answer = await fetch(`${lab.base}app.js`, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(answer.headers.get('content-encoding'), 'gzip');
  const paints = [];
  for (const hash of ['', '#/play?fen=8/8/8/3k4/8/8/8/KQ6 w - - 0 1', '']) {
    const page = await lab.open(hash);
    await page.locator('cg-board piece').first().waitFor();
    paints.push(
      await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity),
    );
    await page.close();
  }
  // The best of three: other work on the machine is not the page's.
  assert.ok(Math.min(...paints) < 1000, `painted after ${paints.map(Math.round)} ms`);
});

test('nothing jumps while a game goes on', async () => {
  const page = await lab.open('#/watch?fen=8/8/8/3k4/8/8/8/KQ6 w - - 0 1');
  await page.locator('cg-board piece').first().waitFor();
  await page.waitForTimeout(500);
  await page.evaluate(() => {
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: false });
  });
  for (let i = 0; i < 4; i++) {
    await page.getByRole('button', { name: 'One move', exact: true }).click();
    await page.waitForTimeout(600);
  }
  const shift = await page.evaluate(() => globalThis.shift);
  assert.ok(shift < 0.02, `layout shift ${shift}`);
  await page.close();
});
