// Training, certificates and papers: work that belongs to the server.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { changed, fenOf, heard, laboratory, myTurn, shows } from './lab.mjs';

let lab;
before(async () => (lab = await laboratory()));
after(async () => {
  await lab.end();
  assert.deepEqual(lab.complaints, [], 'errors in the page');
  assert.deepEqual(lab.elsewhere, [], 'requests that leave the machine');
});

const points = (page) =>
  page.evaluate(() => Number(document.querySelector('svg[data-points]')?.getAttribute('data-points') ?? 0));

async function fill(page, name, games) {
  await page.getByLabel('Recipe').selectOption('ypma-q');
  await page.getByLabel('Board', { exact: true }).selectOption('5');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Games', { exact: true }).fill(String(games));
}

test('a run is trained, its curve grows, it is stopped, resumed and played', async () => {
  const page = await lab.open('#/train');
  await fill(page, 'krk5', 20_000_000);
  await page.getByText('Settings of the recipe').click();
  await page.getByLabel('alpha').fill('0.05');
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.getByRole('heading', { name: 'Run krk5' }).waitFor();
  await page.waitForFunction(() => Number(document.querySelector('svg[data-points]')?.dataset.points ?? 0) >= 1);
  const before = await points(page);
  await page.waitForFunction(
    (n) => Number(document.querySelector('svg[data-points]').dataset.points) > n,
    before,
  );
  // The browser goes away in the middle; the run does not.
  await page.close();
  const again = await lab.open('#/train/krk5');
  await again.getByRole('button', { name: 'Stop' }).click();
  await again.getByRole('button', { name: 'Resume' }).waitFor();
  const stopped = await lab.ask('/api/runs/krk5');
  assert.equal(stopped.status, 'stopped');
  assert.ok(stopped.episodes > 0 && stopped.episodes < 20_000_000);
  assert.equal(stopped.plan.settings.alpha, 0.05);
  // The same name again is refused, in words.
  await again.goto(`${lab.base}#/train`);
  await fill(again, 'krk5', 100);
  await again.getByRole('button', { name: 'Start training' }).click();
  await again.getByRole('alert').filter({ hasText: 'already holds a run' }).waitFor();
  await again.goto(`${lab.base}#/train/krk5`);
  await again.getByRole('button', { name: 'Resume' }).click();
  await again.getByText('running').first().waitFor();
  await again.getByRole('button', { name: 'Stop' }).click();
  await again.getByRole('button', { name: 'Resume' }).waitFor();
  const resumed = await lab.ask('/api/runs/krk5');
  assert.ok(resumed.episodes >= stopped.episodes);
  // Whatever happens to a run is seen in every list that is open, in this tab and in another.
  const other = await lab.open('#/train');
  await again.goto(`${lab.base}#/train`);
  const rows = [again, other].map((tab) => tab.locator('tr[data-run=krk5]'));
  for (const row of rows) await row.getByText('stopped').waitFor();
  await rows[0].getByRole('button', { name: 'Resume' }).click();
  for (const row of rows) await row.getByText('running').waitFor();
  // What is told while it goes on is what the curve says, and does not jump to nothing between two points.
  const rates = [];
  for (let i = 0; i < 15; i++) {
    const told = /won ([\d.]+) %/.exec((await lab.ask('/api/jobs'))[0].message)?.[1];
    if (told) rates.push(Number(told));
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  assert.ok(rates.length > 3 && Math.min(...rates) > 0.5 * Math.max(...rates), `${rates}`);
  await other.getByRole('button', { name: 'Stop' }).click();
  for (const row of rows) await row.getByText('stopped').waitFor();
  await other.close();
  // A bad setting is explained.
  await again.goto(`${lab.base}#/train`);
  await fill(again, '../evil', 100);
  await again.getByRole('button', { name: 'Start training' }).click();
  await again.getByRole('alert').filter({ hasText: 'begins with a letter or a digit' }).waitFor();
  // Two runs are compared.
  await fill(again, 'small', 500);
  await again.getByRole('button', { name: 'Start training' }).click();
  await again.getByText('500').first().waitFor();
  await again.goto(`${lab.base}#/train`);
  await again.getByLabel('Compare krk5').check();
  await again.getByLabel('Compare small').check();
  await again.getByRole('heading', { name: 'Comparison' }).waitFor();
  await again.locator('.legend').getByText('small').waitFor();
  // What was learned is a player.
  await again.goto(`${lab.base}#/train/krk5`);
  await again.getByRole('link', { name: 'Play against it' }).click();
  await again.getByRole('button', { name: 'Let it play' }).click();
  await myTurn(again);
  assert.equal((await fenOf(again)).split(' ')[0].split('/').length, 5);
  await again.close();
});

test('a run is extended, renamed and deleted, and its chart is read', async () => {
  const page = await lab.open('#/train');
  await page.getByLabel('Recipe').selectOption('ypma-q');
  // What a recipe and its settings are, in a line each.
  await page.getByText(/Q-learning as in Ypma's thesis/).waitFor();
  await page.getByText('Settings of the recipe').click();
  await page.getByText('The discount factor.').waitFor();
  await page.getByLabel('gamma').fill('7');
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.getByRole('alert').filter({ hasText: 'gamma = 7.0: it may be 0 to 1' }).waitFor();
  await page.getByLabel('gamma').fill('0.9');
  await page.getByLabel('Board', { exact: true }).selectOption('4');
  await page.getByLabel('Games', { exact: true }).fill('2000');
  // A name that is free stands there already.
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.getByRole('heading', { name: 'Run krk4' }).waitFor();
  await page.getByTestId('episodes').filter({ hasText: /2,000\s*of 2,000, finished/ }).waitFor();
  await page.getByRole('button', { name: 'Extend' }).click();
  await page.getByLabel('Games in all').fill('3000');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByTestId('episodes').filter({ hasText: /3,000\s*of 3,000, finished/ }).waitFor();
  const longer = await lab.ask('/api/runs/krk4');
  assert.deepEqual(longer.plan.extended, [{ after: 2000, of: 2000 }]);
  assert.equal(longer.plan.settings.gamma, 0.9);
  // Values by pointer and by keyboard.
  const chart = page.locator('figure', { hasText: 'Positions met' });
  await chart.locator('svg').hover({ position: { x: 200, y: 60 } });
  const value = await chart.locator('.value').innerText();
  assert.match(value, /^[\d,]+ games: [\d,]+$/);
  await page.mouse.move(0, 0);
  await chart.getByRole('slider').focus();
  await page.keyboard.press('Home');
  const [games, met] = (await chart.locator('.value').innerText()).split(' games: ').map((n) => Number(n.replaceAll(',', '')));
  const curve = longer.curves.find(({ name }) => name === 'training/positions_met').points;
  assert.deepEqual([games, met], curve[0]);
  // Another name, which is then the only one.
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('New name').fill('../evil');
  await page.getByRole('button', { name: 'Rename it' }).click();
  await page.getByRole('alert').filter({ hasText: 'begins with a letter or a digit' }).waitFor();
  await page.getByLabel('New name').fill('krk-example');
  await page.getByRole('button', { name: 'Rename it' }).click();
  await page.getByRole('alert').filter({ hasText: 'krk-example already holds a run' }).waitFor();
  await page.getByLabel('New name').fill('mine');
  await page.getByRole('button', { name: 'Rename it' }).click();
  await page.getByRole('heading', { name: 'Run mine' }).waitFor();
  assert.match((await lab.ask('/api/runs/krk4')).error, /no run 'krk4'/);
  // Its certificate is asked for by its own name, without typing.
  await page.getByRole('link', { name: 'Certify it' }).click();
  assert.equal(await page.getByLabel('Player', { exact: true }).inputValue(), 'run:mine');
  assert.equal(await page.getByLabel('Player, as text').count(), 0);
  assert.equal(await page.getByLabel('Board', { exact: true }).inputValue(), '4');
  // Deleting asks first.
  await page.goto(`${lab.base}#/train/mine`);
  await page.getByRole('button', { name: 'Delete' }).click();
  const sure = page.getByRole('dialog', { name: 'Delete the run mine?' });
  await sure.getByRole('button', { name: 'Keep it' }).click();
  assert.equal((await lab.ask('/api/runs/mine')).name, 'mine');
  await page.getByRole('button', { name: 'Delete' }).click();
  await sure.getByRole('button', { name: 'Delete it' }).click();
  await page.getByRole('heading', { name: 'Train', exact: true }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('tr[data-run]').length > 0 && !document.querySelector('tr[data-run=mine]'));
  assert.match((await lab.ask('/api/runs/mine')).error, /no run 'mine'/);
  assert.match(await heard(page), /mine is deleted/);
  await page.close();
});

test('a certificate with failures, heat maps and a refutation to replay', async () => {
  const page = await lab.open('#/certify');
  await page.getByLabel('Player', { exact: true }).selectOption('');
  await page.getByLabel('Player, as text').fill('minimax:depth=2,history=off');
  await page.getByLabel('Board', { exact: true }).selectOption('5');
  await page.getByRole('button', { name: 'Certify' }).click();
  await page.getByTestId('certificate').waitFor();
  assert.match(await page.getByTestId('certificate').innerText(), /Mate forced\s+52\.216 %/);
  await page.getByRole('heading', { name: /Goes round in circles: 3,364 positions/ }).waitFor();
  // The heat map, by the defender's king and by another man.
  assert.equal(await page.locator('.spot.heat').count(), 25);
  const king = await page.locator('.spot.heat').allInnerTexts();
  // The names of files and ranks stand above the colours.
  const above = (one, other) => {
    const z = (selector) => Number(getComputedStyle(document.querySelector(selector)).zIndex);
    return z(one) > z(other);
  };
  assert.ok(await page.evaluate(`(${above})('.frame.pale coords', '.frame.pale .paint')`));
  await page.getByLabel('By the square of').selectOption('R');
  const rook = await page.locator('.spot.heat').allInnerTexts();
  assert.notDeepEqual(king, rook);
  await page.getByLabel('Showing').selectOption('mean_excess_moves');
  assert.notDeepEqual(await page.locator('.spot.heat').allInnerTexts(), rook);
  await page.getByRole('link', { name: 'Replay example 1' }).click();
  await page.getByRole('heading', { name: 'Goes round in circles, example 1' }).waitFor();
  const start = await fenOf(page);
  await page.getByRole('button', { name: 'To the end' }).click();
  assert.notEqual(await fenOf(page), start);
  await page.getByText('has come back').first().waitFor();
  assert.match(await heard(page), /The end: .*has come back/);
  // By the keys, and by itself.
  await page.keyboard.press('Home');
  await shows(page, start);
  await page.keyboard.press('ArrowRight');
  await changed(page, start);
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('button', { name: 'Play it' }).click();
  await page.waitForFunction((fen) => document.querySelector('.cg-wrap').dataset.fen !== fen, start);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.reload();
  await page.getByRole('heading', { name: 'Goes round in circles, example 1' }).waitFor();
  // What cannot be certified is told why.
  await page.goto(`${lab.base}#/certify?player=random`);
  await page.getByRole('button', { name: 'Certify' }).click();
  await page.getByRole('alert').filter({ hasText: 'depends on chance' }).waitFor();
  await page.close();
});

test('a certificate says whose it is, and that there is nothing to prove where nothing is won', async () => {
  const page = await lab.open('#/certify?player=perfect&endgame=KNK&board=4');
  await page.getByRole('button', { name: 'Certify' }).click();
  await page.getByTestId('certificate').waitFor();
  assert.match(await page.getByTestId('certificate').innerText(), /^Nothing to prove: no position is won for white/);
  assert.match(await page.getByTestId('whose').innerText(), /fingerprint [0-9a-f]{32}/);
  assert.doesNotMatch(await page.locator('main').innerText(), /100|None\. Against every opponent/);
  await page.goto(`${lab.base}#/certify`);
  await page.getByRole('row', { name: /KNK 4×4.*nothing/ }).waitFor();
  // A run says what it has seen, and so does its certificate.
  await page.goto(`${lab.base}#/train/krk5`);
  await page.getByText('learned from play alone').waitFor();
  await page.getByRole('link', { name: 'Certify it' }).click();
  await page.getByRole('button', { name: 'Certify' }).click();
  await page.getByTestId('whose').filter({ hasText: /fingerprint [0-9a-f]{32}; learned from play alone/ }).waitFor();
  await page.close();
});

test('a defence is certified as well', async () => {
  const page = await lab.open('#/certify');
  await page.getByLabel('Player', { exact: true }).selectOption('perfect');
  await page.getByLabel('Board', { exact: true }).selectOption('4');
  await page.getByRole('combobox', { name: 'Side', exact: true }).selectOption('black');
  await page.getByRole('button', { name: 'Certify' }).click();
  await page.getByTestId('certificate').waitFor();
  assert.match(await page.getByTestId('certificate').innerText(), /Held positions kept\s+100\.000 %/);
  await page.close();
});

test('the figures that are kept are there at once, and running an experiment here takes their place', async () => {
  const page = await lab.open('#/papers');
  const cards = page.locator('.papers .card');
  await cards.first().waitFor();
  // A newcomer, who has measured nothing, sees every result.
  const notes = await cards.locator('.note').allInnerTexts();
  assert.ok(notes.length >= 22, `${notes.length} experiments`);
  for (const note of notes) assert.match(note, /measured by the project \((full|quick), \d{4}-\d\d-\d\d/);
  // Charts name the boards, and join no board to a variant of another.
  await page.getByRole('link', { name: /Y6\.9/ }).click();
  const chart = page.locator('.report svg.plot').first();
  await chart.getByText('8×8').first().waitFor();
  assert.equal(await chart.getByText('folded').count(), 2);
  const lines = await chart.locator('path.line').evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
  const parts = lines.map((line) => line.split('M').slice(1).map((part) => part.split('L').length));
  // Five boards, and where the variants were measured, too, those by themselves.
  for (const [boards] of parts) assert.ok(boards <= 5, `${lines}`);
  assert.ok(parts.some((part) => part.length === 2), `${lines}`);
  await page.getByRole('link', { name: 'All experiments' }).click();
  await page.getByRole('link', { name: /Y6\.1/ }).first().click();
  await page.locator('.report table').waitFor();
  await page.locator('.report svg.plot').first().waitFor();
  const measured = page.getByTestId('measured');
  assert.match(await measured.innerText(), /Measured by the project: full, [^]*lucena paper Y6\.1 --seed 1/);
  const figures = await page.locator('.report tbody').innerText();
  const other = page.getByRole('button', { name: "The project's own figures" });
  assert.equal(await other.count(), 0);
  // Run here, the page shows what was measured here, now and later, …
  await page.getByRole('button', { name: 'Only show that it runs' }).click();
  await measured.filter({ hasText: 'Measured here: smoke' }).waitFor({ timeout: 60_000 });
  assert.match(await measured.innerText(), /lucena paper Y6\.1 --budget smoke --seed 1/);
  const here = await page.locator('.report tbody').innerText();
  assert.notEqual(here, figures);
  await page.reload();
  await measured.filter({ hasText: 'Measured here: smoke' }).waitFor();
  assert.equal(await page.locator('.report tbody').innerText(), here);
  // … and the project's figures on demand.
  await other.click();
  assert.equal(await page.locator('.report tbody').innerText(), figures);
  await other.click();
  assert.equal(await page.locator('.report tbody').innerText(), here);
  await page.getByRole('link', { name: 'All experiments' }).click();
  await cards.first().filter({ hasText: 'measured here (smoke' }).waitFor();
  await page.close();
});
