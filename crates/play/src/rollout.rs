//! Playing a position out to guess who wins.

use rules::Color;

use crate::{Dice, LeafValue, tree::Tree};

/// How the moves of a rollout are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rollout {
    /// Any legal move.
    Random,
    /// Captures first; otherwise the best of three random moves by static evaluation.
    Informed,
}

/// Plays on for at most `plies` and returns white's score: 1, ½ or 0. A game that is not over by
/// then counts as a draw.
pub(crate) fn play_out<T: Tree>(
    tree: &T,
    start: &T::Node,
    plies: u32,
    rollout: Rollout,
    evaluation: &LeafValue,
    dice: &mut Dice,
) -> f64 {
    let mut node = start.clone();
    for _ in 0..plies {
        let moves = tree.moves(&node);
        let m = match rollout {
            Rollout::Random => T::random(&moves, dice),
            Rollout::Informed => informed(tree, &node, &moves, evaluation, dice),
        };
        let Some(m) = m else {
            return if tree.is_check(&node) {
                match tree.turn(&node) {
                    Color::White => 0.0,
                    Color::Black => 1.0,
                }
            } else {
                0.5
            };
        };
        if tree.is_dead(&node) {
            return 0.5;
        }
        node = tree.after(&node, m);
    }
    0.5
}

fn informed<T: Tree>(
    tree: &T,
    node: &T::Node,
    moves: &T::Moves,
    evaluation: &LeafValue,
    dice: &mut Dice,
) -> Option<T::Move> {
    let capture = T::each(moves)
        .map(|m| (tree.gain(node, m), m))
        .filter(|&(gain, _)| gain > 0)
        .max_by_key(|&(gain, _)| gain);
    if let Some((_, m)) = capture {
        return Some(m);
    }
    (0..3)
        .filter_map(|_| T::random(moves, dice))
        .min_by_key(|&m| evaluation.value(&tree.men(&tree.after(node, m))))
}
