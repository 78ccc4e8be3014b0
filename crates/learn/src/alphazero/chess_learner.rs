//! The learner of whole games.

use std::sync::{Arc, atomic::AtomicBool};

use play::{Evaluators, Nature, Prepared, Registry, Settings, SpecError};

use super::{
    learner::{AlphaZero, WEIGHTS},
    network::ZeroNetwork,
};
use crate::{
    Episode, LearnError, Learner, Metrics,
    elsewhere::Divided,
    runs::record::{Reader, Writer},
    whole_games::{players_without_search, share_won, without_search},
};

/// A learner of whole games. Without search it plays the move its network finds likeliest.
pub(super) struct ChessZero<N>(pub AlphaZero<N>);

impl<N: ZeroNetwork + 'static> Learner for ChessZero<N> {
    fn prepare(&mut self) -> Result<(), LearnError> {
        self.0.prepare()
    }

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        self.0.iteration(stop)
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        self.0.told()
    }

    fn players(self: Arc<Self>, name: &str, how: &Settings) -> Result<Prepared, SpecError> {
        let evaluators = Arc::new(move || self.0.network.judge().evaluator());
        players_without_search(name, how, evaluators, Nature::History)
    }

    fn evaluators(self: Arc<Self>) -> Option<Evaluators> {
        Some(Arc::new(move || self.0.network.judge().evaluator()))
    }

    fn evaluate(
        &self,
        opponent: &str,
        games: u32,
        seed: u64,
        registry: Option<&Registry>,
        stop: &AtomicBool,
    ) -> Result<f64, LearnError> {
        let player = || {
            without_search(
                "alphazero",
                self.0.network.judge().evaluator(),
                Nature::History,
            )
        };
        share_won(&player, opponent, games, seed, registry, stop)
    }

    fn bytes(&self) -> u64 {
        self.0.network.bytes()
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![(WEIGHTS, self.0.network.to_file())]
    }

    fn save(&self, out: &mut Writer) {
        self.0.write(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.0.read(from)
    }

    fn divided(&mut self) -> Option<&mut dyn Divided> {
        Some(&mut self.0)
    }
}
