// The drill: positions of the exact tables, one after the other, by keyboard alone; mistakes come back.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { best, changed, fenOf, heard, laboratory, shows, status } from './lab.mjs';

let lab;
before(async () => (lab = await laboratory()));
after(async () => {
  await lab.end();
  assert.deepEqual(lab.complaints, [], 'errors in the page');
});

const probe = (fen) => lab.ask(`/api/probe?${new URLSearchParams({ fen })}`);
const figure = async (page, name) =>
  Number(
    await page
      .getByTestId('progress')
      .locator('div', { has: page.getByText(name, { exact: true }) })
      .locator('dd')
      .evaluate((dd) => dd.firstChild.textContent),
  );

/** Waits for a position to solve, and holds what the page says of it against the tables. */
async function checked(page, moves) {
  await status(page).getByText(new RegExp(`^Mate in ${moves} moves$`)).waitFor();
  const fen = await fenOf(page);
  const truth = await probe(fen);
  assert.deepEqual([truth.category, truth.dtm_moves], ['win', moves], fen);
  const winning = truth.moves.filter((m) => m.category === 'loss');
  const shortest = winning.filter((m) => m.dtm === -2 * (moves - 1));
  const said = new RegExp(`${winning.length} of ${truth.moves.length} moves keeps? the win, ${shortest.length} mates? in ${moves}\\.`);
  assert.match((await page.getByTestId('facts').innerText()).replace(/\s+/g, ' '), said);
  return fen;
}

/** Types a move; where the focus is, is where it belongs. */
async function type(page, san) {
  const fen = await fenOf(page);
  await page.keyboard.type(san);
  await page.keyboard.press('Enter');
  await changed(page, fen);
  await page.waitForFunction(() => !document.querySelector('.plate.turn .name')?.textContent.includes('Perfect'));
}

test('solved, missed, and what was missed comes back', async () => {
  const page = await lab.open('#/drill');
  await page.getByLabel('Endgame', { exact: true }).selectOption('KRK');
  await page.getByLabel('Mate distance').selectOption({ label: 'mate in 3 moves' });
  await page.getByRole('button', { name: 'Drill', exact: true }).click();
  const first = await checked(page, 3);
  // Perfectly: three moves, against the longest resistance.
  for (let i = 0; i < 3; i++) await type(page, (await best(lab, await fenOf(page))).san);
  await page.getByText('Mate in 3 moves: perfect.').first().waitFor();
  assert.match(await heard(page), /perfect/);
  assert.deepEqual([await figure(page, 'Today'), await figure(page, 'Moves over'), await figure(page, 'Due now')], [1, 0, 0]);
  // Enter goes on: the focus is on the way to the next one.
  await page.keyboard.press('Enter');
  await page.waitForFunction((fen) => document.querySelector('.cg-wrap').dataset.fen !== fen, first);
  const second = await checked(page, 3);
  // A detour: the slowest move that still wins, then the best ones.
  const { moves } = await probe(second);
  const detour = moves.filter((m) => m.category === 'loss').at(-1);
  const over = Math.ceil((-detour.dtm + 1) / 2) - 3;
  await type(page, detour.san);
  for (let i = 0; i < 40 && !/over the optimum|perfect/.test(await status(page).innerText()); i++) {
    await type(page, (await best(lab, await fenOf(page))).san);
  }
  if (over > 0) {
    assert.match(await status(page).innerText(), new RegExp(`, ${over} over the optimum`));
    assert.equal(await figure(page, 'Moves over'), over);
  }
  await page.keyboard.press('Enter');
  await page.waitForFunction((fen) => document.querySelector('.cg-wrap').dataset.fen !== fen, second);
  const third = await checked(page, 3);
  await page.getByRole('button', { name: 'Give up' }).press('Enter');
  await page.getByText('It comes back in ten minutes').first().waitFor();
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('drill')));
  assert.deepEqual(kept.cards.map((card) => card.fen).sort(), (over > 0 ? [second, third] : [third]).sort());
  // Ten minutes later, after the browser was closed and opened again.
  await page.evaluate((cards) => {
    localStorage.setItem('drill', JSON.stringify({ ...JSON.parse(localStorage.getItem('drill')), cards }));
  }, kept.cards.map((card) => ({ ...card, due: card.due - (card.fen === third ? 610_000 : 0) })));
  await page.reload();
  await shows(page, third);
  await page.getByText('comes back', { exact: true }).waitFor();
  assert.equal(await figure(page, 'Due now'), 1);
  assert.equal(await figure(page, 'Today'), 3);
  await checked(page, 3);
  await page.getByRole('button', { name: 'Next position' }).focus();
  await page.getByLabel('Your move').focus();
  for (let i = 0; i < 3; i++) await type(page, (await best(lab, await fenOf(page))).san);
  await page.getByText('Mate in 3 moves: perfect.').first().waitFor();
  const card = await page.evaluate((fen) => JSON.parse(localStorage.getItem('drill')).cards.find((c) => c.fen === fen), third);
  assert.equal(card.solved, 1);
  const wait = card.due - (await page.evaluate(() => Date.now()));
  assert.ok(wait > 86_000_000 && wait <= 86_400_000, 'it comes back in a day');
  await page.close();
});

test('a win thrown away ends it at once, and progress can be forgotten', async () => {
  const page = await lab.open('#/drill');
  await page.getByLabel('Endgame', { exact: true }).selectOption('KQK');
  await page.getByLabel('Mate distance').selectOption({ label: 'mate in 5 moves' });
  // A position in which the queen can be given away: tried until there is one.
  for (let tries = 0; ; tries++) {
    assert.ok(tries < 30, 'no such position was drawn');
    const old = await fenOf(page);
    await page.getByRole('button', { name: tries ? 'Next position' : 'Drill', exact: true }).click();
    await page.waitForFunction((fen) => document.querySelector('.cg-wrap').dataset.fen !== fen, old);
    const fen = await checked(page, 5);
    const blunder = (await probe(fen)).moves.find((m) => m.category === 'draw');
    if (!blunder) continue;
    await page.getByLabel('Your move').fill(blunder.san);
    await page.keyboard.press('Enter');
    await page.getByText(/It comes back in ten minutes/).first().waitFor();
    break;
  }
  assert.match(await page.getByTestId('progress').innerText(), /1 missed/);
  await page.getByRole('button', { name: 'Forget it' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget it' }).click();
  assert.equal(await figure(page, 'Today'), 0);
  await page.close();
});
