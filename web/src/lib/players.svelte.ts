// Everybody who can be played, fetched once and again when something was learned.

import { get, words, type Offer } from './api';
import { playerName } from './chess';

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

let loaded: Promise<void> | undefined;

export function loadPlayers(): Promise<void> {
  loaded = get<{ players: Offer[] }>('/api/players').then(
    (answer) => {
      offers = answer.players;
      failure = '';
    },
    (error: unknown) => {
      failure = words(error);
    },
  );
  return loaded;
}

/** When the players are known, for the first time at least. */
export const playersKnown = (): Promise<void> => loaded ?? loadPlayers();

/** Endgames of more men have no table that is made on demand. */
const MEN_IN_TABLES = 4;

/** Does a player know an endgame on a board? `perfect` knows what tables hold. */
export function canPlay(offer: Offer, material: string, board: number): boolean {
  if (offer.text.startsWith('perfect')) return material.replace('v', '').length <= MEN_IN_TABLES;
  return (offer.endgame === null || offer.endgame === material) && (offer.board === null || offer.board === board);
}

/** Who plays in the place of one who cannot, and a word about it; nothing where the player can, as far as is known. */
export function instead(text: string, material: string, board: number): { player: string; word: string } | null {
  const offer = offers.find((known) => known.text === text) ?? (text === 'perfect' ? BUILT_IN : undefined);
  if (!offer || canPlay(offer, material, board)) return null;
  const player = text !== 'perfect' && canPlay(BUILT_IN, material, board) ? 'perfect' : 'minimax:depth=4';
  const why = offer.endgame
    ? `${playerName(text)} knows ${offer.endgame}${offer.board && offer.board !== 8 ? ` on ${offer.board}×${offer.board}` : ''} only`
    : offer.board && offer.board !== board
      ? `${playerName(text)} plays on ${offer.board}×${offer.board} only`
      : `${playerName(text)} knows endgames of up to ${MEN_IN_TABLES} men`;
  return { player, word: `${why}; ${playerName(player)} takes its place.` };
}

const BUILT_IN: Offer = { text: 'perfect', summary: '', endgame: null, board: null, policy: true };
