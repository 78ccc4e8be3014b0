//! What a run has learned, as a policy.

use std::{path::Path, sync::Arc};

use rules::{Board, Color, FewMen, Move, Position, Square, plain_file};
use truth::{Chooser, Decision};

use super::{Plan, checkpoint};
use crate::{DistanceNetwork, LearnError, Learner, Skill};

/// Which checkpoint of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Which {
    /// The best by its evaluations, or the newest where there were none.
    #[default]
    Best,
    /// The newest.
    Newest,
}

/// A learned policy: the same position, the same move.
pub struct Policy {
    skill: Arc<dyn Skill>,
    /// Does it look one move of each side further than the learner needs to?
    ahead: bool,
}

/// A move of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolicyMove {
    /// The move.
    pub m: Move,
    /// Had the learner met the position in a game?
    pub visited: bool,
}

impl Policy {
    /// The policy of someone who knows an endgame.
    pub fn new(skill: Arc<dyn Skill>) -> Policy {
        Policy {
            skill,
            ahead: false,
        }
    }

    /// The same, looking one move of each side further: a search of three plies with the network of
    /// distances at its leaves. `None` where there is no such network.
    pub fn looking_ahead(self) -> Option<Policy> {
        self.skill.distances()?;
        Some(Policy {
            ahead: true,
            ..self
        })
    }

    /// Loads the policy of a run that learned an endgame.
    ///
    /// # Errors
    /// When the folder holds no such run or no sound checkpoint.
    pub fn load(folder: &Path, which: Which) -> Result<Policy, LearnError> {
        let learner: Arc<dyn Learner> = load(folder, which)?.into();
        let skill = learner.into_endgame_learner();
        Ok(Policy::new(skill.ok_or(LearnError::NeedsEndgame)?))
    }

    /// Loads the policy of a network from a file of weights.
    ///
    /// # Errors
    /// When the file is not there, damaged, or not one of ours.
    pub fn from_weights(file: &Path) -> Result<Policy, LearnError> {
        let bytes = plain_file::read(file, plain_file::TEXT).map_err(LearnError::file(file))?;
        Ok(Policy::new(Arc::new(DistanceNetwork::from_file(&bytes)?)))
    }

    /// What is behind it.
    pub fn skill(&self) -> &Arc<dyn Skill> {
        &self.skill
    }

    /// Are symmetric positions one to it?
    pub fn is_symmetric(&self) -> bool {
        self.skill.endgame().index.symmetries().len() == 8
    }

    /// Its move in a position.
    ///
    /// The learner's white may be the position's black: then the board is turned upside down.
    /// Returns `None` when the position has no move, other men, or another board.
    pub fn choose(&self, position: &Position) -> Option<PolicyMove> {
        let rules = &self.skill.endgame().rules;
        if let Some(men) = rules.compact(position) {
            return self.answer(position, men, |square| square);
        }
        let men = rules.compact(&position.mirrored())?;
        self.answer(position, men, |square| {
            upside_down(position.board(), square)
        })
    }

    /// The policy as a certifier asks it.
    pub fn chooser(&self) -> Chooser<'_> {
        Box::new(|position: &Position| {
            let chosen = self.choose(position).ok_or("it knows no move")?;
            Ok(Decision {
                mv: chosen.m,
                unvisited: !chosen.visited,
            })
        })
    }

    fn answer(
        &self,
        position: &Position,
        men: FewMen,
        back: impl Fn(Square) -> Square,
    ) -> Option<PolicyMove> {
        let endgame = self.skill.endgame();
        let (canonical, symmetry) = endgame.index.canonical(men);
        let preference = match self.skill.distances().filter(|_| self.ahead) {
            Some(network) => network.choose_ahead(canonical),
            None => self.skill.choose(canonical),
        }?;
        let m = endgame.unfold(men, canonical, symmetry, preference.m)?;
        let (from, to) = (back(men.from(m)?), back(m.to));
        let mut legal = position.legal_moves().into_iter();
        let m = legal.find(|m| m.from() == Some(from) && m.to() == to)?;
        Some(PolicyMove {
            m,
            visited: preference.visited,
        })
    }

    /// The side that the learner calls white.
    pub const ATTACKER: Color = Color::White;
}

/// Loads what a run has learned.
///
/// # Errors
/// When the folder holds no run or no sound checkpoint.
pub fn load(folder: &Path, which: Which) -> Result<Box<dyn Learner>, LearnError> {
    let mut plan = Plan::read(folder)?;
    // It plays no training games, so whom it trained against does not matter, nor where, and what it
    // began with is in its checkpoint by now.
    for (name, value) in [("opponent", "random"), ("device", "cpu"), ("from", "")] {
        let old = plan.settings.get(name);
        if old.is_some_and(|old| old.as_str() != Some("self")) {
            plan.settings.insert(name.into(), value.into());
        }
    }
    let best = (which == Which::Best).then(|| folder.join("best"));
    for path in best.into_iter().chain(checkpoint::all(folder)) {
        let mut learner = plan.learner(None)?;
        if checkpoint::load(&path, learner.as_mut()).is_ok() {
            return Ok(learner);
        }
    }
    Err(LearnError::NoCheckpoint(folder.to_owned()))
}

fn upside_down(board: Board, square: Square) -> Square {
    let last = board.size() as u32 - 1;
    Square::new(u32::from(square.file()) + 8 * (last - u32::from(square.rank())))
}
