//! A run as a player: `run:runs/krk`.

use std::{path::Path, sync::Arc};

use play::{
    Choice, Info, Key, Kind, Limits, Maker, Nature, Player, PlayerError, Registry, SpecError,
};
use rules::Game;

use crate::{Policy, Which};

/// A player who plays a learned policy.
#[derive(Clone)]
pub struct PolicyPlayer {
    name: String,
    policy: Arc<Policy>,
}

impl PolicyPlayer {
    /// The player of a policy; `name` is what its errors call it.
    pub fn new(name: impl Into<String>, policy: Arc<Policy>) -> PolicyPlayer {
        PolicyPlayer {
            name: name.into(),
            policy,
        }
    }
}

impl Player for PolicyPlayer {
    fn choose(&mut self, game: &Game, _: &Limits) -> Result<Choice, PlayerError> {
        let position = game.position();
        if position.legal_moves().is_empty() {
            return Err(PlayerError::no_move(game));
        }
        let chosen = self.policy.choose(position);
        let chosen = chosen.ok_or_else(|| {
            let rules = &self.policy.learner().endgame().rules;
            PlayerError::Unsupported {
                player: self.name.clone(),
                fen: position.fen(),
                why: format!("it has learned {} on {}", rules.material(), rules.board()),
            }
        })?;
        let info = Info {
            unvisited: !chosen.visited,
            ..Info::default()
        };
        Ok(Choice { mv: chosen.m, info })
    }

    fn nature(&self) -> Nature {
        Nature::Policy
    }

    fn is_symmetric(&self) -> bool {
        self.policy.is_symmetric()
    }
}

/// Adds the player `run:FOLDER` to a registry.
pub fn register(registry: &mut Registry) {
    registry.register(Kind {
        name: "run",
        summary: "what a training run has learned",
        subject: Some(("the folder of a run", "run:runs/krk")),
        keys: &[Key {
            name: "checkpoint",
            meaning: "which one: best (by its evaluations, the default) or newest",
        }],
        prepare: Box::new(|settings| {
            let checkpoints = [("best", Which::Best), ("newest", Which::Newest)];
            let which = settings.one_of("checkpoint", &checkpoints, Which::Best)?;
            // The registry refuses a text without a folder before it comes here.
            let folder = settings.subject().unwrap_or_default().to_owned();
            let policy = Policy::load(Path::new(&folder), which);
            let policy = policy.map_err(|error| SpecError::Other {
                player: "run".to_owned(),
                why: error.to_string(),
            })?;
            let player = PolicyPlayer::new(format!("run:{folder}"), Arc::new(policy));
            let maker: Maker = Arc::new(move |_| Box::new(player.clone()));
            Ok(maker)
        }),
    });
}
