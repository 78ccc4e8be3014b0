//! Proximal policy optimisation: what is made smaller, and by which steps.
//!
//! Of each decision the ratio of the chance that the policy gives its move now to the one it gave when
//! it was played is held against the move's advantage; beyond `clip` it brings nothing more. A
//! distance to the old policy (Kullback and Leibler's, over the legal moves) may be added, and
//! entropy taken away. The critic's squared error brings no gradient where it is larger than
//! `value_clip`: that is RLlib's way.

use rand_chacha::ChaCha8Rng;

use crate::{
    LearnError,
    learner::{below, go_on},
    net::plain::{Lists, Mlp, actor_critic::ActorCritic, chances::to_chances, mlp_trainer::Part},
};
use std::sync::atomic::AtomicBool;

/// Decisions to learn from.
#[derive(Default)]
pub(super) struct Batch {
    pub inputs: Lists,
    /// The rows of the legal moves, with the logarithms of the chances the moves had.
    pub legal: Lists,
    pub chosen: Vec<u16>,
    pub advantages: Vec<f32>,
    /// What the critic should have said.
    pub targets: Vec<f32>,
}

/// What is made smaller.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Objective {
    /// How far the ratio of chances may leave 1.
    pub clip: f64,
    /// What the distance to the old policy costs.
    pub kl: f64,
    /// What entropy is worth.
    pub entropy: f64,
    /// The largest squared error of the critic that still brings a gradient.
    pub value_clip: f64,
    /// What the critic's error costs.
    pub value_weight: f64,
    /// Rows of the policy's last table that belong to a move.
    pub rows_a_move: usize,
}

/// What a pass told, summed over decisions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Told {
    pub decisions: u64,
    /// The clipped objective, made negative.
    pub policy_loss: f64,
    /// Squared error of the critic, as it counts.
    pub value_loss: f64,
    pub entropy: f64,
    /// Distance from the old policy to the new.
    pub kl: f64,
    /// Decisions whose ratio lies outside.
    pub clipped: f64,
    /// Decisions whose value is so wrong that it brings no gradient.
    pub value_beyond: f64,
}

impl Told {
    pub fn add(&mut self, other: &Told) {
        self.decisions += other.decisions;
        self.policy_loss += other.policy_loss;
        self.value_loss += other.value_loss;
        self.entropy += other.entropy;
        self.kl += other.kl;
        self.clipped += other.clipped;
        self.value_beyond += other.value_beyond;
    }

    /// A sum over decisions as their mean.
    pub fn mean(&self, sum: f64) -> f64 {
        sum / self.decisions.max(1) as f64
    }
}

/// How often and how far it learns from a batch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pace {
    pub epochs: usize,
    pub minibatch: usize,
    pub rate: f64,
}

/// The orders in which so many decisions are gone over, one pass after the other, in whole
/// minibatches; what is left over of a pass is left out of it.
pub(super) fn orders(decisions: usize, pace: Pace, random: &mut ChaCha8Rng) -> Vec<u32> {
    let mut order: Vec<u32> = (0..decisions as u32).collect();
    let minibatch = pace.minibatch.min(order.len()).max(1);
    let whole = order.len() / minibatch * minibatch;
    let mut orders = Vec::with_capacity(pace.epochs * whole);
    for _ in 0..pace.epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, below(random, i + 1));
        }
        orders.extend(&order[..whole]);
    }
    orders
}

/// Goes over a batch several times, each time in another order and in minibatches.
pub(super) fn learn(
    networks: &mut ActorCritic,
    batch: &Batch,
    objective: Objective,
    pace: Pace,
    random: &mut ChaCha8Rng,
    stop: &AtomicBool,
) -> Result<Told, LearnError> {
    let minibatch = pace.minibatch.min(batch.chosen.len()).max(1);
    let mut told = Told::default();
    for samples in orders(batch.chosen.len(), pace, random).chunks_exact(minibatch) {
        go_on(stop)?;
        told.add(&step(networks, batch, samples, objective, pace.rate));
    }
    Ok(told)
}

/// One step on a minibatch.
fn step(
    networks: &mut ActorCritic,
    batch: &Batch,
    samples: &[u32],
    objective: Objective,
    rate: f64,
) -> Told {
    let scale = 1.0 / samples.len() as f32;
    let parts = networks.step(
        &batch.inputs,
        samples,
        rate,
        |policy, samples, part| policy_part(policy, batch, samples, objective, scale, part),
        |value, samples, part| value_part(value, batch, samples, objective, scale, part),
    );
    let mut told = Told::default();
    parts.iter().for_each(|part| told.add(part));
    told
}

