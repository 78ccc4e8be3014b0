//! Training with burn.

use burn::{
    module::{Module, ModuleMapper, Param},
    nn::loss::CrossEntropyLossConfig,
    tensor::{Device, IndexingUpdateOp, Int, Tensor, TensorData, activation::relu},
};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{
    Layer, Network, Shape, Table,
    adam::Adam,
    average::approach,
    bias_bits, device,
    tensors::{self, numbers},
};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// Positions that a device is asked about at a time: always as many, because a GPU tunes its kernels
/// for every number anew.
const ASKED: usize = 16_384;

/// Groups that a GPU gets a batch in.
const GROUPS: usize = 32;

/// A network in training.
pub struct Trainer {
    shape: Shape,
    device: Device,
    /// Is the first layer a multiplication?
    dense: bool,
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
fn most_steps(bits: u32) -> f32 {
    ((1i64 << (bits - 1)) - 1) as f32
}

/// The size of a step in standard deviations, such that weights distributed like a bell are rounded
/// with about the least error (Max 1960); the largest weights are cut off.
fn step_size(bits: u32) -> f32 {
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

/// Puts weights in steps once and for all.
struct InSteps {
    bits: u32,
}

impl ModuleMapper for InSteps {
    fn map_float<const D: usize>(&mut self, table: Param<Tensor<D>>) -> Param<Tensor<D>> {
        // What is added in any case is a row, weights are a table.
        let bits = if D == 1 {
            bias_bits(self.bits)
        } else {
            self.bits
        };
        table.map(|weights| {
            let (steps, step) = in_steps(weights, bits);
            let shape = steps.dims();
            steps * step.expand(shape)
        })
    }
}

impl Model {
    fn new(shape: &Shape, seed: u64, device: &Device) -> Model {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut table = |rows: usize, columns: usize, scale: f32| {
            let draw = |random: &mut ChaCha8Rng| {
                (random.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0) * scale
            };
            let values: Vec<f32> = (0..rows * columns).map(|_| draw(&mut random)).collect();
            Param::from_data(TensorData::new(values, [rows, columns]), device)
        };
        let none =
            |count: usize| Param::from_data(TensorData::new(vec![0.0f32; count], [count]), device);
        let width = shape.width;
        // Uniform with the variance of He's initialisation; layers in between start small, so that
        // what they add does not grow with their number.
        let he = (6.0 / width as f32).sqrt();
        let rows = table(shape.inputs, width, (3.0 / shape.active as f32).sqrt());
        let mut weights = Vec::new();
        let mut biases = Vec::new();
        for _ in 0..shape.layers {
            weights.push(table(width, width, he * 0.5));
            biases.push(none(width));
        }
        weights.push(table(width, shape.classes, he * 0.5));
        biases.push(none(shape.classes));
        Model {
            rows,
            weights,
            biases,
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
    ///
    /// The first layer is the sum of a few rows. A processor picks them (`dense` off); a GPU is
    /// faster multiplying with a matrix of zeros and ones than adding up gradients row by row. And a
    /// GPU gets the batch in groups: the gradient of a table is a small matrix, a sum over the whole
    /// batch, that few of its cores could work on if it were not taken group by group.
    fn scores(&self, shape: &Shape, inputs: Tensor<2, Int>, dense: bool) -> Tensor<2> {
        let [batch, active] = inputs.dims();
        let groups = match dense {
            true if batch.is_multiple_of(GROUPS) => GROUPS,
            _ => 1,
        };
        let group = batch / groups;
        let rows = rounded(self.rows.val(), shape.bits);
        let sums: Tensor<3> = if dense {
            let device = inputs.device();
            let off = Tensor::zeros([batch, shape.inputs], &device);
            let on = Tensor::ones([batch, active], &device);
            let switched = off.scatter(1, inputs, on, IndexingUpdateOp::Add);
            let switched = switched.reshape([groups, group, shape.inputs]);
            switched.matmul(rows.unsqueeze())
        } else {
            let chosen = rows.select(0, inputs.reshape([batch * active]));
            let chosen = chosen.reshape([batch, active, shape.width]);
            chosen.sum_dim(1).reshape([groups, group, shape.width])
        };
        let mut state = relu(sums);
        let mut scores = None;
        for (i, (weights, bias)) in self.weights.iter().zip(&self.biases).enumerate() {
            let weights = rounded(weights.val(), shape.bits);
            let bias = rounded(bias.val(), bias_bits(shape.bits));
            let answer = state.clone().matmul(weights.unsqueeze()) + bias.unsqueeze();
            if i < shape.layers {
                state = state + relu(answer);
            } else {
                scores = Some(answer.reshape([batch, shape.classes]));
            }
        }
        scores.expect("there is a last layer")
    }
}

impl Trainer {
    /// A network with random weights, trained on `cpu` or `cuda`.
    ///
    /// # Errors
    /// When there is no such device in this program.
    pub fn new(shape: Shape, seed: u64, device: &str) -> Result<Trainer, LearnError> {
        let device = device::named(device)?;
        let dense = !device::is_cpu(&device);
        let device = device.autodiff();
        Ok(Trainer {
            shape,
            model: Model::new(&shape, seed, &device),
            adam: Adam::new(0.0),
            average: None,
            device,
            dense,
            examples: None,
        })
    }

    /// The same trainer, which keeps a mean of the network over its last steps beside it
    /// ([`Trainer::approach`]) and answers with that.
    ///
    /// # Panics
    /// When weights are in steps: a mean would lie between them.
    #[must_use]
    pub fn averaging(mut self) -> Trainer {
        assert!(self.shape.can_be_averaged(), "weights are exact");
        self.average = Some(self.model.valid());
        self
    }

    /// Moves the mean a part of the way to where the network is now.
    pub fn approach(&mut self, part: f32) {
        if let Some(average) = self.average.take() {
            self.average = Some(approach(average, &self.model, part));
        }
    }

    /// Takes all examples: `active` inputs and a class for each.
    pub fn study(&mut self, inputs: &[u16], classes: &[u8]) {
        let device = self.device.clone().inner();
        let ints = |values: Vec<i32>, count: usize| TensorData::new(values, [count]);
        let inputs: Vec<i32> = inputs.iter().map(|&input| input.into()).collect();
        let shape = [classes.len(), self.shape.active];
        let inputs = Tensor::from_data(TensorData::new(inputs, shape), &device);
        let classes: Vec<i32> = classes.iter().map(|&class| class.into()).collect();
        let count = classes.len();
        self.examples = Some((inputs, Tensor::from_data(ints(classes, count), &device)));
    }

    /// Learns from some of the examples; returns which ones it had wrong before.
    ///
    /// # Panics
    /// When there are no examples.
    pub fn learn(&mut self, batch: &[u32], rate: f64) -> Vec<u32> {
        let (inputs, classes) = self.batch(batch);
        let inputs = Tensor::from_inner(inputs);
        let scores = self.model.scores(&self.shape, inputs, self.dense);
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

    /// The class that the network gives each position, by the trainer's device: a GPU is faster at it
    /// than plain loops, but rounds differently, so that answers which are almost equal may change
    /// places. `None` where the plain loops are as good.
    pub fn classes(&self, inputs: &[u16]) -> Option<Vec<u8>> {
        self.dense.then(|| self.classes_on_device(inputs))
    }

    fn classes_on_device(&self, inputs: &[u16]) -> Vec<u8> {
        let device = self.device.clone().inner();
        let model = self.answering();
        // Weights are in steps already.
        let shape = Shape {
            bits: 0,
            ..self.shape
        };
        let active = shape.active;
        let mut classes = Vec::with_capacity(inputs.len() / active);
        for chunk in inputs.chunks(ASKED * active) {
            let mut padded: Vec<i32> = chunk.iter().map(|&input| input.into()).collect();
            padded.resize(ASKED * active, 0);
            let padded = Tensor::from_data(TensorData::new(padded, [ASKED, active]), &device);
            let scores = model.scores(&shape, padded, self.dense);
            let best = scores.argmax(1).into_data().convert::<i32>();
            let best = best.try_to_vec::<i32>().expect("whole numbers");
            // At most 202 classes.
            classes.extend(
                best.iter()
                    .take(chunk.len() / active)
                    .map(|&class| class as u8),
            );
        }
        classes
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

    /// What answers: the mean, if there is one, or the network with its weights in steps.
    fn answering(&self) -> Model {
        match (&self.average, self.shape.bits) {
            (Some(average), _) => average.clone(),
            (None, 0) => self.model.valid(),
            (None, bits) => self.model.valid().map(&mut InSteps { bits }),
        }
    }

    /// The network as it answers now, as plain numbers: all of it is copied from the device, so this is
    /// for whoever is about to play or to save.
    pub fn network(&self) -> Network {
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

    /// Writes weights, the state of the optimiser, and the mean.
    pub fn save(&self, out: &mut Writer) {
        tensors::save(&self.model, out);
        self.adam.save(out);
        if self.average.is_some() {
            self.network().save(out);
        }
    }

    /// Reads what [`Trainer::save`] wrote, for a network of the same size.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
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
        let mut trainer = Trainer::new(shape(bits), 7, "cpu").unwrap();
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

    fn scores(trainer: &Trainer, dense: bool) -> Vec<f32> {
        let (inputs, _) = trainer.batch(&(0..20).collect::<Vec<_>>());
        let inputs = Tensor::from_inner(inputs);
        let scores = trainer.model.scores(&trainer.shape, inputs, dense);
        scores.into_data().try_to_vec().unwrap()
    }

    #[test]
    fn the_plain_loops_say_what_the_framework_says() {
        for bits in [0, 2, 4, 8] {
            let (trainer, inputs) = trained(bits, 30);
            let theirs = scores(&trainer, false);
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
    fn both_forms_of_the_first_layer_are_one() {
        let (trainer, _) = trained(4, 5);
        let pairs = scores(&trainer, false)
            .into_iter()
            .zip(scores(&trainer, true));
        pairs.for_each(|(one, other)| assert!((one - other).abs() < 1e-5));
    }

    #[test]
    fn a_batch_in_groups_teaches_what_the_whole_batch_teaches() {
        // 64 examples are two for each group; 63 are taken whole.
        let teach = |dense: bool, count: u32| {
            let (mut trainer, _) = trained(0, 0);
            trainer.dense = dense;
            let batch: Vec<u32> = (0..count).map(|i| i * 7 % 20).collect();
            (0..5).for_each(|_| drop(trainer.learn(&batch, 0.01)));
            trainer.network()
        };
        for count in [63, 64] {
            let (whole, groups) = (teach(false, count), teach(true, count));
            for ((_, whole), (_, groups)) in whole.tables().zip(groups.tables()) {
                for (one, other) in whole.values.iter().zip(&groups.values) {
                    assert!((one - other).abs() < 1e-4, "{count}: {one} {other}");
                }
            }
        }
    }

    #[test]
    fn a_device_gives_the_classes_that_the_plain_loops_give() {
        for bits in [0, 4] {
            let (trainer, inputs) = trained(bits, 200);
            let network = trainer.network();
            let mut scratch = Scratch::default();
            let plain: Vec<u8> = inputs
                .chunks(3)
                .map(|inputs| network.class(inputs, &mut scratch) as u8)
                .collect();
            assert!(plain.iter().any(|&class| class != plain[0]));
            assert_eq!(trainer.classes_on_device(&inputs), plain);
            assert_eq!(trainer.classes(&inputs), None); // a processor takes the loops
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
            "cpu",
        )
        .unwrap();
        assert!(wider.load(&mut Reader::new(&record)).is_err());
    }
}
