//! The tower by libtorch, for a GPU: burn's convolutions are a tenth as fast there. And the small
//! networks of many learners at once ([`Stack`]), and networks of classes ([`TorchClasses`]).
//!
//! Weights are one vector on the device, tables of the same size side by side, so that an optimiser's
//! step is a handful of operations however many tables there are. They are used in 16 bits on a GPU and
//! kept in 32. Boards lie with their numbers innermost, the layout that convolutions are fast in.

mod buffer;
mod layout;
mod optimiser;
mod stack;
mod torch_answers;
mod torch_classes;
mod torch_tower;
mod torch_trainer;

pub(crate) use buffer::Buffer;
pub(crate) use layout::{Layout, NO_MOVE, Owner};
use optimiser::Optimiser;
pub(crate) use stack::Stack;
use torch_answers::TorchAnswers;
pub use torch_classes::TorchClasses;
use torch_tower::{Mode, TorchTower};
pub use torch_trainer::TorchTrainer;

use tch::Device;

use crate::LearnError;

/// The device of a name: `cuda`, or as `libtorch` the processor.
///
/// # Errors
/// When there is no GPU.
pub(crate) fn device(name: &str) -> Result<Device, LearnError> {
    let refuse = |why: &str| LearnError::BadSetting {
        name: "device".into(),
        value: name.into(),
        why: why.into(),
    };
    match name {
        "cuda" if tch::Cuda::is_available() => Ok(Device::Cuda(0)),
        "cuda" => Err(refuse(
            "libtorch sees no GPU (docs/imitation.md says how it is started)",
        )),
        "libtorch" => Ok(Device::Cpu),
        _ => Err(refuse("cpu, cuda or libtorch")),
    }
}
