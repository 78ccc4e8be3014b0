// The true distance of every move, painted on the squares it goes to.

import type { Paint } from '../parts/Board.svelte';
import type { Probed } from './api';
import { worth } from './chess';

/** The paint of all moves, or of those from a chosen square. */
export function distances(probed: Probed, selected: string): Paint[] {
  const best = probed.moves[0] ? worth(probed.moves[0]) : null;
  const spots = new Map<string, Paint>();
  for (const move of probed.moves) {
    const [from, to] = [move.uci.slice(0, 2), move.uci.slice(2, 4)];
    if (selected && selected !== from) continue;
    const value = worth(move);
    const piece = /^[KQRBN]/.test(move.san) ? move.san[0]! : move.san.startsWith('O') ? 'O' : 'P';
    const figure = value.category === 'draw' ? '=' : value.category === 'unknown' ? '?' : String(value.moves);
    const tone = value.category === 'win' && value.moves === best?.moves ? 'best' : value.category;
    const line = `${selected ? '' : piece}${figure}${value.category === 'loss' ? '−' : ''}`;
    const spot = spots.get(to);
    if (!spot) spots.set(to, { square: to, lines: [line], tone });
    else if (!spot.lines.includes(line) && spot.lines.length < 3) spot.lines.push(line);
  }
  return [...spots.values()];
}
