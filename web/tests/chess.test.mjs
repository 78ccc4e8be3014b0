// Whole games: by mouse and by keyboard to mate, with clocks, openings by name, and reviewed at the end.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changed, click, drag, fenOf, heard, laboratory, myTurn, shows, status } from './lab.mjs';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

let lab;
before(async () => (lab = await laboratory()));
after(async () => {
  await lab.end();
  assert.deepEqual(lab.complaints, [], 'errors in the page');
  assert.deepEqual(lab.elsewhere, [], 'requests that leave the machine');
});

const link = (query) => `#/play?${new URLSearchParams({ fen: START, ...query })}`;
const moves = (page) => page.getByRole('group', { name: 'Moves' });

/** Waits until so many moves are on the list: then they are on the board, too. */
const played = (page, n) =>
  page.waitForFunction((n) => document.querySelectorAll('[aria-label=Moves] button').length === n, n);

/** The moves of the game, as its address has them. */
const listed = (page) => (new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('moves') ?? '').split(',').filter(Boolean);

/** A good move in the game on the board, by a search of the server's. */
const good = (page) => lab.ask('/api/reply', { start: START, moves: listed(page), player: 'minimax:depth=4', seed: 1 });

test('a whole game is played to mate by mouse, and reviewed', async () => {
  // The same seed, the same game: a random mover that is mated soon.
  const page = await lab.open(link({ vs: 'random', seed: 7 }));
  let made = 0;
  while (!/wins/.test(await myTurn(page))) {
    const { uci } = await good(page);
    const fen = await fenOf(page);
    if (made % 2) await drag(page, uci.slice(0, 2), uci.slice(2, 4));
    else {
      await click(page, uci.slice(0, 2));
      await page.locator('square.move-dest').first().waitFor();
      await click(page, uci.slice(2, 4));
    }
    await changed(page, fen);
    assert.ok(++made <= 40, 'a random mover is mated soon');
  }
  await status(page).getByText('White wins by checkmate').waitFor();
  await status(page).getByTestId('opening').waitFor();
  assert.match(await moves(page).getByRole('button').last().innerText(), /#/);
  const plies = await moves(page).getByRole('button').count();
  assert.equal(plies, 2 * made - 1);
  // Judged position by position: a curve of both sides, and the worst moves by name.
  await page.getByRole('link', { name: 'Review' }).click();
  const curve = page.locator('svg[data-worst]');
  await page.waitForFunction((n) => Number(document.querySelector('svg[data-worst]')?.dataset.points) === n, plies + 1);
  assert.ok(Number(await curve.getAttribute('data-worst')) > 0, 'a random mover makes mistakes');
  assert.equal(await page.locator('.dot.grave, .dot.mistake, .dot.inaccuracy').count(), Number(await curve.getAttribute('data-worst')));
  const worst = page.getByRole('list', { name: 'The worst moves' }).getByRole('button');
  assert.ok((await worst.count()) > 0);
  await moves(page).locator('.mark').first().waitFor();
  assert.ok((await moves(page).locator('.mark').count()) >= (await worst.count()), 'those of the list are marked');
  // The keys step through it, and the address says where.
  const end = await fenOf(page);
  await page.keyboard.press('ArrowLeft');
  const before = await changed(page, end);
  assert.match(page.url(), new RegExp(`at=${plies - 1}`));
  await page.keyboard.press('Home');
  await shows(page, START);
  await worst.first().click();
  const found = await changed(page, START);
  const linked = await lab.open(new URL(page.url()).hash);
  await shows(linked, found);
  // A link draws nothing by itself: an address starts no search.
  assert.equal(await linked.locator('svg[data-worst]').count(), 0);
  await linked.close();
  await page.keyboard.press('End');
  await shows(page, end);
  assert.notEqual(before, end);
  await page.close();
});

test('a whole game is played to mate by keyboard alone, with a clock and a promotion', async () => {
  const page = await lab.open(link({ vs: 'random', seed: 4, clock: '10+5' }));
  await myTurn(page);
  const active = () => page.evaluate(() => document.activeElement?.closest('label')?.textContent ?? '');
  for (let i = 0; i < 40 && !/Your move/.test(await active()); i++) await page.keyboard.press('Tab');
  assert.match(await active(), /Your move/);
  assert.deepEqual(await page.getByRole('timer').allInnerTexts(), ['10:00', '10:00']);
  let made = 0;
  let promoted = false;
  while (!/wins/.test(await myTurn(page))) {
    const { san } = await good(page);
    promoted ||= san.includes('=');
    const fen = await fenOf(page);
    await page.keyboard.type(san);
    await page.keyboard.press('Enter');
    await changed(page, fen);
    assert.ok(++made <= 40, 'a random mover is mated soon');
    if (made === 2) assert.match(await status(page).innerText(), /Opening|Game|Defence|Attack|Gambit/);
  }
  await status(page).getByText('White wins by checkmate').waitFor();
  assert.ok(promoted, 'this game has a promotion');
  assert.match(await heard(page), /White wins by checkmate/);
  // The clock stands still at the end, and the address remembers it.
  const clocks = await page.getByRole('timer').allInnerTexts();
  await page.reload();
  await status(page).getByText('White wins by checkmate').waitFor();
  assert.deepEqual((await page.getByRole('timer').allInnerTexts()).map((text) => text.slice(0, 3)), clocks.map((text) => text.slice(0, 3)));
  assert.match(page.url(), /clock=10%2B5/);
  await page.close();
});

test('whoever runs out of time loses, and it is written down', async () => {
  const page = await lab.open(link({ vs: 'random', moves: 'e2e4,e7e5', clock: '1+0', times: '15,600' }), {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await myTurn(page);
  assert.deepEqual(await page.getByRole('timer').allInnerTexts(), ['1:00', '0:01.5']);
  // It stands still until somebody moves.
  await page.waitForTimeout(400);
  assert.equal(await page.getByRole('timer').last().innerText(), '0:01.5');
  await click(page, 'g1');
  await page.locator('square.move-dest').first().waitFor();
  await click(page, 'f3');
  await played(page, 4);
  await status(page).getByText('Black wins on time').waitFor();
  assert.equal(await page.getByRole('timer').last().innerText(), '0:00.0');
  assert.deepEqual(await page.locator('.plate .result').allInnerTexts(), ['1', '0']);
  await page.getByRole('button', { name: 'Copy PGN' }).click();
  await page.getByText('PGN copied').first().waitFor();
  const pgn = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(pgn, /\[Opening "[^"]+"\][^]*time-out[^]*0-1\s*$/);
  await page.reload();
  await status(page).getByText('Black wins on time').waitFor();
  // A new game from the form has the clock that stands there.
  await page.getByLabel('Clock', { exact: true }).selectOption('3+2');
  await page.getByRole('button', { name: 'New game' }).first().click();
  await played(page, 0);
  await page.getByRole('timer').first().getByText('3:00').waitFor();
  await page.close();
});

test('openings have names, by whatever moves they are reached', async () => {
  const page = await lab.open(`#/analyse?moves=${['g1f3', 'b8c6', 'e2e4', 'e7e5', 'f1c4'].join(',')}`);
  await page.getByTestId('opening').getByText('Italian Game', { exact: true }).waitFor();
  await page.keyboard.press('Home');
  await page.waitForFunction(() => !document.querySelector('[data-testid=opening]'));
  await page.close();
});

test('two players play a whole game, and show what they expect', async () => {
  const page = await lab.open(`#/watch?${new URLSearchParams({ fen: START, white: 'minimax:depth=2', black: 'net:imitation.safetensors' })}`);
  for (let ply = 1; ply <= 4; ply++) {
    await page.getByRole('button', { name: 'One move', exact: true }).click();
    await played(page, ply);
  }
  await page.waitForFunction(() => Number(document.querySelector('svg[data-points]')?.dataset.points) === 4);
  await page.getByTestId('wdl').waitFor();
  await page.getByTestId('opening').waitFor();
  await page.close();
});
