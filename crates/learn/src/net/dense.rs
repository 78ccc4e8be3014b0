//! Training small networks of one hidden layer with burn: given numbers, one number comes out.
//!
//! What is trained here is played by [`play::TinyNetwork`], whose loops need a tenth of a
//! microsecond where a framework needs two; a test holds the answers of both against each other.

use burn::{
    module::{Module, Param},
    tensor::{
        Device, Tensor, TensorData,
        activation::{relu, softplus, tanh},
    },
};
use play::tiny_network::{Activation, Blueprint, Weights};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{
    adam::Adam,
    device,
    tensors::{self, numbers},
};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// A small network in training.
pub struct DenseTrainer {
    rows: usize,
    hidden: usize,
    bits: u32,
    activation: Activation,
    /// No step is made larger for a weight of more than so many times the usual size; such weights
    /// are cut off.
    cut: f32,
    device: Device,
    model: Model,
    adam: Adam,
}

/// Examples to learn from.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// The inputs: a number for every row of the network, example after example.
    pub inputs: Vec<f32>,
    /// What the network should answer.
    pub labels: Vec<f32>,
    /// From this example on, each two in a row are to be told apart: which has the smaller label?
    pub pairs_from: usize,
}

#[derive(Module, Debug)]
struct Model {
    /// The rows; the last one is always added.
    rows: Param<Tensor<2>>,
    last: Param<Tensor<2>>,
    constant: Param<Tensor<1>>,
}

/// How weights are stored.
#[derive(Clone, Copy)]
struct Rounding {
    bits: u32,
    cut: f32,
}

impl Rounding {
    fn most(self) -> f32 {
        ((1i64 << (self.bits - 1)) - 1) as f32
    }

    /// The size of a step: the largest weight takes all bits, unless it is to be cut off.
    fn step(self, weights: Tensor<2>) -> Tensor<1> {
        let mut largest = weights.clone().abs().max();
        if self.cut.is_finite() {
            let usual = weights.powi_scalar(2).mean().sqrt();
            largest = largest.min_pair(usual * self.cut);
        }
        (largest / self.most()).clamp_min(1e-12)
    }

    /// How many steps each weight is.
    fn whole(self, weights: Tensor<2>, step: Tensor<2>) -> Tensor<2> {
        (weights / step).round().clamp(-self.most(), self.most())
    }

    /// The weights in steps. Their gradient is that of the exact weights behind them.
    fn in_steps(self, weights: Tensor<2>) -> Tensor<2> {
        let exact = weights.clone().detach();
        let step = self.step(exact.clone()).expand([1, 1]).expand(exact.dims());
        let rounded = self.whole(exact.clone(), step.clone()) * step;
        weights + (rounded - exact)
    }
}

impl DenseTrainer {
    /// A network with random weights that answers about `mean` at first.
    pub fn new(blueprint: &Blueprint, mean: f32, seed: u64) -> DenseTrainer {
        let device = device::cpu().autodiff();
        let (rows, hidden) = (blueprint.rows(), blueprint.hidden);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut table = |rows: usize, columns: usize, scale: f32| {
            let mut draw = || (random.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0) * scale;
            let values: Vec<f32> = (0..rows * columns).map(|_| draw()).collect();
            TensorData::new(values, [rows, columns])
        };
        let scale = (3.0 / blueprint.inputs.len() as f32).sqrt();
        let model = Model {
            rows: Param::from_data(table(rows + 1, hidden, scale), &device),
            last: Param::from_data(table(hidden, 1, 2.0), &device),
            constant: Param::from_data(TensorData::new(vec![mean], [1]), &device),
        };
        DenseTrainer {
            rows,
            hidden,
            bits: blueprint.bits,
            activation: blueprint.activation,
            cut: f32::INFINITY,
            model,
            adam: Adam::new(0.0),
            device,
        }
    }

    /// The same network, its rows stored so that a weight of more than `cut` times the usual size
    /// (the root of the mean square) is cut off and all the others are stored more finely.
    #[must_use]
    pub fn cutting(mut self, cut: f32) -> DenseTrainer {
        self.cut = cut;
        self
    }

