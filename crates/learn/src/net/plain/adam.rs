//! Adam, on plain numbers.

use super::matrix::wide;
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// What is left of the mean of gradients after a step, …
pub(crate) const MEAN: f32 = 0.9;
/// … and of the mean of their squares.
pub(crate) const SQUARE: f32 = 0.999;
/// Keeps a step finite where there was no gradient.
pub(crate) const EPSILON: f32 = 1e-8;

/// One step of Adam, the same for all weights: how far it goes depends on how many came before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamStep {
    /// The learning rate for a mean that began with nothing.
    pub rate: f32,
    /// By which the root of the squares is multiplied, because they, too, began with nothing.
    pub scale: f32,
}

impl AdamStep {
    /// The step with this number, counted from 1.
    pub fn new(number: u64, rate: f64) -> AdamStep {
        let left = |share: f32| 1.0 - f64::from(share).powf(number as f64);
        AdamStep {
            rate: (rate / left(MEAN)) as f32,
            scale: (1.0 / left(SQUARE).sqrt()) as f32,
        }
    }

    /// Moves weights against their gradient.
    pub fn apply(self, weights: &mut [f32], moments: MomentsMut<'_>, gradient: &[f32]) {
        apply(self, weights, moments.means, moments.squares, gradient);
    }
}

wide! {
    fn apply(
        step: AdamStep,
        weights: &mut [f32],
        means: &mut [f32],
        squares: &mut [f32],
        gradient: &[f32]
    ) {
        let moments = means.iter_mut().zip(squares);
        for ((weight, (mean, square)), &g) in weights.iter_mut().zip(moments).zip(gradient) {
            *mean = MEAN * *mean + (1.0 - MEAN) * g;
            *square = SQUARE * *square + (1.0 - SQUARE) * g * g;
            *weight -= step.rate * *mean / (square.sqrt() * step.scale + EPSILON);
        }
    }
}

/// What Adam remembers of the gradients of some weights.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    pub means: Vec<f32>,
    pub squares: Vec<f32>,
}

/// A part of them.
pub(crate) struct MomentsMut<'a> {
    means: &'a mut [f32],
    squares: &'a mut [f32],
}

impl Moments {
    /// Of so many weights.
    pub fn new(weights: usize) -> Moments {
        Moments {
            means: vec![0.0; weights],
            squares: vec![0.0; weights],
        }
    }

    /// All of them.
    pub fn all(&mut self) -> MomentsMut<'_> {
        MomentsMut {
            means: &mut self.means,
            squares: &mut self.squares,
        }
    }

    /// In parts of the same size, but for the last.
    pub fn parts(&mut self, size: usize) -> Vec<MomentsMut<'_>> {
        let parts = self
            .means
            .chunks_mut(size)
            .zip(self.squares.chunks_mut(size));
        parts
            .map(|(means, squares)| MomentsMut { means, squares })
            .collect()
    }

    /// Has this part never seen a gradient? Then a step without one changes nothing.
    pub fn are_zero(&self, part: std::ops::Range<usize>) -> bool {
        let zero = |numbers: &[f32]| numbers.iter().all(|&number| number == 0.0);
        zero(&self.means[part.clone()]) && zero(&self.squares[part])
    }

    pub fn save(&self, out: &mut Writer) {
        out.weights(&self.means);
        out.weights(&self.squares);
    }

    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.means = from.weights(self.means.len())?;
        self.squares = from.weights(self.squares.len())?;
        Ok(())
    }
}

impl<'a> MomentsMut<'a> {
    /// A part of the part.
    pub fn part(&mut self, range: std::ops::Range<usize>) -> MomentsMut<'_> {
        MomentsMut {
            means: &mut self.means[range.clone()],
            squares: &mut self.squares[range],
        }
    }
}
