// What the page says about positions, players and figures, and why it refuses a text.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './typescript.mjs';

const { count, evaluation, fenProblem, materialOf, meanMoves, percent, playerName } = await load('chess.ts');

test('a text that is no position is refused with a reason', () => {
  for (const [text, reason] of [
    ['', /begins with the men/],
    ['hello', /“hello” is no board: it has 1 rank instead of 4 to 8/],
    ['8/8/8/3k4/8/8/8/KR6', /side to move is missing/],
    ['8/8/8/3k4/8/8/8/KR6 x', /“x” is no side to move: it is “w” or “b”/],
    ['8/8/8/3k4/8/8/8/KR5 w', /rank “KR5” has 7 squares, and the board has 8 ranks/],
    ['8/8/8/3k4/8/8/8/KR6X w', /“X” in the rank/],
    ['9/8/8/3k4/8/8/8/KR6 w', /“9” in the rank/],
    ['8/8/8/3k4/8/8/8/KR6 w KX', /“KX” are no castling rights/],
    ['8/8/8/3k4/8/8/8/KR6 w - e5', /“e5” is no square for taking in passing/],
  ]) {
    assert.match(fenProblem(text), reason, text);
  }
  for (const text of [
    '8/8/8/3k4/8/8/8/KR6 w',
    'k4/5/1K3/5/4R b',
    'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1',
    '8/8/8/8/8/8/8/8 w - - 0 1', // impossible, but a position; the server says what is wrong with it
  ]) {
    assert.equal(fenProblem(text), '', text);
  }
});

test('the men of a position, white first', () => {
  assert.equal(materialOf('8/8/8/3k4/8/8/8/KR6 w - - 0 1'), 'KRK');
  assert.equal(materialOf('8/8/8/3k4/8/8/8/NBK5 w - - 0 1'), 'KBNK');
  assert.equal(materialOf('k4/5/1K3/5/4r w'), 'KKR');
});

test('players have names', () => {
  for (const [text, name] of [
    ['perfect', 'Perfect play'],
    ['minimax:depth=4', 'Minimax, 4 plies'],
    ['minimax:depth=3,history=off', 'Minimax, 3 plies, no memory'],
    ['mcts:simulations=1000', 'Tree search, 1,000 games'],
    ['net:krk.safetensors', 'Network krk'],
    ['run:krk5', 'Run krk5'],
    ['run:zero,search=puct,simulations=200', 'Run zero with search'],
    ['puct:simulations=800', 'Tree search, no network, 800 visits'],
    ['uci:stockfish,nodes=10000', 'Stockfish'],
    ['something:else', 'something:else'],
  ]) {
    assert.equal(playerName(text), name);
  }
});

test('values are white\'s, whoever is to move', () => {
  const value = (centipawns, mate, turn) => evaluation({ centipawns, mate }, turn);
  assert.deepEqual(
    [value(135, null, 'white'), value(135, null, 'black'), value(null, 5, 'white'), value(null, 5, 'black'), value(null, null, 'white')],
    ['+1.35', '−1.35', '#5', '#-5', ''],
  );
});

// What certificates claim in figures: the same as in crates/play/src/rounding.rs.

test('all and none are said only of all and none', () => {
  assert.equal(percent(1, 3), '100.000 %');
  assert.equal(percent(10_822_183 / 10_822_184, 3), '99.999 %');
  assert.equal(percent(0.9996, 1), '99.9 %');
  assert.equal(percent(0.5), '50.0 %');
  assert.equal(percent(1 / 10_822_184, 3), '0.001 %');
  assert.equal(percent(0, 3), '0.000 %');
  assert.equal(meanMoves(0), '0.000');
  assert.equal(meanMoves(0.000_02), '0.001');
  assert.equal(meanMoves(33), '33.000');
});

test('what is not known is a dash', () => {
  for (const unknown of [null, undefined]) {
    assert.deepEqual([percent(unknown), meanMoves(unknown), count(unknown)], ['–', '–', '–']);
  }
});
