//! The learner of an endgame: the same, with a move for every position, so that it can be certified.

use std::{sync::atomic::AtomicBool, time::Duration};

use rules::FewMen;

use super::learner::Ppo;
use crate::{
    Endgame, EndgameLearner, Episode, Extent, LearnError, Learner, Metrics, Preference, Skill,
    elsewhere::Divided,
    endgames::{EndgameSight, as_endgame_learner},
    net::plain::{Lists, chances::likeliest},
    runs::record::{Reader, Writer},
};

/// A policy for an endgame that is optimised by playing.
pub struct EndgamePpo {
    pub(super) ppo: Ppo,
    pub(super) endgame: Endgame,
    pub(super) sight: EndgameSight,
}

impl Learner for EndgamePpo {
    fn prepare(&mut self) -> Result<(), LearnError> {
        self.ppo.prepare()
    }

    fn episode(&mut self, stop: &AtomicBool) -> Result<Episode, LearnError> {
        self.ppo.episode(stop)
    }

    fn grace(&self) -> Duration {
        self.ppo.grace()
    }

    fn scalars(&self, before: &Metrics) -> Vec<(&'static str, f64)> {
        self.ppo.scalars(before)
    }

    fn bytes(&self) -> u64 {
        self.ppo.bytes()
    }

    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        self.ppo.files()
    }

    fn save(&self, out: &mut Writer) {
        self.ppo.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.ppo.load(from)
    }

    fn divided(&mut self) -> Option<&mut dyn Divided> {
        Some(&mut self.ppo)
    }

    as_endgame_learner!();
}

impl Skill for EndgamePpo {
    fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    fn choose(&self, men: FewMen) -> Option<Preference> {
        let targets = self.endgame.rules.targets(men);
        if targets.is_empty() {
            return None;
        }
        let (mut inputs, mut rows) = (Lists::default(), Lists::default());
        self.sight.show(men, &mut inputs);
        self.sight.rows(men, &targets, &mut rows);
        let each = self.sight.extents().rows_a_move;
        let (chances, _) = self.ppo.network().judge(&inputs, &rows, each);
        Some(Preference {
            m: targets.nth(likeliest(&chances)),
            visited: true,
        })
    }
}

impl EndgameLearner for EndgamePpo {
    fn extent(&self) -> Extent {
        Extent::default()
    }
}
