// A game judged position by position, by a player that need not be perfect. The server is asked once a position, so
// that one can look on, and stop.

import { post, words, type Color, type GameState, type Reply } from './api';
import type { Verdict } from './slips';

/** What the end of a game is worth to white. */
const ended = (winner: Color | null): number => (winner === null ? 0.5 : winner === 'white' ? 1 : 0);

export class Judge {
  verdicts = $state.raw<(Verdict | undefined)[]>([]);
  busy = $state(false);
  error = $state('');
  #stop: AbortController | undefined;

  /** Judges every position of a game. */
  async begin(start: string, moves: string[], player: string, game: GameState): Promise<void> {
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    this.error = '';
    this.busy = true;
    const verdicts: (Verdict | undefined)[] = Array(moves.length + 1).fill(undefined);
    this.verdicts = [...verdicts];
    const positions = game.outcome ? moves.length : moves.length + 1;
    if (game.outcome) verdicts[moves.length] = { white: ended(game.outcome.winner), best: null, san: null };
    try {
      for (let ply = 0; ply < positions; ply++) {
        const question = { start, moves: moves.slice(0, ply), player, seed: 1, seconds: 2, rules: 'none' };
        const { uci, san, thoughts } = await post<Reply>('/api/reply', question, stop.signal);
        if (thoughts.expected === null) throw new Error('This player does not tell what a position is worth, so it cannot judge.');
        const white = (1 + ((ply % 2 === 0) === (start.split(' ')[1] !== 'b') ? 1 : -1) * thoughts.expected) / 2;
        verdicts[ply] = { white, best: uci, san };
        if (!stop.signal.aborted) this.verdicts = [...verdicts];
      }
    } catch (problem) {
      if (!stop.signal.aborted) this.error = words(problem);
    }
    if (this.#stop === stop) this.busy = false;
  }

  end(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.busy = false;
  }

  clear(): void {
    this.end();
    this.verdicts = [];
    this.error = '';
  }
}
