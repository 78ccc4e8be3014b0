//! Our own recipe: what makes proximal policy optimisation work in games against oneself, each a
//! setting that can be switched off.
//!
//! It learns whole games, and endgames without pawns, where what it has learned can be certified.

use std::sync::Arc;

use play::Registry;
use rules::Color;
use serde::{Deserialize, Serialize};

use super::{
    chess_sight::{ChessSight, MoveSight},
    chess_world::{ChessTerms, refused},
    endgame_learner::EndgamePpo,
    endgame_world::{EndgameTerms, EndgameWorld},
    learner::Ppo,
    method::{ChessWorlds, Method, WorldMaker},
    rollout::Rivals,
    samples::Discounts,
    sight::Sight,
    world::World,
};
use crate::{
    Course, Episodes, LearnError, Learner, LearnerMaker, LearnerSettings, Learns, Recipe, Task,
    chess::{Resources, Setup, Start},
    net::plain::Activation,
    runs::settings::within,
};

/// The settings of the learner.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PpoSettings {
    /// Decisions that an iteration learns from.
    pub steps: usize,
    /// Decisions that a game brings at a time.
    pub fragment: usize,
    /// Times that an iteration goes over its decisions.
    pub epochs: usize,
    /// Decisions to a step.
    pub minibatch: usize,
    /// The learning rate at the beginning …
    pub rate: f64,
    /// … and at the end.
    pub rate_at_end: f64,
    /// How far the ratio of chances may leave 1.
    pub clip: f64,
    /// What the distance to the old policy costs at first; it adapts. 0: nothing.
    pub kl: f64,
    /// What entropy is worth at the beginning …
    pub entropy: f64,
    /// … and at the end.
    pub entropy_at_end: f64,
    /// What the future is worth, a decision away.
    pub gamma: f64,
    /// How far advantages look ahead: 0 one decision, 1 to the end.
    pub lambda: f64,
    /// What the critic's error costs.
    pub value_weight: f64,
    /// Are the advantages of an iteration brought to mean 0 and deviation 1?
    pub standardise: bool,
    /// In games against itself, are both sides' moves learned from?
    pub symmetric: bool,
    /// Is what comes next the opposite of what it is worth to the other side?
    pub negamax: bool,
    /// The share of games against a random mover.
    pub random: f64,
    /// The share of games against a former self.
    pub past: f64,
    /// Former selves that are kept.
    pub pool: usize,
    /// Iterations after which one more is kept.
    pub pool_every: u64,
    /// The share of games that begin with a position out of an earlier decisive game.
    pub restarts: f64,
    /// In whole games: the share of them that begin with an endgame.
    pub endgames: f64,
    /// In whole games: what a pawn is worth that is won.
    pub material: f64,
    /// What a win is worth.
    pub win: f64,
    /// In whole games: what is seen: salisch-2, men or attacks.
    pub sees: ChessSight,
    /// In whole games: how moves are told apart: numbers or kinds.
    pub moves: MoveSight,
    /// Neurons of a hidden layer.
    pub width: usize,
    /// What a neuron does with its sum: relu or tanh.
    pub activation: Activation,
}

impl Default for PpoSettings {
    fn default() -> Self {
        PpoSettings {
            steps: 4000,
            fragment: 100,
            epochs: 4,
            minibatch: 256,
            rate: 5e-4,
            rate_at_end: 5e-5,
            clip: 0.2,
            kl: 0.0,
            entropy: 0.01,
            entropy_at_end: 0.001,
            gamma: 0.995,
            lambda: 0.95,
            value_weight: 0.5,
            standardise: true,
            symmetric: true,
            negamax: true,
            random: 0.25,
            past: 0.25,
            pool: 4,
            pool_every: 25,
            restarts: 0.2,
            endgames: 0.1,
            material: 0.02,
            win: 1.0,
            sees: ChessSight::default(),
            moves: MoveSight::default(),
            width: 256,
            activation: Activation::Relu,
        }
    }
}

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "ppo",
    summary: "proximal policy optimisation by games against itself, of whole games and of endgames; \
              episodes are iterations",
    taught: false,
    whole_game: true,
    episodes: Episodes::Iterations,
    learns: Learns::Weights,
    best_for: None,
    maker: LearnerMaker::of::<PpoSettings>(),
};

/// Endgames that whole games may begin with: the simplest ways to win.
const ENDGAMES: [&str; 6] = ["KQK", "KRK", "KQRK", "KRRK", "KQKR", "KPK"];

