//! How a policy is to be optimised: what the recipes of this family have in common.

use std::sync::{Arc, Mutex};

use super::{
    chess_world::{ChessTerms, ChessWorld},
    rollout::Rivals,
    samples::Discounts,
    sight::Sight,
    world::World,
};
use crate::{LearnError, net::plain::Activation};

/// Everything that the learner needs to know.
pub(super) struct Method {
    /// What the networks see.
    pub sight: Sight,
    /// Makes a world; files that it needs are read when the first one is made.
    pub worlds: Box<dyn WorldMaker>,
    /// What a win is worth.
    pub win: f32,
    /// Decisions that an iteration learns from.
    pub steps: usize,
    /// Decisions that a world brings in an iteration.
    pub fragment: usize,
    /// Times that an iteration goes over its decisions.
    pub epochs: usize,
    /// Decisions to a step.
    pub minibatch: usize,
    /// The learning rate at the beginning …
    pub rate: f64,
    /// … and at the end, between them on a straight line.
    pub rate_at_end: f64,
    /// How far the ratio of chances may leave 1.
    pub clip: f64,
    /// What the distance to the old policy costs at first; it adapts. 0: nothing, for ever.
    pub kl: f64,
    /// What entropy is worth at the beginning …
    pub entropy: f64,
    /// … and from an iteration on, between them on a straight line.
    pub entropy_at_end: f64,
    /// That iteration.
    pub entropy_until: u64,
    /// The largest squared error of the critic that brings a gradient.
    pub value_clip: f64,
    /// What the critic's error costs.
    pub value_weight: f64,
    /// How advantages are worked out.
    pub discounts: Discounts,
    /// Are the advantages of an iteration brought to mean 0 and deviation 1?
    pub standardise: bool,
    /// Neurons of a hidden layer.
    pub width: usize,
    /// What a neuron does with its sum.
    pub activation: Activation,
    /// Whom it plays.
    pub rivals: Rivals,
    /// Former selves that are kept.
    pub pool: usize,
    /// Iterations after which one more is kept.
    pub pool_every: u64,
    /// Is the distance to the old policy measured over all moves, too, legal or not?
    pub measures_all_moves: bool,
    /// Where the networks learn.
    pub device: String,
    /// Into how many shifts learners are divided that learn together there.
    pub shifts: usize,
}

/// Makes worlds.
pub(super) trait WorldMaker: Send + Sync {
    /// So many worlds.
    fn make(&self, count: usize) -> Result<Vec<Box<dyn World>>, LearnError>;
}

impl<F> WorldMaker for F
where
    F: Fn(usize) -> Result<Vec<Box<dyn World>>, LearnError> + Send + Sync,
{
    fn make(&self, count: usize) -> Result<Vec<Box<dyn World>>, LearnError> {
        self(count)
    }
}

/// What RLlib aims at when it adapts what the distance to the old policy costs.
pub(super) const KL_TARGET: f64 = 0.01;

impl Method {
    /// How many worlds bring the decisions of an iteration; the last may bring some too many.
    pub fn count(&self) -> usize {
        self.steps.div_ceil(self.fragment)
    }

    /// Decisions that each of them brings.
    pub fn decisions(&self) -> usize {
        self.steps.div_ceil(self.count())
    }

    /// What entropy is worth in an iteration.
    pub fn entropy_in(&self, iteration: u64) -> f64 {
        let share = match self.entropy_until {
            0 => 1.0,
            until => (iteration as f64 / until as f64).min(1.0),
        };
        self.entropy + (self.entropy_at_end - self.entropy) * share
    }

    /// The learning rate in an iteration of so many.
    pub fn rate_in(&self, iteration: u64, of: u64) -> f64 {
        let share = iteration as f64 / of.max(1) as f64;
        self.rate + (self.rate_at_end - self.rate) * share.min(1.0)
    }
}

/// Makes worlds of chess on terms that are read when they are needed.
pub(super) struct ChessWorlds<F> {
    /// Reads the terms.
    read: F,
    /// What they were when they were needed first.
    terms: Mutex<Option<Arc<ChessTerms>>>,
}

impl<F> ChessWorlds<F> {
    /// Worlds on terms that `read` will read.
    pub fn new(read: F) -> ChessWorlds<F> {
        ChessWorlds {
            read,
            terms: Mutex::default(),
        }
    }
}

impl<F> WorldMaker for ChessWorlds<F>
where
    F: Fn() -> Result<ChessTerms, LearnError> + Send + Sync,
{
    fn make(&self, count: usize) -> Result<Vec<Box<dyn World>>, LearnError> {
        let mut known = self.terms.lock().unwrap_or_else(|e| e.into_inner());
        let terms = match &*known {
            Some(terms) => terms.clone(),
            None => known.insert(Arc::new((self.read)()?)).clone(),
        };
        let world = |_| -> Result<Box<dyn World>, LearnError> {
            Ok(Box::new(ChessWorld::new(terms.clone())?))
        };
        (0..count).map(world).collect()
    }
}
