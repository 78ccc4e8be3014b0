use std::path::PathBuf;

use play::{PlayerError, SpecError};
use rules::{BookError, FenError};

/// What is wrong with the settings or the use of an environment.
#[derive(Debug, thiserror::Error)]
pub enum ChessError {
    /// A name that stands for nothing.
    #[error("there is no {what} '{name}'; known are {}", known.join(", "))]
    Unknown {
        /// What was wanted.
        what: &'static str,
        /// The name.
        name: String,
        /// Every name there is.
        known: Vec<String>,
    },
    /// A value that a setting does not take.
    #[error("{name} is '{value}', expected {expected}")]
    Value {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it should be.
        expected: String,
    },
    /// Settings that contradict each other, or one that another one needs.
    #[error("{0}")]
    Settings(String),
    /// A number that is no legal action here. Nothing has changed.
    #[error("action {action} is not legal in {fen}: {why}")]
    IllegalAction {
        /// The number.
        action: i64,
        /// The position.
        fen: String,
        /// Why not.
        why: String,
    },
    /// The game has ended and must be reset first.
    #[error("the game is over ({outcome}): reset the environment first")]
    Over {
        /// How it ended.
        outcome: String,
    },
    /// An illegal action or the like in one of many environments. Nothing has changed in any.
    #[error("environment {index}: {source}")]
    At {
        /// Which environment.
        index: usize,
        /// What is wrong there.
        source: Box<ChessError>,
    },
    /// An array of another length.
    #[error("{what} has {found} elements, expected {expected}")]
    Length {
        /// Which array.
        what: &'static str,
        /// How long it should be.
        expected: usize,
        /// How long it is.
        found: usize,
    },
    /// A file that cannot be read.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// No position of the kind to begin from.
    #[error("no position to begin a game from: {0}")]
    NoStart(String),
    /// A text that is no player, or no settings.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The opponent cannot play on.
    #[error("the opponent: {0}")]
    Opponent(#[from] PlayerError),
    /// A text that is no position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A file that is no opening book.
    #[error(transparent)]
    Book(#[from] BookError),
    /// A folder that holds no Syzygy tables.
    #[error(transparent)]
    Syzygy(#[from] truth::SyzygyError),
}

impl ChessError {
    pub(crate) fn unknown(what: &'static str, name: &str, known: &[&str]) -> ChessError {
        ChessError::Unknown {
            what,
            name: name.to_owned(),
            known: known.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    pub(crate) fn value(
        name: &'static str,
        value: &str,
        expected: impl Into<String>,
    ) -> ChessError {
        ChessError::Value {
            name,
            value: value.to_owned(),
            expected: expected.into(),
        }
    }
}
