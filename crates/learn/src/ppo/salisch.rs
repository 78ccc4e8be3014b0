//! Document P's agents, versions 1 to 10.
//!
//! Versions 1 to 5 build on each other, 6 to 9 are each version 5 with one change, 10 is 9 with γ 1.
//! What the document does not state are the defaults of the RLlib it used: 4,000 decisions an
//! iteration in fragments of 200, minibatches of 128, 30 epochs, Adam at a constant rate of 5·10⁻⁵,
//! γ 0.99, λ 1, clip 0.3, KL coefficient 0.2 with target 0.01, value clip 10 with weight 1, no entropy
//! bonus, advantages brought to mean 0 and deviation 1, hyperbolic tangents, and weights that begin
//! with rows of length 1 (answers 0.01). A decision is one of the learner's own moves; its opponent's
//! are not counted.

use std::sync::Arc;

use play::Registry;

use super::{
    chess_world::{ChessTerms, refused},
    learner::Ppo,
    method::{ChessWorlds, Method},
    rollout::Rivals,
    samples::Discounts,
    sight::Sight,
};
use crate::{
    Course, Episodes, LearnError, Learner, LearnerMaker, LearnerSettings, Learns, Recipe, Task,
    chess::{ChessSight, MoveSight, Resources, Setup},
    net::plain::Activation,
    runs::settings::{Setting, settings},
};

settings! {
    /// The settings of document P's agents.
    pub struct SalischSettings {
        /// Which of its agents, 1 to 10.
        version: u32 = 9, 1.0..=10.0;
        /// From version 3 on: a Polyglot file whose moves are rewarded, or `none`.
        book: String = String::new();
        /// From version 3 on: a folder of Syzygy tables by which shorter wins are rewarded, or `none`.
        syzygy: String = String::new();
        /// Decisions that an iteration learns from.
        steps: usize = 4000, 1.0..=1e6;
        /// Decisions that a game brings at a time.
        fragment: usize = 200, 1.0..=1e5;
        /// Times that an iteration goes over its decisions.
        epochs: usize = 30, 1.0..=1e3;
        /// Decisions to a step.
        minibatch: usize = 128, 1.0..=1e6;
        /// Neurons of a hidden layer.
        width: usize = 256, 1.0..=4096.0;
        /// Where it learns: `cpu`; in a program built with libtorch also `cuda` (a GPU) or `libtorch`, together with others there.
        device: String = "cpu".into();
        /// On a device: into how many shifts the learners are divided; one learns while the others play.
        shifts: usize = 2, 1.0..=1e3;
    }
}

/// The recipe.
pub const RECIPE: Recipe = Recipe {
    name: "salisch-ppo",
    summary: "the ten agents of Salisch's thesis (2023): proximal policy optimisation, small careful steps towards \
              what worked, over whole games; episodes are iterations",
    taught: false,
    whole_game: true,
    episodes: Episodes::Iterations,
    learns: Learns::Weights,
    best_for: None,
    maker: LearnerMaker::of::<SalischSettings>(),
};

/// The iteration from which version 6 has no entropy bonus.
const ENTROPY_UNTIL: u64 = 500;

impl SalischSettings {
    /// What the environment is.
    fn setup(&self) -> Result<Setup, LearnError> {
        let claims = self.version == 1;
        let mut rewards = match self.version {
            1 => "end=100".to_owned(),
            _ => "end=1000".to_owned(),
        };
        let named = |file: &str| self.version >= 3 && file != "none";
        let mut settings = vec![
            ("opponent", "none"),
            (
                "observation",
                if claims { "salisch-1" } else { "salisch-2" },
            ),
            (
                "actions",
                if claims {
                    "alphazero+claim"
                } else {
                    "alphazero"
                },
            ),
            ("draws", if claims { "claimed" } else { "automatic" }),
            ("limit", if claims { "400" } else { "none" }),
        ];
        if named(&self.book) {
            rewards += ",book=10";
            settings.push(("book", &self.book));
        }
        if named(&self.syzygy) {
            rewards += ",tablebase=10";
            settings.push(("syzygy", &self.syzygy));
        }
        settings.push(("rewards", &rewards));
        Setup::read(settings, Resources::default()).map_err(refused)
    }

    /// How its agent is optimised.
    fn method(self) -> Result<Method, LearnError> {
        let refuse = |name: &str, value: &str, why: &str| LearnError::BadSetting {
            name: name.into(),
            value: value.into(),
            why: why.into(),
        };
        let version = self.version;
        for (name, file, what) in [
            ("book", &self.book, "a Polyglot file"),
            ("syzygy", &self.syzygy, "a folder of Syzygy tables"),
        ] {
            if version >= 3 && file.is_empty() {
                let why = format!(
                    "from version 3 on {what} gives rewards: name it, or go without by {name}=none"
                );
                return Err(refuse(name, "''", &why));
            }
        }
        let (sees, moves) = match version {
            1 => (ChessSight::Salisch1, MoveSight::Claims),
            _ => (ChessSight::Salisch2, MoveSight::Numbers),
        };
        let rate = if version >= 9 { 3e-4 } else { 5e-5 };
        Ok(Method {
            sight: Sight::Chess { sees, moves },
            win: if version == 1 { 100.0 } else { 1000.0 },
            steps: self.steps,
            fragment: self.fragment,
            epochs: self.epochs,
            minibatch: self.minibatch,
            rate,
            rate_at_end: rate,
            clip: if version == 7 { 0.25 } else { 0.3 },
            kl: if version <= 4 { 0.2 } else { 0.0 },
            entropy: if version == 6 { 0.005 } else { 0.0 },
            entropy_at_end: 0.0,
            entropy_until: ENTROPY_UNTIL,
            value_clip: 10.0,
            value_weight: 1.0,
            discounts: Discounts {
                gamma: if version == 10 { 1.0 } else { 0.99 },
                lambda: if version == 8 { 0.9 } else { 1.0 },
                negamax: false,
            },
            standardise: true,
            width: self.width,
            activation: Activation::Tanh,
            rivals: Rivals {
                random: if version <= 3 { 1.0 } else { 0.0 },
                past: 0.0,
                symmetric: false,
                negamax: false,
                side: None,
            },
            pool: 0,
            pool_every: 0,
            measures_all_moves: true,
            device: self.device.clone(),
            shifts: self.shifts,
            worlds: Box::new(ChessWorlds::new(move || {
                Ok(ChessTerms {
                    setup: Arc::new(self.setup()?),
                    sight: sees,
                    moves,
                    material: 0.0,
                    restarts: 0.0,
                    endgames: 0.0,
                    starts: Vec::new(),
                })
            })),
        })
    }
}

impl LearnerSettings for SalischSettings {
    const SETTINGS: &[Setting] = SalischSettings::EXPLAINED;

    fn learner(
        self,
        course: Course,
        registry: Option<&Registry>,
    ) -> Result<Box<dyn Learner>, LearnError> {
        if course.task != Task::Chess {
            return Err(LearnError::BadSetting {
                name: "endgame".into(),
                value: course.task.to_string(),
                why: "this recipe learns the whole game: leave the endgame out".into(),
            });
        }
        let mut ppo = Ppo::new(self.method()?, course)?;
        // Whoever brings players is about to train: a file that is missing should be missed at once.
        if registry.is_some() {
            ppo.ready()?;
        }
        Ok(Box::new(ppo))
    }
}
