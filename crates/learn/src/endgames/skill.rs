//! Knowing an endgame.

use std::sync::Arc;

use play::TinyNetwork;
use rand_chacha::ChaCha8Rng;
use rules::{FewMen, FewMove};
use serde::{Deserialize, Serialize};
use truth::Oracle;

use crate::{DistanceNetwork, Endgame, Learner};

/// Someone who has a move for every position of an endgame: a learner of it, or a network.
pub trait Skill: Send + Sync {
    /// The endgame.
    fn endgame(&self) -> &Endgame;

    /// The move it thinks best for the side to move, always the same for the same table.
    ///
    /// `men` must be the standard image of a position
    /// ([`FewMenIndex::canonical`](rules::FewMenIndex::canonical)).
    /// Returns `None` when there is no legal move.
    fn choose(&self, men: FewMen) -> Option<Preference>;

    /// Like [`Skill::choose`], with equally good moves drawn by lot.
    fn choose_by_lot(&self, men: FewMen, _: &mut ChaCha8Rng) -> Option<Preference> {
        self.choose(men)
    }

    /// Is the move that it thinks of first a legal one? `None` from those who only think of legal
    /// moves, as nearly all do; [`Skill::choose`] looks further until it finds one.
    ///
    /// Unlike there, `men` is as it stands on the board.
    fn thinks_legally(&self, _: FewMen) -> Option<bool> {
        None
    }

    /// The small network behind it, if that is what it is: one that a search can ask.
    fn network(&self) -> Option<Arc<TinyNetwork>> {
        None
    }

    /// The network of distances to mate behind it, if that is what it is.
    fn distances(&self) -> Option<&DistanceNetwork> {
        None
    }
}

/// A learner of an endgame.
pub trait EndgameLearner: Learner + Skill {
    /// Hands it the exact answers. Only recipes that say so by name are taught; to all others this
    /// does nothing.
    fn teach(&mut self, _: Arc<dyn Oracle>) {}

    /// Of the moves that it thought of first in training, not exploring: how many were legal, and
    /// how many there were. `None` from learners that only think of legal moves.
    fn legal_thoughts(&self) -> Option<(u64, u64)> {
        None
    }

    /// The positions its training games began with, if it keeps them.
    fn training_starts(&self) -> Vec<FewMen> {
        Vec::new()
    }

    /// The mean squared error over its training positions, in moves, if it has such.
    fn training_error(&mut self) -> Option<f64> {
        None
    }

    /// What it has seen.
    fn extent(&self) -> Extent;
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

/// What a learner has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Different positions with white to move in which white has moved.
    pub visited: u64,
    /// How often white has moved.
    pub visits: u64,
}

/// The part of [`Learner`] that is the same for every learner of an endgame.
macro_rules! as_endgame_learner {
    () => {
        fn players(
            self: ::std::sync::Arc<Self>,
            name: &str,
            how: &::play::Settings,
        ) -> Result<::play::Prepared, ::play::SpecError> {
            crate::runs::policy_players(self, name, how)
        }

        fn evaluate(
            &self,
            opponent: &str,
            games: u32,
            seed: u64,
            registry: Option<&::play::Registry>,
            stop: &::std::sync::atomic::AtomicBool,
        ) -> Result<f64, crate::LearnError> {
            crate::endgames::evaluate(self, opponent, games, seed, registry, stop)
        }

        fn endgame_learner(&self) -> Option<&dyn crate::EndgameLearner> {
            Some(self)
        }

        fn endgame_learner_mut(&mut self) -> Option<&mut dyn crate::EndgameLearner> {
            Some(self)
        }

        fn into_endgame_learner(
            self: ::std::sync::Arc<Self>,
        ) -> Option<::std::sync::Arc<dyn crate::EndgameLearner>> {
            Some(self)
        }
    };
}
pub(crate) use as_endgame_learner;
