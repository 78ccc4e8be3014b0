//! Proximal policy optimisation: what is made smaller, and by which steps.
//!
//! Of each decision the ratio of the chance that the policy gives its move now to the one it gave when
//! it was played is held against the move's advantage; beyond `clip` it brings nothing more. A
//! distance to the old policy (Kullback and Leibler's, over the legal moves) may be added, and
//! entropy taken away. The critic's squared error brings no gradient where it is larger than
//! `value_clip`: that is RLlib's way.

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{
    adam::AdamStep,
    mlp::{Lists, Mlp},
    mlp_trainer::{MlpTrainer, Part},
    rollout::to_chances,
};
use crate::{
    LearnError,
    learner::{below, go_on},
    runs::record::{Reader, Writer},
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

/// Policy and critic in training.
pub(super) struct ActorCritic {
    pub policy: MlpTrainer,
    pub value: MlpTrainer,
    /// Steps taken.
    steps: u64,
    // Kept to save allocating.
    policy_parts: Vec<Part>,
    value_parts: Vec<Part>,
}

/// How often and how far it learns from a batch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pace {
    pub epochs: usize,
    pub minibatch: usize,
    pub rate: f64,
}

/// Decisions that a thread takes at a time. What comes out depends on it, so it does not depend on the
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

    /// Goes over a batch several times, each time in another order and in minibatches; what is left
    /// over of a pass is left out of it.
    pub fn learn(
        &mut self,
        batch: &Batch,
        objective: Objective,
        pace: Pace,
        random: &mut ChaCha8Rng,
        stop: &AtomicBool,
    ) -> Result<Told, LearnError> {
        let mut order: Vec<u32> = (0..batch.chosen.len() as u32).collect();
        let minibatch = pace.minibatch.min(order.len());
        let mut told = Told::default();
        for _ in 0..pace.epochs {
            for i in (1..order.len()).rev() {
                order.swap(i, below(random, i + 1));
            }
            for samples in order.chunks_exact(minibatch) {
                go_on(stop)?;
                told.add(&self.step(batch, samples, objective, pace.rate));
            }
        }
        Ok(told)
    }

    /// One step on a minibatch.
    fn step(&mut self, batch: &Batch, samples: &[u32], objective: Objective, rate: f64) -> Told {
        let parts = samples.len().div_ceil(PART);
        self.policy_parts.resize_with(parts, Part::default);
        self.value_parts.resize_with(parts, Part::default);
        let scale = 1.0 / samples.len() as f32;
        let (policy, value) = (&self.policy.mlp, &self.value.mlp);
        let (of_policy, of_value): (Vec<Told>, Vec<Told>) = rayon::join(
            || {
                let parts = self.policy_parts.par_iter_mut();
                parts
                    .zip(samples.par_chunks(PART))
                    .map(|(part, samples)| {
                        policy_part(policy, batch, samples, objective, scale, part)
                    })
                    .collect()
            },
            || {
                let parts = self.value_parts.par_iter_mut();
                parts
                    .zip(samples.par_chunks(PART))
                    .map(|(part, samples)| {
                        value_part(value, batch, samples, objective, scale, part)
                    })
                    .collect()
            },
        );
        self.steps += 1;
        let adam = AdamStep::new(self.steps, rate);
        rayon::join(
            || {
                self.policy
                    .step(&batch.inputs, samples, &self.policy_parts, adam);
            },
            || {
                self.value
                    .step(&batch.inputs, samples, &self.value_parts, adam);
            },
        );
        let mut told = Told::default();
        of_policy
            .iter()
            .chain(&of_value)
            .for_each(|part| told.add(part));
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
mod tests {
    use rand::{Rng as _, SeedableRng as _};

    use super::*;
    use crate::ppo::mlp::{Activation, MlpShape};

    fn random(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    fn fraction(random: &mut ChaCha8Rng) -> f32 {
        random.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0
    }

    const INPUTS: usize = 20;
    const MOVES: usize = 50;

    fn shape(outputs: usize) -> MlpShape {
        MlpShape {
            inputs: INPUTS,
            width: 24,
            outputs,
            activation: Activation::Tanh,
        }
    }

    /// Decisions between a few of fifty moves; with `each` rows a move.
    fn batch(count: usize, each: usize, random: &mut ChaCha8Rng) -> Batch {
        let mut batch = Batch::default();
        for _ in 0..count {
            for input in 0..INPUTS {
                if random.next_u32().is_multiple_of(3) {
                    batch.inputs.push(input, fraction(random));
                }
            }
            batch.inputs.end();
            let moves: Vec<usize> = (0..MOVES - each)
                .filter(|_| random.next_u32().is_multiple_of(5))
                .chain([MOVES - each])
                .collect();
            let mut scores: Vec<f32> = moves.iter().map(|_| fraction(random)).collect();
            to_chances(&mut scores);
            for (&m, &chance) in moves.iter().zip(&scores) {
                for row in 0..each {
                    batch.legal.push(m + row, chance);
                }
            }
            batch.legal.end();
            batch.chosen.push(below(random, moves.len()) as u16);
            batch.advantages.push(3.0 * fraction(random));
            batch.targets.push(3.0 * fraction(random));
        }
        batch
    }

    fn objective(rows_a_move: usize) -> Objective {
        Objective {
            clip: 0.3,
            kl: 0.7,
            entropy: 0.2,
            value_clip: 4.0,
            value_weight: 0.5,
            rows_a_move,
        }
    }

    /// The loss, worked out slowly and with all columns: what is not legal gets −∞.
    fn loss(policy: &Mlp, value: &Mlp, batch: &Batch, objective: Objective) -> f64 {
        let mut everything = Lists::default();
        for _ in 0..batch.chosen.len() {
            (0..MOVES).for_each(|row| everything.push(row, 0.0));
            everything.end();
        }
        let mut one = Lists::default();
        for _ in 0..batch.chosen.len() {
            one.push(0, 0.0);
            one.end();
        }
        let answers = policy.answers(&batch.inputs, &everything);
        let values = value.answers(&batch.inputs, &one);
        let each = objective.rows_a_move;
        let mut sum = 0.0;
        for (sample, answers) in answers.iter().enumerate() {
            let mut scores = vec![f64::NEG_INFINITY; MOVES];
            let mut before = vec![f64::NEG_INFINITY; MOVES];
            let rows = batch.legal.rows(sample).chunks(each);
            for (rows, old) in rows.zip(batch.legal.values(sample).chunks(each)) {
                let score = rows.iter().map(|&row| f64::from(answers[usize::from(row)]));
                scores[usize::from(rows[0])] = score.sum();
                before[usize::from(rows[0])] = old[0].into();
            }
            let whole = scores.iter().map(|s| s.exp()).sum::<f64>().ln();
            let logs: Vec<f64> = scores.iter().map(|s| s - whole).collect();
            let chosen = batch.legal.rows(sample)[usize::from(batch.chosen[sample]) * each];
            let chosen = usize::from(chosen);
            let ratio = (logs[chosen] - before[chosen]).exp();
            let advantage = f64::from(batch.advantages[sample]);
            let clip = ratio.clamp(1.0 - objective.clip, 1.0 + objective.clip);
            let gain = (ratio * advantage).min(clip * advantage);
            let legal = |i: &usize| scores[*i] > f64::NEG_INFINITY;
            let entropy: f64 = (0..MOVES)
                .filter(legal)
                .map(|i| -logs[i].exp() * logs[i])
                .sum();
            let kl: f64 = (0..MOVES)
                .filter(legal)
                .map(|i| before[i].exp() * (before[i] - logs[i]))
                .sum();
            let error = f64::from(values[sample][0]) - f64::from(batch.targets[sample]);
            let value = (error * error).min(objective.value_clip);
            sum += -gain + objective.kl * kl - objective.entropy * entropy
                + objective.value_weight * value;
        }
        sum / batch.chosen.len() as f64
    }

    #[test]
    fn gradients_are_those_of_the_loss_over_all_columns() {
        for each in [1, 3] {
            let mut random = random(each as u64);
            let policy = Mlp::random(shape(MOVES), 0.5, &mut random);
            let value = Mlp::random(shape(1), 0.5, &mut random);
            let batch = batch(40, each, &mut random);
            let objective = objective(each);
            let samples: Vec<u32> = (0..40).collect();
            let (mut of_policy, mut of_value) = (Part::default(), Part::default());
            let scale = 1.0 / 40.0;
            policy_part(&policy, &batch, &samples, objective, scale, &mut of_policy);
            value_part(&value, &batch, &samples, objective, scale, &mut of_value);
            // Gradients are held against differences of the loss, weight by weight.
            let slope = |change: &dyn Fn(&mut Mlp, &mut Mlp, f32)| {
                let at = |by: f32| {
                    let (mut p, mut v) = (policy.clone(), value.clone());
                    change(&mut p, &mut v, by);
                    loss(&p, &v, &batch, objective)
                };
                (at(5e-4) - at(-5e-4)) / 1e-3
            };
            let width = 24;
            let check = |name: &str, found: f32, right: f64| {
                let close = (f64::from(found) - right).abs() < 2e-3 + 0.02 * right.abs();
                assert!(close, "{name}: {found} instead of {right}");
            };
            for i in (0..width * width).step_by(37) {
                let found = of_policy.hidden.second_gradient[i];
                check("second", found, slope(&|p, _, by| p.second[i] += by));
                let found = of_value.hidden.second_gradient[i];
                check("value second", found, slope(&|_, v, by| v.second[i] += by));
            }
            for i in 0..width {
                let found = of_policy.hidden.first_bias_gradient[i];
                check(
                    "first bias",
                    found,
                    slope(&|p, _, by| p.first_bias[i] += by),
                );
                let found = of_policy.hidden.second_bias_gradient[i];
                check(
                    "second bias",
                    found,
                    slope(&|p, _, by| p.second_bias[i] += by),
                );
            }
            // The rows of the first and of the last table, as the trainer puts them together.
            for row in [0, 7, INPUTS - 1] {
                let mut gradient = vec![0.0; width];
                for sample in 0..40 {
                    let inputs = batch.inputs.rows(sample).iter();
                    for (&input, &x) in inputs.zip(batch.inputs.values(sample)) {
                        if usize::from(input) == row {
                            let back = &of_policy.hidden.to_first[sample * width..][..width];
                            gradient.iter_mut().zip(back).for_each(|(g, b)| *g += x * b);
                        }
                    }
                }
                let (i, found) = (row * width + 5, gradient[5]);
                check("first", found, slope(&|p, _, by| p.first[i] += by));
            }
            for row in [3, 20, MOVES - 1] {
                let mut gradient = vec![0.0; width];
                for sample in 0..40 {
                    let rows = of_policy.answers.rows(sample).iter();
                    for (&asked, &g) in rows.zip(of_policy.answers.values(sample)) {
                        if usize::from(asked) == row {
                            let said = policy.second_of(&of_policy.hidden, sample);
                            gradient
                                .iter_mut()
                                .zip(said)
                                .for_each(|(sum, s)| *sum += g * s);
                        }
                    }
                }
                let (i, found) = (row * width + 9, gradient[9]);
                check("last", found, slope(&|p, _, by| p.last[i] += by));
            }
        }
    }

    /// A step in which every column is asked for, most of them with a gradient of zero.
    #[test]
    fn legal_columns_alone_give_the_same_steps_as_all_columns() {
        let mut random = random(9);
        let start = Mlp::random(shape(MOVES), 0.5, &mut random);
        let value = Mlp::random(shape(1), 0.5, &mut random);
        let batch = batch(96, 1, &mut random);
        let mut sparse = ActorCritic::new(start.clone(), value.clone());
        let mut dense = MlpTrainer::new(start);
        for number in 1..=20_u64 {
            let samples: Vec<u32> = (0..96)
                .filter(|s: &u32| !(s + number as u32).is_multiple_of(3))
                .collect();
            sparse.step(&batch, &samples, objective(1), 1e-2);
            // The same by way of all columns.
            let mut part = Part::default();
            let scale = 1.0 / samples.len() as f32;
            policy_part(&dense.mlp, &batch, &samples, objective(1), scale, &mut part);
            let mut all = Lists::default();
            for sample in 0..samples.len() {
                let mut gradient = [0.0; MOVES];
                let rows = part.answers.rows(sample).iter();
                for (&row, &g) in rows.zip(part.answers.values(sample)) {
                    gradient[usize::from(row)] = g;
                }
                (0..MOVES).for_each(|row| all.push(row, gradient[row]));
                all.end();
            }
            part.answers = all;
            dense.mlp.back(&part.answers, &mut part.hidden);
            dense.step(
                &batch.inputs,
                &samples,
                &[part],
                AdamStep::new(number, 1e-2),
            );
        }
        let farthest = |a: &[f32], b: &[f32]| {
            let pairs = a.iter().zip(b);
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        let (ours, theirs) = (&sparse.policy.mlp, &dense.mlp);
        assert!(farthest(&ours.last, &theirs.last) < 1e-6);
        assert!(farthest(&ours.first, &theirs.first) < 1e-6);
        assert!(farthest(&ours.second, &theirs.second) < 1e-6);
        assert!(farthest(&ours.last_bias, &theirs.last_bias) < 1e-6);
        // It is not that nothing happened.
        assert!(farthest(&ours.last, &Mlp::zero(shape(MOVES)).last) > 0.1);
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let learn = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let mut random = random(3);
            let policy = Mlp::random(shape(MOVES), 0.5, &mut random);
            let value = Mlp::random(shape(1), 0.5, &mut random);
            let batch = batch(300, 3, &mut random);
            let mut networks = ActorCritic::new(policy, value);
            let pace = Pace {
                epochs: 3,
                minibatch: 130,
                rate: 1e-3,
            };
            let never = AtomicBool::new(false);
            pool.expect("threads").install(|| {
                let told = networks.learn(&batch, objective(3), pace, &mut random, &never);
                let mut out = Writer::default();
                networks.save(&mut out);
                (told.expect("not stopped"), out.into_bytes())
            })
        };
        let one = learn(1);
        assert!(one.0.decisions == 3 * 260 && one.0.kl > 0.0);
        assert!(one == learn(2) && one == learn(5));
    }
}
