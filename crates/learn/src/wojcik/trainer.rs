//! A network in training.

use std::ops::AddAssign;

use super::{
    SQUARES, Sight, SquareNetwork, WIDTHS,
    network::softmax,
    orthogonal::orthogonal_step,
    product::{Matrix, add_product},
};
use crate::{
    LearnError,
    net::follow,
    runs::record::{Reader, Writer},
};

const FADE: f32 = 0.9;
const FADE_SQUARES: f32 = 0.999;
const EPSILON: f32 = 1e-7;

/// A network and what Adam (Kingma and Ba 2015) knows of its gradients.
///
/// Written out by hand: a framework would take several times as long for networks this small, whose
/// first layer sees two dozen men and 360 zeros.
#[derive(Clone, PartialEq, Debug)]
pub struct SquareTrainer {
    network: SquareNetwork,
    steps: u64,
    /// Fading means of the gradients and of their squares.
    means: SquareNetwork,
    squares: SquareNetwork,
    /// Its mean over the last batches, if that is what answers.
    averaged: Option<SquareNetwork>,
}

/// How a network learns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rates {
    /// The learning rate.
    pub rate: f64,
    /// Weights shrink by this times the rate.
    pub decay: f64,
    /// The share of the mean over the last batches that a batch leaves as it is.
    pub average: f64,
    /// Are the matrices between the hidden layers changed by orthogonal steps, as Muon does?
    pub orthogonal: bool,
}

/// The matrices from one hidden layer to the next.
const BETWEEN: std::ops::Range<usize> = 1..3;

/// A fading mean with something new. Of what is long gone nothing is left: numbers too small for a float's usual form,
/// to which a mean that only fades would come and stay, take processors a hundred times as long.
fn faded(fade: f32, mean: f32, new: f32) -> f32 {
    let mean = fade * mean + (1.0 - fade) * new;
    match mean.abs() < 1e-30 {
        true => 0.0,
        false => mean,
    }
}

/// Positions that a network learns from together.
#[derive(Clone, Debug, Default)]
pub(super) struct Examples {
    pub sights: Vec<Sight>,
    /// The squares that compete, a bit each.
    pub competing: Vec<u64>,
    /// The squares that were left, or reached.
    pub right: Vec<u8>,
    /// How likely every square should be, if not the right one alone.
    pub wanted: Vec<[f32; SQUARES]>,
}

/// What was learnt from batches: how they were answered before.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Learnt {
    /// Positions.
    pub positions: u32,
    /// Those whose likeliest square was the right one.
    pub right: u32,
    /// The sum of the cross-entropies.
    pub loss: f64,
}

impl AddAssign for Learnt {
    fn add_assign(&mut self, more: Learnt) {
        self.positions += more.positions;
        self.right += more.right;
        self.loss += more.loss;
    }
}

impl SquareTrainer {
    /// A network with random weights.
    pub fn new(seed: u64) -> SquareTrainer {
        let network = SquareNetwork::new(seed);
        let mut zeros = network.clone();
        zeros.layers.iter_mut().for_each(|layer| layer.fill(0.0));
        SquareTrainer {
            network,
            steps: 0,
            means: zeros.clone(),
            squares: zeros,
            averaged: None,
        }
    }

    /// It is its mean over the last batches that answers.
    #[must_use]
    pub(super) fn averaging(mut self) -> SquareTrainer {
        self.averaged = Some(self.network.clone());
        self
    }

    /// The network as it answers now.
    pub fn network(&self) -> &SquareNetwork {
        self.averaged.as_ref().unwrap_or(&self.network)
    }

    /// Takes over what another network makes of a position; only its last layer is still its own.
    pub fn inherit(&mut self, from: &SquareNetwork) {
        for own in [Some(&mut self.network), self.averaged.as_mut()] {
            let own = own.into_iter();
            own.for_each(|own| own.layers[..3].clone_from_slice(&from.layers[..3]));
        }
    }

