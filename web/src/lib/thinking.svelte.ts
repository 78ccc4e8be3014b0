// Somebody thinks about a position, for as long as it is on the board and somebody wants it.

import { think, words, type Thinking } from './api';

export class Thinker {
  /** What is known about the position on the board. */
  now = $state.raw<Thinking | null>(null);
  /** Does it think at this moment? */
  busy = $state(false);
  /** Was it told to, until it is told to stop? */
  on = $state(false);
  error = $state('');
  #stop: AbortController | undefined;

  /** Thinks about a position, and no longer about the last one. */
  async begin(question: { start: string; moves: string[]; player: string; seconds: number; rules?: string }): Promise<void> {
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    this.now = null;
    this.error = '';
    this.busy = true;
    try {
      await think({ ...question, lines: 5 }, stop.signal, (thinking) => {
        if (!stop.signal.aborted) this.now = thinking;
      });
    } catch (problem) {
      if (!stop.signal.aborted) this.error = words(problem);
    }
    if (this.#stop === stop) this.busy = false;
  }

  /** Stops; what it has found stays. */
  end(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.busy = false;
  }

  /** Forgets what it has found. */
  clear(): void {
    this.end();
    this.now = null;
    this.error = '';
  }
}
