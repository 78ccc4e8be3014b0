//! Training with burn.

use burn::{
    module::{Module, Param},
    nn::loss::CrossEntropyLossConfig,
    tensor::{Device, Int, Tensor, TensorData, activation::relu},
};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{
    ClassTraining, Layer, Network, Shape, Table,
    adam::Adam,
    average::approach,
    bias_bits, device,
    tensors::{self, numbers},
};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// A network in training.
pub struct Trainer {
    shape: Shape,
    device: Device,
    model: Model,
    adam: Adam,
    /// The mean of the network over its last steps, if it is kept; without differentiation.
    average: Option<Model>,
    /// All examples, where the network is trained: inputs and classes.
    examples: Option<(Tensor<2, Int>, Tensor<1, Int>)>,
}

/// The tables of a network; what is added in any case comes last.
#[derive(Module, Debug)]
struct Model {
    rows: Param<Tensor<2>>,
    weights: Vec<Param<Tensor<2>>>,
    biases: Vec<Param<Tensor<1>>>,
}

/// The weights in steps. Their gradient is that of the exact weights behind them.
fn rounded<const D: usize>(weights: Tensor<D>, bits: u32) -> Tensor<D> {
    if bits == 0 {
        return weights;
    }
    let exact = weights.clone().detach();
    let (steps, step) = in_steps(exact.clone(), bits);
    weights + (steps * step.expand(exact.dims()) - exact)
}

/// How many steps each weight is, and the size of a step.
fn in_steps<const D: usize>(weights: Tensor<D>, bits: u32) -> (Tensor<D>, Tensor<D>) {
    let most = most_steps(bits);
    let shape = weights.dims();
    let mean_square = (weights.clone() * weights.clone()).mean();
    let step = (mean_square + 1e-12).sqrt() * step_size(bits);
    let step = step.reshape([1; D]);
    let steps = (weights / step.clone().expand(shape)).round();
    (steps.clamp(-most, most), step)
}

/// The largest number of steps that fits.
pub(super) fn most_steps(bits: u32) -> f32 {
    ((1i64 << (bits - 1)) - 1) as f32
}

/// The size of a step in standard deviations, such that weights distributed like a bell are rounded
/// with about the least error (Max 1960); the largest weights are cut off.
pub(super) fn step_size(bits: u32) -> f32 {
    match bits {
        2 => 1.22,
        3 => 0.65,
        4 => 0.36,
        5 => 0.2,
        6 => 0.11,
        7 => 0.06,
        _ => 0.035,
    }
}

/// Weights as plain numbers.
fn table<const D: usize>(weights: Tensor<D>, bits: u32) -> Table {
    if bits == 0 {
        return Table {
            values: numbers(weights),
            step: 0.0,
        };
    }
    let (steps, step) = in_steps(weights, bits);
    let step = numbers(step)[0];
    Table {
        values: numbers(steps).into_iter().map(|s| s * step).collect(),
        step,
    }
}

/// Numbers as a table in training.
fn parameter<const D: usize>(
    (values, sides): (Vec<f32>, Vec<i64>),
    device: &Device,
) -> Param<Tensor<D>> {
    let sides: Vec<usize> = sides.into_iter().map(|side| side as usize).collect();
    Param::from_data(TensorData::new(values, sides), device)
}

/// What a network begins with, table by table: rows, the weights of all layers, what they add in any case.
pub(super) fn beginning(shape: &Shape, seed: u64) -> Vec<Vec<f32>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut table = |count: usize, scale: f32| -> Vec<f32> {
        let mut draw = || (random.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0) * scale;
        (0..count).map(|_| draw()).collect()
    };
    let width = shape.width;
    // Uniform with the variance of He's initialisation; layers in between start small, so that
    // what they add does not grow with their number.
    let he = (6.0 / width as f32).sqrt();
    let mut tables = vec![table(
        shape.inputs * width,
        (3.0 / shape.active as f32).sqrt(),
    )];
    tables.extend((0..shape.layers).map(|_| table(width * width, he * 0.5)));
    tables.push(table(width * shape.classes, he * 0.5));
    tables.extend((0..shape.layers).map(|_| vec![0.0; width]));
    tables.push(vec![0.0; shape.classes]);
    tables
}

impl Model {
    fn new(shape: &Shape, seed: u64, device: &Device) -> Model {
        let mut tables = beginning(shape, seed).into_iter().zip(shape.sides());
        let layers = shape.layers + 1;
        let rows = parameter(tables.next().expect("rows"), device);
        let weights = tables.by_ref().take(layers);
        Model {
            rows,
            weights: weights.map(|table| parameter(table, device)).collect(),
            biases: tables.map(|table| parameter(table, device)).collect(),
        }
    }

