// What comes back when. A position that was not solved in the fewest moves comes back after ten minutes, then
// after a day, three days, a week and three weeks; each time it is solved perfectly it waits longer, each time
// it is not it begins again. What has been solved after the longest wait is learned and does not come back.
// Nothing here looks at a clock or at a store: the same questions, the same answers.

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** How long a position waits, by how often it was solved in a row. */
export const WAITS = [10 * MINUTE, DAY, 3 * DAY, 7 * DAY, 21 * DAY];

/** More positions than this are not kept: those that come back last are forgotten. */
export const MOST_CARDS = 300;

/** A position that is to come back. */
export interface Card {
  fen: string;
  /** The endgame and the board, as in `KRK 8`. */
  of: string;
  /** Moves to mate with perfect play. */
  optimum: number;
  /** How often it was solved perfectly in a row since the last mistake. */
  solved: number;
  /** When it comes back, in milliseconds. */
  due: number;
}

/** What became of a position: moves over the optimum, or no mate at all. */
export type Result = number | 'missed';

/** The cards after a position was played; `now` is in milliseconds. */
export function played(cards: Card[], position: { fen: string; of: string; optimum: number }, result: Result, now: number): Card[] {
  const old = cards.find((card) => card.fen === position.fen);
  const others = cards.filter((card) => card !== old);
  const perfect = result === 0;
  // What is solved perfectly at first sight is known.
  if (perfect && !old) return others;
  const solved = perfect ? (old?.solved ?? 0) + 1 : 0;
  const wait = WAITS[solved];
  if (wait === undefined) return others;
  const { fen, of, optimum } = position;
  const kept = [...others, { fen, of, optimum, solved, due: now + wait }];
  return kept.sort((a, b) => a.due - b.due || a.fen.localeCompare(b.fen)).slice(0, MOST_CARDS);
}

/** The position that comes back now, of an endgame: the one that has waited longest since it was due. */
export function next(cards: Card[], of: string, now: number): Card | null {
  const due = cards.filter((card) => card.of === of && card.due <= now);
  return due.reduce<Card | null>((first, card) => (first && first.due <= card.due ? first : card), null);
}

/** How many positions are due. */
export const due = (cards: Card[], now: number): number => cards.filter((card) => card.due <= now).length;

/** A day's work. */
export interface Day {
  /** As in `2026-11-18`. */
  date: string;
  positions: number;
  perfect: number;
  /** Moves over the optimum, in positions that were mated. */
  over: number;
  missed: number;
}

/** The days after a position was played on a date; the last year is kept. */
export function counted(days: Day[], date: string, result: Result): Day[] {
  const today = days.find((day) => day.date === date) ?? { date, positions: 0, perfect: 0, over: 0, missed: 0 };
  const changed = {
    ...today,
    positions: today.positions + 1,
    perfect: today.perfect + (result === 0 ? 1 : 0),
    over: today.over + (result === 'missed' ? 0 : result),
    missed: today.missed + (result === 'missed' ? 1 : 0),
  };
  return [...days.filter((day) => day.date !== date), changed].slice(-366);
}

/** Days in a row with at least one position, up to today or, before today's first, to yesterday. */
export function streak(days: Day[], today: string): number {
  const dates = new Set(days.map((day) => day.date));
  const before = (date: string) => new Date(Date.parse(`${date}T12:00:00Z`) - DAY).toISOString().slice(0, 10);
  let length = 0;
  for (let date = dates.has(today) ? today : before(today); dates.has(date); date = before(date)) length += 1;
  return length;
}
