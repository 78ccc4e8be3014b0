//! Training values of actions with burn.

use burn::{
    module::{Module, Param},
    tensor::{Device, Int, Tensor, TensorData, activation::relu, module::conv2d, ops::ConvOptions},
};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{
    QNetwork, QShape,
    adam::Adam,
    device,
    tensors::{self, numbers},
};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// A network of values in training, by Adam and squared error.
pub struct QTrainer {
    shape: QShape,
    device: Device,
    weight_decay: f64,
    model: Model,
    adam: Adam,
}

/// What to learn from.
#[derive(Clone, Debug, Default)]
pub struct QBatch {
    /// The planes of all positions, one after the other.
    pub planes: Vec<f32>,
    /// The action of each.
    pub actions: Vec<usize>,
    /// What the action is worth.
    pub targets: Vec<f32>,
    /// How much each counts.
    pub weights: Vec<f32>,
}

#[derive(Module, Debug)]
struct Model {
    first: Param<Tensor<4>>,
    first_bias: Param<Tensor<1>>,
    second: Param<Tensor<2>>,
    second_bias: Param<Tensor<1>>,
    last: Param<Tensor<2>>,
    last_bias: Param<Tensor<1>>,
}

const SIDE: usize = 8;

impl Model {
    fn new(network: &QNetwork, device: &Device) -> Model {
        fn param<const D: usize>(
            table: &[f32],
            shape: [usize; D],
            device: &Device,
        ) -> Param<Tensor<D>> {
            Param::from_data(TensorData::new(table.to_vec(), shape), device)
        }
        let QShape {
            planes,
            channels,
            hidden,
            actions,
        } = network.shape;
        let [first, first_bias, second, second_bias, last, last_bias] = &network.tables;
        Model {
            first: param(first, [channels, planes, 3, 3], device),
            first_bias: param(first_bias, [channels], device),
            second: param(second, [channels * SIDE * SIDE, hidden], device),
            second_bias: param(second_bias, [hidden], device),
            last: param(last, [hidden, actions], device),
            last_bias: param(last_bias, [actions], device),
        }
    }

    fn values(&self, planes: Tensor<4>) -> Tensor<2> {
        let [batch, ..] = planes.dims();
        let state = conv2d(
            planes,
            self.first.val(),
            Some(self.first_bias.val()),
            ConvOptions::new([1, 1], [1, 1], [1, 1], 1),
        );
        let [_, channels, ..] = state.dims();
        let state = relu(state).reshape([batch, channels * SIDE * SIDE]);
        let state = relu(state.matmul(self.second.val()) + self.second_bias.val().unsqueeze());
        state.matmul(self.last.val()) + self.last_bias.val().unsqueeze()
    }
}

impl QTrainer {
    /// A network with random weights.
    pub fn new(shape: QShape, seed: u64, weight_decay: f64) -> QTrainer {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut table = |count: usize, inputs: usize| -> Vec<f32> {
            // Uniform with the variance of He's initialisation.
            let scale = (6.0 / inputs as f32).sqrt();
            let draw = |random: &mut ChaCha8Rng| {
                (random.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0) * scale
            };
            (0..count).map(|_| draw(&mut random)).collect()
        };
        let QShape {
            planes,
            channels,
            hidden,
            actions,
        } = shape;
        let network = QNetwork::new(
            shape,
            [
                // Three by three squares around see one man or none, not nine of each kind.
                table(channels * planes * 9, planes),
                vec![0.0; channels],
                // Of the squares only those around the men have something to say.
                table(channels * SIDE * SIDE * hidden, channels * planes * 9),
                vec![0.0; hidden],
                table(hidden * actions, hidden),
                vec![0.0; actions],
            ],
        );
        let device = device::cpu().autodiff();
        QTrainer {
            shape,
            model: Model::new(&network, &device),
            adam: Adam::new(weight_decay),
            device,
            weight_decay,
        }
    }

    /// Goes on from the weights of a network of the same size, its optimiser fresh.
    pub fn start_from(&mut self, network: &QNetwork) {
        self.model = Model::new(network, &self.device);
        self.adam = Adam::new(self.weight_decay);
    }

    /// Moves the values of the batch's actions towards their targets; returns how far off each was.
    pub fn learn(&mut self, batch: &QBatch, rate: f64) -> Vec<f32> {
        let count = batch.actions.len();
        let device = self.device.clone().inner();
        let planes = TensorData::new(batch.planes.clone(), [count, self.shape.planes, SIDE, SIDE]);
        let planes = Tensor::from_inner(Tensor::from_data(planes, &device));
        let actions: Vec<i32> = batch.actions.iter().map(|&action| action as i32).collect();
        let actions = TensorData::new(actions, [count, 1]);
        let actions: Tensor<2, Int> = Tensor::from_data(actions, &device);
        let column = |values: &[f32]| -> Tensor<2> {
            let values = TensorData::new(values.to_vec(), [count, 1]);
            Tensor::from_inner(Tensor::from_data(values, &device))
        };
        let values = self.model.values(planes);
        let off = column(&batch.targets) - values.gather(1, Tensor::from_inner(actions));
        let loss = (column(&batch.weights) * off.clone() * off.clone()).mean();
        let gradients = loss.backward();
        self.model = self.adam.step(self.model.clone(), gradients, rate);
        numbers(off.inner())
    }