    /// A trained network on a device.
    fn of(network: &Network, device: &Device) -> Model {
        let table = |table: &Table, columns: usize| {
            let rows = table.values.len() / columns;
            Param::from_data(
                TensorData::new(table.values.clone(), [rows, columns]),
                device,
            )
        };
        let bias = |table: &Table| {
            let values = table.values.clone();
            Param::from_data(TensorData::new(values, [table.values.len()]), device)
        };
        let layers = network.layers.iter().chain([&network.last]);
        Model {
            rows: table(&network.rows, network.shape.width),
            weights: layers
                .clone()
                .map(|layer| table(&layer.weights, layer.bias.values.len()))
                .collect(),
            biases: layers.map(|layer| bias(&layer.bias)).collect(),
        }
    }

    /// The scores of the classes for a batch of positions.
    fn scores(&self, shape: &Shape, inputs: Tensor<2, Int>) -> Tensor<2> {
        let [batch, active] = inputs.dims();
        let rows = rounded(self.rows.val(), shape.bits);
        let chosen = rows.select(0, inputs.reshape([batch * active]));
        let chosen = chosen.reshape([batch, active, shape.width]);
        let mut state = relu(chosen.sum_dim(1).reshape([batch, shape.width]));
        let mut scores = None;
        for (i, (weights, bias)) in self.weights.iter().zip(&self.biases).enumerate() {
            let weights = rounded(weights.val(), shape.bits);
            let bias = rounded(bias.val(), bias_bits(shape.bits));
            let answer = state.clone().matmul(weights) + bias.unsqueeze();
            if i < shape.layers {
                state = state + relu(answer);
            } else {
                scores = Some(answer);
            }
        }
        scores.expect("there is a last layer")
    }
}

impl Trainer {
    /// A network with random weights.
    pub fn new(shape: Shape, seed: u64) -> Trainer {
        let device = device::cpu().autodiff();
        Trainer {
            shape,
            model: Model::new(&shape, seed, &device),
            adam: Adam::new(0.0),
            average: None,
            device,
            examples: None,
        }
    }

    /// The same trainer, which keeps a mean of the network over its last steps beside it
    /// ([`ClassTraining::approach`]) and answers with that.
    ///
    /// # Panics
    /// When weights are in steps: a mean would lie between them.
    #[must_use]
    pub fn averaging(mut self) -> Trainer {
        assert!(self.shape.can_be_averaged(), "weights are exact");
        self.average = Some(self.model.valid());
        self
    }

    /// Some of the examples.
    fn batch(&self, batch: &[u32]) -> (Tensor<2, Int>, Tensor<1, Int>) {
        let (inputs, classes) = self.examples.as_ref().expect("examples to learn from");
        let device = self.device.clone().inner();
        let chosen: Vec<i32> = batch.iter().map(|&i| i as i32).collect();
        let chosen = TensorData::new(chosen, [batch.len()]);
        let chosen = Tensor::<1, Int>::from_data(chosen, &device);
        let inputs = inputs.clone().select(0, chosen.clone());
        (inputs, classes.clone().select(0, chosen))
    }
}

impl ClassTraining for Trainer {
    fn study(&mut self, inputs: &[u16], classes: &[u8]) {
        let device = self.device.clone().inner();
        let ints = |values: Vec<i32>, count: usize| TensorData::new(values, [count]);
        let inputs: Vec<i32> = inputs.iter().map(|&input| input.into()).collect();
        let shape = [classes.len(), self.shape.active];
        let inputs = Tensor::from_data(TensorData::new(inputs, shape), &device);
        let classes: Vec<i32> = classes.iter().map(|&class| class.into()).collect();
        let count = classes.len();
        self.examples = Some((inputs, Tensor::from_data(ints(classes, count), &device)));
    }

    fn learn(&mut self, batch: &[u32], rate: f64) -> Vec<u32> {
        let (inputs, classes) = self.batch(batch);
        let inputs = Tensor::from_inner(inputs);
        let scores = self.model.scores(&self.shape, inputs);
        let best = scores.clone().inner().argmax(1).reshape([batch.len()]);
        let wrong = best.not_equal(classes.clone()).int();
        let loss = CrossEntropyLossConfig::new()
            .init(&self.device)
            .forward(scores, Tensor::from_inner(classes));
        let gradients = loss.backward();
        self.model = self.adam.step(self.model.clone(), gradients, rate);
        let wrong = wrong.into_data().convert::<i32>();
        let wrong = wrong.try_to_vec::<i32>().expect("whole numbers");
        let pairs = batch.iter().zip(wrong);
        pairs
            .filter(|&(_, wrong)| wrong != 0)
            .map(|(&i, _)| i)
            .collect()
    }

    fn approach(&mut self, part: f32) {
        if let Some(average) = self.average.take() {
            self.average = Some(approach(average, &self.model, part));
        }
    }

