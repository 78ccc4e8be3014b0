//! The runs there are, and how far they are.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use play::Fingerprint;
use rules::plain_file;

use crate::{
    LearnError, Plan,
    runs::checkpoint::{self, Progressed},
    runs::policy,
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
    /// Checkpoints newer than that one, which are damaged.
    pub damaged: Vec<PathBuf>,
}

impl RunInfo {
    /// What tells the player `run:FOLDER` from others: that of its best checkpoint, or of the newest
    /// where there was no evaluation. `None` without a checkpoint.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        let read = |path: &Path| plain_file::read(path, plain_file::TABLE).ok();
        let best = read(&self.folder.join("best"));
        let newest = || read(checkpoint::all(&self.folder).first()?);
        let contents = policy::contents(&self.plan, &best.or_else(newest)?);
        Some(Fingerprint::of_player("run", None, &[], &[contents]))
    }
}

/// What is known about the run in a folder.
///
/// # Errors
/// When the folder holds no run.
pub fn info(folder: &Path) -> Result<RunInfo, LearnError> {
    let plan = Plan::read(folder)?;
    let mut progressed = None;
    let mut damaged = Vec::new();
    for path in checkpoint::all(folder) {
        match checkpoint::peek(&path) {
            Ok(found) => {
                progressed = Some(found);
                break;
            }
            // It has just become old and is gone by now.
            Err(LearnError::File { error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => damaged.push(path),
        }
    }
    Ok(RunInfo {
        folder: folder.to_owned(),
        plan,
        progressed,
        damaged,
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
