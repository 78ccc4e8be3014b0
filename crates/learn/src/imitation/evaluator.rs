//! The network as a search asks it.

use std::sync::Arc;

use play::{Assessments, Chances, Evaluator, EvaluatorError, Evaluators, Leaf};
use rules::Board;

use super::{
    ImitationNetwork, Scene,
    network::{numbers, shares},
};

/// Judges the leaves of a search by a network of masters' moves.
pub struct ImitationEvaluator {
    network: Arc<ImitationNetwork>,
    sights: Vec<u64>,
    legal: Vec<i16>,
}

impl ImitationEvaluator {
    /// The evaluator of a network.
    pub fn new(network: Arc<ImitationNetwork>) -> ImitationEvaluator {
        ImitationEvaluator {
            network,
            sights: Vec::new(),
            legal: Vec::new(),
        }
    }

    /// Evaluators that share a network.
    pub fn many(network: Arc<ImitationNetwork>) -> Evaluators {
        Arc::new(move || Box::new(ImitationEvaluator::new(network.clone())))
    }
}

impl Evaluator for ImitationEvaluator {
    fn evaluate(
        &mut self,
        batch: &[Leaf<'_>],
        assessments: &mut Assessments,
    ) -> Result<(), EvaluatorError> {
        assessments.clear();
        self.sights.clear();
        for leaf in batch {
            if leaf.moments[0].position.board() != Board::STANDARD {
                return Err(EvaluatorError("it has learned chess on 8×8".into()));
            }
            self.sights.extend(Scene::of(leaf.moments).sight());
        }
        if batch.is_empty() {
            return Ok(());
        }
        let room = batch.iter().map(|leaf| leaf.moves.len()).max().unwrap_or(0);
        let room = room.max(1);
        self.legal.clear();
        for (number, leaf) in batch.iter().enumerate() {
            let turn = leaf.moments[0].position.turn();
            self.legal.extend(numbers(turn, leaf.moves));
            self.legal.resize((number + 1) * room, -1);
        }
        let (scores, endings) = self.network.answers(&self.sights, &self.legal, room);
        let scores = scores.chunks_exact(room);
        for ((leaf, scores), ending) in batch.iter().zip(scores).zip(endings.chunks_exact(3)) {
            let chances = Chances {
                win: ending[2],
                draw: ending[1],
                loss: ending[0],
            };
            assessments.push(chances, shares(&scores[..leaf.moves.len()]));
        }
        Ok(())
    }

    fn history(&self) -> usize {
        Scene::MOMENTS
    }
}
