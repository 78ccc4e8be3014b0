// What players think, shown while they think; and trainings by self-play, live.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changed, click, fenOf, laboratory, shows } from './lab.mjs';

let lab;
before(async () => (lab = await laboratory()));
after(async () => {
  await lab.end();
  assert.deepEqual(lab.complaints, [], 'errors in the page');
  assert.deepEqual(lab.elsewhere, [], 'requests that leave the machine');
});

const ENDLESS = 'net:imitation.safetensors,search=puct,simulations=100000';
const link = (query) => `#/analyse?${new URLSearchParams(query)}`;
const panel = (page, name) => page.getByRole('region', { name, exact: true });
const thinking = (page, name, state) => page.locator(`section[aria-label="${name}"][data-thinking=${state}]`).waitFor();
const figures = async (page, name) => Number(/([\d,]+) visits/.exec(await panel(page, name).getByTestId('figures').innerText())?.[1].replaceAll(',', ''));

/** The parts of the bar, in thousandths. */
const parts = (page) => page.getByTestId('wdl').locator('span').evaluateAll((spans) => spans.map((span) => Number(span.dataset.part)));

test('a tree search shows its chances, visits, arrows and line while it goes on, until it is stopped', async () => {
  const page = await lab.open(link({ moves: 'e2e4,e7e5', a: ENDLESS }));
  const player = panel(page, 'Player');
  await player.getByRole('button', { name: 'Think' }).waitFor();
  // An address starts no search.
  assert.equal(await page.locator('[data-thinking=yes]').count(), 0);
  await page.getByLabel('Seconds').selectOption('60');
  await player.getByRole('button', { name: 'Think' }).click();
  await page.getByTestId('wdl').waitFor();
  const [white, draw, black] = await parts(page);
  assert.equal(white + draw + black, 1000, 'the bar is all there is');
  assert.match(await page.getByTestId('wdl').getAttribute('aria-label'), /^White wins [\d.]+ %, Draw [\d.]+ %, Black wins [\d.]+ %$/);
  // More and more visits, as one looks on.
  const first = await figures(page, 'Player');
  await page.waitForFunction(
    (n) => Number(/([\d,]+) visits/.exec(document.querySelector('[data-testid=figures]')?.textContent ?? '')?.[1].replaceAll(',', '')) > n,
    first,
  );
  await thinking(page, 'Player', 'yes');
  // Arrows on the board and shades on its squares, and the moves in figures.
  await page.waitForFunction(() => Number(document.querySelector('.cg-wrap').dataset.arrows) > 0);
  await page.locator('.cg-shapes line').first().waitFor({ state: 'attached' });
  await page.locator('.spot.policy').first().waitFor();
  const heads = await player.locator('thead th').allInnerTexts();
  assert.deepEqual(heads, ['Move', 'Visits', 'Share', 'Prior', 'For white']);
  await player.getByTestId('line').waitFor();
  await player.getByRole('button', { name: 'Stop' }).click();
  await thinking(page, 'Player', 'no');
  const stopped = await figures(page, 'Player');
  await page.waitForTimeout(700);
  assert.equal(await figures(page, 'Player'), stopped, 'it goes on');
  assert.ok((await page.locator('.cg-wrap').getAttribute('data-arrows')) > 0, 'what was found stays');
  // A move from the table is played, and thought about if it is switched on; by keyboard as well.
  const fen = await fenOf(page);
  await page.keyboard.press('t');
  await player.locator('tbody button').first().focus();
  await page.keyboard.press('Enter');
  await changed(page, fen);
  await thinking(page, 'Player', 'yes');
  await page.waitForFunction(() => /\d visits/.test(document.querySelector('[data-testid=figures]')?.textContent ?? ''));
  assert.match(page.url(), /moves=e2e4,e7e5,\w+/);
  await page.close();
});

