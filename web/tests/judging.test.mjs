// Which moves are called mistakes, and how clocks are read and shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './typescript.mjs';

const { judged, worst } = await load('slips.ts');
const { budget, control, readTimes, shown } = await load('times.ts');

const verdicts = (...white) => white.map((value) => (value === null ? undefined : { white: value, best: 'a1a2', san: 'Ra2' }));

test('a move is judged by what its own side may expect before and after it', () => {
  // White gains, black loses nothing; then black throws the game away, then white half of it back.
  const list = judged(verdicts(0.5, 0.55, 0.55, 0.53, 0.98, 0.5), 'white');
  assert.deepEqual(
    list.map(({ ply, side, slip }) => [ply, side, slip]),
    [
      [1, 'white', null],
      [2, 'black', null],
      [3, 'white', null],
      [4, 'black', 'grave'],
      [5, 'white', 'grave'],
    ],
  );
  assert.ok(Math.abs(list[3].lost - 0.45) < 1e-9);
  assert.equal(list[0].lost, 0, 'nobody is blamed for a good move');
  assert.equal(list[3].best, 'Ra2');
});

test('the limits of what is called what, and black to move first', () => {
  const slip = (lost) => judged(verdicts(0.5, 0.5 + lost), 'black')[0].slip;
  assert.deepEqual([0.04, 0.06, 0.11, 0.21].map(slip), [null, 'inaccuracy', 'mistake', 'grave']);
});

test('what has not been judged yet is not blamed', () => {
  assert.deepEqual(judged(verdicts(0.5, null, 0.1), 'white'), []);
  assert.deepEqual(judged([], 'white'), []);
});

test('the three worst of each side, in the order of the game', () => {
  const white = [0.5];
  // White gives away more and more, black gives everything back.
  for (let i = 1; i <= 5; i++) white.push(0.5 - 0.09 * i, 0.5);
  const found = worst(judged(verdicts(...white), 'white'));
  assert.deepEqual(found.map(({ ply }) => ply), [5, 6, 7, 8, 9, 10]);
});

test('clocks are read, shown and divided', () => {
  assert.deepEqual(control('3+2'), { whole: 180_000, increment: 2000 });
  for (const nonsense of ['', '3', '0+5', '3+', '+2', '3+2+1', '-3+2', '9999+0', 'x']) assert.equal(control(nonsense), null, nonsense);
  assert.deepEqual(
    [180_000, 179_001, 60_000, 10_000, 9990, 50, 0, -5, 3_600_000].map(shown),
    ['3:00', '3:00', '1:00', '0:10', '0:09.9', '0:00.0', '0:00.0', '0:00.0', '1:00:00'],
  );
  assert.deepEqual(readTimes('15,600', 60_000), { white: 1500, black: 60_000 });
  assert.deepEqual(readTimes(null, 60_000), { white: 60_000, black: 60_000 });
  assert.deepEqual(readTimes('x,-1', 60_000), { white: 60_000, black: 60_000 });
  const blitz = control('3+2');
  assert.ok(budget(180_000, blitz) > 5 && budget(180_000, blitz) < 10);
  // Never more than half of what is left, nor than the server allows.
  assert.ok(budget(1000, blitz) <= 0.5);
  assert.equal(budget(0, blitz), 0.05);
  assert.equal(budget(1e9, blitz), 10);
});
