//! What every learner can do.

use std::sync::Arc;

use play::TinyNetwork;
use rand_chacha::ChaCha8Rng;
use rules::{FewMen, FewMove};
use serde::{Deserialize, Serialize};
use truth::Oracle;

use crate::{
    DistanceNetwork, Endgame, LearnError,
    runs::record::{Reader, Writer},
};

/// Someone who gets better by playing.
///
/// A learner owns everything its future depends on: given the same state it plays the same games.
/// [`Learner::save`] writes that state, so that a run interrupted at any moment can go on as if
/// nothing had happened.
pub trait Learner: Send + Sync {
    /// The endgame it learns.
    fn endgame(&self) -> &Endgame;

    /// Hands it the exact answers. Only recipes that say so by name are taught; to all others this
    /// does nothing.
    fn teach(&mut self, _: Arc<dyn Oracle>) {}

    /// Plays one training game and learns from it.
    ///
    /// # Errors
    /// When an opponent that is a foreign program fails.
    fn episode(&mut self) -> Result<Episode, LearnError>;

    /// The move it thinks best for the side to move, always the same for the same table.
    ///
    /// `men` must be the standard image of a position
    /// ([`FewMenIndex::canonical`](rules::FewMenIndex::canonical)).
    /// Returns `None` when there is no legal move.
    fn choose(&self, men: FewMen) -> Option<Preference>;

    /// Like [`Learner::choose`], with equally good moves drawn by lot.
    fn choose_by_lot(&self, men: FewMen, _: &mut ChaCha8Rng) -> Option<Preference> {
        self.choose(men)
    }

    /// Is the move that it thinks of first a legal one? `None` from learners that only think of
    /// legal moves, as nearly all do; [`Learner::choose`] looks further until it finds one.
    ///
    /// Unlike there, `men` is as it stands on the board.
    fn thinks_legally(&self, _: FewMen) -> Option<bool> {
        None
    }

    /// Of the moves that it thought of first in training, not exploring: how many were legal, and
    /// how many there were.
    fn legal_thoughts(&self) -> Option<(u64, u64)> {
        None
    }

    /// The positions its training games began with, if it keeps them.
    fn training_starts(&self) -> Vec<FewMen> {
        Vec::new()
    }

    /// The chance of a random move in the next game, if it makes random moves.
    fn epsilon(&self) -> Option<f64> {
        None
    }

    /// The small network it has trained, if that is what it trains: one that a search can ask.
    fn network(&self) -> Option<Arc<TinyNetwork>> {
        None
    }

    /// The network of distances to mate that it has trained, if that is what it trains.
    fn distances(&self) -> Option<&DistanceNetwork> {
        None
    }

    /// The mean squared error over its training positions, in moves, if it has such.
    fn training_error(&mut self) -> Option<f64> {
        None
    }

    /// What it has seen and what that takes.
    fn extent(&self) -> Extent;

    /// What it has learned as a file of weights, if that is a network.
    fn weights(&self) -> Option<Vec<u8>> {
        None
    }

    /// Writes its state.
    fn save(&self, out: &mut Writer);

    /// Reads the state that [`Learner::save`] wrote, for the same endgame and settings.
    ///
    /// # Errors
    /// When the record does not fit.
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError>;
}

/// Which of several equally good moves is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// The first in the fixed order of moves: a policy that can be certified.
    #[default]
    First,
    /// Any, drawn by lot.
    Lot,
}

/// A preferred move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preference {
    /// The move.
    pub m: FewMove,
    /// Has the learner met the position in a game?
    pub visited: bool,
}

/// How a training game went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Episode {
    /// It was played.
    Played {
        /// Its length in plies.
        plies: u32,
        /// Did white mate, or reach a position it knows to be won?
        won: bool,
    },
    /// Examples of a teacher were studied instead of a game.
    Studied {
        /// How many.
        examples: u32,
        /// How many of them were right before, where an answer is either right or wrong.
        right: Option<u32>,
    },
    /// The learner has nothing left to learn; no game was played.
    Finished,
}

/// What a learner has seen and what that takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Different positions with white to move in which white has moved.
    pub visited: u64,
    /// How often white has moved.
    pub visits: u64,
    /// Bytes of memory for the tables.
    pub bytes: u64,
}

/// Writes a random number generator.
pub(crate) fn save_random(random: &ChaCha8Rng, out: &mut Writer) {
    out.bytes(&random.get_seed());
    out.u64(random.get_stream());
    let position = random.get_word_pos();
    out.u64(position as u64);
    out.u64((position >> 64) as u64);
}

/// Reads a random number generator.
pub(crate) fn load_random(from: &mut Reader<'_>) -> Result<ChaCha8Rng, LearnError> {
    use rand::SeedableRng as _;
    let seed = from.bytes()?.try_into().map_err(|_| LearnError::Record)?;
    let mut random = ChaCha8Rng::from_seed(seed);
    random.set_stream(from.u64()?);
    let low = u128::from(from.u64()?);
    random.set_word_pos(low | u128::from(from.u64()?) << 64);
    Ok(random)
}

/// A number below `count`, near enough to uniform (bias below `count` / 2³²).
#[inline]
pub(crate) fn below(random: &mut ChaCha8Rng, count: usize) -> usize {
    ((u64::from(rand::Rng::next_u32(random)) * count as u64) >> 32) as usize
}
