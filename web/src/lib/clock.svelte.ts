// A chess clock, counted in the browser. It begins with the first move of the game, as neither side is to lose time
// before; whoever runs out of it loses, or draws against a king alone.

import type { Color } from './api';
import { men, other } from './chess';
import type { Control } from './times';

/** Who wins when a side's time is up: nobody where the other one has a king alone. */
export function winnerOnTime(flagged: Color, fen: string): Color | null {
  const winner = other(flagged);
  return men(fen).some((man) => man.color === winner && man.letter !== 'K') ? winner : null;
}

const TICK = 100;

export class Clock {
  control = $state.raw<Control | null>(null);
  left = $state.raw<Record<Color, number>>({ white: 0, black: 0 });
  running = $state<Color | null>(null);
  #since = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #fallen: (side: Color) => void;

  constructor(fallen: (side: Color) => void) {
    this.#fallen = fallen;
  }

  /** Sets the clock; it stands still until somebody moves. */
  set(to: Control | null, times: Record<Color, number>): void {
    this.stop();
    this.control = to;
    this.left = times;
  }

  /** A side has moved: the other one's time runs. */
  press(side: Color): void {
    if (!this.control) return;
    this.#count();
    if (this.running === side) this.left = { ...this.left, [side]: this.left[side] + this.control.increment };
    this.running = other(side);
    this.#since = performance.now();
    this.#timer ??= setInterval(() => this.#tick(), TICK);
  }

  stop(): void {
    this.#count();
    this.running = null;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** As addresses carry it. */
  get times(): string {
    return this.control ? `${Math.round(this.left.white / 100)},${Math.round(this.left.black / 100)}` : '';
  }

  #count(): void {
    if (!this.running) return;
    const now = performance.now();
    this.left = { ...this.left, [this.running]: Math.max(0, this.left[this.running] - (now - this.#since)) };
    this.#since = now;
  }

  #tick(): void {
    this.#count();
    const side = this.running;
    if (!side || this.left[side] > 0) return;
    this.stop();
    this.#fallen(side);
  }
}
