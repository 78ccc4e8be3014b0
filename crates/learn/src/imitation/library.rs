//! The games that are learned from and those that are judged by.

use std::path::Path;

use super::lessons;
use crate::{
    games::{GameFile, GamesError, Positions, SeenPositions, Split},
    net::TowerBatch,
};

/// The positions of a file of games: those to learn from, those held out, and which of these occur
/// among the others.
pub struct Library {
    training: Positions,
    held_out: Positions,
    seen: SeenPositions,
}

impl Library {
    /// Reads a file of games.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub fn open(file: &Path, split: Split) -> Result<Library, GamesError> {
        let file = GameFile::open(file)?;
        let (training, held_out) = split.of(&file);
        let held_out = Positions::of(&file, &held_out)?;
        Ok(Library {
            seen: SeenPositions::of(held_out.as_slice(), &file, &training)?,
            training: Positions::of(&file, &training)?,
            held_out,
        })
    }

    /// The positions to learn from.
    pub fn training(&self) -> &Positions {
        &self.training
    }

    /// The positions to judge by.
    pub fn held_out(&self) -> &Positions {
        &self.held_out
    }

    /// Does this one of the positions to judge by occur in no training game?
    pub fn is_unseen(&self, position: usize) -> bool {
        !self.seen.contains(&self.held_out.as_slice()[position])
    }

    /// So many of the positions to judge by, spread evenly over all.
    pub fn spread(&self, most: usize) -> Vec<usize> {
        let all = self.held_out.len();
        let count = most.min(all);
        (0..count).map(|i| i * all / count).collect()
    }

    /// Some of the positions to learn from.
    pub fn batch(&self, picks: &[usize], room: usize) -> TowerBatch {
        lessons(&self.training, picks, room)
    }
}
