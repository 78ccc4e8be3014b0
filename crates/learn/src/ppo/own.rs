//! Our own recipe: what makes proximal policy optimisation work in games against oneself, each a
//! setting that can be switched off.
//!
//! It learns whole games, and endgames without pawns, where what it has learned can be certified.

use std::sync::Arc;

use play::Registry;
use rules::Color;

use super::{
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
    chess::{ChessSight, MoveSight, Resources, Setup, Start},
    net::plain::Activation,
    runs::settings::{Setting, settings, within},
};

settings! {
    /// The settings of the learner.
    pub struct PpoSettings {
        /// Decisions that an iteration learns from.
        steps: usize = 4000, 1.0..=1e6;
        /// Decisions that a game brings at a time.
        fragment: usize = 100, 1.0..=1e5;
        /// Times that an iteration goes over its decisions.
        epochs: usize = 4, 1.0..=1e3;
        /// Decisions to a step.
        minibatch: usize = 256, 1.0..=1e6;
        /// The learning rate at the beginning …
        rate: f64 = 5e-4, 0.0..=1.0;
        /// … and at the end.
        rate_at_end: f64 = 5e-5, 0.0..=1.0;
        /// How far the ratio of chances may leave 1.
        clip: f64 = 0.2, 0.0..=10.0;
        /// What the distance to the old policy costs at first; it adapts. 0: nothing.
        kl: f64 = 0.0, 0.0..=100.0;
        /// What entropy is worth at the beginning …
        entropy: f64 = 0.01, 0.0..=100.0;
        /// … and at the end.
        entropy_at_end: f64 = 0.001, 0.0..=100.0;
        /// What the future is worth, a decision away.
        gamma: f64 = 0.995, 0.0..=1.0;
        /// How far advantages look ahead: 0 one decision, 1 to the end.
        lambda: f64 = 0.95, 0.0..=1.0;
        /// What the critic's error costs.
        value_weight: f64 = 0.5, 0.0..=1e3;
        /// Are the advantages of an iteration brought to mean 0 and deviation 1?
        standardise: bool = true;
        /// In games against itself, are both sides' moves learned from?
        symmetric: bool = true;
        /// Is what comes next the opposite of what it is worth to the other side?
        negamax: bool = true;
        /// The share of games against a random mover.
        random: f64 = 0.25, 0.0..=1.0;
        /// The share of games against a former self.
        past: f64 = 0.25, 0.0..=1.0;
        /// Former selves that are kept.
        pool: usize = 4, 0.0..=64.0;
        /// Iterations after which one more is kept.
        pool_every: u64 = 25, 0.0..=1e9;
        /// The share of games that begin with a position out of an earlier decisive game.
        restarts: f64 = 0.2, 0.0..=1.0;
        /// In whole games: the share of them that begin with an endgame.
        endgames: f64 = 0.1, 0.0..=1.0;
        /// In whole games: what a pawn is worth that is won.
        material: f64 = 0.02, 0.0..=100.0;
        /// What a win is worth.
        win: f64 = 1.0, 1e-3..=1e6;
        /// In whole games: what is seen: salisch-2, men or attacks.
        sees: ChessSight = ChessSight::default();
        /// In whole games: how moves are told apart: numbers or kinds.
        moves: MoveSight = MoveSight::default();
        /// Neurons of a hidden layer.
        width: usize = 256, 1.0..=4096.0;
        /// What a neuron does with its sum: relu or tanh.
        activation: Activation = Activation::Relu;
        /// Where it learns: `cpu`; in a program built with libtorch also `cuda` (a GPU) or `libtorch`, together with others there.
        device: String = "cpu".into();
        /// On a device: into how many shifts the learners are divided; one learns while the others play.
        shifts: usize = 2, 1.0..=1e3;
    }
}

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "ppo",
    summary: "proximal policy optimisation, small careful steps towards what worked, in games against itself, of \
              whole games and of endgames; episodes are iterations",
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
            device: self.device.clone(),
            shifts: self.shifts,
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
        Box::new(ChessWorlds::new(terms))
    }
}

impl LearnerSettings for PpoSettings {
    const SETTINGS: &[Setting] = PpoSettings::EXPLAINED;

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
