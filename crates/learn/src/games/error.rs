use std::{io, path::PathBuf};

/// What can go wrong with games as data.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// Reading or writing failed.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Not a file of games.
    #[error("{} is not a file of games: {why}", path.display())]
    NotGames {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A part of a file of games is damaged.
    #[error("the {0} of a block are damaged")]
    Damaged(&'static str),
    /// Would be overwritten.
    #[error("{} is there already; name another file, or force it", .0.display())]
    Exists(PathBuf),
    /// Another import has been begun there.
    #[error(
        "{} is an unfinished import of other files or other settings; repeat that one, or force it",
        .0.display()
    )]
    OtherImport(PathBuf),
    /// Another program is writing.
    #[error("{} is being written by another program", .0.display())]
    Busy(PathBuf),
    /// Stopped on request.
    #[error("interrupted; the same command goes on with it")]
    Interrupted,
}

impl GamesError {
    pub(super) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> GamesError {
        let path = path.into();
        move |error| GamesError::File { path, error }
    }
}
