//! What a run has learned, as a policy.

use std::{io, path::Path, sync::Arc};

use play::Fingerprint;
use rules::{Board, Color, FewMen, Move, Position, Square, plain_file};
use toml::Table;

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
    /// The one after so many episodes, if it was kept.
    After(u64),
}

/// A learned policy: the same position, the same move.
pub struct Policy {
    skill: Arc<dyn Skill>,
    /// Of the file that it was read from, and of what the file does not say.
    fingerprint: Fingerprint,
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
    /// The policy of someone who knows an endgame; `fingerprint` tells it from others.
    pub fn new(skill: Arc<dyn Skill>, fingerprint: Fingerprint) -> Policy {
        Policy {
            skill,
            fingerprint,
            ahead: false,
        }
    }

    /// The same, looking one move of each side further: a search of three plies with the network of
    /// distances at its leaves. `None` where there is no such network.
    pub fn looking_ahead(self) -> Option<Policy> {
        self.skill.distances()?;
        Some(Policy {
            ahead: true,
            fingerprint: Fingerprint::of([self.fingerprint.as_ref(), b"ahead"]),
            ..self
        })
    }

    /// Loads the policy of a run that learned an endgame.
    ///
    /// # Errors
    /// As [`load`], and when the run did not learn an endgame.
    pub fn load(folder: &Path, which: Which) -> Result<Policy, LearnError> {
        let Learned {
            learner,
            fingerprint,
        } = load(folder, which)?;
        let skill = Arc::<dyn Learner>::from(learner).into_endgame_learner();
        Ok(Policy::new(
            skill.ok_or(LearnError::NeedsEndgame)?,
            fingerprint,
        ))
    }

    /// Loads the policy of a network from a file of weights.
    ///
    /// # Errors
    /// When the file is not there, damaged, or not one of ours.
    pub fn from_weights(file: &Path) -> Result<Policy, LearnError> {
        let bytes = plain_file::read(file, plain_file::TEXT).map_err(LearnError::file(file))?;
        let network = DistanceNetwork::from_file(&bytes)?;
        Ok(Policy::new(Arc::new(network), Fingerprint::of([bytes])))
    }

    /// What tells it from others.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
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

/// What a run has learned.
pub struct Learned {
    /// The learner as it was.
    pub learner: Box<dyn Learner>,
    /// What tells it from others: the checkpoint, and what is needed to understand it.
    pub fingerprint: Fingerprint,
}

/// Loads what a run has learned.
///
/// # Errors
/// When the folder holds no run or no checkpoint, or when the checkpoint asked for is damaged: what
/// an older one plays is not what was asked for.
pub fn load(folder: &Path, which: Which) -> Result<Learned, LearnError> {
    first(folder, which, false)
}

/// Loads what a run has learned; damaged checkpoints are passed over.
///
/// # Errors
/// When the folder holds no run or no sound checkpoint.
pub fn load_sound(folder: &Path, which: Which) -> Result<Learned, LearnError> {
    first(folder, which, true)
}

fn first(folder: &Path, which: Which, skips_damaged: bool) -> Result<Learned, LearnError> {
    let mut plan = Plan::read(folder)?;
    plan.settings = settings(&plan);
    let paths = match which {
        Which::Best => std::iter::once(folder.join("best"))
            .chain(checkpoint::all(folder))
            .collect(),
        Which::Newest => checkpoint::all(folder),
        Which::After(episodes) => vec![checkpoint::path(folder, episodes)],
    };
    for path in paths {
        let file = match plain_file::read(&path, plain_file::TABLE) {
            // There may be no best one, and one that has just become old may be gone by now.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file.map_err(LearnError::file(&path))?,
        };
        let mut learner = plan.learner(None)?;
        match checkpoint::read(&file, learner.as_mut()) {
            Ok(_) => {
                return Ok(Learned {
                    learner,
                    fingerprint: contents(&plan, &file),
                });
            }
            Err(_) if skips_damaged => {}
            Err(why) => {
                let why = Box::new(why);
                return Err(LearnError::DamagedCheckpoint { path, why });
            }
        }
    }
    Err(LearnError::NoCheckpoint(folder.to_owned()))
}

/// The settings that matter to a policy. It plays no training games, so whom it trained against does not
/// matter, nor where, and what it began with is in its checkpoint by now.
fn settings(plan: &Plan) -> Table {
    let mut settings = plan.settings.clone();
    for (name, value) in [("opponent", "random"), ("device", "cpu"), ("from", "")] {
        let old = settings.get(name);
        if old.is_some_and(|old| old.as_str() != Some("self")) {
            settings.insert(name.into(), value.into());
        }
    }
    settings
}

/// What tells the policy of a checkpoint from others: the file, and what it needs to be understood.
pub(super) fn contents(plan: &Plan, checkpoint: &[u8]) -> Fingerprint {
    let (settings, board) = (settings(plan).to_string(), plan.board.to_string());
    Fingerprint::of([
        plan.recipe.as_bytes(),
        settings.as_bytes(),
        plan.game().as_bytes(),
        board.as_bytes(),
        checkpoint,
    ])
}

fn upside_down(board: Board, square: Square) -> Square {
    let last = board.size() as u32 - 1;
    Square::new(u32::from(square.file()) + 8 * (last - u32::from(square.rank())))
}
