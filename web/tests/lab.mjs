// The real binary with folders of its own, and a browser without a screen.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');

/** The binary: the one named by LUCENA, or the newest that was built. */
function binary() {
  if (process.env.LUCENA) return process.env.LUCENA;
  const built = ['debug', 'release'].map((profile) => join(target, profile, 'lucena')).filter(existsSync);
  built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (!built[0]) throw new Error('there is no binary: build it with cargo build');
  return built[0];
}

// What keeps Chromium from talking to anybody but us.
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a server and a browser; `end` ends both and removes the folder. */
export async function laboratory(options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'lucena-e2e-'));
  // Tables take a second or two to solve, so that the tests share them.
  const tables = process.env.LUCENA_TEST_TABLES ?? join(target, 'e2e-tables');
  const args = ['serve', '--port', '0', '--runs', join(folder, 'runs'), '--reports', join(folder, 'reports')];
  const server = spawn(binary(), [...args, '--nets', join(root, 'nets'), '--tables', tables], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  server.stderr.on('data', (text) => (log += text));
  const base = await new Promise((resolve, reject) => {
    server.stdout.on('data', (text) => {
      const found = /http:\/\/\S+/.exec(String(text));
      if (found) resolve(found[0]);
    });
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${log}`)));
  });
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [...quiet, ...sandbox],
  });
  const complaints = [];
  const elsewhere = [];

  /** A page of the laboratory; what it complains about is remembered. */
  async function open(hash = '', more = {}) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, ...options, ...more });
    page.setDefaultTimeout(10_000);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url())) elsewhere.push(request.url());
    });
    await page.goto(base + hash);
    return page;
  }

  async function ask(path, body) {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const answer = await fetch(base.replace(/\/$/, '') + path, init || {});
    return answer.json();
  }

  async function end() {
    await browser.close();
    const gone = new Promise((resolve) => server.on('exit', resolve));
    server.kill('SIGTERM');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  }

  return { base, browser, open, ask, end, complaints, elsewhere, log: () => log };
}

/** The position on the board, once there is one: a game is on its way when its page is already shown. */
export const fenOf = (page) => page.locator('.cg-wrap[data-fen]:not([data-fen=""])').first().getAttribute('data-fen');

/** The middle of a square on the screen, seen from white unless said otherwise. */
async function middle(page, square, orientation = 'white') {
  const board = page.locator('cg-board').first();
  const box = await board.boundingBox();
  const size = ((await fenOf(page)) ?? '').split(' ')[0].split('/').length;
  let file = square.charCodeAt(0) - 97;
  let rank = size - Number(square.slice(1));
  if (orientation === 'black') [file, rank] = [size - 1 - file, size - 1 - rank];
  return [box.x + ((file + 0.5) * box.width) / size, box.y + ((rank + 0.5) * box.height) / size];
}

/** Clicks on a square of the board. */
export async function click(page, square, orientation) {
  await page.mouse.click(...(await middle(page, square, orientation)));
}

/** Drags a man from square to square. */
export async function drag(page, from, to, orientation) {
  await page.mouse.move(...(await middle(page, from, orientation)));
  await page.mouse.down();
  await page.mouse.move(...(await middle(page, to, orientation)), { steps: 5 });
  await page.mouse.up();
}

/** Waits until the position on the board is another one, and returns it. */
export async function changed(page, from) {
  await page.waitForFunction((old) => document.querySelector('.cg-wrap')?.getAttribute('data-fen') !== old, from);
  return fenOf(page);
}

/** Waits until a position is on the board. */
export const shows = (page, fen) =>
  page.waitForFunction((wanted) => document.querySelector('.cg-wrap')?.getAttribute('data-fen') === wanted, fen);

export const status = (page) => page.getByTestId('status');

/** Perfect play's move. */
export async function best(lab, fen) {
  const probed = await lab.ask(`/api/probe?${new URLSearchParams({ fen })}`);
  return probed.moves[0];
}

/** Whether an element can be seen without scrolling. */
export async function inSight(page, locator) {
  const box = await locator.boundingBox();
  const { width, height } = page.viewportSize();
  const scrolled = await page.evaluate(() => scrollY);
  return box !== null && scrolled === 0 && box.y >= 0 && box.y + box.height <= height && box.x >= 0 && box.x + box.width <= width;
}

/** What a screen reader has been told last. */
export const heard = (page) => page.locator('[aria-live=polite][role=status]').innerText();

/** Waits until it is our turn, or the game is over. */
export async function myTurn(page) {
  await page.waitForFunction(() => {
    const text = document.querySelector('[data-testid=status]')?.textContent ?? '';
    return /Your move|wins|draw/i.test(text);
  });
  return status(page).innerText();
}