    /// The network as it is now, as plain numbers: all of it is copied, so this is for whoever is about
    /// to play.
    pub fn network(&self) -> QNetwork {
        let model = &self.model;
        QNetwork::new(
            self.shape,
            [
                numbers(model.first.val().inner()),
                numbers(model.first_bias.val().inner()),
                numbers(model.second.val().inner()),
                numbers(model.second_bias.val().inner()),
                numbers(model.last.val().inner()),
                numbers(model.last_bias.val().inner()),
            ],
        )
    }

    /// Writes weights and the state of the optimiser.
    pub fn save(&self, out: &mut Writer) {
        tensors::save(&self.model, out);
        self.adam.save(out);
    }

    /// Reads what [`QTrainer::save`] wrote, for a network of the same size.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.model = tensors::load(self.model.clone(), from)?;
        self.adam.load(from, &self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::QScratch;

    const SHAPE: QShape = QShape {
        planes: 3,
        channels: 4,
        hidden: 16,
        actions: 5,
    };

    /// Ten positions of three men, their actions and targets.
    fn batch() -> QBatch {
        let mut batch = QBatch::default();
        for i in 0..10 {
            let first = batch.planes.len();
            batch.planes.resize(first + 3 * 64, 0.0);
            ones(i).for_each(|one| batch.planes[first + one] = 1.0);
            batch.actions.push(i % 5);
            batch.targets.push((i as f32 - 4.0) * 0.5);
            batch.weights.push(1.0);
        }
        batch
    }

    fn ones(i: usize) -> impl Iterator<Item = usize> {
        [i * 7 % 64, 64 + (i * 29 + 7) % 64, 128 + (i * 13 + 56) % 64].into_iter()
    }

    fn trained(steps: usize, weight_decay: f64) -> QTrainer {
        let mut trainer = QTrainer::new(SHAPE, 5, weight_decay);
        (0..steps).for_each(|_| drop(trainer.learn(&batch(), 0.003)));
        trainer
    }

    #[test]
    fn the_plain_loops_say_what_the_framework_says() {
        let mut trainer = trained(20, 0.0);
        let network = trainer.network();
        let batch = batch();
        let off = trainer.learn(&batch, 0.0);
        let mut scratch = QScratch::default();
        for (i, theirs) in off.iter().enumerate().take(10) {
            network.values(ones(i), &mut scratch);
            let ours = batch.targets[i] - scratch.values[batch.actions[i]];
            assert!((ours - theirs).abs() < 1e-4, "{i}: {ours} {theirs}");
        }
        assert!(off.iter().any(|off| off.abs() > 0.01));
    }

    #[test]
    fn it_learns_and_only_the_actions_taken() {
        let mut trainer = trained(400, 0.0);
        let off = trainer.learn(&batch(), 0.0);
        assert!(off.iter().all(|off| off.abs() < 0.05), "{off:?}");
    }

    #[test]
    fn weights_of_nothing_teach_nothing_and_decay_shrinks() {
        let mut trainer = trained(0, 0.0);
        let before = trainer.network();
        let mut nothing = batch();
        nothing.weights.fill(0.0);
        trainer.learn(&nothing, 0.01);
        assert_eq!(trainer.network(), before);
        let size = |trainer: &QTrainer| -> f32 {
            let tables = trainer.network().tables;
            tables[4].iter().map(|weight| weight * weight).sum()
        };
        assert!(size(&trained(200, 0.1)) < 0.8 * size(&trained(200, 0.0)));
    }

    #[test]
    fn a_saved_trainer_goes_on_as_if_nothing_had_happened() {
        let mut undisturbed = trained(7, 0.01);
        let mut out = Writer::default();
        undisturbed.save(&mut out);
        let record = out.into_bytes();
        let mut other = trained(1, 0.01);
        other.load(&mut Reader::new(&record)).unwrap();
        for _ in 0..5 {
            undisturbed.learn(&batch(), 0.003);
            other.learn(&batch(), 0.003);
        }
        assert_eq!(undisturbed.network(), other.network());
        for length in [0, 8, record.len() / 2, record.len() - 1] {
            assert!(other.load(&mut Reader::new(&record[..length])).is_err());
        }
    }
}
