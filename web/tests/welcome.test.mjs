// Somebody who has never seen the page: from its address to a mate against the perfect defender, by the words on the
// screen alone; and what else the first screen offers.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { best, changed, click, fenOf, heard, inSight, laboratory, myTurn } from './lab.mjs';

let lab;
before(async () => (lab = await laboratory()));
after(async () => {
  await lab.end();
  assert.deepEqual(lab.complaints, [], 'errors in the page');
  assert.deepEqual(lab.elsewhere, [], 'requests that leave the machine');
});

const desktop = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 390, height: 750 }, hasTouch: true, isMobile: true };

for (const [name, device] of Object.entries({ desktop, phone })) {
  test(`from the address to a mate with rook and king, on a ${name}`, async () => {
    const page = await lab.open('', device);
    // One sentence says what this is, and three things can be done.
    const sentence = page.getByText(/trains players of chess endgames and proves how good they are/);
    await sentence.waitFor();
    const doors = ['Mate with a rook', 'that is proven perfect', 'Train one and prove it'].map((words) => page.getByText(words));
    for (const seen of [sentence, ...doors]) assert.ok(await inSight(page, seen), await seen.innerText());
    await doors[0].click();
    assert.equal(await myTurn(page), 'Your move');
    assert.match((await fenOf(page)).split(' ')[0].replace(/[\d/]/g, ''), /^[kKR]{3}$/);
    // Board, opponent and a new game are there without scrolling.
    for (const seen of [page.locator('cg-board'), page.getByLabel('Opponent', { exact: true }), page.getByText('New game', { exact: true })]) {
      assert.ok(await inSight(page, seen), `${seen} on a ${name}`);
    }
    assert.deepEqual(await page.locator('.plate .name').allInnerTexts(), ['Perfect play', 'You']);
    let moves = 0;
    while (!/wins/.test(await myTurn(page))) {
      const fen = await fenOf(page);
      const { uci } = await best(lab, fen);
      await click(page, uci.slice(0, 2));
      await page.locator('square.move-dest').first().waitFor();
      await click(page, uci.slice(2, 4));
      await changed(page, fen);
      assert.ok(++moves <= 8, 'perfect play needs eight moves');
    }
    await page.getByText('White wins by checkmate').first().waitFor();
    await page.getByText('8 of 8 moves best').waitFor();
    assert.ok(await inSight(page, page.getByText('Next position')), 'the way on is in sight');
    assert.match(await heard(page), /White wins by checkmate/);
    await page.close();
  });
}

test('a proven player is watched, its proof read, and one is trained and proved', async () => {
  const page = await lab.open('', desktop);
  await page.getByText(/forces mate from all 175,168 won positions/).waitFor();
  await page.getByText('that is proven perfect').click();
  // It plays by itself, because somebody has asked for it here.
  await page.waitForFunction(() => document.querySelectorAll('[aria-label=Moves] button').length >= 2);
  assert.match(await page.locator('.plate .name').last().innerText(), /Network krk|Run krk-example/);
  await page.goBack();
  await page.getByText('See the proof').click();
  await page.getByText('100.000 %').first().waitFor();
  await page.getByText('None. Against every opponent, from every position.').waitFor();
  await page.getByRole('link', { name: 'Lucena' }).click();
  await page.getByText('Train one and prove it').click();
  await page.getByText('Start training').click();
  await page.getByText('Certify it').click();
  await page.getByRole('button', { name: 'Certify' }).click();
  await page.getByText('Mate forced').waitFor();
  await page.getByText('learned from play alone').waitFor();
  await page.close();
});

test('a trained run, its certificate and the papers are there from the start', async () => {
  const [run] = await lab.ask('/api/runs').then((runs) => runs.filter(({ name }) => name === 'krk-example'));
  assert.equal(run.status, 'finished');
  // If this fails because what a fingerprint is made of has changed, scripts/example makes the example anew.
  assert.equal(run.certified_share, 1);
  const certificates = await lab.ask('/api/certificates');
  for (const player of ['run:krk-example', 'net:krk.safetensors']) {
    const found = certificates.find((c) => c.player === player);
    assert.equal(found?.share, 1, player);
    assert.equal((await lab.ask(`/api/certificates/${found.id}`)).fingerprint, found.fingerprint);
  }
  const page = await lab.open('#/train', desktop);
  await page.getByText('krk-example').click();
  await page.getByText('12,440').first().waitFor();
  await page.getByRole('link', { name: 'Papers' }).click();
  await page.getByText(/measured by the project/).first().waitFor();
  await page.close();
});
