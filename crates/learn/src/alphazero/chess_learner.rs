//! The learner of whole games.

use std::sync::{Arc, atomic::AtomicBool};

use play::{Evaluators, Prepared, Registry, Settings, SpecError};

use super::{chess_trainer::ChessTrainer, learner::AlphaZero, network::ZeroNetwork as _};
use crate::{
    Episode, LearnError, Learner, Metrics,
    elsewhere::Divided,
    imitation::{ImitationEvaluator, ImitationPlayer},
    runs::record::{Reader, Writer},
    whole_games::share_won,
};

/// A learner of whole games. Without search it plays the move its network finds likeliest.
pub(super) struct ChessZero(pub AlphaZero<ChessTrainer>);

impl Learner for ChessZero {
    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        self.0.iteration(stop)
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        self.0.told()
    }

    fn players(self: Arc<Self>, name: &str, how: &Settings) -> Result<Prepared, SpecError> {
        for key in ["depth", "history", "game"] {
            if how.beginning_with(key).next().is_some() {
                return Err(how.refuse(key, "nothing: it searches with search=puct, or not at all"));
            }
        }
        how.one_of("moves", &[("best", ())], ())?;
        let player = ImitationPlayer::new(name, self.0.network.network());
        Ok(Prepared::new(move |_| Box::new(player.clone())))
    }

    fn evaluators(self: Arc<Self>) -> Option<Evaluators> {
        Some(ImitationEvaluator::many(self.0.network.network()))
    }

    fn evaluate(
        &self,
        opponent: &str,
        games: u32,
        seed: u64,
        registry: Option<&Registry>,
        stop: &AtomicBool,
    ) -> Result<f64, LearnError> {
        let own = ImitationPlayer::new("alphazero", self.0.network.network());
        let player = || Box::new(own.clone()) as _;
        share_won(&player, opponent, games, seed, registry, stop)
    }

    fn bytes(&self) -> u64 {
        self.0.network.bytes()
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![("weights.safetensors", self.0.network.to_file())]
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
