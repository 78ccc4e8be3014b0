// Small things about squares, pieces and words. What is legal, the server knows.

import type { Category, Color, ExactValue } from './api';

export const PIECES: Record<string, string> = {
  K: 'king',
  Q: 'queen',
  R: 'rook',
  B: 'bishop',
  N: 'knight',
  P: 'pawn',
};

/** As men are listed. */
const ORDER = 'KQRBNP';

export interface Man {
  letter: string;
  color: Color;
  square: string;
}

/** The size of the board of a FEN: as many ranks as it has. */
export function boardSize(fen: string): number {
  const size = (fen.split(' ')[0] ?? '').split('/').length;
  return size >= 4 && size <= 8 ? size : 8;
}

/** The men of a FEN, wherever it makes sense. */
export function men(fen: string): Man[] {
  const ranks = (fen.split(' ')[0] ?? '').split('/');
  const found: Man[] = [];
  ranks.forEach((rank, i) => {
    let file = 0;
    for (const c of rank) {
      if (/\d/.test(c)) {
        file += Number(c);
        continue;
      }
      const letter = c.toUpperCase();
      if (letter in PIECES) {
        const square = `${String.fromCharCode(97 + file)}${ranks.length - i}`;
        found.push({ letter, color: c === letter ? 'white' : 'black', square });
      }
      file += 1;
    }
  });
  return found;
}

/** The placement of men on a board, as FEN begins. */
export function placement(list: Man[], size: number): string {
  const at = new Map(list.map((man) => [man.square, man.color === 'white' ? man.letter : man.letter.toLowerCase()]));
  const ranks: string[] = [];
  for (let rank = size; rank >= 1; rank--) {
    let text = '';
    let empty = 0;
    for (let file = 0; file < size; file++) {
      const letter = at.get(`${String.fromCharCode(97 + file)}${rank}`);
      if (letter) {
        text += (empty || '') + letter;
        empty = 0;
      } else empty += 1;
    }
    ranks.push(text + (empty || ''));
  }
  return ranks.join('/');
}

/** What is on the board, white's men first, as in `KRK`. */
export function materialOf(fen: string): string {
  const letters = (color: Color) =>
    men(fen)
      .filter((man) => man.color === color)
      .map((man) => man.letter)
      .sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
      .join('');
  return letters('white') + letters('black');
}

/** What keeps a text from being a position at all; whether it is a legal one, the server knows. */
export function fenProblem(text: string): string {
  const [board = '', side, rights = '-', passing = '-'] = text.trim().split(/\s+/);
  const ranks = board.split('/');
  if (!board) return 'A FEN begins with the men, rank by rank, such as 8/8/8/3k4/8/8/8/KR6.';
  if (ranks.length < 4 || ranks.length > 8)
    return `“${board.slice(0, 40)}” is no board: it has ${plural(ranks.length, 'rank')} instead of 4 to 8, parted by “/”.`;
  for (const rank of ranks) {
    const odd = /[^1-8KQRBNPkqrbnp]/.exec(rank);
    if (odd) return `“${odd[0]}” in the rank “${rank}” is neither a man nor a number of empty squares.`;
    const squares = [...rank].reduce((sum, c) => sum + (/\d/.test(c) ? Number(c) : 1), 0);
    if (squares !== ranks.length)
      return `The rank “${rank}” has ${plural(squares, 'square')}, and the board has ${ranks.length} ranks.`;
  }
  if (side === undefined) return 'The side to move is missing: add “w” or “b” after the men.';
  if (!/^[wb]$/.test(side)) return `“${side}” is no side to move: it is “w” or “b”.`;
  if (!/^(-|(?=.)K?Q?k?q?)$/.test(rights)) return `“${rights}” are no castling rights: “-”, or some of KQkq.`;
  if (!/^(-|[a-h][36])$/.test(passing)) return `“${passing}” is no square for taking in passing.`;
  return '';
}

/** Where a whole game begins. */
export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
/** What is on the board then. */
export const WHOLE_GAME = 'KQRRBBNNPPPPPPPPKQRRBBNNPPPPPPPP';
/** Addresses and runs call it so. */
export const named = (material: string): string => (material === 'chess' ? WHOLE_GAME : material);

/** A player's name as people say it. */
export function playerName(text: string): string {
  const searching = /(?:^|,)search=puct/.test(text) ? ' with search' : '';
  const [kind = '', rest = ''] = text.split(/:(.*)/s);
  const subject = rest.split(',')[0] ?? '';
  const setting = (key: string) => new RegExp(`(?:^|,)${key}=([^,]*)`).exec(rest)?.[1];
  switch (kind) {
    case 'perfect':
      return 'Perfect play';
    case 'minimax':
      return `Minimax${setting('net') ? ` with ${setting('net')}` : ''}, ${setting('depth') ?? 'some'} plies${setting('history') === 'off' ? ', no memory' : ''}`;
    case 'mcts':
      return setting('preset') ? 'Tree search, best settings' : `Tree search, ${count(Number(setting('simulations') ?? 0))} games`;
    case 'heuristic':
      return 'King to the centre';
    case 'drawish':
      return 'Takes every draw';
    case 'random':
      return 'Random moves';
    case 'net':
      return `Network ${subject.replace(/\.\w+$/, '')}${searching}`;
    case 'puct':
      return `Tree search, no network, ${count(Number(setting('simulations') ?? 64))} visits`;
    case 'run':
      return `Run ${subject}${searching}`;
    case 'uci':
      return capital(subject);
    default:
      return text;
  }
}

