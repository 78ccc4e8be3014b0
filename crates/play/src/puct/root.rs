//! What is special about the root: noise, halving, and what it all comes to.

use rules::Move;

use super::{
    Exploration, Found, Puct, RootMove, Selection,
    arena::{Edge, ROOT},
    formulas::{improved_policy, mean_value, transformed},
    found::chances,
    halving::{Candidate, Halving},
    noise,
    proof::Proof,
};
use crate::Chances;

impl Puct {
    /// Noise and halving for a root that has just been judged or become one.
    pub(super) fn prepare_root(&mut self) {
        if let Selection::Puct(Exploration {
            noise: Some(noise), ..
        }) = self.settings.selection
        {
            let count = self.arena.edges_of(ROOT).len();
            self.policy.clear();
            self.policy.resize(count, 0.0);
            noise::dirichlet(noise.alpha, &mut self.policy, &mut self.dice);
            let edges = self.arena.edges_of_mut(ROOT);
            for (edge, share) in edges.iter_mut().zip(&self.policy) {
                edge.prior = (1.0 - noise.weight) * edge.prior + noise.weight * share;
            }
        }
        self.prepare_halving();
    }

    fn prepare_halving(&mut self) {
        if let Selection::Gumbel(gumbel) = &self.settings.selection {
            let edges = self.arena.edges_of(ROOT);
            let priors = edges.iter().map(|edge| edge.prior);
            let simulations = self.settings.simulations;
            self.halving = Some(Halving::new(priors, gumbel, simulations, &mut self.dice));
        }
    }

    pub(super) fn next_round(&mut self) {
        let (Selection::Gumbel(gumbel), Some(halving)) =
            (&self.settings.selection, &mut self.halving)
        else {
            return;
        };
        let edges = self.arena.edges_of(ROOT);
        self.policy.clear();
        self.policy
            .extend(transformed(self.arena.node(ROOT), edges, gumbel));
        halving.next_round(|index| (!edges[index].proof.is_win()).then(|| self.policy[index]));
    }

    /// What has been found so far; `None` when there is no move, or the root was not judged yet.
    pub fn found(&self) -> Option<Found> {
        let root = self.arena.nodes.first()?;
        let edges = self.arena.edges_of(ROOT);
        let best = self.best(edges)?;
        let mut shares = Vec::with_capacity(edges.len());
        let visits: u32 = edges.iter().map(|edge| edge.visits).sum();
        match &self.settings.selection {
            _ if root.proof.plies().is_some() => {
                shares.resize(edges.len(), 0.0);
                shares[best] = 1.0;
            }
            Selection::Gumbel(gumbel) => improved_policy(root, edges, gumbel, &mut shares),
            Selection::Puct(_) if visits == 0 => {
                shares.extend(edges.iter().map(|edge| edge.prior));
            }
            Selection::Puct(_) => {
                let share = 1.0 / visits as f32;
                shares.extend(edges.iter().map(|edge| edge.visits as f32 * share));
            }
        }
        let moves = edges.iter().zip(shares).map(|(edge, share)| RootMove {
            mv: edge.mv,
            visits: edge.visits,
            prior: edge.prior,
            share,
            chances: self.chances_behind(edge),
            mate: edge.proof.before().mate_in(),
        });
        Some(Found {
            best: edges[best].mv,
            moves: moves.collect(),
            chances: match root.proof.value() {
                Some(value) => chances(value, 1.0 - value.abs()),
                None => chances(mean_value(root, edges), root.draw),
            },
            mate: root.proof.mate_in(),
            line: self.line(edges[best].mv),
            simulations: self.simulations(),
            depth: self.depth,
        })
    }

    /// The chances of the side that makes a move.
    fn chances_behind(&self, edge: &Edge) -> Chances {
        if let Some(value) = edge.proof.value() {
            return chances(-value, 1.0 - value.abs());
        }
        match edge.child {
            // Nothing is known of it: what the whole is worth.
            ROOT => {
                let root = self.arena.node(ROOT);
                chances(mean_value(root, self.arena.edges_of(ROOT)), root.draw)
            }
            child => chances(edge.value, self.arena.node(child).draw),
        }
    }

    /// The number of the root move to play.
    fn best(&self, edges: &[Edge]) -> Option<usize> {
        if let (Selection::Gumbel(gumbel), Some(halving), Proof::NONE) = (
            &self.settings.selection,
            &self.halving,
            self.arena.node(ROOT).proof,
        ) {
            let values: Vec<f32> = transformed(self.arena.node(ROOT), edges, gumbel).collect();
            let candidates = halving.candidates().iter();
            let tried = candidates.filter(|c| edges[c.index].visits > 0);
            let sound = tried.filter(|c| !edges[c.index].proof.is_win());
            let score = |c: &Candidate| c.lot + values[c.index];
            let best = sound.reduce(|best, c| if score(c) > score(best) { c } else { best });
            let likeliest = halving.candidates().first();
            return best.or(likeliest).map(|candidate| candidate.index);
        }
        most_visited(edges)
    }

    /// The moves that are expected behind a root move, itself included.
    pub fn line(&self, first: Move) -> Vec<Move> {
        let mut line = Vec::new();
        let mut next = self.arena.edges_of(ROOT).iter().find(|e| e.mv == first);
        while let Some(edge) = next {
            line.push(edge.mv);
            next = match edge.child {
                ROOT => None,
                child => {
                    let edges = self.arena.edges_of(child);
                    let best = most_visited(edges).map(|best| &edges[best]);
                    best.filter(|edge| edge.visits > 0)
                }
            };
        }
        line
    }
}

/// The edge to take: the shortest proven mate, else the most visited that is not proven to lose, else
/// the longest resistance.
fn most_visited(edges: &[Edge]) -> Option<usize> {
    let rank = |edge: &Edge| {
        let plies = edge.proof.plies().map_or(0, i64::from);
        let proven = if edge.proof.is_loss() {
            1000 - plies
        } else if edge.proof.is_win() {
            plies - 1000
        } else {
            0
        };
        (proven, edge.visits)
    };
    let mut best: Option<usize> = None;
    for (index, edge) in edges.iter().enumerate() {
        let better = |best: usize| {
            let before = &edges[best];
            (rank(edge), edge.value, edge.prior) > (rank(before), before.value, before.prior)
        };
        if best.is_none_or(better) {
            best = Some(index);
        }
    }
    best
}