/// Shows the policy some decisions and works out their gradients.
fn policy_part(
    policy: &Mlp,
    batch: &Batch,
    samples: &[u32],
    objective: Objective,
    scale: f32,
    part: &mut Part,
) -> Told {
    let each = objective.rows_a_move;
    let samples = || samples.iter().map(|&sample| sample as usize);
    policy.hidden(&batch.inputs, samples(), &mut part.hidden);
    part.answers.clear();
    let mut told = Told::default();
    let (mut now, mut gradient) = (Vec::new(), Vec::new());
    for (place, sample) in samples().enumerate() {
        let second = policy.second_of(&part.hidden, place);
        let rows = batch.legal.rows(sample);
        let before = batch.legal.values(sample);
        now.clear();
        now.extend(rows.chunks_exact(each).map(|rows| {
            rows.iter()
                .map(|&row| policy.answer(second, row))
                .sum::<f32>()
        }));
        to_chances(&mut now);
        let chosen = usize::from(batch.chosen[sample]);
        let advantage = batch.advantages[sample];
        let old = before.iter().step_by(each);
        told.add(&objective.judge(&now, old, chosen, advantage, scale, &mut gradient));
        for (i, &row) in rows.iter().enumerate() {
            part.answers.push(row.into(), gradient[i / each]);
        }
        part.answers.end();
    }
    policy.back(&part.answers, &mut part.hidden);
    told
}

impl Objective {
    /// What a decision tells, and the gradient of its share of the loss by the scores of its moves;
    /// `now` and `before` are the logarithms of their chances.
    fn judge<'a>(
        &self,
        now: &[f32],
        before: impl Iterator<Item = &'a f32> + Clone,
        chosen: usize,
        advantage: f32,
        scale: f32,
        gradient: &mut Vec<f32>,
    ) -> Told {
        let old = before.clone().nth(chosen).copied().unwrap_or_default();
        let ratio = (now[chosen] - old).exp();
        let clip = self.clip as f32;
        let clipped = ratio.clamp(1.0 - clip, 1.0 + clip);
        let gain = (advantage * ratio).min(advantage * clipped);
        let grows = match advantage >= 0.0 {
            true => ratio <= 1.0 + clip,
            false => ratio >= 1.0 - clip,
        };
        let pull = if grows { advantage * ratio } else { 0.0 };
        let entropy = -now.iter().map(|&log| log.exp() * log).sum::<f32>();
        let distance: f32 = now
            .iter()
            .zip(before.clone())
            .map(|(&now, &old)| old.exp() * (old - now))
            .sum();
        let (kl, worth) = (self.kl as f32, self.entropy as f32);
        gradient.clear();
        gradient.extend(now.iter().zip(before).enumerate().map(|(i, (&log, &old))| {
            let chance = log.exp();
            let mut sum = pull * chance + worth * chance * (log + entropy);
            if i == chosen {
                sum -= pull;
            }
            if kl != 0.0 {
                sum += kl * (chance - old.exp());
            }
            scale * sum
        }));
        Told {
            decisions: 1,
            policy_loss: -f64::from(gain),
            entropy: entropy.into(),
            kl: distance.into(),
            clipped: f64::from(u8::from((ratio - 1.0).abs() > clip)),
            ..Told::default()
        }
    }
}

/// Shows the critic some decisions and works out their gradients.
fn value_part(
    value: &Mlp,
    batch: &Batch,
    samples: &[u32],
    objective: Objective,
    scale: f32,
    part: &mut Part,
) -> Told {
    let samples = || samples.iter().map(|&sample| sample as usize);
    value.hidden(&batch.inputs, samples(), &mut part.hidden);
    part.answers.clear();
    let mut told = Told::default();
    for (place, sample) in samples().enumerate() {
        let said = value.answer(value.second_of(&part.hidden, place), 0);
        let error = said - batch.targets[sample];
        let squared = f64::from(error) * f64::from(error);
        let counts = squared <= objective.value_clip;
        told.value_beyond += f64::from(u8::from(!counts));
        told.value_loss += squared.min(objective.value_clip);
        let weight = objective.value_weight as f32 * scale;
        part.answers
            .push(0, if counts { 2.0 * error * weight } else { 0.0 });
        part.answers.end();
    }
    value.back(&part.answers, &mut part.hidden);
    told
}

#[cfg(test)]
pub(super) mod tests;
