// Setting up positions, and watching games.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changed, click, fenOf, heard, laboratory, myTurn, shows, status } from './lab.mjs';

let lab;
before(async () => (lab = await laboratory()));
after(async () => {
  await lab.end();
  assert.deepEqual(lab.complaints, [], 'errors in the page');
  assert.deepEqual(lab.elsewhere, [], 'requests that leave the machine');
});

const verdict = (page) => page.getByTestId('verdict');

test('a position is set up man by man, and impossible ones are explained', async () => {
  const page = await lab.open('#/setup');
  await page.getByRole('button', { name: 'Clear the board' }).click();
  await verdict(page).getByText('white has 0 kings instead of one').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Play from here' }).isDisabled());
  await page.getByRole('button', { name: 'Put a white king' }).click();
  await click(page, 'c3');
  await page.getByRole('button', { name: 'Put a black king' }).click();
  await click(page, 'c4');
  await verdict(page).getByText('the kings on c3 and c4 touch').waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await click(page, 'c4');
  await page.getByRole('button', { name: 'Put a black king' }).click();
  await click(page, 'c1');
  // By keyboard as well: choose a man, name a square.
  await page.getByRole('button', { name: 'Put a white rook' }).click();
  await page.getByLabel('Square', { exact: true }).fill('h2');
  await page.getByLabel('Square', { exact: true }).press('Enter');
  await verdict(page).getByText(/White mates in \d+ moves?/).waitFor();
  await verdict(page).getByText(/Best line: .*#/).waitFor();
  assert.equal(await fenOf(page), '8/8/8/8/8/2K5/7R/2k5 w - - 0 1');
  // A man moves by two clicks.
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await click(page, 'h2');
  await click(page, 'g2');
  await page.waitForFunction(() => document.querySelector('.cg-wrap').dataset.fen.startsWith('8/8/8/8/8/2K5/6R1/2k5'));
  // The link goes to the same position, and on to a game.
  await page.reload();
  await page.waitForFunction(() => document.querySelector('.cg-wrap').dataset.fen.startsWith('8/8/8/8/8/2K5/6R1/2k5'));
  await page.getByRole('link', { name: 'Play from here' }).click();
  await myTurn(page);
  assert.match(await fenOf(page), /^8\/8\/8\/8\/8\/2K5\/6R1\/2k5/);
  await page.close();
});

test('castling rights, small boards, FEN and PGN', async () => {
  const page = await lab.open('#/setup');
  await page.getByRole('button', { name: 'Start of the game' }).click();
  await verdict(page).getByText('Not in the tables').waitFor();
  await page.getByLabel('White O-O', { exact: true }).uncheck();
  await page.waitForFunction(() => document.querySelector('.cg-wrap').dataset.fen.includes(' w Qkq '));
  await page.getByRole('combobox', { name: 'Board', exact: true }).selectOption('5');
  await page.getByRole('button', { name: 'Clear the board' }).click();
  await page.getByLabel('FEN', { exact: true }).fill('k4/5/1K3/5/4R w');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await verdict(page).getByText(/White mates in 1 move$/).waitFor();
  await page.getByLabel('Side to move').selectOption('black');
  await verdict(page).getByText(/White mates in \d+ moves?/).waitFor();
  const paste = page.getByLabel('Paste a FEN or a game (PGN)');
  await paste.fill('8/8/8 w');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('alert').filter({ hasText: 'ranks' }).waitFor();
  await paste.fill('1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByText('White wins by checkmate').waitFor();
  assert.match(page.url(), /#\/watch/);
  await page.close();
});

test('nonsense is refused with a reason, and changes nothing', async () => {
  const page = await lab.open('#/setup');
  const before = await fenOf(page);
  const field = page.getByLabel('FEN', { exact: true });
  for (const [text, reason] of [
    ['hello', '“hello” is no board: it has 1 rank instead of 4 to 8'],
    ['8/8/8/3k4/8/8/8/KQ6 x', '“x” is no side to move'],
    ['8/8/8/3k4/8/8/8/KQ9 w', '“9” in the rank'],
  ]) {
    await field.fill(text);
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: reason }).waitFor();
    assert.equal(await fenOf(page), before);
    assert.equal(await field.inputValue(), text, 'it can be mended');
  }
  // Two kings alone: a position, but no game.
  await field.fill('8/8/8/3k4/8/8/8/K7 w');
  await field.press('Enter');
  await verdict(page).getByText('Draw by insufficient material').waitFor();
  for (const name of ['Play from here', 'Watch from here']) {
    assert.ok(await page.getByRole('button', { name }).isDisabled());
  }
  await page.getByText('The game is over here.').waitFor();
  await page.close();
});

test('two players are watched to the end, and stepped through', async () => {
  const page = await lab.open('#/watch?fen=8/8/8/8/8/2k5/7R/K7 w - - 0 1');
  await page.getByLabel(/Pace/).fill('0');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.waitForFunction(() => /White wins by checkmate/.test(document.querySelector('[data-testid=status]').textContent));
  assert.match(await heard(page), /^White: rook .*, checkmate\. White wins by checkmate/);
  const moves = await page.getByRole('group', { name: 'Moves' }).getByRole('button').count();
  assert.ok(moves >= 9, `${moves} plies`);
  // The distance to mate as a curve: one point for every position.
  await page.waitForFunction((n) => Number(document.querySelector('svg[data-points]').dataset.points) === n, moves + 1);
  const last = await fenOf(page);
  await page.getByRole('button', { name: 'One move back' }).click();
  assert.notEqual(await fenOf(page), last);
  await page.getByRole('button', { name: 'To the start' }).click();
  assert.equal(await fenOf(page), '8/8/8/8/8/2k5/7R/K7 w - - 0 1');
  await page.keyboard.press('ArrowRight');
  await changed(page, '8/8/8/8/8/2k5/7R/K7 w - - 0 1');
  await page.keyboard.press('ArrowLeft');
  await shows(page, '8/8/8/8/8/2k5/7R/K7 w - - 0 1');
  await page.reload();
  await page.waitForFunction(() => /White wins by checkmate/.test(document.querySelector('[data-testid=status]').textContent));
  assert.match(await status(page).innerText(), /White wins/);
  await page.close();
});
