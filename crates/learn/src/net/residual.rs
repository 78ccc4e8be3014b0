//! Document W's network in training: by burn, on the processor.

use burn::{
    module::Module,
    tensor::{
        Device, Int, Tensor, TensorData,
        activation::{log_softmax, relu, tanh},
    },
};

use super::{
    ResidualShape, Tensors,
    adam::Adam,
    device,
    tensors::{self, numbers},
    tower::{Dense, Kernel, Met, Norm},
    tower_network::unpacked,
    tower_trainer::drawn,
};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// The network; its tables are those of [`ResidualShape`].
#[derive(Module, Debug)]
pub(super) struct Residual {
    first: Kernel,
    first_norm: Norm,
    blocks: Vec<ResidualBlock>,
    policy: Kernel,
    policy_norm: Norm,
    moves: Dense,
    value: Kernel,
    value_norm: Norm,
    hidden: Dense,
    result: Dense,
}

#[derive(Module, Debug)]
struct ResidualBlock {
    first: Kernel,
    first_norm: Norm,
    second: Kernel,
    second_norm: Norm,
}

impl ResidualBlock {
    fn forward(&self, x: Tensor<4>, met: &mut Option<Met>) -> Tensor<4> {
        let y = relu(self.first_norm.forward(self.first.forward(x.clone()), met));
        let y = self.second_norm.forward(self.second.forward(y), met);
        relu(x + y)
    }
}

impl Residual {
    /// A network with these tables.
    ///
    /// # Errors
    /// When one is missing or of another size.
    pub(super) fn new(
        shape: ResidualShape,
        tables: &Tensors,
        device: &Device,
    ) -> Result<Residual, LearnError> {
        let (w, inputs) = (shape.filters, ResidualShape::INPUTS);
        let (policy, value) = (ResidualShape::POLICY, ResidualShape::VALUE);
        let hidden = ResidualShape::HIDDEN;
        let block = || ResidualBlock {
            first: Kernel::new(w, w, 3, device),
            first_norm: Norm::new(w, device),
            second: Kernel::new(w, w, 3, device),
            second_norm: Norm::new(w, device),
        };
        tables.into_module(Residual {
            first: Kernel::new(w, inputs, 3, device),
            first_norm: Norm::new(w, device),
            blocks: (0..shape.blocks).map(|_| block()).collect(),
            policy: Kernel::new(policy, w, 1, device),
            policy_norm: Norm::new(policy, device),
            moves: Dense::new(ResidualShape::MOVES, 64 * policy, device),
            value: Kernel::new(value, w, 1, device),
            value_norm: Norm::new(value, device),
            hidden: Dense::new(hidden, 64 * value, device),
            result: Dense::new(1, hidden, device),
        })
    }

    /// The scores of all moves and what is expected of the game, from −1 to 1, for boards given as
    /// `[boards, inputs, 8, 8]`; in training with the means and variances of the batch, which are added
    /// to `met`.
    pub(super) fn forward(&self, seen: Tensor<4>, met: &mut Option<Met>) -> (Tensor<2>, Tensor<2>) {
        let mut x = relu(self.first_norm.forward(self.first.forward(seen), met));
        for block in &self.blocks {
            x = block.forward(x, met);
        }
        let policy = relu(
            self.policy_norm
                .forward(self.policy.forward(x.clone()), met),
        );
        let value = relu(self.value_norm.forward(self.value.forward(x), met));
        let moves = self.moves.forward(flat(policy));
        let hidden = relu(self.hidden.forward(flat(value)));
        (moves, tanh(self.result.forward(hidden)))
    }

    fn following(mut self, met: Met) -> Residual {
        let met = &mut met.into_iter();
        self.first_norm.follow(met);
        for block in &mut self.blocks {
            block.first_norm.follow(met);
            block.second_norm.follow(met);
        }
        self.policy_norm.follow(met);
        self.value_norm.follow(met);
        self
    }
}

/// All numbers of a board in a row, square after square.
fn flat(x: Tensor<4>) -> Tensor<2> {
    let [boards, width, ranks, files] = x.dims();
    let squares = ranks * files;
    x.reshape([boards, width, squares])
        .swap_dims(1, 2)
        .reshape([boards, squares * width])
}

