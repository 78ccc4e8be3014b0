// Which moves of a game gave away what, by what a judge thinks of every position.

import type { Color, Slip } from './api';

/** What a judge thinks of one position: the points that white may expect, from 0 to 1, and the move it would play. */
export interface Verdict {
  white: number;
  best: string | null;
  san: string | null;
}

export interface Judged {
  /** The ply after the move. */
  ply: number;
  side: Color;
  /** Points that the move gave away, from 0 to 1. */
  lost: number;
  slip: Slip | null;
  /** What the judge would have played. */
  best: string | null;
}

/** From how much on a move is called what: in points, of which a game has one. */
const SLIPS: [number, Slip][] = [
  [0.2, 'grave'],
  [0.1, 'mistake'],
  [0.05, 'inaccuracy'],
];
/** So many of each side's worst moves are marked. */
const WORST = 3;

/** Every move of a game by the verdicts before and after it. */
export function judged(verdicts: (Verdict | undefined)[], first: Color): Judged[] {
  const list: Judged[] = [];
  for (let ply = 1; ply < verdicts.length; ply++) {
    const [before, after] = [verdicts[ply - 1], verdicts[ply]];
    if (!before || !after) continue;
    const side: Color = (ply % 2 === 1) === (first === 'white') ? 'white' : 'black';
    const lost = Math.max(0, side === 'white' ? before.white - after.white : after.white - before.white);
    const slip = SLIPS.find(([least]) => lost >= least)?.[1] ?? null;
    list.push({ ply, side, lost, slip, best: before.san });
  }
  return list;
}

/** The worst moves of both sides, in the order of the game. */
export function worst(list: Judged[]): Judged[] {
  const of = (side: Color) =>
    list
      .filter((move) => move.side === side && move.slip)
      .sort((a, b) => b.lost - a.lost)
      .slice(0, WORST);
  return [...of('white'), ...of('black')].sort((a, b) => a.ply - b.ply);
}
