//! The tower by libtorch, for a GPU: burn's convolutions are a tenth as fast there.
//!
//! Weights are one vector on the device, tables of the same size side by side, so that an optimiser's
//! step is a handful of operations however many tables there are. They are used in 16 bits on a GPU and
//! kept in 32. Boards lie with their numbers innermost, the layout that convolutions are fast in.

mod optimiser;
mod torch_tower;
mod torch_trainer;

use optimiser::Optimiser;
use torch_tower::{Mode, TorchTower};
pub use torch_trainer::TorchTrainer;