impl PpoSettings {
    fn check(&self) -> Result<(), LearnError> {
        within("kl", self.kl, 0.0, 100.0)?;
        within("restarts", self.restarts, 0.0, 1.0)?;
        within("endgames", self.endgames, 0.0, 1.0)?;
        within("material", self.material, 0.0, 100.0)?;
        within("win", self.win, 1e-3, 1e6)?;
        within("random + past", self.random + self.past, 0.0, 1.0)?;
        within(
            "restarts + endgames",
            self.restarts + self.endgames,
            0.0,
            1.0,
        )?;
        let refuse = |name: &str, why: &str| {
            Err(LearnError::BadSetting {
                name: name.into(),
                value: "true".into(),
                why: why.into(),
            })
        };
        if self.negamax && !self.symmetric {
            return refuse("negamax", "both sides' moves must be known: symmetric=true");
        }
        if self.moves == MoveSight::Claims || self.sees == ChessSight::Salisch1 {
            return Err(LearnError::BadSetting {
                name: "sees, moves".into(),
                value: "salisch-1, claims".into(),
                why: "draws need no claim here: salisch-2, men or attacks, and numbers or kinds"
                    .into(),
            });
        }
        Ok(())
    }

    /// How a policy is optimised, given what is played.
    fn method(
        &self,
        sight: Sight,
        worlds: Box<dyn WorldMaker>,
        side: Option<Color>,
        iterations: u64,
    ) -> Method {
        Method {
            sight,
            worlds,
            win: self.win as f32,
            steps: self.steps,
            fragment: self.fragment,
            epochs: self.epochs,
            minibatch: self.minibatch,
            rate: self.rate,
            rate_at_end: self.rate_at_end,
            clip: self.clip,
            kl: self.kl,
            entropy: self.entropy,
            entropy_at_end: self.entropy_at_end,
            entropy_until: iterations,
            value_clip: f64::INFINITY,
            value_weight: self.value_weight,
            discounts: Discounts {
                gamma: self.gamma,
                lambda: self.lambda,
                negamax: self.negamax,
            },
            standardise: self.standardise,
            width: self.width,
            activation: self.activation,
            rivals: Rivals {
                random: self.random,
                past: self.past,
                symmetric: self.symmetric,
                negamax: self.negamax,
                side,
            },
            pool: self.pool,
            pool_every: self.pool_every,
            measures_all_moves: false,
        }
    }

    /// Makes worlds of chess.
    fn chess_worlds(&self) -> Box<dyn WorldMaker> {
        let settings = self.clone();
        let terms = move || {
            let rewards = format!("end={}", settings.win);
            let environment = [("opponent", "none"), ("rewards", rewards.as_str())];
            let setup = Setup::read(environment, Resources::default()).map_err(refused)?;
            let start = |men: &str| Start::read(&format!("endgame:{men},turn=either"), None);
            let starts = ENDGAMES.into_iter().map(start).collect::<Result<_, _>>();
            Ok(ChessTerms {
                setup: Arc::new(setup),
                sight: settings.sees,
                moves: settings.moves,
                material: settings.material as f32,
                restarts: settings.restarts,
                endgames: settings.endgames,
                starts: starts.map_err(refused)?,
            })
        };
        Box::new(ChessWorlds { terms })
    }
}

impl LearnerSettings for PpoSettings {
    fn learner(self, course: Course, _: Option<&Registry>) -> Result<Box<dyn Learner>, LearnError> {
        self.check()?;
        let (material, board) = match course.task {
            Task::Chess => {
                let sight = Sight::Chess {
                    sees: self.sees,
                    moves: self.moves,
                };
                let method = self.method(sight, self.chess_worlds(), None, course.episodes);
                return Ok(Box::new(Ppo::new(method, course)?));
            }
            Task::Endgame(material, board) => (material, board),
        };
        let sight = Sight::of_endgame(material, board);
        let (endgame, seen) = sight.endgame()?;
        let terms = Arc::new(EndgameTerms {
            endgame: endgame.clone(),
            sight: seen,
            win: self.win as f32,
            restarts: self.restarts,
        });
        let worlds = move |count: usize| {
            let world = |_| Box::new(EndgameWorld::new(terms.clone())) as Box<dyn World>;
            Ok((0..count).map(world).collect())
        };
        // Where only one side's moves are learned from, it is the attacker.
        let side = Some(Color::White);
        let method = self.method(sight, Box::new(worlds), side, course.episodes);
        Ok(Box::new(EndgamePpo {
            ppo: Ppo::new(method, course)?,
            endgame,
            sight: seen,
        }))
    }
}
