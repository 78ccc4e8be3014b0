//! A tower on a device, as searches ask it.

use play::{Assessments, Chances, Evaluator, EvaluatorError, Leaf};
use rules::Board;

use crate::{
    games::PackedMove,
    imitation::{Scene, move_number},
    net::TowerOnDevice,
};

/// Judges the leaves of many searches by a tower that answers on a device.
pub(super) struct DeviceEvaluator {
    tower: Box<dyn TowerOnDevice>,
    sights: Vec<u64>,
    legal: Vec<i16>,
}

impl DeviceEvaluator {
    pub fn new(tower: Box<dyn TowerOnDevice>) -> DeviceEvaluator {
        DeviceEvaluator {
            tower,
            sights: Vec::new(),
            legal: Vec::new(),
        }
    }
}

impl Evaluator for DeviceEvaluator {
    fn evaluate(
        &mut self,
        batch: &[Leaf<'_>],
        assessments: &mut Assessments,
    ) -> Result<(), EvaluatorError> {
        assessments.clear();
        let Some(room) = batch.iter().map(|leaf| leaf.moves.len()).max() else {
            return Ok(());
        };
        self.sights.clear();
        self.legal.clear();
        for leaf in batch {
            let position = leaf.moments[0].position;
            if position.board() != Board::STANDARD {
                return Err(EvaluatorError("it has learned chess on 8×8".into()));
            }
            self.sights.extend(Scene::of(leaf.moments).sight());
            let turn = position.turn();
            self.legal.extend(leaf.moves.iter().map(|&m| {
                let m = PackedMove::new(m);
                move_number(turn.fold_wb(m, m.mirrored())) as i16
            }));
            let empty = room - leaf.moves.len();
            self.legal.extend(std::iter::repeat_n(-1, empty));
        }
        let answered = self.tower.answer(&self.sights, &self.legal, room);
        let rows = answered.moves.chunks_exact(room);
        for ((leaf, priors), ending) in batch.iter().zip(rows).zip(answered.endings.chunks_exact(3))
        {
            let chances = Chances {
                win: ending[2],
                draw: ending[1],
                loss: ending[0],
            };
            assessments.push(chances, priors[..leaf.moves.len()].iter().copied());
        }
        Ok(())
    }

    fn history(&self) -> usize {
        Scene::MOMENTS
    }
}
