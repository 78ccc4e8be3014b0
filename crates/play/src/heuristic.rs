use rules::{Board, Game, Move, Square};

use crate::{
    Choice, Dice, Limits, Player, PlayerError, distance::manhattan, drawish::immediate_draws,
};

/// The heuristic defender of document Y: its king runs to the centre, and it takes every immediate
/// draw.
///
/// "Will minimize the black king's distance to the center of the board and will take every
/// opportunity to draw the game." Moves that are equally good are drawn by lot; or the first of them is
/// played, always the same, which makes a defender that can be learned by heart.
#[derive(Clone, Debug)]
pub struct Heuristic {
    /// `None`: the first of equal moves.
    dice: Option<Dice>,
}

impl Heuristic {
    /// The player whose choices between equal moves follow from `seed`.
    pub fn new(seed: u64) -> Heuristic {
        Heuristic {
            dice: Some(Dice::new(seed)),
        }
    }

    /// The player who plays the first of equal moves, squares counted from a1.
    pub fn first() -> Heuristic {
        Heuristic { dice: None }
    }
}

impl Player for Heuristic {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let mut moves = immediate_draws(game);
        if moves.is_empty() {
            let position = game.position();
            let us = position.turn();
            let distance = |m| to_centre(position.board(), position.after(m).king(us));
            let ranked: Vec<_> = position
                .legal_moves()
                .into_iter()
                .map(|m| (distance(m), m))
                .collect();
            let least = ranked.iter().map(|&(distance, _)| distance).min();
            moves = ranked
                .into_iter()
                .filter(|&(distance, _)| Some(distance) == least)
                .map(|(_, m)| m)
                .collect();
        }
        if moves.is_empty() {
            return Err(PlayerError::no_move(game));
        }
        let chosen = match &mut self.dice {
            Some(dice) => moves[dice.below(moves.len())],
            None => first_by_square(&moves),
        };
        Ok(Choice::plain(chosen))
    }
}

/// The move to the first square, counted from a1, as the compact form of crate `learn` has it.
fn first_by_square(moves: &[Move]) -> Move {
    let mut first = moves[0];
    for &m in moves {
        if m.to() < first.to() {
            first = m;
        }
    }
    first
}

fn to_centre(board: Board, king: Square) -> u32 {
    board
        .centre()
        .into_iter()
        .map(|centre| manhattan(king, centre))
        .min()
        .unwrap_or(0)
}
