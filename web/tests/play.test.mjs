// Playing: by clicks, by keyboard, by link.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { best as bestIn, changed, click, drag, fenOf, heard, laboratory, myTurn, shows, status } from './lab.mjs';

let lab;
before(async () => (lab = await laboratory()));
after(async () => {
  await lab.end();
  assert.deepEqual(lab.complaints, [], 'errors in the page');
  assert.deepEqual(lab.elsewhere, [], 'requests that leave the machine');
});

const link = (query) => `#/play?${new URLSearchParams(query)}`;

const best = (fen) => bestIn(lab, fen);
const moves = (page) => page.getByRole('group', { name: 'Moves' });

test('a game of queen against king is played to mate by clicks', async () => {
  const page = await lab.open('#/play');
  await myTurn(page);
  const old = await fenOf(page);
  await page.getByLabel('Mate distance').selectOption({ label: 'mate in 4 moves' });
  await page.getByRole('button', { name: 'New game' }).click();
  await changed(page, old);
  let made = 0;
  let said = '';
  while (!/wins/.test((said = await myTurn(page)))) {
    const fen = await fenOf(page);
    const { uci } = await best(fen);
    await click(page, uci.slice(0, 2));
    await page.locator('square.move-dest').first().waitFor();
    await click(page, uci.slice(2, 4));
    await changed(page, fen);
    made += 1;
    assert.ok(made <= 4, 'perfect play needs four moves');
  }
  assert.match(said, /White wins by checkmate/);
  assert.equal(made, 4);
  // The score of perfect play, and the game as PGN.
  assert.match(await page.getByTestId('score').innerText(), /4 of 4 moves best/);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download PGN' }).click();
  const pgn = readFileSync(await (await download).path(), 'utf8');
  assert.match(pgn, /\[White "You"\]/);
  assert.match(pgn, /#.* 1-0\s*$/s);
  await page.close();
});

test('hint, overlay, a win thrown away, undo, flip and resign', async () => {
  const page = await lab.open(link({ fen: 'K7/8/8/8/8/6k1/8/3Q4 w - - 0 1' }));
  await myTurn(page);
  await page.getByLabel('Show the true distance of every move').check();
  await page.locator('.spot.draw, .spot.best').first().waitFor();
  const { uci } = await best('K7/8/8/8/8/6k1/8/3Q4 w - - 0 1');
  assert.ok((await page.locator('.paint .spot').count()) > 0);
  await page.getByRole('button', { name: 'Hint' }).click();
  await page.locator('.cg-shapes line').first().waitFor({ state: 'attached' });
  assert.match(await page.locator('.remark').innerText(), /Hint: .* mates in \d+ moves?/);
  assert.ok(uci);
  // The queen goes where the king takes her: a draw.
  await click(page, 'd1');
  await click(page, 'f3');
  await page.waitForFunction(() => /draw by insufficient material/i.test(document.querySelector('[data-testid=status]').textContent));
  assert.match(await page.getByTestId('score').innerText(), /gave the\s+result away/);
  await page.getByText('That move threw the win away').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForFunction(() => /Your move/.test(document.querySelector('[data-testid=status]').textContent));
  assert.equal(await fenOf(page), 'K7/8/8/8/8/6k1/8/3Q4 w - - 0 1');
  await page.getByRole('button', { name: 'Flip' }).click();
  await page.locator('.cg-wrap.orientation-black').waitFor();
  await page.getByRole('button', { name: 'Resign' }).click();
  // Once more, lest a slip of the finger lose the game.
  const sure = page.getByRole('dialog', { name: 'Resign this game?' });
  await sure.getByRole('button', { name: 'Play on' }).click();
  assert.match(await status(page).innerText(), /Your move/);
  await page.getByRole('button', { name: 'Resign' }).click();
  await sure.getByRole('button', { name: 'Resign' }).click();
  assert.match(await status(page).innerText(), /Black wins: you gave up/);
  await page.close();
});

test('the form shows the game that is on, Back undoes a new game, and typing goes on', async () => {
  const page = await lab.open(link({ fen: '8/8/8/3k4/8/8/8/KR6 w - - 0 1', vs: 'minimax:depth=2' }));
  await myTurn(page);
  assert.equal(await page.getByLabel('Endgame', { exact: true }).inputValue(), 'KRK');
  assert.equal(await page.getByLabel('Opponent', { exact: true }).inputValue(), 'minimax:depth=2');
  const first = await fenOf(page);
  await page.getByLabel('Opponent', { exact: true }).selectOption('perfect');
  const again = page.getByRole('button', { name: 'New game' });
  await again.focus();
  await page.keyboard.press('Enter');
  const second = await changed(page, first);
  assert.match(second, /R/, 'a rook, as in the game that was on');
  await myTurn(page);
  // By keyboard the game goes on at once: a move and Enter, and no other position.
  const { san } = await best(second);
  await page.keyboard.type(san);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('[aria-label=Moves] button').length === 2);
  assert.equal(await moves(page).getByRole('button').first().innerText(), san);
  assert.match(page.url(), new RegExp(encodeURIComponent(second.split(' ')[0]).replaceAll('%2F', '/')));
  // Back leads to the game before, and not out of the page; forward again to this one with its moves.
  await page.goBack();
  await shows(page, first);
  assert.equal(await page.getByLabel('Opponent', { exact: true }).inputValue(), 'minimax:depth=2');
  await page.goForward();
  await page.waitForFunction(() => document.querySelectorAll('[aria-label=Moves] button').length === 2);
  await page.close();
});