/** The men of one colour in words: "king e1, rook h1". */
export function inWords(list: Man[], color: Color): string {
  return (
    list
      .filter((man) => man.color === color)
      .sort((a, b) => ORDER.indexOf(a.letter) - ORDER.indexOf(b.letter))
      .map((man) => `${PIECES[man.letter]} ${man.square}`)
      .join(', ') || 'nothing'
  );
}

/** A move in SAN as it is spoken. */
export function spoken(san: string): string {
  if (san.startsWith('O-O-O')) return 'castles on the queen side';
  if (san.startsWith('O-O')) return 'castles on the king side';
  return san
    .replace(/^([KQRBN])/, (letter) => `${PIECES[letter]} `)
    .replace('x', ' takes ')
    .replace(/=([QRBN])/, (_, letter: string) => ` promotes to ${PIECES[letter]}`)
    .replace('+', ', check')
    .replace('#', ', checkmate')
    .replace(/\s+/g, ' ')
    .trim();
}

export const other = (color: Color): Color => (color === 'white' ? 'black' : 'white');

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** A value in words, for the side to move. */
export function verdict(value: ExactValue, turn: Color): string {
  const moves = plural(value.dtm_moves ?? 0, 'move');
  switch (value.category) {
    case 'win':
      return `${capital(turn)} mates in ${moves}`;
    case 'loss':
      return value.dtm === 0 ? `${capital(turn)} is mated` : `${capital(other(turn))} mates in ${moves}`;
    case 'draw':
      return 'Drawn with best play';
    default:
      return 'Not in the tables';
  }
}

/** A value as players write it, for white: `+1.35`, `#5`, `#-3`. */
export function evaluation(value: { centipawns: number | null; mate: number | null }, turn: Color): string {
  const sign = turn === 'white' ? 1 : -1;
  if (value.mate !== null) return `#${sign * value.mate}`;
  if (value.centipawns === null) return '';
  const pawns = (sign * value.centipawns) / 100;
  return `${pawns >= 0 ? '+' : '−'}${Math.abs(pawns).toFixed(2)}`;
}

/** What a move is worth to the side that plays it; the server speaks for the opponent after it. */
export function worth(value: ExactValue): { category: Category; moves: number | null; text: string } {
  const turned: Record<Category, Category> = { win: 'loss', loss: 'win', draw: 'draw', unknown: 'unknown' };
  const category = turned[value.category];
  const plies = value.dtm === null ? null : Math.abs(value.dtm) + 1;
  const moves = plies === null ? null : Math.ceil(plies / 2);
  const text =
    category === 'win'
      ? `mates in ${plural(moves ?? 0, 'move')}`
      : category === 'loss'
        ? `is mated in ${plural(moves ?? 0, 'move')}`
        : category === 'draw'
          ? 'draws'
          : 'unknown';
  return { category, moves, text };
}

/** Whether a run has learned from play alone, in words. */
export function seen(exactPlay: string[]): string {
  return exactPlay.length === 0 ? 'learned from play alone' : `has seen exact play: ${exactPlay.join(', ')}`;
}

/** A number that is rounded to neither 0 nor `all` unless it is that (as in crates/play/src/rounding.rs): a certificate must
 * not claim what it does not prove. */
const between = (n: number, all: number, digits: number): string => {
  const least = 0.1 ** digits;
  return (n > 0 && n < least ? least : n < all && n > all - least ? all - least : n).toFixed(digits);
};

export const percent = (share: number | null | undefined, digits = 1): string =>
  share === null || share === undefined ? '–' : `${between(share * 100, 100, digits)} %`;

/** A mean number of moves. */
export const meanMoves = (moves: number | null | undefined): string =>
  moves === null || moves === undefined ? '–' : between(moves, Infinity, 3);

export const count = (n: number | null | undefined): string =>
  n === null || n === undefined ? '–' : n.toLocaleString('en-US');

export const ENDGAMES: [string, string][] = [
  ['KQK', 'queen against king'],
  ['KRK', 'rook against king'],
  ['KBBK', 'two bishops against king'],
  ['KBNK', 'bishop and knight against king'],
  ['KPK', 'pawn against king'],
  ['KQKR', 'queen against rook'],
  ['KRKB', 'rook against bishop'],
  ['KRKN', 'rook against knight'],
  ['KQKP', 'queen against pawn'],
  ['KRKP', 'rook against pawn'],
];
