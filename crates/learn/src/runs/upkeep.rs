//! Looking after runs: making them longer, renaming them, deleting them. None of it happens while a
//! program works on the run.

use std::{fs, path::Path};

use super::{Extension, Plan, info, run::lock};
use crate::LearnError;

/// Makes a run longer; [`resume`](super::resume) then goes on to `episodes`. What was planned before stays
/// in its plan.
///
/// # Errors
/// When there is no run, it is being trained, it has nothing left to learn, or has had as many episodes.
pub fn extend(folder: &Path, episodes: u64) -> Result<Plan, LearnError> {
    // Before the lock, which would make a file where there is no run.
    info(folder)?;
    let _alone = lock(folder)?;
    let run = info(folder)?;
    let mut plan = run.plan;
    let played = run.progressed.as_ref().map_or(0, |done| done.episodes);
    if run.progressed.is_some_and(|done| done.finished) {
        return Err(LearnError::NothingLeft(folder.to_owned()));
    }
    if episodes <= played {
        return Err(LearnError::NotLonger {
            folder: folder.to_owned(),
            played,
            asked: episodes,
        });
    }
    if episodes != plan.episodes {
        plan.extended.push(Extension {
            after: played,
            of: plan.episodes,
        });
        plan.episodes = episodes;
        plan.write(folder)?;
    }
    Ok(plan)
}

/// Gives a run another folder beside its own.
///
/// # Errors
/// When there is no run, it is being trained, or the name is taken.
pub fn rename(folder: &Path, to: &Path) -> Result<(), LearnError> {
    info(folder)?;
    let _alone = lock(folder)?;
    if to.symlink_metadata().is_ok() {
        return Err(LearnError::RunExists(to.to_owned()));
    }
    fs::rename(folder, to).map_err(LearnError::file(folder))
}

/// Deletes a run and everything in its folder, which must be a folder and no link to one.
///
/// # Errors
/// When there is no run, it is being trained, or the file system refuses.
pub fn delete(folder: &Path) -> Result<(), LearnError> {
    info(folder)?;
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    if !is_folder {
        return Err(LearnError::NoRun {
            folder: folder.to_owned(),
            why: "a link to a folder is not followed".to_owned(),
        });
    }
    let _alone = lock(folder)?;
    // Without its plan a folder is no run, whatever else is still there when the power fails.
    let plan = folder.join("run.toml");
    fs::remove_file(&plan).map_err(LearnError::file(plan))?;
    fs::remove_dir_all(folder).map_err(LearnError::file(folder))
}
