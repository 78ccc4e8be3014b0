//! The games that are learned from and those that are judged by.

use std::path::Path;

use serde::Serialize;

use super::{MOST_MOVES, SIGHTS, lessons};
use crate::{
    games::{GameFile, GamesError, Positions, SeenPositions, Split},
    net::{TowerBatch, TowerNetwork},
};

/// The positions of a file of games: those to learn from, those held out, and which of these occur
/// among the others.
pub struct Library {
    training: Positions,
    held_out: Positions,
    seen: SeenPositions,
}

/// How often a network's first choice was what was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Matches {
    /// Positions judged.
    pub positions: u64,
    /// Of them, those in which the first choice was played …
    pub right: u64,
    /// … or one of the first three.
    pub first_three: u64,
    /// Positions judged that occur in no training game.
    pub unseen: u64,
    /// Of them, those in which the first choice was played …
    pub unseen_right: u64,
    /// … or one of the first three.
    pub unseen_first_three: u64,
}

/// Positions that a network judges at a time.
const AT_A_TIME: usize = 256;

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

    /// Judges a network by held-out positions: `most` of them, spread evenly over all.
    pub fn judge(&self, network: &TowerNetwork, most: usize) -> Matches {
        let picks = self.spread(most);
        let mut matches = Matches::default();
        for picks in picks.chunks(AT_A_TIME) {
            let batch = lessons(&self.held_out, picks, MOST_MOVES);
            let (scores, _) = network.answers(&batch.sights);
            let moves = scores.len() / picks.len();
            for (i, &pick) in picks.iter().enumerate() {
                let legal = &batch.legal[i * MOST_MOVES..][..MOST_MOVES];
                let scores = &scores[i * moves..][..moves];
                let score = |number: i16| scores[number as usize];
                let own = score(legal[batch.played[i] as usize]);
                // Another move with the same score counts as a better one.
                let known = legal.iter().filter(|&&number| number >= 0);
                let rank = known.filter(|&&number| score(number) >= own).count();
                let unseen = u64::from(self.is_unseen(pick));
                matches.positions += 1;
                matches.unseen += unseen;
                if rank == 1 {
                    matches.right += 1;
                    matches.unseen_right += unseen;
                }
                if rank <= 3 {
                    matches.first_three += 1;
                    matches.unseen_first_three += unseen;
                }
            }
        }
        debug_assert_eq!(network.shape().inputs, SIGHTS);
        matches
    }
}
