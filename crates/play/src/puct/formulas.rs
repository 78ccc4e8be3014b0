//! The formulas by which a simulation finds its way.

use super::{
    arena::{Edge, Node},
    settings::{Exploration, FirstPlay, Gumbel},
};

/// Q of an edge: what is proven, or the mean of what was found. Simulations that wait for their
/// judgement count as lost, so that the next one goes another way.
fn q(edge: &Edge) -> Option<f32> {
    if let Some(value) = edge.proof.value() {
        return Some(-value);
    }
    let pending = f32::from(edge.pending);
    let visits = edge.visits as f32;
    (visits + pending > 0.0).then(|| (edge.value * visits - pending) / (visits + pending))
}

/// What a node is worth so far, for the side to move: the mean of all that was found behind it.
pub(super) fn mean_value(node: &Node, edges: &[Edge]) -> f32 {
    let (mut sum, mut visits) = (node.value, 1.0);
    for edge in edges {
        sum += edge.value * edge.visits as f32;
        visits += edge.visits as f32;
    }
    sum / visits
}

/// The edge of the greatest Q(s, a) + U(s, a): formula (2) of document W, and AlphaZero's. Where the
/// formula has nothing to go by, because no move was tried, the prior decides.
///
/// A move that is proven to lose is only taken when all do.
pub(super) fn upper_confidence(node: &Node, edges: &[Edge], exploration: &Exploration) -> usize {
    let visits = |edge: &Edge| edge.visits as f32 + f32::from(edge.pending);
    let sum: f32 = edges.iter().map(visits).sum();
    let growth = |base: f32| ((1.0 + sum + base) / base).ln();
    let c = exploration.init + exploration.base.map_or(0.0, growth);
    let weight = c * sum.max(1.0).sqrt();
    let first_play = match exploration.first_play {
        FirstPlay::Value(value) => value,
        FirstPlay::Reduced(by) => {
            let tried = edges.iter().filter(|edge| visits(edge) > 0.0);
            let tried: f32 = tried.map(|edge| edge.prior).sum();
            mean_value(node, edges) - by * tried.sqrt()
        }
    };
    let mut best = (0, f32::NEG_INFINITY);
    for (index, edge) in edges.iter().enumerate() {
        if edge.proof.is_win() && best.1 > f32::NEG_INFINITY {
            continue;
        }
        let mut score = q(edge).unwrap_or(first_play) + weight * edge.prior / (1.0 + visits(edge));
        if edge.proof.is_win() {
            score = f32::MIN; // the first of several lost moves
        }
        if score > best.1 {
            best = (index, score);
        }
    }
    best.0
}

/// v_mix: what a move is worth that was not tried, from the evaluator's value of the position and
/// from the moves that were. Formula (33) of Danihelka et al.
pub(super) fn mixed_value(node: &Node, edges: &[Edge]) -> f32 {
    let (mut visits, mut priors, mut weighted) = (0.0, 0.0, 0.0);
    for edge in edges {
        if let Some(q) = found(edge) {
            visits += edge.visits as f32;
            priors += edge.prior.max(f32::MIN_POSITIVE);
            weighted += edge.prior.max(f32::MIN_POSITIVE) * q;
        }
    }
    if priors == 0.0 {
        return node.value;
    }
    (node.value + visits * weighted / priors) / (1.0 + visits)
}

/// Q of an edge by what is known for certain: simulations that wait change nothing.
fn found(edge: &Edge) -> Option<f32> {
    match edge.proof.value() {
        Some(value) => Some(-value),
        None => (edge.visits > 0).then_some(edge.value),
    }
}

/// σ(q) for every edge, q completed by v_mix: formula (8).
pub(super) fn transformed<'a>(
    node: &Node,
    edges: &'a [Edge],
    gumbel: &Gumbel,
) -> impl Iterator<Item = f32> + 'a {
    let mixed = mixed_value(node, edges);
    let most = edges.iter().map(|edge| edge.visits).max().unwrap_or(0);
    let scale = (gumbel.visit + most as f32) * gumbel.scale;
    edges
        .iter()
        .map(move |edge| scale * found(edge).unwrap_or(mixed))
}

/// The improved policy π′ = softmax(logits + σ(completed q)): formula (11).
pub(super) fn improved_policy(node: &Node, edges: &[Edge], gumbel: &Gumbel, policy: &mut Vec<f32>) {
    policy.clear();
    policy.extend(transformed(node, edges, gumbel));
    let most = policy.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    let (mut before, mut factor) = (f32::NAN, 0.0);
    for (share, edge) in policy.iter_mut().zip(edges) {
        // The moves that were not tried have one value.
        if *share != before {
            before = *share;
            factor = (*share - most).exp();
        }
        *share = edge.prior.max(f32::MIN_POSITIVE) * factor;
        sum += *share;
    }
    for share in policy {
        *share /= sum;
    }
}

/// The edge that brings the visits nearest to the improved policy: the greatest
/// π′(a) − N(a) / (1 + ΣN), formula (14).
pub(super) fn by_improved_policy(
    node: &Node,
    edges: &[Edge],
    gumbel: &Gumbel,
    policy: &mut Vec<f32>,
) -> usize {
    improved_policy(node, edges, gumbel, policy);
    let visits: u32 = edges.iter().map(|edge| edge.visits).sum();
    let share = 1.0 / (1.0 + visits as f32);
    let mut best = (0, f32::NEG_INFINITY);
    for (index, (policy, edge)) in policy.iter().zip(edges).enumerate() {
        let score = match edge.proof.is_win() {
            true => f32::MIN, // lost
            false => policy - edge.visits as f32 * share,
        };
        if score > best.1 {
            best = (index, score);
        }
    }
    best.0
}
