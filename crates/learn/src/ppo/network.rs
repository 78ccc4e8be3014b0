//! A policy and its critic as a file.

use serde::{Deserialize, Serialize};

use super::sight::Sight;
use crate::{
    LearnError,
    net::{
        Tensors,
        plain::{Lists, Mlp, MlpShape, chances::chances},
    },
};

/// A policy and a critic: how likely each legal move is to be played, and what is to be expected.
#[derive(Clone, PartialEq, Debug)]
pub struct PpoNetwork {
    /// What it sees.
    pub sight: Sight,
    /// Scores moves.
    pub policy: Mlp,
    /// Says what is to be expected.
    pub value: Mlp,
    /// What a win was worth in its training.
    pub win: f32,
}

/// What a file says about itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    ppo: Sight,
    win: f32,
    policy: MlpShape,
    value: MlpShape,
}

impl PpoNetwork {
    /// A network from a file.
    ///
    /// # Errors
    /// When it is damaged or something else.
    pub fn from_file(file: &[u8]) -> Result<PpoNetwork, LearnError> {
        let (about, weights) = Tensors::from_file(file)?;
        let about: About = serde_json::from_str(&about).map_err(|_| LearnError::Weights)?;
        let network = PpoNetwork {
            policy: Mlp::from_tensors(about.policy, &weights, "policy")?,
            value: Mlp::from_tensors(about.value, &weights, "value")?,
            sight: about.ppo,
            win: about.win,
        };
        let extents = network.sight.extents()?;
        let fits = about.policy.inputs == extents.inputs
            && about.policy.outputs == extents.rows
            && about.value.inputs == extents.inputs
            && about.value.outputs == 1;
        fits.then_some(network).ok_or(LearnError::Weights)
    }

    /// The network as a file.
    pub fn to_file(&self) -> Vec<u8> {
        let about = About {
            ppo: self.sight.clone(),
            win: self.win,
            policy: self.policy.shape(),
            value: self.value.shape(),
        };
        let about = serde_json::to_string(&about).expect("numbers and texts");
        let mut tensors = Tensors::default();
        self.policy.add_to(&mut tensors, "policy");
        self.value.add_to(&mut tensors, "value");
        tensors.to_file(&about)
    }

    /// The logarithms of the chances of moves, and what the critic expects: of one position, shown as
    /// lists of one element each.
    pub(super) fn judge(
        &self,
        inputs: &Lists,
        legal: &Lists,
        rows_a_move: usize,
    ) -> (Vec<f32>, f32) {
        let mut hidden = crate::net::plain::mlp::Hidden::default();
        self.policy.hidden(inputs, 0..1, &mut hidden);
        let second = self.policy.second_of(&hidden, 0);
        let chances = chances(&self.policy, second, legal.rows(0), rows_a_move);
        self.value.hidden(inputs, 0..1, &mut hidden);
        let value = self.value.answer(self.value.second_of(&hidden, 0), 0);
        (chances, value)
    }
}
