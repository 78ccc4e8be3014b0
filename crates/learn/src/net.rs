//! Networks. The framework burn appears in this module and nowhere else: the rest of the house sees
//! plain numbers ([`Network`]) and whoever makes them better ([`ClassTraining`] and others).
//!
//! A network adds up the rows of its first table that a position switches on, cuts off what is
//! negative, goes through layers that each add something to what they are given, and ends with a
//! score for every class. Weights are kept in steps of a common size for each table, as many as fit
//! into `bits` bits: training sees the rounded weights and moves the exact ones behind them.
//!
//! What every network in training has in common stands by itself and takes any module of burn's: one
//! optimiser (`adam.rs`), one way from weights to names and files and back ([`Tensors`]), means over
//! steps (`average.rs`), rates ([`Schedule`]) and devices (`device.rs`). Weights stay on the device;
//! they become plain numbers when someone is about to play or to save, not after every batch.

mod adam;
mod average;
mod class_trainer;
mod dense;
mod device;
pub(crate) mod muon;
mod network;
mod packed;
pub mod plain;
mod plain_residual;
mod plain_tower;
mod q_network;
mod q_trainer;
mod residual;
mod residual_shape;
mod schedule;
mod tensors;
#[cfg(feature = "libtorch")]
pub mod torch;
mod tower;
mod tower_network;
mod tower_shape;
mod tower_trainer;
mod trainer;

pub use class_trainer::{ClassTraining, class_trainer};
pub use dense::{DenseTrainer, Examples};
pub(crate) use device::no_such_device;
pub use network::{Layer, Network, Scratch, Table};
pub use plain_residual::{ResidualNetwork, ResidualScratch};
pub use q_network::{QNetwork, QScratch, QShape};
pub use q_trainer::{QBatch, QTrainer};
pub use residual::{ResidualBatch, ResidualLosses, ResidualTrainer};
pub use residual_shape::ResidualShape;
pub use schedule::Schedule;
pub use tensors::Tensors;
pub use tower_network::TowerNetwork;
pub use tower_shape::{Begin, TableSpec, TowerShape};
pub(crate) use tower_trainer::follow;
pub use tower_trainer::{
    Answered, TowerBatch, TowerLosses, TowerOnDevice, TowerRates, TowerTraining, tower_trainer,
};

/// The size of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Rows of the first table: what a position can switch on.
    pub inputs: usize,
    /// How many of them every position switches on.
    pub active: usize,
    /// Numbers that are passed from layer to layer.
    pub width: usize,
    /// Layers between the first table and the last.
    pub layers: usize,
    /// Answers.
    pub classes: usize,
    /// Bits to a weight, 2 to 8; 0 leaves them as they are.
    pub bits: u32,
}

impl Shape {
    /// How many weights there are.
    pub fn weights(&self) -> usize {
        self.inputs * self.width
            + self.layers * (self.width + 1) * self.width
            + (self.width + 1) * self.classes
    }

    /// The sides of each table in training: rows, the weights of all layers, what they add in any case.
    fn sides(&self) -> Vec<Vec<i64>> {
        let [inputs, width, classes] =
            [self.inputs, self.width, self.classes].map(|side| side as i64);
        let mut sides = vec![vec![inputs, width]];
        sides.extend((0..self.layers).map(|_| vec![width, width]));
        sides.push(vec![width, classes]);
        sides.extend((0..self.layers).map(|_| vec![width]));
        sides.push(vec![classes]);
        sides
    }

    /// Bytes that the weights take as they are stored: packed, with the step of each table.
    pub fn bytes(&self) -> usize {
        if self.bits == 0 {
            return 4 * self.weights();
        }
        let biases = self.layers * self.width + self.classes;
        let packed = (self.weights() - biases) * self.bits as usize;
        packed.div_ceil(8) + biases + 4 * (1 + 2 * (self.layers + 1))
    }
}

/// Bits to a bias: there are so few of them that they always get eight.
fn bias_bits(bits: u32) -> u32 {
    if bits == 0 { 0 } else { 8 }
}
