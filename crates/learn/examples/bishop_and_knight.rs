//! Makes the weights of `play::bishop_and_knight` from a run that has learned KBNK by self-play.
//!
//!     lucena train two-bounds --endgame KBNK --episodes 2000000 --seed 1 --out runs/kbnk
//!     cargo run --release -p lucena-learn --example bishop_and_knight -- \
//!         runs/kbnk crates/play/src/bishop_and_knight.weights [EPOCHS] [SEED]
//!
//! What the run knows to be won is the teacher; exact tables have no part in it. Plain stochastic
//! gradient descent with Adam on the squared error of the distance to mate, in small batches, the
//! learning rate falling to zero. In the last epochs the weights of the hidden layer are rounded to
//! what the file can hold whenever they are used, so that the network learns to live with that.
#![allow(clippy::unwrap_used)] // an example ends with its first error

use std::path::Path;

use learn::{
    runs::checkpoint,
    tables::bounds::{BoundsLearner, BoundsSettings, NEVER},
};
use play::bishop_and_knight::{ALL_ROWS, BYTES, HIDDEN, INPUTS, SCALE, inputs};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Board, Color, FewMenIndex, FewMenRules, Material};

const BATCH: usize = 256;
const RATE: f32 = 4e-3;
/// A little less than what a byte can hold.
const LARGEST: f32 = 3.9;

struct Example {
    rows: [u16; INPUTS],
    moves: f32,
}

/// A parameter and what Adam remembers about it.
#[derive(Clone)]
struct Parameters {
    values: Vec<f32>,
    gradient: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
}

impl Parameters {
    fn new(values: Vec<f32>) -> Parameters {
        let zeros = vec![0.0; values.len()];
        Parameters {
            values,
            gradient: zeros.clone(),
            mean: zeros.clone(),
            square: zeros,
        }
    }

    fn step(&mut self, rate: f32, bound: f32) {
        for (((value, gradient), mean), square) in self
            .values
            .iter_mut()
            .zip(&mut self.gradient)
            .zip(&mut self.mean)
            .zip(&mut self.square)
        {
            *mean += 0.1 * (*gradient - *mean);
            *square += 0.001 * (*gradient * *gradient - *square);
            *value = (*value - rate * *mean / (square.sqrt() + 1e-8)).clamp(-bound, bound);
            *gradient = 0.0;
        }
    }
}

struct Network {
    rows: Parameters,
    last: Parameters,
}

impl Network {
    fn new(random: &mut ChaCha8Rng) -> Network {
        let mut draw = |width: f32| (random.next_u32() as f32 / u32::MAX as f32 - 0.5) * width;
        Network {
            rows: Parameters::new((0..ALL_ROWS * HIDDEN).map(|_| draw(0.6)).collect()),
            last: Parameters::new(
                (0..=HIDDEN)
                    .map(|i| if i < HIDDEN { draw(3.0) } else { 15.0 })
                    .collect(),
            ),
        }
    }

    fn hidden(&self, example: &Example, rounded: bool) -> [f32; HIDDEN] {
        let mut sums = [0.0; HIDDEN];
        for &row in &example.rows {
            let row = &self.rows.values[usize::from(row) * HIDDEN..][..HIDDEN];
            for (sum, &weight) in sums.iter_mut().zip(row) {
                *sum += if rounded { round(weight) } else { weight };
            }
        }
        sums
    }

    fn guess(&self, hidden: &[f32; HIDDEN]) -> f32 {
        let last = &self.last.values;
        let weighted = hidden
            .iter()
            .zip(last)
            .map(|(&sum, &weight)| sum.max(0.0) * weight);
        last[HIDDEN] + weighted.sum::<f32>()
    }

