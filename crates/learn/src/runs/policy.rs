//! What a run has learned, as a policy.

use std::{fs, io, path::Path};

use play::Fingerprint;
use rules::{Board, Color, FewMen, Move, Position, Square};
use toml::Table;

use crate::{DistanceNetwork, LearnError, Learner, Plan, recipe, runs::checkpoint};

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
    learner: Box<dyn Learner>,
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
    fn new(learner: Box<dyn Learner>, fingerprint: Fingerprint) -> Policy {
        Policy {
            learner,
            fingerprint,
            ahead: false,
        }
    }

    /// The same, looking one move of each side further: a search of three plies with the network of
    /// distances at its leaves. `None` where there is no such network.
    pub fn looking_ahead(self) -> Option<Policy> {
        self.learner.distances()?;
        Some(Policy {
            ahead: true,
            fingerprint: Fingerprint::of([self.fingerprint.as_ref(), b"ahead"]),
            ..self
        })
    }

    /// Loads a run's policy.
    ///
    /// # Errors
    /// When the folder holds no run or no checkpoint, or when the checkpoint asked for is damaged: what
    /// an older one plays is not what was asked for.
    pub fn load(folder: &Path, which: Which) -> Result<Policy, LearnError> {
        Policy::first(folder, which, false)
    }

    /// Loads a run's policy; damaged checkpoints are passed over.
    ///
    /// # Errors
    /// When the folder holds no run or no sound checkpoint.
    pub fn load_sound(folder: &Path, which: Which) -> Result<Policy, LearnError> {
        Policy::first(folder, which, true)
    }

    fn first(folder: &Path, which: Which, skips_damaged: bool) -> Result<Policy, LearnError> {
        let plan = Plan::read(folder)?;
        let best = (which == Which::Best).then(|| folder.join("best"));
        for path in best.into_iter().chain(checkpoint::all(folder)) {
            let file = match fs::read(&path) {
                // There may be no best one, and one that has just become old may be gone by now.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                file => file.map_err(LearnError::file(&path))?,
            };
            let mut learner = recipe::learner(&plan.learner, &settings(&plan), plan.task()?, None)?;
            match checkpoint::read(&file, learner.as_mut()) {
                Ok(_) => return Ok(Policy::new(learner, contents(&plan, &file))),
                Err(_) if skips_damaged => {}
                Err(why) => {
                    let why = Box::new(why);
                    return Err(LearnError::DamagedCheckpoint { path, why });
                }
            }
        }
        Err(LearnError::NoCheckpoint(folder.to_owned()))
    }

    /// Loads the policy of a network from a file of weights.
    ///
    /// # Errors
    /// When the file is not there, damaged, or not one of ours.
    pub fn from_weights(file: &Path) -> Result<Policy, LearnError> {
        let bytes = std::fs::read(file).map_err(LearnError::file(file))?;
        let network = DistanceNetwork::from_file(&bytes)?;
        Ok(Policy::new(Box::new(network), Fingerprint::of([bytes])))
    }

    /// What tells it from others.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The learner behind it.
    pub fn learner(&self) -> &dyn Learner {
        self.learner.as_ref()
    }

    /// The learner behind it, to ask what it can only work out.
    pub fn learner_mut(&mut self) -> &mut dyn Learner {
        self.learner.as_mut()
    }

    /// Are symmetric positions one to it?
    pub fn is_symmetric(&self) -> bool {
        self.learner.endgame().index.symmetries().len() == 8
    }

    /// Its move in a position.
    ///
    /// The learner's white may be the position's black: then the board is turned upside down.
    /// Returns `None` when the position has no move, other men, or another board.
    pub fn choose(&self, position: &Position) -> Option<PolicyMove> {
        let rules = &self.learner.endgame().rules;
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
        let endgame = self.learner.endgame();
        let (canonical, symmetry) = endgame.index.canonical(men);
        let preference = match self.learner.distances().filter(|_| self.ahead) {
            Some(network) => network.choose_ahead(canonical),
            None => self.learner.choose(canonical),
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

/// The settings that matter to a policy.
fn settings(plan: &Plan) -> Table {
    let mut settings = plan.settings.clone();
    // It plays no training games, so whom it trained against does not matter.
    if settings
        .get("opponent")
        .is_some_and(|name| name.as_str() != Some("self"))
    {
        settings.insert("opponent".into(), "random".into());
    }
    // Nor does it matter where.
    if settings.contains_key("device") {
        settings.insert("device".into(), "cpu".into());
    }
    // What it began with is in its checkpoint by now.
    if settings.contains_key("from") {
        settings.insert("from".into(), "".into());
    }
    settings
}

/// What tells the policy of a checkpoint from others: the file, and what it needs to be understood.
pub(super) fn contents(plan: &Plan, checkpoint: &[u8]) -> Fingerprint {
    let (settings, board) = (settings(plan).to_string(), plan.board.to_string());
    Fingerprint::of([
        plan.learner.as_bytes(),
        settings.as_bytes(),
        plan.endgame.as_bytes(),
        board.as_bytes(),
        checkpoint,
    ])
}

fn upside_down(board: Board, square: Square) -> Square {
    let last = board.size() as u32 - 1;
    Square::new(u32::from(square.file()) + 8 * (last - u32::from(square.rank())))
}