    /// How many batches it has learnt from.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Learns what these examples say.
    ///
    /// # Panics
    /// When they do not say the same of every position.
    pub(super) fn learn(&mut self, examples: &Examples, rates: Rates) -> Learnt {
        let Rates { rate, decay, .. } = rates;
        let (gradients, learnt) = self.gradients(examples);
        self.steps += 1;
        let steps = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let warm = 1.0 - f64::from(FADE).powi(steps);
        let warm_squares = 1.0 - f64::from(FADE_SQUARES).powi(steps);
        let rate_now = (rate / warm) as f32;
        let (root, shrink) = ((1.0 / warm_squares) as f32, (rate * decay) as f32);
        for layer in 0..4 {
            let gradients = &gradients[layer];
            let wide = WIDTHS[layer + 1];
            // Constants take Adam's steps wherever they are.
            let turned = match rates.orthogonal && BETWEEN.contains(&layer) {
                true => WIDTHS[layer] * wide,
                false => 0,
            };
            if turned > 0 {
                let means = &mut self.means.layers[layer][..turned];
                let weights = &mut self.network.layers[layer][..turned];
                for (mean, gradient) in means.iter_mut().zip(gradients) {
                    *mean = faded(FADE, *mean, *gradient);
                }
                let step = orthogonal_step(means, &gradients[..turned], wide);
                for (weight, step) in weights.iter_mut().zip(step) {
                    *weight -= rate as f32 * step + shrink * *weight;
                }
            }
            let weights = self.network.layers[layer].iter_mut();
            let means = self.means.layers[layer].iter_mut();
            let squares = self.squares.layers[layer].iter_mut();
            for (((weight, mean), square), gradient) in
                weights.zip(means).zip(squares).zip(gradients).skip(turned)
            {
                *mean = faded(FADE, *mean, *gradient);
                *square = faded(FADE_SQUARES, *square, gradient * gradient);
                let step = rate_now * *mean / ((*square * root).sqrt() + EPSILON);
                *weight -= step + shrink * *weight;
            }
        }
        if let Some(averaged) = &mut self.averaged {
            let part = follow(rates.average, self.steps) as f32;
            let averaged = averaged.layers.iter_mut().flatten();
            let now = self.network.layers.iter().flatten();
            averaged
                .zip(now)
                .for_each(|(mean, now)| *mean += part * (now - *mean));
        }
        learnt
    }

    /// The gradients of the mean cross-entropy, table by table.
    fn gradients(&self, examples: &Examples) -> ([Vec<f32>; 4], Learnt) {
        let Examples {
            sights,
            competing,
            right,
            wanted,
        } = examples;
        assert_eq!(sights.len(), right.len());
        assert_eq!(sights.len(), competing.len());
        assert!(wanted.is_empty() || wanted.len() == sights.len());
        let mut numbers = self.network.forward(sights);
        let mut learnt = Learnt {
            positions: sights.len() as u32,
            ..Learnt::default()
        };
        // What a score is to change: how likely the square is, less how likely it should be.
        let mut slopes = std::mem::take(&mut numbers[3]);
        let share = 1.0 / sights.len().max(1) as f32;
        let boards = slopes.chunks_exact_mut(SQUARES).zip(competing);
        for (i, ((slopes, &competing), &square)) in boards.zip(right).enumerate() {
            softmax(slopes, competing);
            let own = slopes[usize::from(square)];
            learnt.right += u32::from(slopes.iter().filter(|&&other| other >= own).count() == 1);
            let surprise = |chance: f32| -f64::from(chance.max(f32::MIN_POSITIVE)).ln();
            match wanted.get(i) {
                Some(wanted) => {
                    for (slope, &wanted) in slopes.iter_mut().zip(wanted) {
                        if wanted > 0.0 {
                            learnt.loss += f64::from(wanted) * surprise(*slope);
                        }
                        *slope -= wanted;
                    }
                }
                None => {
                    learnt.loss += surprise(own);
                    slopes[usize::from(square)] -= 1.0;
                }
            }
            slopes.iter_mut().for_each(|slope| *slope *= share);
        }
        let mut gradients = [const { Vec::new() }; 4];
        for layer in (0..4).rev() {
            let (inputs, outputs) = (WIDTHS[layer], WIDTHS[layer + 1]);
            let mut table = vec![0.0; (inputs + 1) * outputs];
            let (weights, constants) = table.split_at_mut(inputs * outputs);
            for slopes in slopes.chunks_exact(outputs) {
                add(constants, slopes);
            }
            if layer == 0 {
                for (sight, slopes) in sights.iter().zip(slopes.chunks_exact(outputs)) {
                    for &place in sight.own() {
                        add(
                            &mut weights[usize::from(place) * outputs..][..outputs],
                            slopes,
                        );
                    }
                    for &place in sight.others() {
                        let row = &mut weights[usize::from(place) * outputs..][..outputs];
                        row.iter_mut()
                            .zip(slopes)
                            .for_each(|(x, slope)| *x -= slope);
                    }
                }
            } else {
                let given = &numbers[layer - 1];
                let (of_slopes, of_given) =
                    (Matrix::new(&slopes, outputs), Matrix::new(given, inputs));
                add_product(of_given.transposed(), of_slopes, weights);
                let mut below = vec![0.0; given.len()];
                let (weights, _) = self.network.layer(layer);
                let back = Matrix::new(weights, outputs).transposed();
                add_product(of_slopes, back, &mut below);
                // What was cut off at zero does not change with what it was made of.
                for (slope, &given) in below.iter_mut().zip(given) {
                    if given <= 0.0 {
                        *slope = 0.0;
                    }
                }
                slopes = below;
            }
            gradients[layer] = table;
        }
        (gradients, learnt)
    }