    fn classes(&self, _: &[u16]) -> Option<Vec<u8>> {
        None
    }

    fn network(&self) -> Network {
        let bits = self.shape.bits;
        let model = self.average.as_ref().unwrap_or(&self.model);
        let layers = model.weights.iter().zip(&model.biases);
        let mut layers: Vec<Layer> = layers
            .map(|(weights, bias)| Layer {
                weights: table(weights.val().inner(), bits),
                bias: table(bias.val().inner(), bias_bits(bits)),
            })
            .collect();
        Network {
            shape: self.shape,
            rows: table(model.rows.val().inner(), bits),
            last: layers.pop().expect("there is a last layer"),
            layers,
        }
    }

    fn save(&self, out: &mut Writer) {
        tensors::save(&self.model, out);
        self.adam.save(out);
        if self.average.is_some() {
            self.network().save(out);
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.model = tensors::load(self.model.clone(), from)?;
        self.adam.load(from, &self.model)?;
        if self.average.is_some() {
            let mut average = self.network();
            average.load(from)?;
            self.average = Some(Model::of(&average, &self.device.clone().inner()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Scratch;

    fn shape(bits: u32) -> Shape {
        Shape {
            inputs: 20,
            active: 3,
            width: 8,
            layers: 2,
            classes: 5,
            bits,
        }
    }

    /// A trainer after a few batches, and its examples.
    fn trained(bits: u32, batches: usize) -> (Trainer, Vec<u16>) {
        let mut trainer = Trainer::new(shape(bits), 7);
        let inputs: Vec<u16> = (0..60).map(|i| (i * 7 + i / 9) % 20).collect();
        let classes: Vec<u8> = (0..20).map(|i| i * 3 % 5).collect();
        trainer.study(&inputs, &classes);
        learn(&mut trainer, batches);
        (trainer, inputs)
    }

    fn learn(trainer: &mut Trainer, batches: usize) {
        for i in 0..batches as u32 {
            let batch: Vec<u32> = (0..10).map(|j| (i * 3 + j) % 20).collect();
            trainer.learn(&batch, 0.01);
        }
    }

    fn scores(trainer: &Trainer) -> Vec<f32> {
        let (inputs, _) = trainer.batch(&(0..20).collect::<Vec<_>>());
        let inputs = Tensor::from_inner(inputs);
        let scores = trainer.model.scores(&trainer.shape, inputs);
        scores.into_data().try_to_vec().unwrap()
    }

    #[test]
    fn the_plain_loops_say_what_the_framework_says() {
        for bits in [0, 2, 4, 8] {
            let (trainer, inputs) = trained(bits, 30);
            let theirs = scores(&trainer);
            let network = trainer.network();
            let mut scratch = Scratch::default();
            let mut ours: Vec<f32> = Vec::new();
            for inputs in inputs.chunks(3) {
                network.scores(inputs, &mut scratch);
                ours.extend(&scratch.scores);
            }
            assert!(theirs.iter().any(|score| score.abs() > 0.1));
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert!((ours - theirs).abs() < 1e-5, "{bits}: {ours} {theirs}");
            }
        }
    }

    #[test]
    fn it_learns() {
        let (mut trainer, _) = trained(4, 400);
        let all: Vec<u32> = (0..20).collect();
        assert_eq!(trainer.learn(&all, 0.0), [0; 0]);
    }

    #[test]
    fn a_saved_trainer_goes_on_as_if_nothing_had_happened() {
        let (mut undisturbed, _) = trained(4, 20);
        let mut out = Writer::default();
        undisturbed.save(&mut out);
        let record = out.into_bytes();
        // The other one has learned something else in the meantime.
        let (mut other, _) = trained(4, 3);
        other.load(&mut Reader::new(&record)).unwrap();
        learn(&mut undisturbed, 20);
        learn(&mut other, 20);
        assert_eq!(undisturbed.network(), other.network());
        // The optimiser's memory is part of it: without it the same weights go elsewhere.
        let (mut forgetful, _) = trained(4, 3);
        forgetful.load(&mut Reader::new(&record)).unwrap();
        forgetful.adam = Adam::new(0.0);
        learn(&mut forgetful, 20);
        assert_ne!(undisturbed.network(), forgetful.network());
    }

    #[test]
    fn a_damaged_record_is_refused() {
        let (trainer, _) = trained(4, 1);
        let mut out = Writer::default();
        trainer.save(&mut out);
        let record = out.into_bytes();
        for length in [0, 8, 100, record.len() / 2, record.len() - 1] {
            let (mut other, _) = trained(4, 0);
            assert!(other.load(&mut Reader::new(&record[..length])).is_err());
        }
        let mut wider = Trainer::new(
            Shape {
                width: 9,
                ..shape(4)
            },
            7,
        );
        assert!(wider.load(&mut Reader::new(&record)).is_err());
    }
}
