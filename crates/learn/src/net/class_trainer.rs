//! Training a network of classes, wherever that is done.

use super::{Network, Shape, no_such_device, trainer::Trainer};
use crate::{
    LearnError,
    runs::record::{Reader, Writer},
};

/// A network in training that gives every position a class.
pub trait ClassTraining: Send {
    /// Takes all examples: `active` inputs and a class for each.
    fn study(&mut self, inputs: &[u16], classes: &[u8]);

    /// Learns from some of the examples; returns which ones it had wrong before.
    ///
    /// # Panics
    /// When there are no examples.
    fn learn(&mut self, batch: &[u32], rate: f64) -> Vec<u32>;

    /// Moves the mean of the network over its last steps, if one is kept, a part of the way to where the network is now.
    fn approach(&mut self, part: f32);

    /// The class that the network gives each position, by the device: a GPU is faster at it than plain loops, but
    /// rounds differently, so that answers which are almost equal may change places. `None` where the plain
    /// loops are as good.
    fn classes(&self, inputs: &[u16]) -> Option<Vec<u8>>;

    /// The network as it answers now, as plain numbers: all of it is copied from the device, so this is
    /// for whoever is about to play or to save.
    fn network(&self) -> Network;

    /// Writes weights, the state of the optimiser, and the mean.
    fn save(&self, out: &mut Writer);

    /// Reads what [`ClassTraining::save`] wrote, for a network of the same size.
    ///
    /// # Errors
    /// When the record does not fit.
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LearnError>;
}

/// A network with random weights in training: on the device `cpu` by burn; on `libtorch` (the processor) and
/// `cuda` by libtorch, in a program built with it. It answers with its mean over the last steps if that
/// is asked for.
///
/// # Errors
/// When there is no such device in this program.
///
/// # Panics
/// When a mean is asked for of weights in steps: it would lie between them.
pub fn class_trainer(
    shape: Shape,
    seed: u64,
    device: &str,
    averaging: bool,
) -> Result<Box<dyn ClassTraining>, LearnError> {
    assert!(!averaging || shape.can_be_averaged(), "weights are exact");
    match device {
        "cpu" => {
            let trainer = Trainer::new(shape, seed);
            Ok(Box::new(match averaging {
                true => trainer.averaging(),
                false => trainer,
            }))
        }
        #[cfg(feature = "libtorch")]
        "libtorch" | "cuda" => Ok(Box::new(super::torch::TorchClasses::new(
            shape, seed, device, averaging,
        )?)),
        _ => Err(no_such_device(device)),
    }
}
