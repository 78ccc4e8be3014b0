// Times of a chess clock, in milliseconds: read, shown and divided.

import type { Color } from './api';

/** Minutes for the game and seconds for each move. */
export const CLOCKS = ['1+0', '3+2', '5+3', '10+5', '15+10', '30+20'];

export interface Control {
  whole: number;
  increment: number;
}

/** Reads `3+2`, in milliseconds; nothing for what makes no sense. */
export function control(text: string): Control | null {
  const found = /^(\d{1,3})\+(\d{1,3})$/.exec(text);
  if (!found) return null;
  const whole = Number(found[1]) * 60_000;
  return whole > 0 ? { whole, increment: Number(found[2]) * 1000 } : null;
}

/** Time as clocks show it: tenths of a second in the last ten. */
export function shown(left: number): string {
  const ms = Math.max(0, left);
  if (ms < 10_000) return `0:0${(Math.floor(ms / 100) / 10).toFixed(1)}`;
  const seconds = Math.ceil(ms / 1000);
  const rest = String(seconds % 60).padStart(2, '0');
  return seconds >= 3600
    ? `${Math.floor(seconds / 3600)}:${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}:${rest}`
    : `${Math.floor(seconds / 60)}:${rest}`;
}

/** Seconds that a player should take for a move: as if some thirty moves were to come, and not all of its increment. */
export function budget(left: number, { increment }: Control): number {
  const wanted = (left / 30 + 0.7 * increment) / 1000;
  return Math.max(0.05, Math.min(10, wanted, (0.5 * left) / 1000));
}

/** Times as addresses carry them, in tenths of seconds. */
export function readTimes(text: string | null, whole: number): Record<Color, number> {
  const [white, black] = (text ?? '').split(',').map((part) => Number(part) * 100);
  const sound = (time: number | undefined) => (time !== undefined && Number.isFinite(time) && time >= 0 && time <= 86_400_000 ? time : whole);
  return text ? { white: sound(white), black: sound(black) } : { white: whole, black: whole };
}