    /// Writes everything.
    pub fn save(&self, out: &mut Writer) {
        out.u64(self.steps);
        for part in [&self.network, &self.means, &self.squares] {
            part.save(out);
        }
        self.averaged.iter().for_each(|mean| mean.save(out));
    }

    /// Reads what [`SquareTrainer::save`] wrote.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.steps = from.u64()?;
        for part in [&mut self.network, &mut self.means, &mut self.squares] {
            part.load(from)?;
        }
        self.averaged
            .iter_mut()
            .try_for_each(|mean| mean.load(from))
    }
}

fn add(sums: &mut [f32], numbers: &[f32]) {
    sums.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += x);
}

#[cfg(test)]
mod tests {
    use rules::Position;

    use super::*;
    use crate::{
        games::{PackedMove, PackedPosition},
        wojcik::{Code, sight::ALL},
    };

    const RATES: Rates = Rates {
        rate: 1e-2,
        decay: 0.0,
        average: 0.0,
        orthogonal: false,
    };

    /// Three positions; in the last one only some squares compete.
    fn examples() -> Examples {
        let sights = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ]
        .map(|fen| {
            let position = Position::from_fen(fen).unwrap();
            let none = PackedMove::NONE;
            let packed = PackedPosition::new(position.chess(), none, none, none, None);
            Sight::of(&packed, Code::default())
        });
        Examples {
            sights: sights.to_vec(),
            competing: vec![ALL, ALL, 1 << 24 | 1 << 7 | 0xff << 40],
            right: vec![52, 12, 24],
            wanted: Vec::new(),
        }
    }

    /// The same by a teacher who is not sure.
    fn doubtful() -> Examples {
        let mut examples = examples();
        examples.wanted = vec![[0.0; SQUARES]; 3];
        for (wanted, &right) in examples.wanted.iter_mut().zip(&examples.right) {
            wanted[usize::from(right)] = 0.7;
            wanted[(usize::from(right) + 16) % SQUARES] = 0.3;
        }
        examples
    }

    #[test]
    fn gradients_are_those_of_small_changes() {
        for examples in [examples(), doubtful()] {
            compare_with_small_changes(&examples);
        }
    }

    fn compare_with_small_changes(examples: &Examples) {
        let mut trainer = SquareTrainer::new(1);
        let (gradients, learnt) = trainer.gradients(examples);
        let loss = |trainer: &SquareTrainer| trainer.gradients(examples).1.loss / 3.0;
        assert!((loss(&trainer) - learnt.loss / 3.0).abs() < 1e-9);
        let mut compared = 0;
        for (layer, gradients) in gradients.iter().enumerate() {
            let largest = gradients
                .iter()
                .fold(0.0_f32, |most, slope| most.max(slope.abs()));
            for (i, &slope) in gradients.iter().enumerate() {
                // Changes of small slopes drown in rounding.
                if slope.abs() < 0.5 * largest {
                    continue;
                }
                let weight = trainer.network.layers[layer][i];
                let mut with = |change: f32| {
                    trainer.network.layers[layer][i] = weight + change;
                    loss(&trainer)
                };
                let change = 1e-3;
                let measured = (with(change) - with(-change)) / f64::from(2.0 * change);
                trainer.network.layers[layer][i] = weight;
                let wrong = (measured - f64::from(slope)).abs() / f64::from(slope.abs());
                assert!(wrong < 0.05, "layer {layer}, {i}: {measured} {slope}");
                compared += 1;
            }
        }
        assert!(compared > 20, "{compared}");
    }

    #[test]
    fn it_learns_how_sure_its_teacher_is() {
        let examples = doubtful();
        let mut trainer = SquareTrainer::new(1);
        for _ in 0..200 {
            trainer.learn(&examples, RATES);
        }
        let board = |i: usize| {
            let scores = trainer.network().forward(&examples.sights);
            let mut chances = scores[3][i * SQUARES..][..SQUARES].to_vec();
            softmax(&mut chances, examples.competing[i]);
            chances
        };
        for (i, wanted) in examples.wanted.iter().enumerate() {
            for (chance, wanted) in board(i).iter().zip(wanted) {
                assert!((chance - wanted).abs() < 0.02, "{i}: {chance} {wanted}");
            }
        }
    }

    #[test]
    fn it_learns_its_lessons_by_heart_and_goes_on_from_a_record() {
        let (examples, plain) = (examples(), || SquareTrainer::new(1));
        by_heart(&examples, plain, RATES);
        let rates = Rates {
            average: 0.9,
            orthogonal: true,
            ..RATES
        };
        by_heart(&examples, || plain().averaging(), rates);
    }

    fn by_heart(examples: &Examples, new: impl Fn() -> SquareTrainer, rates: Rates) {
        let mut trainer = new();
        for _ in 0..80 {
            trainer.learn(examples, rates);
        }
        let mut out = Writer::default();
        trainer.save(&mut out);
        let record = out.into_bytes();
        let mut other = new();
        other.load(&mut Reader::new(&record)).unwrap();
        for trainer in [&mut trainer, &mut other] {
            let learnt = trainer.learn(examples, rates);
            assert_eq!((learnt.positions, learnt.right), (3, 3));
            assert!(learnt.loss < 0.1, "{learnt:?}");
        }
        assert_eq!(trainer, other);
        for length in [0, 8, record.len() - 1] {
            assert!(other.load(&mut Reader::new(&record[..length])).is_err());
        }
    }

    #[test]
    fn nothing_is_left_of_what_is_long_gone() {
        let means = (0..10_000).scan(1.0, |mean, _| {
            *mean = faded(FADE, *mean, 0.0);
            Some(*mean)
        });
        let means: Vec<f32> = means.collect();
        assert!(means[100] > 1e-6, "{}", means[100]);
        assert!(means.iter().all(|mean| *mean == 0.0 || mean.is_normal()));
        assert_eq!(means.last(), Some(&0.0));
    }

    /// Every step moves the mean a part of the way, and an orthogonal one changes the matrices between hidden layers
    /// by as much as it should.
    #[test]
    fn the_mean_follows_and_steps_are_orthogonal() {
        let examples = examples();
        let rates = |rate: f64, orthogonal: bool| Rates {
            rate,
            orthogonal,
            average: 0.75,
            ..RATES
        };
        for orthogonal in [false, true] {
            let mut trainer = SquareTrainer::new(1).averaging();
            for _ in 0..100 {
                trainer.learn(&examples, rates(0.0, orthogonal));
            }
            let before = trainer.network.clone();
            assert_eq!(trainer.network(), &before, "nothing has been learned");
            trainer.learn(&examples, rates(1e-3, orthogonal));
            for layer in 0..4 {
                let weights = before.layers[layer]
                    .iter()
                    .zip(&trainer.network.layers[layer]);
                let squares: f32 = weights.map(|(was, is)| (is - was) * (is - was)).sum();
                let matrix = WIDTHS[layer] * WIDTHS[layer + 1];
                let size = (squares / matrix as f32).sqrt();
                if orthogonal && BETWEEN.contains(&layer) {
                    // As many directions as the narrower side has.
                    let narrow = WIDTHS[layer].min(WIDTHS[layer + 1]) as f32;
                    let wide = WIDTHS[layer].max(WIDTHS[layer + 1]) as f32;
                    let whole = 2e-4 * (narrow * wide / matrix as f32).sqrt();
                    assert!(
                        (0.1 * whole..1.3 * whole).contains(&size),
                        "{layer}: {size}"
                    );
                }
                let mean = &trainer.network().layers[layer];
                for ((was, is), mean) in before.layers[layer]
                    .iter()
                    .zip(&trainer.network.layers[layer])
                    .zip(mean)
                {
                    let quarter = was + 0.25 * (is - was);
                    assert!((mean - quarter).abs() < 1e-6, "{was} {is} {mean}");
                }
            }
        }
    }
}
