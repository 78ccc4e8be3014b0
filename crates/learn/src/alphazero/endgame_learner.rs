//! The learner of an endgame: the same, with a move for every position, so that it can be certified.

use std::sync::{Arc, atomic::AtomicBool};

use play::Evaluators;
use rules::FewMen;

use super::{
    EndgameEvaluator,
    endgame_trainer::EndgameTrainer,
    learner::{AlphaZero, WEIGHTS},
    network::ZeroNetwork as _,
};
use crate::{
    Endgame, EndgameLearner, Episode, Extent, LearnError, Learner, Metrics, Preference, Skill,
    elsewhere::Divided,
    endgames::as_endgame_learner,
    runs::record::{Reader, Writer},
};

/// A learner of an endgame; `skill` is what its network has learned, as long as it does not learn more.
pub(super) struct EndgameZero {
    pub zero: AlphaZero<EndgameTrainer>,
    pub endgame: Endgame,
}

impl Learner for EndgameZero {
    fn prepare(&mut self) -> Result<(), LearnError> {
        self.zero.prepare()
    }

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        self.zero.iteration(stop)
    }

    fn scalars(&self, _: &Metrics) -> Vec<(&'static str, f64)> {
        self.zero.told()
    }

    fn bytes(&self) -> u64 {
        self.zero.network.bytes()
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![(WEIGHTS, self.zero.network.to_file())]
    }

    fn save(&self, out: &mut Writer) {
        self.zero.write(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.zero.read(from)
    }

    fn divided(&mut self) -> Option<&mut dyn Divided> {
        Some(&mut self.zero)
    }

    fn evaluators(self: Arc<Self>) -> Option<Evaluators> {
        Some(EndgameEvaluator::many(self.zero.network.network()))
    }

    as_endgame_learner!();
}

impl Skill for EndgameZero {
    fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        self.zero.network.network().choose(men)
    }
}

impl EndgameLearner for EndgameZero {
    fn extent(&self) -> Extent {
        Extent::default()
    }
}
