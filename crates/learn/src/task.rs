//! What is to be learned.

use std::fmt;

use rules::{Board, Material};

use crate::LearnError;

/// What a learner learns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// An endgame on a board.
    Endgame(Material, Board),
    /// The whole game.
    Chess,
}

/// A task, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Course {
    /// What is to be learned.
    pub task: Task,
    /// The length of the run in episodes.
    pub episodes: u64,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Task {
    /// The men and the board, for those who only learn endgames.
    ///
    /// # Errors
    /// When the task is the whole game.
    pub fn endgame(&self) -> Result<(Material, Board), LearnError> {
        match *self {
            Task::Endgame(material, board) => Ok((material, board)),
            Task::Chess => Err(LearnError::NeedsEndgame),
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Endgame(material, board) => write!(f, "{material} on {board}"),
            Task::Chess => f.write_str("chess"),
        }
    }
}
