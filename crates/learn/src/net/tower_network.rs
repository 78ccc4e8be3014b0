//! A tower that only answers, on the processor.

use burn::tensor::{Device, Tensor, TensorData};

use super::{Tensors, TowerShape, plain_tower::PlainTower};
use crate::LearnError;

/// A tower that only answers. It can be asked by several threads at a time.
#[derive(Clone, Debug)]
pub struct TowerNetwork {
    shape: TowerShape,
    weights: Tensors,
    tower: PlainTower,
}

impl TowerNetwork {
    /// A tower with these weights.
    ///
    /// # Errors
    /// When they are not those of the shape.
    pub fn new(shape: TowerShape, weights: &Tensors) -> Result<TowerNetwork, LearnError> {
        shape.check()?;
        Ok(TowerNetwork {
            tower: PlainTower::new(&shape, weights)?,
            weights: weights.clone(),
            shape,
        })
    }

    /// Its size.
    pub fn shape(&self) -> &TowerShape {
        &self.shape
    }

    /// Its weights by name.
    pub fn weights(&self) -> Tensors {
        self.weights.clone()
    }

    /// For boards, each given as the sets of squares it sees: the scores of all moves by number, and
    /// how likely loss, draw and win are. The answer about a board does not depend on the others.
    pub fn answers(&self, sights: &[u64]) -> (Vec<f32>, Vec<f32>) {
        self.tower.answers(sights)
    }
}

/// Sets of squares as the numbers a tower takes: `[boards, inputs, 8, 8]`.
pub(super) fn unpacked(sights: &[u64], inputs: usize, device: &Device) -> Tensor<4> {
    let numbers: Vec<f32> = sights
        .iter()
        .flat_map(|&set| (0..64).map(move |square| (set >> square & 1) as f32))
        .collect();
    let boards = sights.len() / inputs;
    Tensor::from_data(TensorData::new(numbers, [boards, inputs, 8, 8]), device)
}
