//! Which positions occur in the games that are learned from.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{GameFile, GamesError, PackedPosition};

/// Those of some positions that occur in some games: the held-out ones that were seen in training.
///
/// Openings repeat, so an accuracy over held-out games counts much that was learned by heart; the
/// positions that are not in this set are the honest ones. Two positions are the same when men, side
/// to move, castling rights and a possible capture en passant are. They are told apart by numbers
/// of 64 bits, which two of a billion positions share by chance once in 37 sets.
pub struct SeenPositions {
    /// Sorted, each once.
    keys: Vec<u64>,
}

/// Games that one thread takes at a time.
const AT_A_TIME: usize = 1024;

impl SeenPositions {
    /// Which of `positions` occur in these games, as positions in which a move was played.
    ///
    /// # Errors
    /// When a game holds a move that is none: the file was made up.
    pub fn of(
        positions: &[PackedPosition],
        file: &GameFile,
        games: &[u32],
    ) -> Result<SeenPositions, GamesError> {
        let keys = positions.par_iter().map(PackedPosition::key).collect();
        SeenPositions::of_keys(keys, file, games)
    }

    pub(super) fn of_keys(
        mut keys: Vec<u64>,
        file: &GameFile,
        games: &[u32],
    ) -> Result<SeenPositions, GamesError> {
        keys.par_sort_unstable();
        keys.dedup();
        // Nearly all positions that are met are none of these: a bit table says so at once.
        let bits = (keys.len() * 64).next_power_of_two().max(64);
        let place = |key: u64| (key as usize) & (bits - 1);
        let mut table = vec![0_u64; bits / 64];
        for &key in &keys {
            table[place(key) / 64] |= 1 << (place(key) % 64);
        }
        let met: Vec<AtomicBool> = keys.iter().map(|_| AtomicBool::new(false)).collect();
        games.par_chunks(AT_A_TIME).try_for_each(|games| {
            for &game in games {
                let game = file.game(game as usize);
                let mut plies = 0;
                for position in game.positions() {
                    plies += 1;
                    let key = position.key();
                    if table[place(key) / 64] >> (place(key) % 64) & 1 == 1
                        && let Ok(found) = keys.binary_search(&key)
                    {
                        met[found].store(true, Ordering::Relaxed);
                    }
                }
                if plies != game.header().plies {
                    return Err(GamesError::Damaged("moves"));
                }
            }
            Ok(())
        })?;
        let mut met = met.iter();
        keys.retain(|_| met.next().is_some_and(|met| met.load(Ordering::Relaxed)));
        Ok(SeenPositions { keys })
    }

    /// Was this position, one of those asked about, seen?
    pub fn contains(&self, position: &PackedPosition) -> bool {
        self.contains_key(position.key())
    }

    pub(super) fn contains_key(&self, key: u64) -> bool {
        self.keys.binary_search(&key).is_ok()
    }

    /// How many different positions there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}
