//! The runs there are, and how far they are.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    LearnError, Plan,
    runs::checkpoint::{self, Progressed},
};

/// A run on disk.
#[derive(Clone, PartialEq, Debug)]
pub struct RunInfo {
    /// Its folder.
    pub folder: PathBuf,
    /// What it was to do.
    pub plan: Plan,
    /// How far it is, by its last sound checkpoint.
    pub progressed: Option<Progressed>,
}

/// What is known about the run in a folder.
///
/// # Errors
/// When the folder holds no run.
pub fn info(folder: &Path) -> Result<RunInfo, LearnError> {
    let plan = Plan::read(folder)?;
    let progressed = checkpoint::all(folder)
        .iter()
        .find_map(|path| checkpoint::peek(path).ok());
    Ok(RunInfo {
        folder: folder.to_owned(),
        plan,
        progressed,
    })
}

/// The runs in the folders directly below `root`, by name.
pub fn list(root: &Path) -> Vec<RunInfo> {
    let Ok(entries) = fs::read_dir(root) else {
        return Vec::new();
    };
    let mut runs: Vec<RunInfo> = entries
        .flatten()
        .filter_map(|entry| info(&entry.path()).ok())
        .collect();
    runs.sort_by(|a, b| a.folder.cmp(&b.folder));
    runs
}
