// The curves of a run, as charts draw them.

import type { RunDetails } from './api';

export const points = (details: RunDetails, name: string) =>
  (details.curves.find((curve) => curve.name === name)?.points ?? []).map(([x, y]) => ({ x, y }));
export const rates = (details: RunDetails, label: string) => ({ name: label, points: points(details, 'training/win_rate') });
/** Legal choices, for learners that can think of moves which are not legal. */
export const legal = (details: RunDetails, prefix = '') => {
  const legal = points(details, 'training/legal_rate');
  return legal.length ? [{ name: `${prefix}legal choices`, points: legal }] : [];
};
const EVALUATION = 'evaluation/';
export const evaluations = (details: RunDetails, prefix = '') =>
  details.curves
    .filter((curve) => curve.name.startsWith(EVALUATION))
    .map(({ name }) => ({
      name: `${prefix}won against ${name.slice(EVALUATION.length)}`,
      dots: true,
      points: points(details, name),
    }));
/** Curves that have a chart of their own, or only count what another one shows as a share. */
const drawn = new Set(
  ['win_rate', 'legal_rate', 'positions_met', 'plies_per_game', 'plies', 'greedy_choices', 'legal_choices'].map(
    (name) => `training/${name}`,
  ),
);
/** What else a learner tells: a chart each. */
export const others = (details: RunDetails) =>
  details.curves.filter(({ name }) => !drawn.has(name) && !name.startsWith(EVALUATION));
export const plain = (name: string) => name.replace('/', ': ').replaceAll('_', ' ');
