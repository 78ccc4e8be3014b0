use std::{fmt, sync::Arc};

use rules::{Board, Color, Game, Material, Position, RandomPositions, Rules};
use truth::{Oracle, Verdict};

use crate::{Limits, Player as _, Random, derived_seed};

/// The positions that the games of a match begin from.
#[derive(Clone)]
pub enum Openings {
    /// A random position for each, uniform over the legal ones that are not over.
    Random(RandomOpenings),
    /// These, in this order, over and over.
    List(Vec<Position>),
}

/// Random positions of one endgame.
#[derive(Clone)]
pub struct RandomOpenings {
    /// The men.
    pub material: Material,
    /// The board.
    pub board: Board,
    /// The side to move; either, with equal chance, if absent.
    pub turn: Option<Color>,
    /// Only positions that this side wins by exact truth.
    pub won: Option<(Color, Arc<dyn Oracle>)>,
}

/// Positions to try before giving up on finding one that is won.
const ATTEMPTS: usize = 100_000;

impl Openings {
    /// Random positions with white to move.
    pub fn random(material: Material, board: Board) -> Openings {
        Openings::Random(RandomOpenings {
            material,
            board,
            turn: Some(Color::White),
            won: None,
        })
    }

    /// Positions of chess that random moves lead to, so many, each after so many plies.
    pub fn walks(count: u64, plies: usize, seed: u64) -> Openings {
        Openings::List(
            (0..count)
                .map(|n| walk(plies, derived_seed(seed, n)))
                .collect(),
        )
    }

    /// Random positions that white, to move, wins.
    pub fn random_won(material: Material, board: Board, oracle: Arc<dyn Oracle>) -> Openings {
        Openings::Random(RandomOpenings {
            material,
            board,
            turn: Some(Color::White),
            won: Some((Color::White, oracle)),
        })
    }

    /// Opening `index` of a match with the seed `seed`; the same for the same two numbers.
    ///
    /// `None` for an empty list, or when no position of the kind could be found.
    pub fn get(&self, index: u64, seed: u64) -> Option<Position> {
        match self {
            Openings::List(list) => {
                let index = index.checked_rem(list.len() as u64)?;
                list.get(index as usize).cloned()
            }
            Openings::Random(random) => random.get(derived_seed(seed, index)),
        }
    }
}

impl RandomOpenings {
    fn get(&self, seed: u64) -> Option<Position> {
        RandomPositions::new(self.material, self.board, self.turn, seed)
            .take(ATTEMPTS)
            .find(|position| {
                let over = Game::new(position.clone(), Rules::none())
                    .outcome()
                    .is_some();
                !over && self.is_won(position)
            })
    }

    fn is_won(&self, position: &Position) -> bool {
        self.won
            .as_ref()
            .is_none_or(|(winner, oracle)| match oracle.probe(position) {
                Some(Verdict::Win { .. }) => position.turn() == *winner,
                Some(Verdict::Loss { .. }) => position.turn() != *winner,
                _ => false,
            })
    }
}

/// Says which positions these are, so that two different sets of openings read differently.
impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Openings::Random(random) => {
                write!(f, "random {} on {}", random.material, random.board)?;
                if let Some(turn) = random.turn {
                    write!(f, ", {} to move", turn.fold_wb("white", "black"))?;
                }
                if let Some((winner, _)) = random.won {
                    write!(f, ", won by {}", winner.fold_wb("white", "black"))?;
                }
                Ok(())
            }
            Openings::List(list) => {
                let fingerprint = list.iter().fold(0, |hash, position| {
                    position
                        .fen()
                        .bytes()
                        .fold(derived_seed(hash, 0), |hash, byte| {
                            derived_seed(hash, byte.into())
                        })
                });
                write!(f, "list of {} positions {fingerprint:016x}", list.len())
            }
        }
    }
}

impl fmt::Debug for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Openings({self})")
    }
}

/// A position that so many random moves from the first one lead to.
fn walk(plies: usize, seed: u64) -> Position {
    for attempt in 0.. {
        let mut random = Random::new(derived_seed(seed, attempt));
        let mut game = Game::new(Position::start(), Rules::default());
        while game.plies() < plies && game.outcome().is_none() {
            match random.choose(&game, &Limits::NONE) {
                Ok(choice) => game.play_legal(choice.mv),
                Err(_) => break,
            }
        }
        if game.outcome().is_none() {
            return game.position().clone();
        }
    }
    unreachable!("not every walk ends in a mate")
}
