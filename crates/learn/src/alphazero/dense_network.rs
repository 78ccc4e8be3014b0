//! A network of whole games that is small enough for a processor: `ppo`'s two networks of two hidden
//! layers, over the men, what they attack, and what kind of move a move is.

use std::sync::Arc;

use play::{Assessments, Evaluator, EvaluatorError, Evaluators, Leaf};
use rules::Board;
use serde::{Deserialize, Serialize};

use super::pair::{Questions, fit};
use crate::{
    LearnError,
    chess::{ChessSight, MoveSight, Seen},
    net::{
        Tensors,
        plain::{Mlp, MlpShape, extents::Extents},
    },
};

/// How it tells moves apart.
pub(super) const MOVES: MoveSight = MoveSight::Kinds;

/// How large its tables are.
pub(super) fn extents() -> Extents {
    ChessSight::Attacks.extents(MOVES)
}

/// What a network knows of chess: how likely each move is to be the best, and how the game will end.
#[derive(Clone, Debug)]
pub struct DenseNetwork {
    /// Scores moves.
    pub(super) policy: Mlp,
    /// Scores loss, draw and win for the side to move.
    pub(super) value: Mlp,
}

/// What a file says about itself; networks of endgames name their men where this says chess.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    alphazero: String,
    policy: MlpShape,
    value: MlpShape,
}

/// What a file of such a network names itself by.
pub(crate) const CHESS: &str = "chess";

impl DenseNetwork {
    /// A network of these weights.
    ///
    /// # Errors
    /// When the tables are not of its sizes.
    pub(super) fn new(policy: Mlp, value: Mlp) -> Result<DenseNetwork, LearnError> {
        match fit(&policy, &value, extents()) {
            true => Ok(DenseNetwork { policy, value }),
            false => Err(LearnError::Weights),
        }
    }

    /// A network from a file.
    ///
    /// # Errors
    /// When it is damaged or something else.
    pub fn from_file(file: &[u8]) -> Result<DenseNetwork, LearnError> {
        let (about, tensors) = Tensors::from_file(file)?;
        let about: About = serde_json::from_str(&about).map_err(|_| LearnError::Weights)?;
        if about.alphazero != CHESS {
            return Err(LearnError::Weights);
        }
        DenseNetwork::new(
            Mlp::from_tensors(about.policy, &tensors, "policy")?,
            Mlp::from_tensors(about.value, &tensors, "value")?,
        )
    }

    /// The network as a file.
    pub fn to_file(&self) -> Vec<u8> {
        let about = About {
            alphazero: CHESS.into(),
            policy: self.policy.shape(),
            value: self.value.shape(),
        };
        let about = serde_json::to_string(&about).expect("numbers and texts");
        let mut tensors = Tensors::default();
        self.policy.add_to(&mut tensors, "policy");
        self.value.add_to(&mut tensors, "value");
        tensors.to_file(&about)
    }
}

/// Judges positions for a search, many at a time.
pub struct DenseEvaluator {
    network: Arc<DenseNetwork>,
    questions: Questions,
}

impl DenseEvaluator {
    /// The evaluator of a network.
    pub fn new(network: Arc<DenseNetwork>) -> DenseEvaluator {
        DenseEvaluator {
            network,
            questions: Questions::default(),
        }
    }

    /// Evaluators that share a network.
    pub fn many(network: Arc<DenseNetwork>) -> Evaluators {
        Arc::new(move || Box::new(DenseEvaluator::new(network.clone())))
    }
}

impl Evaluator for DenseEvaluator {
    fn evaluate(
        &mut self,
        batch: &[Leaf<'_>],
        assessments: &mut Assessments,
    ) -> Result<(), EvaluatorError> {
        self.questions.clear();
        let Questions { inputs, rows, .. } = &mut self.questions;
        for leaf in batch {
            let moment = leaf.moments[0];
            if moment.position.board() != Board::STANDARD {
                return Err(EvaluatorError("it has learned chess on 8×8".into()));
            }
            Seen::with_attacks(moment.position, moment.repetitions > 1).list(inputs);
            inputs.end();
            MOVES.rows(moment.position, leaf.moves, false, rows);
        }
        let DenseNetwork { policy, value } = &*self.network;
        let each = extents().rows_a_move;
        self.questions.answer(policy, value, each, assessments);
        Ok(())
    }
}
