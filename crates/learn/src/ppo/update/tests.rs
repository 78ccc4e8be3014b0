//! Gradients against differences, legal columns against all, threads against each other.

use rand::{Rng as _, SeedableRng as _};

use super::*;
use crate::{
    net::plain::{Activation, MlpShape, adam::AdamStep, mlp_trainer::MlpTrainer},
    runs::record::Writer,
};

pub(in crate::ppo) fn random(seed: u64) -> ChaCha8Rng {
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
    batch_of([INPUTS, MOVES], count, each, random)
}

/// The same, with so many inputs and moves.
pub(in crate::ppo) fn batch_of(
    [inputs, moves]: [usize; 2],
    count: usize,
    each: usize,
    random: &mut ChaCha8Rng,
) -> Batch {
    let mut batch = Batch::default();
    for _ in 0..count {
        for input in 0..inputs {
            if random.next_u32().is_multiple_of(3) {
                batch.inputs.push(input, fraction(random));
            }
        }
        batch.inputs.end();
        let moves: Vec<usize> = (0..moves - each)
            .filter(|_| random.next_u32().is_multiple_of(5))
            .chain([moves - each])
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

pub(in crate::ppo) fn objective(rows_a_move: usize) -> Objective {
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
        step(&mut sparse, &batch, &samples, objective(1), 1e-2);
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
            let told = super::learn(
                &mut networks,
                &batch,
                objective(3),
                pace,
                &mut random,
                &never,
            );
            let mut out = Writer::default();
            networks.save(&mut out);
            (told.expect("not stopped"), out.into_bytes())
        })
    };
    let one = learn(1);
    assert!(one.0.decisions == 3 * 260 && one.0.kl > 0.0);
    assert!(one == learn(2) && one == learn(5));
}
