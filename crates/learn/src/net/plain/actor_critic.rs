//! A policy and a critic in training, in parts that threads share.

use rayon::prelude::*;

#[cfg(feature = "libtorch")]
use super::mlp::{Activation, MlpShape};
use super::{
    adam::AdamStep,
    mlp::{Lists, Mlp},
    mlp_trainer::{MlpTrainer, Part},
};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// Policy and critic in training.
pub(crate) struct ActorCritic {
    pub policy: MlpTrainer,
    pub value: MlpTrainer,
    /// Steps taken.
    pub steps: u64,
    // Kept to save allocating.
    policy_parts: Vec<Part>,
    value_parts: Vec<Part>,
}

/// Samples that a thread takes at a time. What comes out depends on it, so it does not depend on the
/// number of threads.
const PART: usize = 64;

impl ActorCritic {
    pub fn new(policy: Mlp, value: Mlp) -> ActorCritic {
        ActorCritic {
            policy: MlpTrainer::new(policy),
            value: MlpTrainer::new(value),
            steps: 0,
            policy_parts: Vec::new(),
            value_parts: Vec::new(),
        }
    }

    /// Two networks of nothing, in the place of others that are away.
    #[cfg(feature = "libtorch")]
    pub fn nothing() -> ActorCritic {
        let nothing = Mlp::zero(MlpShape {
            inputs: 0,
            width: 0,
            outputs: 0,
            activation: Activation::Tanh,
        });
        ActorCritic::new(nothing.clone(), nothing)
    }

    /// One step on a minibatch: `samples` are places in `inputs`. `of_policy` and `of_value` are given
    /// some of the samples, show them to the network and leave the gradients of its answers in the
    /// part; what they tell comes back, the policy's parts first.
    pub fn step<T: Send>(
        &mut self,
        inputs: &Lists,
        samples: &[u32],
        rate: f64,
        of_policy: impl Fn(&Mlp, &[u32], &mut Part) -> T + Sync,
        of_value: impl Fn(&Mlp, &[u32], &mut Part) -> T + Sync,
    ) -> Vec<T> {
        let parts = samples.len().div_ceil(PART);
        self.policy_parts.resize_with(parts, Part::default);
        self.value_parts.resize_with(parts, Part::default);
        let (policy, value) = (&self.policy.mlp, &self.value.mlp);
        let (mut told, more): (Vec<T>, Vec<T>) = rayon::join(
            || {
                let parts = self.policy_parts.par_iter_mut();
                let parts = parts.zip(samples.par_chunks(PART));
                parts
                    .map(|(part, samples)| of_policy(policy, samples, part))
                    .collect()
            },
            || {
                let parts = self.value_parts.par_iter_mut();
                let parts = parts.zip(samples.par_chunks(PART));
                parts
                    .map(|(part, samples)| of_value(value, samples, part))
                    .collect()
            },
        );
        told.extend(more);
        self.steps += 1;
        let adam = AdamStep::new(self.steps, rate);
        rayon::join(
            || {
                self.policy.step(inputs, samples, &self.policy_parts, adam);
            },
            || {
                self.value.step(inputs, samples, &self.value_parts, adam);
            },
        );
        told
    }

    pub fn save(&self, out: &mut Writer) {
        out.u64(self.steps);
        self.policy.save(out);
        self.value.save(out);
    }

    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.steps = from.u64()?;
        self.policy.load(from)?;
        self.value.load(from)
    }
}
