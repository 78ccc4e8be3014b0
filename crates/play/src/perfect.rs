use std::sync::Arc;

use rules::{Game, Move, Position};
use truth::{Oracle, Verdict};

use crate::{Choice, Dice, Info, Limits, Nature, Player, PlayerError, Score};

/// Plays by exact truth: the shortest mate, the longest resistance, and never out of a draw.
///
/// Among equally good moves it draws lots, or takes the first in the order of the legal moves, as
/// [`Ties`] says.
pub struct Perfect {
    oracle: Arc<dyn Oracle>,
    ties: Ties,
}

/// Which of several equally good moves is played.
#[derive(Clone, Debug)]
pub enum Ties {
    /// The first in the order of the legal moves: the player is a policy and can be certified.
    First,
    /// Any of them, with equal chance.
    Drawn(Dice),
}

impl Perfect {
    /// The player that asks `oracle`.
    pub fn new(oracle: Arc<dyn Oracle>, ties: Ties) -> Perfect {
        Perfect { oracle, ties }
    }

    /// The moves of greatest value, and that value.
    fn best(&self, position: &Position) -> Option<(Vec<Move>, Verdict)> {
        let mut best: Option<(Vec<Move>, Verdict, i32)> = None;
        for m in position.legal_moves() {
            let verdict = self.value(&position.after(m))?;
            let rank = worth(verdict);
            match &mut best {
                Some((moves, _, top)) if *top == rank => moves.push(m),
                Some((_, _, top)) if *top > rank => {}
                _ => best = Some((vec![m], verdict, rank)),
            }
        }
        best.map(|(moves, verdict, _)| (moves, verdict))
    }

    fn value(&self, position: &Position) -> Option<Verdict> {
        self.oracle
            .probe(position)
            // A table of KRK need not know what is left when the rook is gone.
            .or_else(|| position.is_insufficient_material().then_some(Verdict::Draw))
    }
}

/// What a position is worth to the side that has just moved: quick wins, then draws, then slow
/// losses.
fn worth(verdict: Verdict) -> i32 {
    match verdict {
        Verdict::Loss { plies } => 100_000 - i32::from(plies),
        Verdict::Draw => 0,
        Verdict::Win { plies } => -100_000 + i32::from(plies),
    }
}

impl Player for Perfect {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let position = game.position();
        if position.legal_moves().is_empty() {
            return Err(PlayerError::no_move(game));
        }
        let (moves, verdict) = self
            .best(position)
            .ok_or_else(|| PlayerError::Unsupported {
                player: "perfect".into(),
                fen: position.fen(),
                why: format!(
                    "no exact table covers {} and everything it can lead to",
                    position.material()
                ),
            })?;
        let chosen = match &mut self.ties {
            Ties::First => 0,
            Ties::Drawn(dice) => dice.below(moves.len()),
        };
        // `verdict` speaks for the opponent after the move.
        let moves_to_mate = |plies: u16| i32::from(plies).div_euclid(2);
        let score = match verdict {
            Verdict::Loss { plies } => Score::Mate(moves_to_mate(plies) + 1),
            Verdict::Draw => Score::Centipawns(0),
            Verdict::Win { plies } => Score::Mate(-moves_to_mate(plies + 1)),
        };
        Ok(Choice {
            mv: moves[chosen],
            info: Info {
                score: Some(score),
                ..Info::default()
            },
        })
    }

    fn nature(&self) -> Nature {
        match self.ties {
            Ties::First => Nature::Policy,
            Ties::Drawn(_) => Nature::Chance,
        }
    }

    /// The first of equal moves is not the same in every image, but all equal moves have the same
    /// length: symmetric enough for a length, not for a line, hence `false`.
    fn is_symmetric(&self) -> bool {
        false
    }
}
