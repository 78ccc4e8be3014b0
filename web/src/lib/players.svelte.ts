// Everybody who can be played, fetched once and again when something was learned.

import { get, words, type Offer } from './api';

let offers = $state.raw<Offer[]>([]);
let failure = $state('');

export const players = {
  get list() {
    return offers;
  },
  get error() {
    return failure;
  },
};

export async function loadPlayers(): Promise<void> {
  try {
    offers = (await get<{ players: Offer[] }>('/api/players')).players;
    failure = '';
  } catch (error) {
    failure = words(error);
  }
}
