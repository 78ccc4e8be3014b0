//! What a split makes of a file, counted.

use rayon::prelude::*;
use serde::Serialize;

use super::{GameFile, GamesError, SeenPositions, Split};

/// How many games and positions there are to learn from and to judge by.
///
/// Every accuracy is given twice: over all held-out positions, and over those that occur in no
/// training game. Their numbers belong beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct HeldOut {
    /// Games to learn from.
    pub training_games: u64,
    /// Positions of these in which a move was played.
    pub training_positions: u64,
    /// Games to judge by.
    pub held_out_games: u64,
    /// Positions of these in which a move was played.
    pub held_out_positions: u64,
    /// Those of them that occur in no training game.
    pub unseen_positions: u64,
}

impl HeldOut {
    /// Counts, in memory for the held-out positions alone: eight bytes each.
    ///
    /// # Errors
    /// When a game holds a move that is none: the file was made up.
    pub fn of(file: &GameFile, split: Split) -> Result<HeldOut, GamesError> {
        let (training, held_out) = split.of(file);
        let keys: Vec<u64> = held_out
            .par_iter()
            .flat_map_iter(|&game| file.game(game as usize).positions())
            .map(|position| position.key())
            .collect();
        let seen = SeenPositions::of_keys(keys.clone(), file, &training)?;
        let unseen = keys.par_iter().filter(|&&key| !seen.contains_key(key));
        Ok(HeldOut {
            training_games: training.len() as u64,
            training_positions: training
                .iter()
                .map(|&game| u64::from(file.game(game as usize).header().plies))
                .sum(),
            held_out_games: held_out.len() as u64,
            held_out_positions: keys.len() as u64,
            unseen_positions: unseen.count() as u64,
        })
    }
}
