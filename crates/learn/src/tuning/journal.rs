//! What has happened in a search: `journal.jsonl`, an entry a line.
//!
//! It is written anew with every entry, so that it is whole at any moment; there are as many entries as
//! scores, and between two of them lies a training.

use std::path::{Path, PathBuf};

use rules::plain_file;
use serde::{Deserialize, Serialize};

use super::{Settings, TuningError};
use crate::{LearnError, runs::durable};

/// Something that has happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// A training was judged.
    Scored {
        /// Of which trial or member, from 0.
        trial: usize,
        /// With which of its seeds, from 0.
        seed: u32,
        /// After so many episodes.
        episodes: u64,
        /// `None` where it was no number.
        score: Option<f64>,
    },
    /// The worst of a population are to be replaced.
    Selected {
        /// After so many episodes.
        episodes: u64,
        /// By whom.
        copies: Vec<Copied>,
    },
    /// They have been.
    Replaced {
        /// After so many episodes.
        episodes: u64,
    },
}

/// A member of a population that goes on with what another has learned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Copied {
    /// Who is replaced, from 0.
    pub to: usize,
    /// Whose weights and settings it goes on with, from 0.
    pub from: usize,
    /// The settings it goes on with, mutated.
    pub settings: Settings,
}

/// The journal of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Journal {
    path: PathBuf,
    entries: Vec<Entry>,
}

impl Journal {
    /// That of the search in a folder; empty where nothing has happened yet.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn open(folder: &Path) -> Result<Journal, TuningError> {
        let path = folder.join("journal.jsonl");
        let text = match plain_file::read_to_string(&path, plain_file::TEXT) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            text => text.map_err(LearnError::file(&path))?,
        };
        let entry = |(at, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|error| TuningError::Journal {
                path: path.clone(),
                line: at + 1,
                why: error.to_string(),
            })
        };
        let entries = text
            .lines()
            .enumerate()
            .map(entry)
            .collect::<Result<_, _>>()?;
        Ok(Journal { path, entries })
    }

    /// Writes an entry down; it is on the disk when this returns.
    ///
    /// # Errors
    /// When the file system refuses.
    pub(super) fn push(&mut self, entry: Entry) -> Result<(), LearnError> {
        self.entries.push(entry);
        let mut text = String::new();
        for entry in &self.entries {
            text += &serde_json::to_string(entry).expect("an entry becomes JSON");
            text.push('\n');
        }
        durable::write(&self.path, text.as_bytes())
    }

    /// The score of a training after so many episodes, if it was judged; `Some(None)` where that was no number.
    pub fn score(&self, of: usize, with: u32, after: u64) -> Option<Option<f64>> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::Scored {
                trial,
                seed,
                episodes,
                score,
            } if (*trial, *seed, *episodes) == (of, with, after) => Some(*score),
            _ => None,
        })
    }

    /// Who was to be replaced after so many episodes, if that was decided.
    pub fn selected(&self, after: u64) -> Option<&[Copied]> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::Selected { episodes, copies } if *episodes == after => Some(copies.as_slice()),
            _ => None,
        })
    }

    /// Were they replaced?
    pub(super) fn replaced(&self, after: u64) -> bool {
        self.entries.contains(&Entry::Replaced { episodes: after })
    }

    /// Episodes of trainings that were judged, in all.
    pub(super) fn episodes(&self, generations: &[u64]) -> u64 {
        let part = |end: u64| {
            let at = generations.iter().position(|&other| other == end);
            let before = at
                .and_then(|at| at.checked_sub(1))
                .map(|at| generations[at]);
            end - before.unwrap_or(0)
        };
        let parts = self.entries.iter().map(|entry| match entry {
            Entry::Scored { episodes, .. } => part(*episodes),
            _ => 0,
        });
        parts.sum()
    }
}
