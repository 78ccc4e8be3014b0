//! The files of a growing curve: `metrics.csv`, and events for TensorBoard.
//!
//! They follow from the checkpoint and what came after it, so they are only appended to, and made
//! anew when a run begins or goes on.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use rules::plain_file;

use super::{
    Metrics, durable,
    tensorboard::{self, Scalar},
};
use crate::LearnError;

/// TensorBoard finds the curves by this name.
pub(crate) const EVENTS: &str = "events.out.tfevents.lucena";
/// The curve as a table.
pub(crate) const CSV: &str = "metrics.csv";

/// Writes a curve down as it grows.
pub(crate) struct CurveFiles {
    csv: PathBuf,
    events: PathBuf,
}

impl CurveFiles {
    /// Begins with the curve of a run as it was after so many episodes: what the files say of later
    /// ones will happen again.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn begin(
        folder: &Path,
        metrics: &Metrics,
        episodes: u64,
    ) -> Result<CurveFiles, LearnError> {
        let files = CurveFiles {
            csv: folder.join(CSV),
            events: folder.join(EVENTS),
        };
        let mut scalars = tensorboard::read(
            &plain_file::read(&files.events, plain_file::TEXT).unwrap_or_default(),
        );
        scalars.retain(|scalar| scalar.step <= episodes);
        durable::write(&files.csv, metrics.csv().as_bytes())?;
        durable::write(&files.events, &tensorboard::write(&scalars))?;
        Ok(files)
    }

    /// Adds the last point; `new_names` says whether it brought columns of its own.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn append(&self, metrics: &Metrics, new_names: bool) -> Result<(), LearnError> {
        let Some(point) = metrics.points().last() else {
            return Ok(());
        };
        match new_names {
            true => durable::write(&self.csv, metrics.csv().as_bytes())?,
            false => append(&self.csv, metrics.csv_line(point).as_bytes())?,
        }
        let wall_time = SystemTime::now().duration_since(UNIX_EPOCH);
        let wall_time = wall_time.map_or(0.0, |time| time.as_secs_f64());
        let scalar = |name: &String| {
            Some(Scalar {
                wall_time,
                step: point.episodes,
                tag: name.clone(),
                value: metrics.value(point, name)? as f32,
            })
        };
        let scalars: Vec<Scalar> = metrics.names().iter().filter_map(scalar).collect();
        append(&self.events, &tensorboard::events(&scalars))
    }
}

fn append(path: &Path, bytes: &[u8]) -> Result<(), LearnError> {
    let file = fs::OpenOptions::new().append(true).open(path);
    file.and_then(|mut file| file.write_all(bytes))
        .map_err(LearnError::file(path))
}