test('after mate: the last move in sight, same again, next position, links and names', async () => {
  const page = await lab.open(link({ fen: '7k/8/8/8/8/8/R7/1R4K1 w - - 0 1' }), { permissions: ['clipboard-read', 'clipboard-write'] });
  const start = await fenOf(page);
  assert.deepEqual(await page.locator('.plate .name').allInnerTexts(), ['Perfect play', 'You']);
  for (let n = 0; !/wins/.test(await myTurn(page)); n++) {
    assert.ok(n < 6);
    const fen = await fenOf(page);
    await page.getByLabel('Your move').fill((await best(fen)).san);
    await page.keyboard.press('Enter');
    await changed(page, fen);
  }
  assert.match(await heard(page), /White wins by checkmate/);
  const list = await moves(page).boundingBox();
  const last = await moves(page).getByRole('button').last().boundingBox();
  assert.match(await moves(page).getByRole('button').last().innerText(), /#/);
  assert.ok(last.y >= list.y && last.y + last.height <= list.y + list.height, 'the mating move is cut off');
  assert.deepEqual(await page.locator('.plate .result').allInnerTexts(), ['0', '1']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Link copied').first().waitFor();
  assert.equal(await clipboard(), page.url());
  await page.getByRole('button', { name: 'Copy FEN' }).click();
  await page.getByText('FEN copied').first().waitFor();
  assert.equal(await clipboard(), await fenOf(page));
  await page.getByRole('button', { name: 'Copy PGN' }).click();
  await page.getByText('PGN copied').first().waitFor();
  assert.match(await clipboard(), /\[Black "Perfect play"\][^]*1-0/);
  // The keys step through it, and the steps are those of the list.
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Home');
  await shows(page, start);
  await page.keyboard.press('End');
  await page.getByRole('button', { name: 'Same again' }).click();
  await shows(page, start);
  await myTurn(page);
  assert.equal(await moves(page).getByRole('button').count(), 0);
  await page.goBack();
  await page.getByRole('button', { name: 'Next position' }).click();
  await page.waitForFunction((fen) => document.querySelector('.cg-wrap').dataset.fen !== fen, start);
  await myTurn(page);
  assert.match((await fenOf(page)).split(' ')[0], /R.*R/, 'the same endgame');
  // Sounds have a switch, which is remembered.
  await page.getByLabel('Sounds').uncheck();
  await page.reload();
  assert.equal(await page.getByLabel('Sounds').isChecked(), false);
  await page.close();
});

test('who cannot play is replaced by one who can, with a word about it', async () => {
  const page = await lab.open(link({ fen: 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' }));
  await page.getByText('Perfect play knows endgames of up to 4 men; Minimax, 4 plies takes its place.').waitFor();
  await page.getByLabel('Your move').fill('e4');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('[aria-label=Moves] button').length === 2);
  // A network that knows rook against king meets a queen.
  await page.goto('about:blank');
  await page.goto(`${lab.base}${link({ fen: '8/8/8/3k4/8/8/8/KQ6 b - - 0 1', vs: 'run:krk-example' })}`);
  await page.getByText(/Run krk-example knows KRK only; Perfect play takes its place/).waitFor();
  assert.equal(await page.getByLabel('Opponent', { exact: true }).inputValue(), 'perfect');
  await page.close();
});

test('a pawn promotes to what is chosen', async () => {
  const page = await lab.open(link({ fen: '8/4P1k1/8/8/8/8/8/4K3 w - - 0 1' }));
  await myTurn(page);
  await click(page, 'e7');
  await click(page, 'e8');
  const dialog = page.getByRole('dialog', { name: 'Promote to' });
  await dialog.getByRole('button', { name: 'rook' }).click();
  await page.getByRole('group', { name: 'Moves' }).getByText('e8=R').waitFor();
  await page.close();
});

test('black on a small board, against a player that searches', async () => {
  const page = await lab.open(link({ fen: 'k4/5/1K3/5/4R b', me: 'black', vs: 'minimax:depth=2' }));
  await myTurn(page);
  const fen = await fenOf(page);
  assert.equal(fen.split(' ')[0].split('/').length, 5);
  await click(page, 'a5', 'black');
  await click(page, 'b5', 'black');
  await changed(page, fen);
  assert.match(await myTurn(page), /Your move|wins/);
  assert.ok((await page.getByRole('group', { name: 'Moves' }).getByRole('button').count()) >= 2);
  await page.close();
});

test('a game survives a reload and can be linked', async () => {
  const page = await lab.open(link({ fen: '8/8/8/3k4/8/8/8/KQ6 w - - 0 1' }));
  await myTurn(page);
  const first = await fenOf(page);
  const { uci } = await best(first);
  await drag(page, uci.slice(0, 2), uci.slice(2, 4));
  await page.waitForFunction(() => document.querySelectorAll('[aria-label=Moves] button').length === 2);
  await myTurn(page);
  const fen = await fenOf(page);
  await page.reload();
  await page.waitForFunction((want) => document.querySelector('.cg-wrap')?.getAttribute('data-fen') === want, fen);
  const other = await lab.open(new URL(page.url()).hash);
  await other.waitForFunction((want) => document.querySelector('.cg-wrap')?.getAttribute('data-fen') === want, fen);
  assert.equal(await other.getByRole('group', { name: 'Moves' }).getByRole('button').count(), 2);
  await page.close();
  await other.close();
});

test('a whole game with the keyboard only', async () => {
  const page = await lab.open(link({ fen: '7k/8/8/8/8/8/R7/1R4K1 w - - 0 1', overlay: 1 }));
  await myTurn(page);
  // No mouse: tab to the field, type, press Enter.
  const active = () => page.evaluate(() => document.activeElement?.closest('label')?.textContent ?? '');
  for (let i = 0; i < 30 && !/Your move/.test(await active()); i++) await page.keyboard.press('Tab');
  assert.match(await active(), /Your move/);
  await page.keyboard.type('Qh5');
  await page.keyboard.press('Enter');
  await page.getByText('“Qh5” is not legal here').waitFor();
  await page.keyboard.press('Control+A');
  for (let moves = 0; !/wins/.test(await myTurn(page)); moves++) {
    assert.ok(moves < 6);
    const fen = await fenOf(page);
    const { san } = await best(fen);
    for (let i = 0; i < 30 && !/Your move/.test(await active()); i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(san);
    await page.keyboard.press('Enter');
    await changed(page, fen);
    // What a screen reader has been told: the move, and the verdict where it is shown.
    if (!/wins/.test(await myTurn(page))) assert.match(await heard(page), /Black plays king .*\. White mates in \d+ moves?/);
  }
  assert.match(await status(page).innerText(), /White wins by checkmate/);
  assert.match(await page.locator('[aria-live=polite][role=status]').innerText(), /White wins by checkmate/);
  await page.close();
});

test('an address starts no search until somebody asks for it', async () => {
  const asked = { fen: '8/8/8/3k4/8/8/8/KQ6 b - - 0 1', vs: 'minimax:depth=2' };
  const page = await lab.open('#/play');
  await myTurn(page);
  const replies = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/reply')) replies.push(request.postDataJSON().player);
  });
  const start = page.getByRole('button', { name: 'Let it play' });
  const linked = [
    link(asked), // followed while the page is open
    link({ endgame: 'KRK', me: 'black', vs: 'minimax:depth=2' }), // a new game, and its first move
    link({ fen: '8/8/8/3k4/8/8/8/KQ6 w - - 0 1', moves: 'a1b2', vs: 'minimax:depth=2' }),
  ];
  for (const hash of linked) {
    await page.goto(lab.base + hash);
    await start.waitFor();
  }
  await page.goto('about:blank');
  await page.goto(lab.base + linked[0]); // opened afresh
  await start.waitFor();
  await page.reload();
  await start.waitFor();
  await page.waitForTimeout(300);
  assert.deepEqual(replies, []);
  assert.match(await status(page).innerText(), /Black to move: Minimax, 2 plies/);
  assert.match(await page.locator('[aria-live=polite][role=status]').innerText(), /Let it play/);
  // By keyboard, and from then on by itself.
  const active = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  for (let i = 0; i < 40 && (await active()) !== 'Let it play'; i++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await myTurn(page);
  assert.deepEqual(replies, ['minimax:depth=2']);
  assert.equal(await start.count(), 0);
  const fen = await fenOf(page);
  const { uci } = await best(fen);
  await click(page, uci.slice(0, 2));
  await click(page, uci.slice(2, 4));
  await changed(page, fen);
  await myTurn(page);
  assert.equal(replies.length, 2, 'a move of mine is answered');
  // A new game from the form begins at once, whoever has the first move.
  await page.getByLabel('Your side').selectOption('black');
  await page.getByRole('button', { name: 'New game' }).click();
  await page.waitForFunction(() => document.querySelectorAll('[aria-label=Moves] button').length === 1);
  assert.equal(replies.length, 3);
  await page.close();
});

test('what is wrong is said in words', async () => {
  const page = await lab.open(link({ fen: '8/8/8/8/8/8/8/KR6 w - - 0 1' }));
  await page.getByRole('alert').filter({ hasText: 'black has 0 kings instead of one' }).waitFor();
  await page.goto(`${lab.base}${link({ fen: '8/8/8/3k4/8/8/8/KQ6 b - - 0 1', vs: 'nobody' })}`);
  await page.getByRole('button', { name: 'Let it play' }).click();
  await page.getByRole('alert').filter({ hasText: "there is no player 'nobody'" }).waitFor();
  await page.goto(`${lab.base}#/nowhere`);
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.close();
});
