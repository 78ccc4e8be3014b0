//! A moment of a run, complete enough to go on from.
//!
//! A checkpoint is one file: eight bytes `LUCENACP`, a version, the length of what follows, the
//! state (counters, curve, learner with its tables and random numbers), and a checksum of the state.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rules::plain_file;

use crate::{
    LearnError, Learner,
    runs::durable,
    runs::metrics::Metrics,
    runs::record::{Reader, Writer},
};

const MAGIC: u64 = u64::from_le_bytes(*b"LUCENACP");
/// Before version 3 a curve had a fixed set of columns, and before version 2 it did not count greedy
/// choices; these checkpoints are still read.
const VERSION: u64 = 3;

/// The counters of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Progressed {
    /// Games played.
    pub episodes: u64,
    /// Plies played.
    pub plies: u64,
    /// Games since the last point of the curve.
    pub games_since: u64,
    /// How many of them white won.
    pub wins_since: u64,
    /// Their plies.
    pub plies_since: u64,
    /// Has the learner said that there is nothing left to learn?
    pub finished: bool,
    /// Evaluations in a row that satisfied the rule for stopping early.
    pub satisfied: u64,
    /// The best score of an evaluation so far.
    pub best: Option<f64>,
    /// The curve so far.
    pub metrics: Metrics,
}

/// Writes a checkpoint.
///
/// # Errors
/// When the file system refuses.
pub fn save(path: &Path, progressed: &Progressed, learner: &dyn Learner) -> Result<(), LearnError> {
    durable::write(path, &bytes(progressed, learner))
}

pub(crate) fn bytes(progressed: &Progressed, learner: &dyn Learner) -> Vec<u8> {
    let mut state = Writer::default();
    state.u64(progressed.episodes);
    state.u64(progressed.plies);
    state.u64(progressed.games_since);
    state.u64(progressed.wins_since);
    state.u64(progressed.plies_since);
    state.u64(u64::from(progressed.finished));
    state.u64(progressed.satisfied);
    state.f64(progressed.best.unwrap_or(f64::NAN));
    progressed.metrics.save(&mut state);
    learner.save(&mut state);
    let state = state.into_bytes();

    let mut file = Writer::default();
    file.u64(MAGIC);
    file.u64(VERSION);
    file.bytes(&state);
    file.u64(crc32fast::hash(&state).into());
    file.into_bytes()
}

/// Reads a checkpoint into a learner made with the same settings.
///
/// # Errors
/// When the file cannot be read, is damaged, or belongs to another run.
pub fn load(path: &Path, learner: &mut dyn Learner) -> Result<Progressed, LearnError> {
    let file = plain_file::read(path, plain_file::TABLE).map_err(LearnError::file(path))?;
    read(&file, learner)
}

/// The same from the bytes of the file.
///
/// # Errors
/// When they are damaged, or belong to another run.
pub(crate) fn read(file: &[u8], learner: &mut dyn Learner) -> Result<Progressed, LearnError> {
    let (version, mut state) = state(file)?;
    let progressed = Progressed::load(&mut state, version)?;
    learner.load(&mut state)?;
    if state.is_empty() {
        Ok(progressed)
    } else {
        Err(LearnError::Record)
    }
}

/// Reads the counters and the curve of a checkpoint, without the learner.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn peek(path: &Path) -> Result<Progressed, LearnError> {
    let file = plain_file::read(path, plain_file::TABLE).map_err(LearnError::file(path))?;
    let (version, mut state) = state(&file)?;
    Progressed::load(&mut state, version)
}

/// The version of a file and the state in it, its checksum tested.
fn state(file: &[u8]) -> Result<(u64, Reader<'_>), LearnError> {
    let mut file = Reader::new(file);
    let (magic, version) = (file.u64()?, file.u64()?);
    if magic != MAGIC || !(1..=VERSION).contains(&version) {
        return Err(LearnError::Record);
    }
    let state = file.bytes()?;
    if file.u64()? != u64::from(crc32fast::hash(state)) || !file.is_empty() {
        return Err(LearnError::Record);
    }
    Ok((version, Reader::new(state)))
}

impl Progressed {
    fn load(state: &mut Reader<'_>, version: u64) -> Result<Progressed, LearnError> {
        Ok(Progressed {
            episodes: state.u64()?,
            plies: state.u64()?,
            games_since: state.u64()?,
            wins_since: state.u64()?,
            plies_since: state.u64()?,
            finished: state.u64()? != 0,
            satisfied: state.u64()?,
            best: Some(state.f64()?).filter(|best| !best.is_nan()),
            metrics: match version {
                1 | 2 => Metrics::load_fixed(state, version == 2)?,
                _ => Metrics::load(state)?,
            },
        })
    }
}

/// The file of the checkpoint after so many games; names sort by age.
pub(crate) fn path(run: &Path, episodes: u64) -> PathBuf {
    run.join("checkpoints").join(format!("{episodes:012}"))
}

/// The checkpoints of a run, the newest first.
pub fn all(run: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(run.join("checkpoints")) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().bytes().all(|c| c.is_ascii_digit())
        })
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths.reverse();
    paths
}

/// Removes all but the newest `keep` checkpoints of those that are due every so many episodes. Others, where a run
/// was stopped, do not count, or a run that was stopped would lose one that was asked for; they go as soon as
/// a later one is there that was due.
pub(crate) fn prune(run: &Path, keep: usize, every: u64) {
    let (mut due, mut others) = (0, 0);
    for path in all(run) {
        let old = match number(&path).is_some_and(|episodes| episodes.is_multiple_of(every.max(1)))
        {
            true => {
                due += 1;
                due > keep
            }
            false => {
                others += 1;
                due > 0 || others > keep
            }
        };
        if old {
            // One that cannot be removed only wastes space.
            let _ = fs::remove_file(path);
        }
    }
}

/// After how many episodes a checkpoint was made, by its name.
fn number(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_run_was_stopped_does_not_cost_a_checkpoint_that_was_due() {
        let run = tempfile::tempdir().unwrap();
        fs::create_dir(run.path().join("checkpoints")).unwrap();
        let kept_after = |episodes: &[u64]| -> Vec<u64> {
            for &episodes in episodes {
                fs::write(path(run.path(), episodes), "").unwrap();
                prune(run.path(), 3, 100);
            }
            let kept = all(run.path());
            kept.iter().filter_map(|path| number(path)).rev().collect()
        };
        // So that a damaged one costs little, others are kept until one is due.
        assert_eq!(kept_after(&[20, 30, 40, 50]), [30, 40, 50]);
        assert_eq!(kept_after(&[100, 200]), [100, 200]);
        assert_eq!(kept_after(&[292]), [100, 200, 292]);
        assert_eq!(kept_after(&[300]), [100, 200, 300]);
        assert_eq!(kept_after(&[400, 450]), [200, 300, 400, 450]);
    }
}
