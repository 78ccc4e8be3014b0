//! Document W's network as a file and as a search asks it.

use std::sync::Arc;

use play::{Assessments, Chances, Evaluator, EvaluatorError, Evaluators, Leaf};
use rules::Board;
use serde::{Deserialize, Serialize};

use super::sight::{number, sight};
use crate::{
    LearnError,
    net::{ResidualNetwork, ResidualScratch, ResidualShape, Tensors},
};

/// Document W's network, which only answers.
#[derive(Clone, Debug)]
pub struct WojcikNetwork {
    network: ResidualNetwork,
}

/// What a file says about itself.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    wojcik_alphazero: ResidualShape,
}

impl WojcikNetwork {
    /// A network of these weights.
    ///
    /// # Errors
    /// When they are not those of the shape.
    pub fn new(shape: ResidualShape, weights: &Tensors) -> Result<WojcikNetwork, LearnError> {
        let network = ResidualNetwork::new(shape, weights)?;
        Ok(WojcikNetwork { network })
    }

    /// A network from a file.
    ///
    /// # Errors
    /// When it is damaged or something else.
    pub fn from_file(file: &[u8]) -> Result<WojcikNetwork, LearnError> {
        let (about, weights) = Tensors::from_file(file)?;
        let about: About = serde_json::from_str(&about).map_err(|_| LearnError::Weights)?;
        let shape = about.wojcik_alphazero;
        shape.check().map_err(|_| LearnError::Weights)?;
        WojcikNetwork::new(shape, &weights)
    }

    /// The network as a file.
    pub fn to_file(&self) -> Vec<u8> {
        let about = About {
            wojcik_alphazero: self.network.shape(),
        };
        let about = serde_json::to_string(&about).expect("numbers");
        self.network.weights().to_file(&about)
    }

    /// Its size.
    pub fn shape(&self) -> ResidualShape {
        self.network.shape()
    }
}

/// Judges the leaves of a search by document W's network.
pub struct WojcikEvaluator {
    network: Arc<WojcikNetwork>,
    scratch: ResidualScratch,
    numbers: Vec<u16>,
    shares: Vec<f32>,
}

impl WojcikEvaluator {
    /// The evaluator of a network.
    pub fn new(network: Arc<WojcikNetwork>) -> WojcikEvaluator {
        WojcikEvaluator {
            scratch: network.network.scratch(),
            network,
            numbers: Vec::new(),
            shares: Vec::new(),
        }
    }

    /// Evaluators that share a network.
    pub fn many(network: Arc<WojcikNetwork>) -> Evaluators {
        Arc::new(move || Box::new(WojcikEvaluator::new(network.clone())))
    }
}

impl Evaluator for WojcikEvaluator {
    fn evaluate(
        &mut self,
        batch: &[Leaf<'_>],
        assessments: &mut Assessments,
    ) -> Result<(), EvaluatorError> {
        assessments.clear();
        for leaf in batch {
            let position = leaf.moments[0].position;
            if position.board() != Board::STANDARD {
                return Err(EvaluatorError("it has learned chess on 8×8".into()));
            }
            let turn = position.turn();
            self.numbers.clear();
            self.numbers
                .extend(leaf.moves.iter().map(|&m| number(turn, m)));
            self.shares.clear();
            let network = &self.network.network;
            let (numbers, scratch) = (&self.numbers, &mut self.scratch);
            let value = network.answer(&sight(position), numbers, scratch, &mut self.shares);
            // The softmax of all moves, brought to a sum of one over the legal ones.
            let most = self.shares.iter().copied().fold(f32::MIN, f32::max);
            self.shares.iter_mut().for_each(|x| *x = (*x - most).exp());
            let sum: f32 = self.shares.iter().sum();
            let shares = self.shares.iter().map(|share| share / sum);
            assessments.push(Chances::from_value(value), shares);
        }
        Ok(())
    }
}
