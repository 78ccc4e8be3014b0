// What the drill remembers, in this browser only.

import { counted, played, type Card, type Day, type Result } from './schedule';

const KEY = 'drill';

interface Kept {
  cards: Card[];
  days: Day[];
}

function read(): Kept {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Kept>;
    return { cards: Array.isArray(kept.cards) ? kept.cards : [], days: Array.isArray(kept.days) ? kept.days : [] };
  } catch {
    return { cards: [], days: [] };
  }
}

let kept = $state.raw<Kept>(read());
// Another tab may have gone on.
addEventListener('storage', (event) => {
  if (event.key === KEY) kept = read();
});

export const progress = {
  get cards() {
    return kept.cards;
  },
  get days() {
    return kept.days;
  },
};

/** Today where the user is. */
export const today = (now = new Date()): string =>
  [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((n) => String(n).padStart(2, '0')).join('-');

export function remember(position: { fen: string; of: string; optimum: number }, result: Result): void {
  // As it is in the store: another tab may have changed it since.
  const { cards, days } = read();
  kept = { cards: played(cards, position, result, Date.now()), days: counted(days, today(), result) };
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Where nothing may be stored, the drill lasts as long as the page.
  }
}

export function forget(): void {
  kept = { cards: [], days: [] };
  localStorage.removeItem(KEY);
}
