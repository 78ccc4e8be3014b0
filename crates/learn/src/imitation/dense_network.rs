//! A network of masters' moves that is small enough to be trained on a processor.

use serde::{Deserialize, Serialize};

use super::{
    SIGHTS,
    glance::{ENDINGS, EXTENTS, Glance},
};
use crate::{
    LearnError,
    net::{
        Tensors,
        plain::{Activation, Lists, Mlp, MlpShape, chances::to_chances, mlp::Hidden},
    },
};

/// Two hidden layers; moves and endings are scored by the second.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct DenseNetwork {
    pub mlp: Mlp,
}

/// What a file says about itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    imitation_dense: MlpShape,
}

/// Under this name its tables stand.
const PREFIX: &str = "dense";

/// The form of such a network.
pub(super) fn shape(width: usize) -> MlpShape {
    MlpShape {
        inputs: EXTENTS.inputs,
        width,
        outputs: EXTENTS.rows,
        activation: Activation::Relu,
    }
}

impl DenseNetwork {
    /// # Errors
    /// When the tables are missing or have other sizes.
    pub fn new(width: usize, weights: &Tensors) -> Result<DenseNetwork, LearnError> {
        let mlp = Mlp::from_tensors(shape(width), weights, PREFIX)?;
        Ok(DenseNetwork { mlp })
    }

    /// # Errors
    /// When the file is damaged or something else.
    pub fn from_file(file: &[u8]) -> Result<DenseNetwork, LearnError> {
        let (about, weights) = Tensors::from_file(file)?;
        let about: About = serde_json::from_str(&about).map_err(|_| LearnError::Weights)?;
        match about.imitation_dense == shape(about.imitation_dense.width) {
            true => DenseNetwork::new(about.imitation_dense.width, &weights),
            false => Err(LearnError::Weights),
        }
    }

    /// Its tables.
    pub fn weights(&self) -> Tensors {
        let mut tensors = Tensors::default();
        self.mlp.add_to(&mut tensors, PREFIX);
        tensors
    }

    /// The network as a file.
    pub fn to_file(&self) -> Vec<u8> {
        let about = About {
            imitation_dense: self.mlp.shape(),
        };
        let about = serde_json::to_string(&about).expect("numbers and a text");
        self.weights().to_file(&about)
    }

    /// As [`ImitationNetwork::answers`](super::ImitationNetwork::answers).
    pub fn answers(&self, sights: &[u64], legal: &[i16], room: usize) -> (Vec<f32>, Vec<f32>) {
        let boards = sights.len() / SIGHTS;
        let (mut scores, mut endings) = (
            Vec::with_capacity(legal.len()),
            Vec::with_capacity(3 * boards),
        );
        let (mut inputs, mut hidden) = (Lists::default(), Hidden::default());
        for (sight, legal) in sights.chunks_exact(SIGHTS).zip(legal.chunks_exact(room)) {
            let glance = Glance::new(sight);
            inputs.clear();
            glance.inputs(&mut inputs);
            self.mlp.hidden(&inputs, 0..1, &mut hidden);
            let second = self.mlp.second_of(&hidden, 0);
            scores.extend(legal.iter().map(|&number| match usize::try_from(number) {
                Ok(number) => score(&self.mlp, second, &glance.rows(number)),
                Err(_) => f32::NEG_INFINITY,
            }));
            endings.extend(ending(&self.mlp, second).map(f32::exp));
        }
        (scores, endings)
    }
}

/// The score of a move, given the second layer.
pub(super) fn score(mlp: &Mlp, second: &[f32], rows: &[u16]) -> f32 {
    rows.iter().map(|&row| mlp.answer(second, row)).sum()
}

/// The logarithms of the chances of loss, draw and win.
pub(super) fn ending(mlp: &Mlp, second: &[f32]) -> [f32; 3] {
    let mut scores = std::array::from_fn(|row| mlp.answer(second, (ENDINGS + row) as u16));
    to_chances(&mut scores);
    scores
}
