//! A trained network as plain numbers, evaluated by plain loops.
//!
//! A framework needs microseconds to find out what it is to do. These loops know.

use super::{Shape, plain::matrix::wide};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// A network that only answers.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// Its size.
    pub shape: Shape,
    /// The rows of the first table, one after the other.
    pub rows: Table,
    /// The layers in between.
    pub layers: Vec<Layer>,
    /// The scores of the classes.
    pub last: Layer,
}

/// A layer: for every number it is given, a row of weights; and what is added in any case.
#[derive(Clone, PartialEq, Debug)]
pub struct Layer {
    /// Row after row.
    pub weights: Table,
    /// One for every number it gives.
    pub bias: Table,
}

/// Weights, and the step they are whole multiples of.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// The weights.
    pub values: Vec<f32>,
    /// The step; 0 where weights are exact.
    pub step: f32,
}

impl Layer {
    /// Adds the layer's answer to `out`. What is zero costs nothing.
    fn add(&self, given: &[f32], out: &mut [f32]) {
        for (sum, bias) in out.iter_mut().zip(&self.bias.values) {
            *sum += bias;
        }
        add_rows(out, given, &self.weights.values);
    }
}

wide! {
    /// Adds the rows of a table to `out`, each as often as it is given.
    fn add_rows(out: &mut [f32], given: &[f32], rows: &[f32]) {
        for (row, &value) in rows.chunks_exact(out.len()).zip(given) {
            if value != 0.0 {
                for (sum, &weight) in out.iter_mut().zip(row) {
                    *sum += value * weight;
                }
            }
        }
    }
}

wide! {
    /// Adds some rows of a table to `out`.
    fn add_chosen(out: &mut [f32], chosen: &[u16], rows: &[f32]) {
        let width = out.len();
        for &row in chosen {
            let row = &rows[usize::from(row) * width..][..width];
            for (sum, &weight) in out.iter_mut().zip(row) {
                *sum += weight;
            }
        }
    }
}

/// Room for the numbers on their way through a network.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    state: Vec<f32>,
    added: Vec<f32>,
    /// The scores of the classes.
    pub scores: Vec<f32>,
}

impl Network {
    /// The scores of the classes for a position that switches `inputs` on, into the scratch.
    pub fn scores(&self, inputs: &[u16], scratch: &mut Scratch) {
        let width = self.shape.width;
        let Scratch {
            state,
            added,
            scores,
        } = scratch;
        state.clear();
        state.resize(width, 0.0);
        add_chosen(state, inputs, &self.rows.values);
        state.iter_mut().for_each(|x| *x = x.max(0.0));
        for layer in &self.layers {
            added.clear();
            added.resize(width, 0.0);
            layer.add(state, added);
            for (x, add) in state.iter_mut().zip(&*added) {
                *x += add.max(0.0);
            }
        }
        scores.clear();
        scores.resize(self.shape.classes, 0.0);
        self.last.add(state, scores);
    }

    /// The class with the highest score, the first of equal ones.
    pub fn class(&self, inputs: &[u16], scratch: &mut Scratch) -> usize {
        self.scores(inputs, scratch);
        let scores = &scratch.scores;
        let mut best = 0;
        for (class, score) in scores.iter().enumerate() {
            if *score > scores[best] {
                best = class;
            }
        }
        best
    }

    /// The class in the middle: half of what the scores make likely lies below it, half above. It
    /// lies between two classes, nearer to the likelier one.
    ///
    /// The class with the highest score alone would throw away what the network knows: of two
    /// positions that it takes for the same class, it is surer of one than of the other. And a mean
    /// would let a small chance of "never" outweigh everything else.
    pub fn median(&self, inputs: &[u16], scratch: &mut Scratch) -> f32 {
        self.scores(inputs, scratch);
        let scores = &mut scratch.scores;
        let highest = scores.iter().copied().fold(f32::MIN, f32::max);
        scores.iter_mut().for_each(|s| *s = (*s - highest).exp());
        let half = 0.5 * scores.iter().sum::<f32>();
        let mut below = 0.0;
        for (class, &weight) in scores.iter().enumerate() {
            if below + weight >= half {
                return class as f32 - 0.5 + (half - below) / weight;
            }
            below += weight;
        }
        scores.len() as f32
    }

    /// Every table with its name in a file and the number of its weights, in a fixed order.
    pub(crate) fn tables(&self) -> impl Iterator<Item = (String, &Table)> {
        let layers = self.layers.iter().chain([&self.last]).enumerate();
        let layers = layers.flat_map(|(i, layer)| {
            [
                (format!("layer{i}.weight"), &layer.weights),
                (format!("layer{i}.bias"), &layer.bias),
            ]
        });
        std::iter::once(("rows".to_owned(), &self.rows)).chain(layers)
    }

    fn tables_mut(&mut self) -> impl Iterator<Item = &mut Table> {
        let layers = self.layers.iter_mut().chain([&mut self.last]);
        let layers = layers.flat_map(|layer| [&mut layer.weights, &mut layer.bias]);
        std::iter::once(&mut self.rows).chain(layers)
    }

    /// Writes the weights.
    pub fn save(&self, out: &mut Writer) {
        for (_, table) in self.tables() {
            out.weights(&table.values);
        }
    }

    /// Reads what [`Network::save`] wrote into a network of the same size.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        for table in self.tables_mut() {
            table.values = from.weights(table.values.len())?;
        }
        Ok(())
    }
}
