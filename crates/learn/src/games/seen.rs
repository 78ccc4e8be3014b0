//! Which positions occur in the games that are learned from.

use rayon::prelude::*;

use super::{GameFile, GamesError, PackedPosition};

/// The positions of some games as a set, eight bytes each.
///
/// Openings repeat, so an accuracy over held-out games counts much that was seen in training; the
/// positions that are not in this set are the honest ones. Two positions are the same when men, side
/// to move, castling rights and a possible capture en passant are. They are told apart by numbers
/// of 64 bits: among eleven million, one pair is mixed up by chance in three hundred thousand tries.
pub struct SeenPositions {
    /// Sorted, each once.
    keys: Vec<u64>,
}

impl SeenPositions {
    /// The positions of these games in which a move was played.
    ///
    /// # Errors
    /// When a game holds a move that is none: the file was made up.
    pub fn of(file: &GameFile, games: &[u32]) -> Result<SeenPositions, GamesError> {
        let keys = games
            .par_chunks(1024)
            .map(|games| {
                let mut keys = Vec::new();
                for &game in games {
                    let game = file.game(game as usize);
                    let before = keys.len();
                    keys.extend(game.positions().map(|position| position.key()));
                    if keys.len() - before != usize::from(game.header().plies) {
                        return Err(GamesError::Damaged("moves"));
                    }
                }
                Ok(keys)
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(SeenPositions::sorted(keys.concat()))
    }

    /// The same for positions that are in memory.
    pub fn of_positions(positions: &[PackedPosition]) -> SeenPositions {
        SeenPositions::sorted(positions.par_iter().map(PackedPosition::key).collect())
    }

    fn sorted(mut keys: Vec<u64>) -> SeenPositions {
        keys.par_sort_unstable();
        keys.dedup();
        SeenPositions { keys }
    }

    /// Is this position among them?
    pub fn contains(&self, position: &PackedPosition) -> bool {
        self.keys.binary_search(&position.key()).is_ok()
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
