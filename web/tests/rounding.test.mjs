// What certificates claim in figures: the same as in crates/play/src/rounding.rs.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import ts from 'typescript';

const source = await readFile(new URL('../src/lib/chess.ts', import.meta.url), 'utf8');
const { outputText } = ts.transpileModule(source, { compilerOptions: { target: 'es2022', module: 'esnext' } });
const { count, meanMoves, percent } = await import(`data:text/javascript,${encodeURIComponent(outputText)}`);

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