    /// How the rows and the last row are stored.
    fn rounding(&self) -> [Rounding; 2] {
        [self.cut, f32::INFINITY].map(|cut| Rounding {
            bits: self.bits,
            cut,
        })
    }

    fn forward(&self, inputs: &[f32], rounded: bool) -> Tensor<1> {
        let count = inputs.len() / self.rows;
        let shape = [count, self.rows];
        let inputs = Tensor::<2>::from_data(TensorData::new(inputs.to_vec(), shape), &self.device);
        let (mut rows, mut last) = (self.model.rows.val(), self.model.last.val());
        if rounded {
            let [of_rows, of_last] = self.rounding();
            (rows, last) = (of_rows.in_steps(rows), of_last.in_steps(last));
        }
        let always = rows
            .clone()
            .slice([self.rows..self.rows + 1, 0..self.hidden]);
        let sums = inputs.matmul(rows.slice([0..self.rows, 0..self.hidden])) + always;
        let neurons = match self.activation {
            Activation::Relu => relu(sums),
            Activation::Tanh => tanh(sums),
        };
        neurons.matmul(last).reshape([count]) + self.model.constant.val()
    }

    /// Learns from examples; `ranking` is what telling pairs apart is worth beside the squared
    /// error. Returns the mean squared error before.
    pub fn learn(&mut self, examples: &Examples, rate: f64, rounded: bool, ranking: f32) -> f32 {
        let count = examples.labels.len();
        let answers = self.forward(&examples.inputs, rounded);
        let labels = TensorData::new(examples.labels.clone(), [count]);
        let labels = Tensor::<1>::from_data(labels, &self.device);
        let squared = (answers.clone() - labels.clone()).powi_scalar(2).mean();
        let error = squared.clone().into_scalar::<f32>();
        let mut loss = squared;
        let pairs = (count - examples.pairs_from) / 2;
        if pairs > 0 && ranking > 0.0 {
            let differences = |values: Tensor<1>| {
                let values = values
                    .slice(examples.pairs_from..examples.pairs_from + 2 * pairs)
                    .reshape([pairs, 2]);
                let second = values.clone().slice([0..pairs, 1..2]);
                values.slice([0..pairs, 0..1]) - second
            };
            let (ours, right) = (differences(answers), differences(labels).sign());
            // Pairs with equal labels add a constant.
            loss = loss + softplus((ours * right).neg(), 1.0).mean() * ranking;
        }
        let gradients = loss.backward();
        self.model = self.adam.step(self.model.clone(), gradients, rate);
        error
    }

    /// The framework's own answers, with the weights as they are stored.
    pub fn answers(&self, inputs: &[f32]) -> Vec<f32> {
        numbers(self.forward(inputs, true))
    }

    /// The weights as they are stored.
    pub fn weights(&self) -> Weights {
        let whole = |rounding: Rounding, weights: Tensor<2>| -> (f32, Vec<i8>) {
            let weights = weights.inner();
            let step = rounding.step(weights.clone());
            let steps = step.clone().expand([1, 1]).expand(weights.dims());
            let whole = numbers(rounding.whole(weights, steps));
            let whole = whole.into_iter().map(|x| x as i8).collect();
            (step.into_scalar::<f32>(), whole)
        };
        let [of_rows, of_last] = self.rounding();
        let (row_step, rows) = whole(of_rows, self.model.rows.val());
        let (last_step, last) = whole(of_last, self.model.last.val());
        Weights {
            row_step,
            last_step,
            constant: self.model.constant.val().inner().into_scalar::<f32>(),
            rows,
            last,
        }
    }

    /// Writes weights and the state of the optimiser.
    pub fn save(&self, out: &mut Writer) {
        tensors::save(&self.model, out);
        self.adam.save(out);
    }

    /// Reads what [`DenseTrainer::save`] wrote, for a network of the same size.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.model = tensors::load(self.model.clone(), from)?;
        self.adam.load(from, &self.model)
    }
}
