use std::{fmt, sync::Arc};

use play::{Key, Settings};
use rules::{Book, Color, Move, Outcome, Position, Role};
use truth::{Syzygy, Tablebase, Verdict};

use super::ChessError;

/// What moves and games are worth to a learner, part by part.
///
/// As text: `end=1000,book=10,tablebase=10` is document P's from version 3 on; `end=1` is the default.
///
/// - `end` for a win, and as much less than nothing for a loss; or `win`, `draw` and `loss` one by
///   one. Both sides get theirs. A game cut off by the limit of moves counts as drawn.
/// - `move` for every move, as document Y's −1.
/// - `book` for a move that the opening book has.
/// - `tablebase` for a move that shortens a win: it is won by exact tables, and the number of plies
///   that the tables tell after the move is below the least so far that the mover has had this
///   game. Moving to and fro is never worth anything.
///
/// Our tables tell plies to mate. Syzygy's, which document P used, tell plies to the next capture or
/// pawn move, so there such a move counts as zero plies, if it keeps the win, and the count begins
/// anew.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rewards {
    /// For a win.
    pub win: f32,
    /// For a draw.
    pub draw: f32,
    /// For a loss.
    pub loss: f32,
    /// For every move.
    pub per_move: f32,
    /// For a move of the opening book.
    pub book: f32,
    /// For a move that shortens a win.
    pub tablebase: f32,
}

impl Default for Rewards {
    fn default() -> Rewards {
        Rewards {
            win: 1.0,
            draw: 0.0,
            loss: -1.0,
            per_move: 0.0,
            book: 0.0,
            tablebase: 0.0,
        }
    }
}

const KEYS: &[Key] = &[
    Key {
        name: "end",
        meaning: "for a win, and as much less than nothing for a loss; 1",
    },
    Key {
        name: "win",
        meaning: "for a win; 1",
    },
    Key {
        name: "draw",
        meaning: "for a draw; 0",
    },
    Key {
        name: "loss",
        meaning: "for a loss; -1",
    },
    Key {
        name: "move",
        meaning: "for every move; 0",
    },
    Key {
        name: "book",
        meaning: "for a move of the opening book; 0",
    },
    Key {
        name: "tablebase",
        meaning: "for a move that shortens a win; 0",
    },
];

impl Rewards {
    /// Reads rewards.
    pub(crate) fn read(text: &str) -> Result<Rewards, ChessError> {
        let settings = Settings::read("rewards", text, false, KEYS)?;
        let number = |key, default| settings.number_or(key, -1e9_f32..=1e9, default);
        let end = number("end", 1.0)?;
        Ok(Rewards {
            win: number("win", end)?,
            draw: number("draw", 0.0)?,
            loss: number("loss", -end)?,
            per_move: number("move", 0.0)?,
            book: number("book", 0.0)?,
            tablebase: number("tablebase", 0.0)?,
        })
    }

    /// For the end of a game.
    pub fn end(&self, outcome: Outcome, side: Color) -> f32 {
        match outcome.winner {
            None => self.draw,
            Some(winner) if winner == side => self.win,
            Some(_) => self.loss,
        }
    }
}

impl fmt::Display for Rewards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "win={},draw={},loss={}", self.win, self.draw, self.loss)?;
        write!(f, ",move={},book={}", self.per_move, self.book)?;
        write!(f, ",tablebase={}", self.tablebase)
    }
}

/// The exact tables that tell whether a move shortens a win.
#[derive(Clone)]
pub(crate) enum Tables {
    Own(Arc<Tablebase>),
    Syzygy(Arc<Syzygy>),
}

/// What rewards a move is worth, beside those for the end.
#[derive(Clone)]
pub(crate) struct Judges {
    pub rewards: Rewards,
    pub book: Option<Arc<Book>>,
    pub tables: Option<Tables>,
}

/// The least number of plies to a win that each side has had in a game, by colour.
pub(crate) type Least = [Option<u32>; 2];

impl Judges {
    /// What a legal move is worth.
    pub fn worth(&self, position: &Position, m: Move, least: &mut Least) -> f32 {
        let mut worth = self.rewards.per_move;
        if let Some(book) = &self.book
            && book.weight(position, m).is_some()
        {
            worth += self.rewards.book;
        }
        if let Some(tables) = &self.tables
            && tables.shortens(position, m, least)
        {
            worth += self.rewards.tablebase;
        }
        worth
    }
}

impl Tables {
    fn shortens(&self, position: &Position, m: Move, least: &mut Least) -> bool {
        let mover = usize::from(position.turn() == Color::Black);
        let zeroing = m.is_capture() || m.role() == Role::Pawn;
        let anew = zeroing && matches!(self, Tables::Syzygy(_));
        let Some(before) = self.plies_to_win(position) else {
            if anew {
                *least = [None; 2];
            }
            return false;
        };
        let stored = least[mover].map_or(before, |least| least.min(before));
        least[mover] = Some(stored);
        let Some(after) = self.plies_to_loss(&position.after(m)) else {
            if anew {
                *least = [None; 2];
            }
            return false;
        };
        if anew {
            *least = [None; 2];
            return true;
        }
        least[mover] = Some(stored.min(after));
        after < stored
    }

    /// For the side to move; `None` when it does not win, or nobody knows.
    fn plies_to_win(&self, position: &Position) -> Option<u32> {
        match self {
            Tables::Own(tables) => match tables.probe(position).ok()?? {
                Verdict::Win { plies } => Some(u32::from(plies)),
                _ => None,
            },
            Tables::Syzygy(tables) => {
                let verdict = few_men(tables, position)?;
                matches!(verdict.category, "win" | "maybe-win")
                    .then_some(verdict.dtz.unsigned_abs())
            }
        }
    }

    /// For the side that has just moved.
    fn plies_to_loss(&self, position: &Position) -> Option<u32> {
        match self {
            Tables::Own(tables) => match tables.probe(position).ok()?? {
                Verdict::Loss { plies } => Some(u32::from(plies)),
                _ => None,
            },
            // Mate is the end of all counting.
            Tables::Syzygy(_) if position.is_checkmate() => Some(0),
            Tables::Syzygy(tables) => {
                let verdict = few_men(tables, position)?;
                matches!(verdict.category, "loss" | "maybe-loss")
                    .then_some(verdict.dtz.unsigned_abs())
            }
        }
    }
}

fn few_men(tables: &Syzygy, position: &Position) -> Option<truth::SyzygyVerdict> {
    (position.men_count() <= tables.max_men())
        .then(|| tables.probe(position))
        .flatten()
}
