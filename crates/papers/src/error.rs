use std::{io, path::PathBuf};

/// Why an experiment could not be run or written down.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// No experiment has this id.
    #[error("there is no experiment '{id}'; known are {}", known.join(", "))]
    Unknown {
        /// The id.
        id: String,
        /// Every id there is.
        known: Vec<&'static str>,
    },
    /// No row of an experiment has this in its name.
    #[error("{experiment} has no row with '{text}' in its name; its rows are {}", rows.join("; "))]
    NoRow {
        /// The experiment.
        experiment: &'static str,
        /// What was looked for.
        text: String,
        /// Every row there is.
        rows: Vec<&'static str>,
    },
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
    /// An experiment is written down wrongly.
    #[error("{0}")]
    Setting(String),
    /// A player cannot be made.
    #[error(transparent)]
    Player(#[from] play::SpecError),
    /// A match cannot be played.
    #[error(transparent)]
    Match(#[from] play::MatchError),
    /// A learner cannot be made, or its training failed.
    #[error(transparent)]
    Learn(#[from] learn::LearnError),
    /// A policy cannot be certified.
    #[error(transparent)]
    Certify(#[from] play::CertificationError),
    /// Exact truth cannot be had.
    #[error(transparent)]
    Truth(#[from] truth::SolveError),
    /// A file of kept measurements makes no sense.
    #[error("the kept measurements of {experiment}: {why}")]
    Kept {
        /// The experiment.
        experiment: String,
        /// What is wrong.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl From<truth::TableError> for PaperError {
    fn from(error: truth::TableError) -> PaperError {
        PaperError::Truth(error.into())
    }
}