test('two players are compared on one position, and say what they cannot tell', async () => {
  const page = await lab.open(link({ fen: '8/8/8/3k4/8/8/8/KR6 w - - 0 1', a: 'perfect', b: 'net:krk.safetensors' }));
  await panel(page, 'Player').getByRole('button', { name: 'Think' }).click();
  await panel(page, 'Second player').getByRole('button', { name: 'Think' }).click();
  await page.getByTestId('agreement').getByText(/^Both would play|they do not agree/).waitFor();
  // Exact play has the distance of every line, and no chances; a network of distances has its move.
  const exact = panel(page, 'Player');
  assert.match(await exact.locator('.head').innerText(), /#\d+/);
  assert.match(await exact.getByTestId('missing').innerText(), /^It does not tell chances of a win, a draw and a loss, visits or priors\.$/);
  assert.match(await panel(page, 'Second player').getByTestId('missing').innerText(), /any value/);
  assert.equal(await page.getByTestId('wdl').count(), 0);
  const tones = await page.locator('.cg-shapes line').evaluateAll((lines) => new Set(lines.map((line) => line.getAttribute('stroke'))).size);
  assert.ok(tones <= 2 && tones >= 1);
  // Who cannot play the position says so.
  await page.goto(`${lab.base}${link({ a: 'net:krk.safetensors' })}`);
  await panel(page, 'Player').getByRole('button', { name: 'Think' }).click();
  await panel(page, 'Player').getByRole('alert').filter({ hasText: 'it has learned KRK' }).waitFor();
  // Moves are made on the board, and what followed is left.
  await page.goto(`${lab.base}${link({ moves: 'd2d4,d7d5,c2c4', a: 'minimax:depth=2' })}`);
  await page.getByTestId('opening').getByText("Queen's Gambit", { exact: true }).waitFor();
  const later = await fenOf(page);
  await page.keyboard.press('ArrowLeft');
  await changed(page, later);
  await click(page, 'g1');
  await page.locator('square.move-dest').first().waitFor();
  await click(page, 'f3');
  await page.waitForFunction(() => /moves=d2d4,d7d5,g1f3(&|$)/.test(location.hash));
  await page.close();
});

test('networks and runs are found by name, of chess as well', async () => {
  const page = await lab.open('#/play?endgame=chess');
  const field = page.getByLabel('Opponent', { exact: true });
  await field.locator('option', { hasText: 'Network imitation with search' }).waitFor({ state: 'attached' });
  await field.selectOption({ label: 'Network imitation' });
  assert.equal(await field.inputValue(), 'net:imitation.safetensors');
  // Networks of endgames are not offered for whole games.
  assert.equal(await field.locator('option', { hasText: 'Network krk' }).count(), 0);
  await page.close();
});

test('AlphaZero learns rook against king on 5×5 before our eyes, and shows a game', async () => {
  const page = await lab.open('#/train?recipe=alphazero&endgame=KRK&board=5');
  await page.getByLabel('Recipe').locator('option[value=alphazero]').waitFor({ state: 'attached' });
  await page.getByLabel('Name').fill('zero');
  await page.getByLabel('Iterations', { exact: true }).fill('10000');
  await page.getByText('Settings of the recipe').click();
  for (const [name, value] of [['games', 16], ['group', 8], ['plies', 8], ['simulations', 8], ['width', 32], ['window least', 200]]) {
    await page.getByLabel(name, { exact: true }).fill(String(value));
  }
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.getByRole('heading', { name: 'Run zero' }).waitFor();
  const chart = page.locator('figure', { hasText: 'train: policy loss' }).locator('svg');
  await chart.waitFor();
  const points = () => chart.getAttribute('data-points').then(Number);
  const before = await points();
  await page.waitForFunction(
    (n) => [...document.querySelectorAll('figure')].some((f) => /policy loss/.test(f.textContent) && Number(f.querySelector('svg').dataset.points) > n),
    before,
  );
  assert.ok((await points()) > before, 'the curve grows');
  for (const name of ['self play: won', 'self play: plies']) await page.locator('figure', { hasText: name }).waitFor();
  // As it plays now: a game to replay, from its newest checkpoint.
  await page.getByText('A game as it plays now').click();
  await page.getByTestId('sample').getByText(/After [\d,]+ iterations: Run zero against itself/).waitFor({ timeout: 60_000 });
  const start = await fenOf(page);
  await page.getByRole('button', { name: 'To the end' }).click();
  await changed(page, start);
  await page.getByRole('button', { name: 'To the start' }).click();
  await shows(page, start);
  await page.getByRole('button', { name: 'Another game' }).click();
  await changed(page, start);
  await page.getByRole('button', { name: 'Stop' }).first().click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  // What it has learned is a player, with and without a search.
  const { players } = await lab.ask('/api/players');
  for (const text of ['run:zero', 'run:zero,search=puct,simulations=200']) assert.ok(players.some((p) => p.text === text), text);
  await page.close();
});

test('a policy of whole games is trained, live, and shows a game', async () => {
  const page = await lab.open('#/train?recipe=ppo&endgame=chess');
  await page.getByLabel('Recipe').locator('option[value=ppo]').waitFor({ state: 'attached' });
  await page.getByLabel('Iterations', { exact: true }).fill('4');
  await page.getByText('Settings of the recipe').click();
  for (const [name, value] of [['steps', 200], ['epochs', 1], ['width', 16]]) await page.getByLabel(name, { exact: true }).fill(String(value));
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.getByRole('heading', { name: 'Run chess' }).waitFor();
  await page.getByTestId('episodes').filter({ hasText: /4\s*of 4, finished/ }).waitFor({ timeout: 60_000 });
  await page.getByText('A game as it plays now').click();
  await page.getByTestId('sample').getByText(/After 4 iterations: Run chess against itself/).waitFor();
  // Whole games are not certified, but played.
  assert.equal(await page.getByRole('link', { name: 'Certify it' }).count(), 0);
  await page.getByRole('link', { name: 'Play against it' }).click();
  await page.getByRole('button', { name: 'Let it play' }).click();
  await page.waitForFunction(() => document.querySelectorAll('[aria-label=Moves] button').length === 1);
  await page.close();
});
