use std::{error::Error, path::PathBuf};

use crate::LearnError;

/// What can go wrong in a search for settings.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    /// A search that makes no sense.
    #[error("{0}")]
    Search(String),
    /// Settings of a search that its recipe refuses.
    #[error("{settings}: {why}")]
    Refused {
        /// The settings.
        settings: String,
        /// What the recipe says.
        why: Box<LearnError>,
    },
    /// A setting that cannot be changed in the middle of a run.
    #[error(
        "a population cannot search {name}: what was learned with {name}={from} does not go on with \
         {name}={to} ({why}); give it one value, or search at random"
    )]
    Shape {
        /// The setting.
        name: String,
        /// Its value at first.
        from: String,
        /// The value that it could not change to.
        to: String,
        /// What happened.
        why: Box<LearnError>,
    },
    /// A folder that already holds a search.
    #[error(
        "{} already holds a search: 'lucena tune --resume {}' goes on with it",
        .0.display(),
        .0.display()
    )]
    Exists(PathBuf),
    /// A folder that holds something else.
    #[error("{} holds something else ({found}): choose another folder", folder.display())]
    NotEmpty {
        /// The folder.
        folder: PathBuf,
        /// A file in it.
        found: String,
    },
    /// A folder without a search.
    #[error("{} holds no search: there is no readable tuning.toml ({why})", folder.display())]
    NoSearch {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A journal that cannot be read.
    #[error("{}: line {line} is no entry of a search's journal ({why})", path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// Which line.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// A run that is not the one that the search has made.
    #[error("{} is not the run that this search made: {why}", folder.display())]
    OtherRun {
        /// The run.
        folder: PathBuf,
        /// What is different.
        why: &'static str,
    },
    /// A curve without the scalar that the search is judged by.
    #[error("the curve has no scalar '{name}'; it has {}", known.join(", "))]
    NoScalar {
        /// The scalar.
        name: String,
        /// The scalars there are.
        known: Vec<String>,
    },
    /// There is no certificate of a run.
    #[error("{} cannot be certified: {error}", folder.display())]
    Certificate {
        /// The run.
        folder: PathBuf,
        /// Why not.
        error: Box<dyn Error + Send + Sync>,
    },
    /// A training failed.
    #[error("{run}: {why}")]
    Training {
        /// The run.
        run: String,
        /// What happened.
        why: Box<LearnError>,
    },
    /// Something else failed.
    #[error(transparent)]
    Learn(#[from] LearnError),
}

impl TuningError {
    /// Was the search itself not what it should be, rather than a file or a training?
    pub fn is_misuse(&self) -> bool {
        use LearnError as L;
        match self {
            TuningError::Search(_) | TuningError::Refused { .. } | TuningError::Shape { .. } => {
                true
            }
            TuningError::Learn(error) => matches!(
                error,
                L::UnknownRecipe { .. }
                    | L::UnknownSetting { .. }
                    | L::BadSetting { .. }
                    | L::Opponent(_)
                    | L::NeedsEndgame
                    | L::FewMen(_)
            ),
            _ => false,
        }
    }

    /// Was it stopped, so that it can go on?
    pub fn is_stop(&self) -> bool {
        matches!(self, TuningError::Learn(LearnError::Stopped))
    }
}
