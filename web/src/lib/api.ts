// The HTTP interface, as /api/openapi.json describes it.

export type Color = 'white' | 'black';
export type Category = 'win' | 'draw' | 'loss' | 'unknown';

export interface ExactValue {
  category: Category;
  dtm: number | null;
  dtm_moves: number | null;
}

export interface GameState {
  fen: string;
  board: number;
  material: string;
  turn: Color;
  check: boolean;
  moves: { uci: string; san: string; fen: string }[];
  legal: { uci: string; san: string }[];
  outcome: { winner: Color | null; reason: string; text: string; result: string } | null;
  verdict: ExactValue;
  opening: string | null;
}

export interface Reply {
  uci: string;
  san: string;
  unvisited: boolean;
  thoughts: Thoughts;
  game: GameState;
}

export interface Thoughts {
  centipawns: number | null;
  mate: number | null;
  /** From -1 (lost) to 1 (won), for the side to move. */
  expected: number | null;
  depth: number | null;
  nodes: number | null;
  wdl: [number, number, number] | null;
  line: string[];
  moves: MoveThoughts[];
}

export interface MoveThoughts {
  uci: string;
  san: string;
  visits: number | null;
  share: number | null;
  prior: number | null;
  value: number | null;
  centipawns: number | null;
  mate: number | null;
  line: string[];
}

/** What is known at a moment; with a move when the player is done. */
export interface Thinking {
  thoughts: Thoughts;
  uci: string | null;
  san: string | null;
  unvisited: boolean;
}

/** A game of a run's player. */
export interface Sample {
  start: string;
  moves: string[];
  white: string;
  black: string;
  episodes: number;
  end: string;
}

export interface ProbedMove extends ExactValue {
  uci: string;
  san: string;
  checkmate: boolean;
  stalemate: boolean;
}

export interface Probed extends ExactValue {
  fen: string;
  moves: ProbedMove[];
}

export interface Line extends ExactValue {
  uci: string[];
  san: string[];
  checkmate: boolean;
}

export type Judgement = 'best' | 'slower' | 'win_thrown_away' | 'blunder' | 'unknown' | Slip;
/** What a judge without tables thinks of a weak move. */
export type Slip = 'inaccuracy' | 'mistake' | 'grave';

export interface SideScore {
  moves: number;
  best: number;
  moves_lost: number;
  thrown_away: number;
}

export interface Review {
  white_dtm: (number | null)[];
  white_category: Category[];
  moves: { san: string; side: Color; judgement: Judgement; moves_lost: number; best: string[] }[];
  white: SideScore;
  black: SideScore;
}

export interface Offer {
  text: string;
  summary: string;
  endgame: string | null;
  board: number | null;
  policy: boolean;
}

export interface Endgame {
  material: string;
  board: number;
  solved: boolean;
  longest_moves: number | null;
  positions: number;
  won: number;
}

export interface Recipe {
  name: string;
  summary: string;
  best_for: string | null;
  settings: Record<string, string | number | boolean>;
  explained: { name: string; meaning: string; least: number | null; most: number | null }[];
  /** What it counts: games, batches or iterations. */
  episodes: string;
  whole_game: boolean;
}

export interface RunSummary {
  name: string;
  recipe: string;
  endgame: string;
  board: number;
  seed: number;
  episodes: number;
  of: number;
  /** What is counted: games, batches or iterations. */
  counts: string;
  status: 'running' | 'finished' | 'stopped';
  job: number | null;
  win_rate: number | null;
  visited: number | null;
  certified_share: number | null;
  exact_play: string[];
}

export interface RunDetails extends RunSummary {
  plan: Record<string, unknown> & { settings: Record<string, unknown> };
  /** By name, such as `training/win_rate`: episodes and values. */
  curves: { name: string; points: [number, number][] }[];
  certificate: { current: boolean; fingerprint: string } | null;
}

export interface Job {
  id: number;
  kind: 'train' | 'certify' | 'paper';
  subject: string;
  title: string;
  status: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
  done: number;
  of: number;
  message: string;
  error: string | null;
}

export interface CertificateSummary {
  id: string;
  player: string;
  material: string;
  board: number;
  side: Color;
  share: number | null;
  fingerprint: string | null;
}

export interface Refutation {
  fen: string;
  optimal_moves: number;
  uci: string[];
  san: string[];
  end: string;
}

export interface HeatMap {
  piece: string;
  squares: { square: string; failed_share: number; mean_excess_moves: number }[];
}

export interface Certificate extends CertificateSummary {
  seconds: number;
  unvisited: number;
  convert: string;
  nothing_to_prove?: boolean;
  exact_play?: string[]; // of a run
  // of an attack
  won_positions?: number;
  forced_mates?: number;
  longest_moves?: number | null;
  mean_excess_moves?: number | null;
  optimal_share?: number | null;
  optimal_move_share?: number | null;
  within_fifty_share?: number | null;
  games_won_share?: { value: number; low: number; high: number };
  heat_maps?: HeatMap[];
  failures: ({ kind: string; positions: number; share: number; examples: Refutation[] } | Refutation)[];
  // of a defence
  held_positions?: number;
  kept?: number;
  kept_share?: number | null;
  lost_positions?: number;
  mean_shortfall_moves?: number | null;
  worst_shortfall_moves?: number;
}

export interface PaperSummary {
  id: string;
  title: string;
  cite: string;
  setting: string;
  measured: { here: boolean; words: string; commands: string[] } | null;
  job: number | null;
}

export interface PaperDetails extends PaperSummary {
  columns: string[];
  rows: { name: string; paper: (number | null)[] }[];
  report: string | null;
  kept: string | null;
}

type Query = Record<string, string | number | null | undefined>;

async function answer<T>(path: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (init?.signal?.aborted) throw error;
    throw new Error('The server does not answer. Is it still running?');
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  const error = body && typeof body === 'object' && 'error' in body ? String(body.error) : response.statusText;
  throw new Refused(error, response.status);
}

/** What the server refuses, in its words. */
export class Refused extends Error {
  constructor(
    text: string,
    readonly status: number,
  ) {
    super(text);
  }
}

export function get<T>(path: string, query: Query = {}): Promise<T> {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') search.set(key, String(value));
  }
  return answer<T>(search.size ? `${path}?${search}` : path);
}

const sent = (body: unknown, signal?: AbortSignal): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
  signal: signal ?? null,
});

export function post<T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> {
  return answer<T>(path, sent(body, signal));
}

/** Has a player think, and is told what it knows as it goes on. Whoever aborts ends the search on the server. */
export async function think(body: unknown, signal: AbortSignal, tell: (thinking: Thinking) => void): Promise<void> {
  const response = await fetch('/api/analyse', sent(body, signal));
  if (!response.ok || !response.body) {
    const refused = (await response.json().catch(() => null)) as { error?: string } | null;
    throw new Refused(refused?.error ?? response.statusText, response.status);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    // An event ends with an empty line.
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: ?(.*)$/m.exec(event)?.[1];
      if (!data) continue;
      const told = JSON.parse(data) as unknown;
      if (/^event: ?refused$/m.test(event)) throw new Refused((told as { error: string }).error, 422);
      tell(told as Thinking);
    }
  }
}

export function cancel(job: number): Promise<Job> {
  return answer<Job>(`/api/jobs/${job}`, { method: 'DELETE' });
}

export function deleteRun(name: string): Promise<null> {
  return answer<null>(`/api/runs/${encodeURIComponent(name)}`, { method: 'DELETE' });
}

/** What went wrong, in words. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
