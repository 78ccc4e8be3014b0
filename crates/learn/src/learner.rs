//! What every learner can do.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use play::{Evaluators, Prepared, Registry, Settings, SpecError};
use rand_chacha::ChaCha8Rng;

use crate::{
    EndgameLearner, LearnError, Metrics,
    elsewhere::Divided,
    runs::{
        grace::GRACE,
        record::{Reader, Writer},
    },
};

/// Someone who gets better by playing or by studying.
///
/// A learner owns everything its future depends on: given the same state it plays the same games.
/// [`Learner::save`] writes that state, so that a run interrupted at any moment can go on as if
/// nothing had happened.
pub trait Learner: Send + Sync {
    /// Fetches what it needs for training and not for play, such as the games it studies; before a
    /// folder is made, so that a training that cannot begin leaves nothing behind.
    ///
    /// # Errors
    /// When something is missing.
    fn prepare(&mut self) -> Result<(), LearnError> {
        Ok(())
    }

    /// Plays one training game, or studies one batch, and learns from it.
    ///
    /// Whatever may take longer than a moment looks at `stop` and gives up when it is set. What is
    /// then left of the learner is half-finished: it must be loaded from its last record.
    ///
    /// # Errors
    /// [`LearnError::Stopped`] when it gave up; or when an opponent that is a foreign program fails.
    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError>;

    /// How long an episode that was begun is given to end when the run is told to stop.
    fn grace(&self) -> Duration {
        GRACE
    }

    /// What it tells about its training, by name, for the next point of the curve; `before` is the
    /// curve so far. It is asked several times a second.
    fn scalars(&self, before: &Metrics) -> Vec<(&'static str, f64)>;

    /// What it finds out about itself only for a point of the curve, because it takes a while.
    fn examine(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The players of what it has learned: `how` are the settings behind `run:FOLDER`, and `name`
    /// is what the players' errors call them.
    ///
    /// # Errors
    /// When a setting makes no sense for it.
    fn players(self: Arc<Self>, name: &str, how: &Settings) -> Result<Prepared, SpecError>;

    /// What it has learned, as a tree search asks it, if one can.
    fn evaluators(self: Arc<Self>) -> Option<Evaluators> {
        None
    }

    /// The share of games that it wins against an opponent by name; `self` is what it has learned
    /// itself. It draws on no random numbers but those of `seed`.
    ///
    /// # Errors
    /// When there is no such opponent, it fails, or it is told to stop.
    fn evaluate(
        &self,
        opponent: &str,
        games: u32,
        seed: u64,
        registry: Option<&Registry>,
        stop: &AtomicBool,
    ) -> Result<f64, LearnError>;

    /// Bytes that what it has learned takes.
    fn bytes(&self) -> u64;

    /// Files of what it has learned, for use outside of a run: names and contents.
    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        Vec::new()
    }

    /// Writes its state.
    fn save(&self, out: &mut Writer);

    /// Reads the state that [`Learner::save`] wrote, for the same task and settings.
    ///
    /// # Errors
    /// When the record does not fit.
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError>;

    /// The same as a learner whose games others can play, if they can.
    fn divided(&mut self) -> Option<&mut dyn Divided> {
        None
    }

    /// The same as a learner of an endgame, if it is one.
    fn endgame_learner(&self) -> Option<&dyn EndgameLearner> {
        None
    }

    /// The same, to change it.
    fn endgame_learner_mut(&mut self) -> Option<&mut dyn EndgameLearner> {
        None
    }

    /// The same, shared.
    fn into_endgame_learner(self: Arc<Self>) -> Option<Arc<dyn EndgameLearner>> {
        None
    }
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

/// Refuses to go on when the learner is to stop.
///
/// # Errors
/// When it is.
pub(crate) fn go_on(stop: &AtomicBool) -> Result<(), LearnError> {
    match stop.load(std::sync::atomic::Ordering::Relaxed) {
        true => Err(LearnError::Stopped),
        false => Ok(()),
    }
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

/// A number from 0 to 1, 1 never.
pub(crate) fn chance(random: &mut ChaCha8Rng) -> f64 {
    f64::from(rand::Rng::next_u32(random)) / 4_294_967_296.0
}

/// A number below `count`, near enough to uniform (bias below `count` / 2³²).
#[inline]
pub(crate) fn below(random: &mut ChaCha8Rng, count: usize) -> usize {
    ((u64::from(rand::Rng::next_u32(random)) * count as u64) >> 32) as usize
}