/// What document W's network learns from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ResidualBatch {
    /// The sets of squares that are seen, position after position.
    pub sights: Vec<u64>,
    /// For how many moves there is room.
    pub room: usize,
    /// Numbers of moves, `room` for each position.
    pub moves: Vec<i32>,
    /// How likely each of them is to be the best; nought where there is no move.
    pub shares: Vec<f32>,
    /// How the game ended for the mover: −1, 0 or 1.
    pub results: Vec<f32>,
}

/// What a batch was like, before it was learned from.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ResidualLosses {
    /// The cross-entropy of the moves, in nats.
    pub moves: f64,
    /// The squared error of the result.
    pub result: f64,
    /// In how many positions the likeliest of all moves was the best.
    pub right: u32,
}

/// Document W's network in training.
pub struct ResidualTrainer {
    device: Device,
    network: Residual,
    adam: Adam,
}

impl ResidualTrainer {
    /// A network whose weights are drawn from `seed`.
    ///
    /// # Errors
    /// When its size makes no sense.
    pub fn new(shape: ResidualShape, seed: u64) -> Result<ResidualTrainer, LearnError> {
        let device = device::cpu().autodiff();
        let begin = drawn(shape.tables(), shape.norms(), seed);
        Ok(ResidualTrainer {
            network: Residual::new(shape, &begin, &device)?,
            adam: Adam::new(0.0),
            device,
        })
    }

    /// Learns from a batch: cross-entropy of the moves, among all there could be, plus the squared error
    /// of the result.
    pub fn learn(&mut self, batch: &ResidualBatch, rate: f64) -> ResidualLosses {
        let (count, room) = (batch.results.len(), batch.room);
        let inner = self.device.clone().inner();
        let seen = unpacked(&batch.sights, ResidualShape::INPUTS, &inner);
        let mut met = Some(Vec::new());
        let (scores, expected) = self.network.forward(Tensor::from_inner(seen), &mut met);
        let right = right(&numbers(scores.clone().inner()), batch);
        let numbers = |values: &[f32], columns: usize| -> Tensor<2> {
            let values = TensorData::new(values.to_vec(), [count, columns]);
            Tensor::from_inner(Tensor::from_data(values, &inner))
        };
        let places = TensorData::new(batch.moves.clone(), [count, room]);
        let places: Tensor<2, Int> = Tensor::from_inner(Tensor::from_data(places, &inner));
        let logs = log_softmax(scores, 1).gather(1, places);
        let moves = (logs * numbers(&batch.shares, room)).sum().neg() / count as f32;
        let error = expected - numbers(&batch.results, 1);
        let result = (error.clone() * error).mean();
        let losses = ResidualLosses {
            moves: f64::from(moves.clone().into_scalar::<f32>()),
            result: f64::from(result.clone().into_scalar::<f32>()),
            right,
        };
        let gradients = (moves + result).backward();
        let network = self.adam.step(self.network.clone(), gradients, rate);
        self.network = network.following(met.unwrap_or_default());
        losses
    }

    /// The weights as they are now.
    pub fn weights(&self) -> Tensors {
        Tensors::of(&self.network)
    }

    /// Writes weights and the state of the optimiser.
    pub fn save(&self, out: &mut Writer) {
        tensors::save(&self.network, out);
        self.adam.save(out);
    }

    /// Reads what [`ResidualTrainer::save`] wrote, for a network of the same size.
    ///
    /// # Errors
    /// When the record does not fit.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError> {
        self.network = tensors::load(self.network.clone(), from)?;
        self.adam.load(from, &self.network)
    }
}

/// In how many positions the move of the highest score is the best.
fn right(scores: &[f32], batch: &ResidualBatch) -> u32 {
    let rooms = batch.shares.chunks_exact(batch.room);
    let rooms = rooms.zip(batch.moves.chunks_exact(batch.room));
    let right =
        scores
            .chunks_exact(ResidualShape::MOVES)
            .zip(rooms)
            .filter(|(scores, (shares, moves))| {
                let best = (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
                let own = best.map_or(f32::INFINITY, |best| scores[moves[best] as usize]);
                scores.iter().filter(|&&score| score >= own).count() == 1
            });
    right.count() as u32
}