    /// Adds an example's gradient; returns its squared error.
    fn learn(&mut self, example: &Example, rounded: bool) -> f32 {
        let hidden = self.hidden(example, rounded);
        let error = self.guess(&hidden) - example.moves;
        let slope = error / BATCH as f32;
        let mut back = [0.0; HIDDEN];
        for i in 0..HIDDEN {
            self.last.gradient[i] += slope * hidden[i].max(0.0);
            back[i] = if hidden[i] > 0.0 {
                slope * self.last.values[i]
            } else {
                0.0
            };
        }
        self.last.gradient[HIDDEN] += slope;
        for &row in &example.rows {
            let row = &mut self.rows.gradient[usize::from(row) * HIDDEN..][..HIDDEN];
            for (gradient, &back) in row.iter_mut().zip(&back) {
                *gradient += back;
            }
        }
        error * error
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |weight: f32| ((weight * SCALE).round() as i8) as u8;
        let mut bytes: Vec<u8> = self.rows.values.iter().map(|&w| byte(w)).collect();
        bytes.extend(self.last.values[..HIDDEN].iter().map(|&w| byte(w)));
        let constant = (self.last.values[HIDDEN] * SCALE * SCALE).round() as i16;
        bytes.extend(constant.to_le_bytes());
        assert_eq!(bytes.len(), BYTES);
        bytes
    }
}

fn round(weight: f32) -> f32 {
    (weight * SCALE).round() / SCALE
}

fn main() {
    let mut args = std::env::args().skip(1);
    let run = args.next().unwrap();
    let out = args.next().unwrap();
    let epochs: usize = args.next().map_or(60, |n| n.parse().unwrap());
    let seed: u64 = args.next().map_or(1, |n| n.parse().unwrap());
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let examples = examples(Path::new(&run));
    println!("{} positions, {BYTES} bytes of weights", examples.len());
    let mut network = Network::new(&mut random);
    let mut order: Vec<u32> = (0..examples.len() as u32).collect();
    let steps = (epochs * examples.len() / BATCH) as f32;
    let mut step = 0.0;
    for epoch in 0..epochs {
        for i in (1..order.len()).rev() {
            let j = ((u64::from(random.next_u32()) * (i as u64 + 1)) >> 32) as usize;
            order.swap(i, j);
        }
        let rounded = epoch * 4 >= epochs * 3;
        if rounded {
            for weight in &mut network.last.values[..HIDDEN] {
                *weight = round(*weight);
            }
        }
        let mut sum = 0.0;
        for batch in order.chunks_exact(BATCH) {
            for &i in batch {
                sum += f64::from(network.learn(&examples[i as usize], rounded));
            }
            let warm = (step / 500.0f32).min(1.0);
            let rate = RATE * warm * (0.5 + 0.5 * (std::f32::consts::PI * step / steps).cos());
            network.rows.step(rate, LARGEST);
            if rounded {
                network.last.gradient[..HIDDEN].fill(0.0);
            }
            network.last.step(rate, 30.0);
            for weight in &mut network.last.values[..HIDDEN] {
                *weight = weight.clamp(-LARGEST, LARGEST);
            }
            step += 1.0;
        }
        println!(
            "epoch {epoch}: error {:.3} moves",
            (sum / examples.len() as f64).sqrt()
        );
    }
    std::fs::write(out, network.bytes()).unwrap();
}

/// What the run knows to be won, with white to move.
fn examples(run: &Path) -> Vec<Example> {
    let material: Material = "KBNK".parse().unwrap();
    let mut learner =
        BoundsLearner::new(BoundsSettings::default(), material, Board::STANDARD, 1).unwrap();
    checkpoint::load(&checkpoint::all(run)[0], &mut learner).unwrap();
    let rules = FewMenRules::new(material, Board::STANDARD).unwrap();
    let index = FewMenIndex::symmetric(&rules);
    let mut examples = Vec::new();
    for number in 0..index.states() {
        let Some(men) = index.position(number, Color::White) else {
            continue;
        };
        let [Some(bishop), Some(knight), None] = men.others else {
            continue;
        };
        let bounds = learner.bounds(men);
        if bounds.known() && bounds.upper != NEVER {
            let rows = inputs(men.black_king, men.white_king, bishop, knight);
            examples.push(Example {
                rows: rows.map(|row| row as u16),
                moves: f32::from(bounds.upper),
            });
        }
    }
    examples
}
