//! Reports and finished measurements on disk.
//!
//! A file appears under its name only once it is complete, so that a run that was interrupted at
//! any moment leaves nothing half-written behind, and finished measurements are found again.

use std::{
    fs,
    path::{Path, PathBuf},
};

use play::derived_seed;
use rules::plain_file;
use serde::{Deserialize, Serialize};

use crate::{Budget, Measurement, PaperError, Report};

/// All that a measurement depends on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Key {
    pub version: String,
    pub experiment: String,
    pub row: String,
    /// `ours` or `best`.
    pub recipe: String,
    /// Which of the row's measurements, from 0.
    pub part: usize,
    pub budget: Budget,
    pub seed: u64,
    pub settings: String,
    /// The games it was learned from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    key: Key,
    measurement: Measurement,
}

impl Key {
    /// The name of its file: short, and different for different keys.
    fn path(&self, folder: &Path) -> PathBuf {
        let text = serde_json::to_string(self).expect("a key has nothing that JSON has not");
        let name = format!("{}-{}.json", self.experiment, fingerprint(&text));
        folder.join("measurements").join(name)
    }

    /// The measurement, if it was saved. A file that cannot be read is measured again.
    pub fn load(&self, folder: &Path) -> Option<Measurement> {
        let text = plain_file::read_to_string(&self.path(folder), plain_file::TEXT).ok()?;
        let saved: Saved = serde_json::from_str(&text).ok()?;
        (saved.key == *self).then_some(saved.measurement)
    }

    /// Saves the measurement.
    pub fn save(&self, folder: &Path, measurement: &Measurement) -> Result<(), PaperError> {
        let saved = Saved {
            key: self.clone(),
            measurement: measurement.clone(),
        };
        let text = serde_json::to_string(&saved).expect("a measurement becomes JSON");
        write_atomically(&self.path(folder), &text)
    }
}

/// A short name for a text, different for different texts.
pub(crate) fn fingerprint(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0, |hash, byte| derived_seed(hash, byte.into()));
    format!("{hash:016x}")
}

/// Writes a file so that it is there whole or not at all; missing folders are made.
///
/// # Errors
/// When the file system refuses.
pub fn write_atomically(path: &Path, text: &str) -> Result<(), PaperError> {
    let refuse = |source| PaperError::File {
        path: path.to_owned(),
        source,
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| truth::durable::write(path, [text]))
        .map_err(refuse)
}

/// Writes `<id>.md`, `<id>.json` and `<id>.html` into a folder.
///
/// # Errors
/// When the file system refuses.
pub fn write_report(report: &Report, folder: &Path) -> Result<(), PaperError> {
    for (ending, text) in [
        ("md", report.markdown()),
        ("json", report.json()),
        ("html", report.html()),
    ] {
        write_atomically(&folder.join(format!("{}.{ending}", report.id)), &text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/file.txt");
        write_atomically(&path, "one").unwrap();
        write_atomically(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
