use std::{io, path::PathBuf};

/// What can go wrong in a run.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// No recipe of this name.
    #[error("there is no recipe '{name}'; the recipes are {}", known.join(", "))]
    UnknownRecipe {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// No setting of this name.
    #[error("'{learner}' has no setting '{name}'; its settings are {}", known.join(", "))]
    UnknownSetting {
        /// Whose settings.
        learner: String,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A value that a setting cannot take.
    #[error("{name} = {value}: {why}")]
    BadSetting {
        /// The setting.
        name: String,
        /// The value.
        value: String,
        /// Why not.
        why: String,
    },
    /// A signature the learners cannot hold.
    #[error(transparent)]
    FewMen(#[from] rules::FewMenError),
    /// A name of an opponent that no player has.
    #[error(transparent)]
    Opponent(#[from] play::SpecError),
    /// An opponent failed.
    #[error(transparent)]
    Player(play::PlayerError),
    /// A search failed.
    #[error(transparent)]
    Search(#[from] play::PuctError),
    /// A recipe that only learns endgames, without one.
    #[error("this recipe learns endgames: name one, such as KRK")]
    NeedsEndgame,
    /// A recipe whose games cannot be played elsewhere.
    #[error(
        "the games of '{0}' cannot be played elsewhere; those of alphazero, ppo and salisch-ppo can"
    )]
    NotDivided(String),
    /// Something from elsewhere that does not belong here.
    #[error("what came from elsewhere is refused: {0}")]
    Foreign(&'static str),
    /// It was told to stop in the middle of an episode.
    #[error("stopped")]
    Stopped,
    /// A folder that already holds a run.
    #[error("{} already holds a run: resume it, or choose another folder", .0.display())]
    RunExists(PathBuf),
    /// A run that another program is working on.
    #[error("{} is being trained by another program", .0.display())]
    Busy(PathBuf),
    /// A run that is to have no more episodes than it has had.
    #[error("{} has played {played} games: to go on it needs more than that, not {asked}", folder.display())]
    NotLonger {
        /// Its folder.
        folder: PathBuf,
        /// Episodes it has had.
        played: u64,
        /// Episodes that were asked for.
        asked: u64,
    },
    /// A run that has nothing left to learn.
    #[error("{} has nothing left to learn, so there is nothing to make longer", .0.display())]
    NothingLeft(PathBuf),
    /// A folder without a run.
    #[error("{} holds no run: there is no readable run.toml ({why})", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A checkpoint that cannot be read.
    #[error("the checkpoint {} is damaged ({why})", path.display())]
    DamagedCheckpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: Box<LearnError>,
    },
    /// A run without a usable checkpoint.
    #[error("{} has no usable checkpoint", .0.display())]
    NoCheckpoint(PathBuf),
    /// A file of weights that is damaged or not one of ours.
    #[error("the weights are damaged, or not those of a network of ours")]
    Weights,
    /// A recipe that exact tables teach, without them.
    #[error("this recipe is taught by exact tables, and they do not cover the endgame")]
    NoTeacher,
    /// A record that is cut short or belongs to another table.
    #[error("the record is cut short or belongs to another endgame or other settings")]
    Record,
    /// Reading or writing failed.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl From<play::PlayerError> for LearnError {
    fn from(error: play::PlayerError) -> LearnError {
        match error {
            play::PlayerError::Stopped => LearnError::Stopped,
            other => LearnError::Player(other),
        }
    }
}

impl LearnError {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> LearnError {
        let path = path.into();
        move |error| LearnError::File { path, error }
    }
}
