// The drill's schedule: what comes back when.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './typescript.mjs';

const { MOST_CARDS, WAITS, counted, due, next, played, streak } = await load('schedule.ts');

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const position = (fen, of = 'KRK 8') => ({ fen, of, optimum: 5 });

test('what is solved perfectly at first sight does not come back', () => {
  assert.deepEqual(played([], position('a'), 0, 0), []);
});

test('a mistake comes back after ten minutes, a day, three days, a week and three weeks, and then no more', () => {
  assert.deepEqual(WAITS, [10 * MINUTE, DAY, 3 * DAY, 7 * DAY, 21 * DAY]);
  let now = 1000;
  let cards = played([], position('a'), 2, now);
  for (const wait of WAITS) {
    assert.equal(next(cards, 'KRK 8', now + wait - 1), null, `not before ${wait}`);
    now += wait;
    assert.equal(next(cards, 'KRK 8', now)?.fen, 'a', `after ${wait}`);
    cards = played(cards, position('a'), 0, now);
  }
  assert.deepEqual(cards, []);
});

test('a mistake at any stage begins again', () => {
  for (const result of [1, 7, 'missed']) {
    let now = 0;
    let cards = played([], position('a'), 'missed', now);
    for (const wait of WAITS.slice(0, 3)) cards = played(cards, position('a'), 0, (now += wait));
    cards = played(cards, position('a'), result, now);
    assert.deepEqual(cards, [{ ...position('a'), solved: 0, due: now + 10 * MINUTE }]);
  }
});

test('what comes back early and what comes back late is counted from when it was played', () => {
  const cards = played(played([], position('a'), 1, 0), position('a'), 0, 5 * DAY);
  assert.equal(next(cards, 'KRK 8', 6 * DAY - 1), null);
  assert.equal(next(cards, 'KRK 8', 6 * DAY)?.solved, 1);
});

test('of several that are due the one that waits longest comes first, of its own endgame only', () => {
  let cards = played([], position('b'), 1, 500);
  cards = played(cards, position('a'), 1, 2000);
  cards = played(cards, position('q', 'KQK 8'), 1, 0);
  cards = played(cards, position('small', 'KRK 5'), 1, 0);
  const later = 10 * MINUTE + 5000;
  assert.equal(next(cards, 'KRK 8', later)?.fen, 'b');
  assert.equal(next(cards, 'KQK 8', later)?.fen, 'q');
  assert.equal(next(cards, 'KBNK 8', later), null);
  assert.equal(due(cards, later), 4);
  assert.equal(due(cards, 10 * MINUTE + 1000), 3);
  assert.equal(due(cards, 0), 0);
});

test('no more are kept than can be drilled, and those that come back last are forgotten', () => {
  let cards = [];
  for (let i = 0; i < MOST_CARDS + 5; i++) cards = played(cards, position(`p${i}`), 1, i);
  assert.equal(cards.length, MOST_CARDS);
  assert.equal(cards[0].fen, 'p0');
  assert.ok(!cards.some((card) => card.fen === `p${MOST_CARDS + 4}`));
});

test('nothing is changed in place', () => {
  const cards = Object.freeze(played([], position('a'), 1, 0).map(Object.freeze));
  played(cards, position('a'), 0, 1);
  played(cards, position('b'), 3, 1);
  assert.equal(cards[0].solved, 0);
});

test('a day is counted, and days in a row', () => {
  let days = [];
  for (const [date, result] of [
    ['2026-02-27', 0],
    ['2026-02-28', 3],
    ['2026-02-28', 'missed'],
    ['2026-03-01', 0],
  ]) {
    days = counted(days, date, result);
  }
  assert.deepEqual(days[1], { date: '2026-02-28', positions: 2, perfect: 0, over: 3, missed: 1 });
  assert.equal(streak(days, '2026-03-01'), 3);
  assert.equal(streak(days, '2026-03-02'), 3, 'today is not over');
  assert.equal(streak(days, '2026-03-03'), 0);
  assert.equal(streak([], '2026-03-01'), 0);
});
